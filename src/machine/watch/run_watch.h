// Looks at a process while its machine runs: ends it at a limit or when a signal asks for it, and tells the
// journal about twenty times a second where it stands. Looks lie at fixed points of simulated time, and one
// of them exactly where the cycles are spent, so --max-cycles ends every run at the same place.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "host/time_watch.h"
#include "machine/run_limits.h"

namespace duet::machine {

class Process;

class RunWatch : public host::TimeWatch {
 public:
  RunWatch(Process& process, const RunLimits& limits, std::uint64_t core_clock_khz);

  Picoseconds horizon(Picoseconds now, Picoseconds next_event) override;
  void look(Picoseconds now) override;
  void goes_on(std::uint64_t thread, std::uint64_t because_of) override;
  std::string standstill() override;
  // Kernels are told in the order of their ends.
  void kernel_ended(Picoseconds start, Picoseconds end);

 private:
  Picoseconds running_since() const;  // kNever: no kernel runs
  Picoseconds busy(Picoseconds now) const;
  [[noreturn]] void stop(int status, const std::string& why);

  Process& process_;
  const RunLimits limits_;
  Picoseconds max_busy_ps_ = kNever;
  std::vector<std::pair<Picoseconds, Picoseconds>> intervals_;  // in which kernels ran: disjoint, ascending
  Picoseconds intervals_ps_ = 0;                                // all of them together
  std::chrono::steady_clock::time_point next_publication_;
};

}  // namespace duet::machine
