// One run in a process of its own: `duet run`, into a folder of running/, and its end.
#pragma once

#include <sys/types.h>

#include <chrono>

#include "base/process.h"
#include "sweep/folder.h"

namespace duet::sweep {

// Blocks the signals for this process's end, and for ended children, to wait for them without a race. An
// ignored one (nohup) stays ignored.
class Signals {
 public:
  Signals();
  // Waits for the end of a child, at most so long: returns 0. For a signal to end: its number.
  int wait(std::chrono::milliseconds at_most) const;

 private:
  sigset_t awaited_{};
};

class Execution {
 public:
  Execution(const Folder& folder, const std::string& duet, const Work& work, const std::string& who);
  pid_t process() const { return process_; }
  const Work& work() const { return *work_; }
  // With its status of waitpid(). False: it was ended from outside, without a result.
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
