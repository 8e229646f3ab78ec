// One run in a process of its own: `duet run`, into a folder of running/, and what becomes of it.
#pragma once

#include <sys/types.h>

#include <chrono>

#include "base/process.h"
#include "sweep/folder.h"

namespace duet::sweep {

// Blocks the signals that ask this process to end, and those of children, so that they can be waited for
// without a race. One that is ignored (nohup) stays so.
class Signals {
 public:
  Signals();
  // Until a child has ended, at most so long: 0. A signal that asks to end: its number.
  int wait(std::chrono::milliseconds at_most) const;

 private:
  sigset_t awaited_{};
};

class Execution {
 public:
  Execution(const Folder& folder, const std::string& duet, const Work& work, const std::string& who);
  pid_t process() const { return process_; }
  const Work& work() const { return *work_; }
  // With its status of waitpid(). False: it was ended from outside, which is no result.
  bool end(int status);

 private:
  Record record_of(int status) const;

  const Folder* folder_;
  const Work* work_;
  std::filesystem::path running_;
  std::chrono::steady_clock::time_point started_;
  pid_t process_;
};

}  // namespace duet::sweep
