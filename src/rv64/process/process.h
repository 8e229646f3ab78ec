// A static Linux program on RV64, executed without time: its image, its stack, its system calls, its end.
// Deterministic: time and chance in a program follow from its instructions. An instruction takes 1 ns, as
// rdtime has it (interpreter.h); sleeping adds to that; the run begins at 2000-01-01 00:00 UTC, 1000 s after
// the machine has booted; random bytes come from a fixed seed. Left out so far: child processes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rv64/process/paths.h"

namespace duet::rv64 {

struct ProcessOptions {
  std::vector<std::string> arguments;  // the first is the program's path
  std::vector<std::string> environment;
  double timeout_seconds = 0;  // of wall time; 0: no limit
  FileOptions files{};
};

// How a process has ended.
struct ProcessEnd {
  int status = 0;  // 0 to 255, of exit
  int signal = 0;  // the signal that ended it; 0: none
};

class Process {
 public:
  // Loads the program; Error, of one line, where it cannot be run.
  explicit Process(const ProcessOptions& options);
  ~Process();

  // To its end. A fault is reported on standard error: address, kind, and the active functions. Deadlock
  // where it waits for ever; Stopped at the limit of time.
  ProcessEnd run();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace duet::rv64
