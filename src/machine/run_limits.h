// What ends a run before its program does.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace duet::machine {

struct RunLimits {
  // Core cycles during which at least one kernel runs, from its first block to its completion as the driver
  // sees it (`totals.gpu_cycles` in stats.json); 0: no limit.
  std::uint64_t max_cycles = 0;
  struct WallTime {
    std::chrono::steady_clock::time_point end;
    double seconds = 0;  // as the user wrote it
  };
  std::optional<WallTime> wall_time;
  std::string
      otherwise;  // what would answer without the limit, for the line about its end; empty: nothing else
  const std::atomic<int>* signal = nullptr;  // the number of a signal that asks for the end; 0: none yet
  std::string
      alive;  // a pipe with a name that whoever waits for the results holds open; empty: there is none
};

}  // namespace duet::machine
