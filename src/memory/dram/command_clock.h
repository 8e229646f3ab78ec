// Cycle numbers of a clock: which edge is this, and when is edge k. Answers are exactly those of
// sim::ClockDomain (edge k lies at floor(k * 10^12 / hertz)); near the last answer they need no 128-bit
// division. sim::ClockCursor knows times only; a memory controller counts in cycles.
#pragma once

#include "sim/clock_domain.h"

namespace duet::memory {

class CommandClock {
 public:
  // Up to 10 GHz.
  explicit CommandClock(std::uint64_t hertz) : domain_(hertz), hertz_(hertz), divider_(hertz) {}

  // The number of the last edge at or before `time`; later questions are near it.
  Cycle cycle_at(Picoseconds time) {
    if (time == asked_edge_ && time - edge_ <= kReach / 2) return asked_cycle_;
    if (time >= edge_ && time - edge_ <= kReach) {
      const std::uint64_t product = (time - edge_ + 1) * hertz_ - remainder_ - 1;
      const std::uint64_t k = product / kPicosecondsPerSecond;
      const std::uint64_t work = remainder_ + k * kPicosecondsPerSecond;
      const std::uint64_t passed = divider_.quotient(work);
      cycle_ += k;
      edge_ += passed;
      remainder_ = work - passed * hertz_;
    } else {
      cycle_ = domain_.cycle_at(time);
      edge_ = domain_.edge(cycle_);
      remainder_ =
          static_cast<std::uint64_t>(static_cast<unsigned __int128>(cycle_) * kPicosecondsPerSecond % hertz_);
    }
    return cycle_;
  }
  Picoseconds edge(Cycle cycle) const {
    if (cycle < cycle_ || cycle - cycle_ > kReachCycles) return domain_.edge(cycle);
    return edge_ + divider_.quotient(remainder_ + (cycle - cycle_) * kPicosecondsPerSecond);
  }
  // As edge(), for an edge whose cycle_at() will be needed.
  Picoseconds next_edge(Cycle cycle) {
    asked_cycle_ = cycle;
    return asked_edge_ = edge(cycle);
  }

 private:
  // With this bound every product above fits into 64 bits.
  static constexpr Picoseconds kReach = 500'000'000;
  static constexpr Cycle kReachCycles = 1'000'000;

  sim::ClockDomain domain_;
  std::uint64_t hertz_;
  sim::Divider divider_;
  Cycle cycle_ = 0;
  Picoseconds edge_ = 0;
  std::uint64_t remainder_ = 0;
  Cycle asked_cycle_ = 0;
  Picoseconds asked_edge_ = 0;
};

}  // namespace duet::memory
