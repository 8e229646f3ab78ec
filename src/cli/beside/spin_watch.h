// Finds host programs that wait for the GPU in a loop of their own. With a native host, simulated time
// advances only inside API calls: a loop on mapped or managed memory without calls never sees the GPU's
// writes. The user is warned; the program is not ended.
#pragma once

#include <cstdint>
#include <string>

#include "report/journal/journal.h"

namespace duet::cli {

// Of one process, looked at again and again.
class SpinWatch {
 public:
  // The line to say, once: after `limit_seconds` of CPU time without a call while commands are outstanding.
  std::string look(const report::JournalHeader& header, double limit_seconds);

 private:
  std::uint64_t left_calls_ = 0;
  Picoseconds simulated_ps_ = 0;
  double cpu_seconds_ = 0;  // when the process left its last call
  bool told_ = false;
};

}  // namespace duet::cli
