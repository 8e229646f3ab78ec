// A clock domain with a memory: answers about times near the last one need no 128-bit division. Answers are
// exactly ClockDomain's: edge k lies at floor(k * 10^12 / hertz), and the remainder is carried along.
#pragma once

#include "sim/clock_domain.h"

namespace duet::sim {

class ClockCursor {
 public:
  explicit ClockCursor(std::uint64_t hertz)
      : domain_(hertz),
        hertz_(hertz),
        divider_(hertz),
        period_(kPicosecondsPerSecond / hertz),
        period_remainder_(kPicosecondsPerSecond % hertz) {
    move_to(0);
  }

  Picoseconds first_edge_after(Picoseconds time) const {
    if (time >= edge_ && time < next_edge_)
      return next_edge_;  // mostly; small enough to go where it is called
    return edge_after(time, 1);
  }
  // The edge `cycles` edges after the last edge at or before `time`.
  Picoseconds edge_after(Picoseconds time, Cycle cycles) const {
    if (cycles == 1 && time >= edge_ && time < next_edge_) return next_edge_;
    if (time < edge_ || time - edge_ > kReach || cycles > kReachCycles) {
      move_to(time);
      if (cycles == 1) return next_edge_;
      if (cycles > kReachCycles) return domain_.edge(cycle_ + cycles);
    }
    // The last edge at or before `time` is k after the cursor's: the largest k for which
    // remainder + k * 10^12 < (time - edge + 1) * hertz.
    const std::uint64_t k = ((time - edge_ + 1) * hertz_ - remainder_ - 1) / kPicosecondsPerSecond;
    return edge_ + divider_.quotient(remainder_ + (k + cycles) * kPicosecondsPerSecond);
  }

  // Moves on to the last edge at or before `time` and returns its number. Called at every tick it gives the
  // next edge without a division.
  [[gnu::always_inline]] Cycle advance_to(Picoseconds time) {
    if (time < edge_ || time - edge_ > kReach) {
      move_to(time);
      return cycle_;
    }
    if (time < next_edge_) return cycle_;
    if (time < next_edge_ + period_) {  // one edge on, as it mostly is
      edge_ = next_edge_;
      remainder_ += period_remainder_;
      if (remainder_ >= hertz_) remainder_ -= hertz_;
      next_edge_ = edge_ + period_ + (remainder_ + period_remainder_ >= hertz_);
      return ++cycle_;
    }
    const std::uint64_t k = ((time - edge_ + 1) * hertz_ - remainder_ - 1) / kPicosecondsPerSecond;
    const std::uint64_t work = remainder_ + k * kPicosecondsPerSecond;
    cycle_ += k;
    const std::uint64_t passed = divider_.quotient(work);
    edge_ += passed;
    remainder_ = work - passed * hertz_;
    next_edge_ = edge_ + period_ + (remainder_ + period_remainder_ >= hertz_);
    return cycle_;
  }

 private:
  // With this bound every product above fits into 64 bits, for clocks up to 10 GHz.
  static constexpr Picoseconds kReach = 500'000'000;
  static constexpr Cycle kReachCycles = 1'000'000;

  void move_to(Picoseconds time) const {
    cycle_ = domain_.cycle_at(time);
    edge_ = domain_.edge(cycle_);
    next_edge_ = domain_.edge(cycle_ + 1);
    remainder_ =
        static_cast<std::uint64_t>(static_cast<unsigned __int128>(cycle_) * kPicosecondsPerSecond % hertz_);
  }

  ClockDomain domain_;
  std::uint64_t hertz_;
  Divider divider_;
  Picoseconds period_;  // rounded down, and the remainder
  std::uint64_t period_remainder_;
  mutable Cycle cycle_ = 0;
  mutable Picoseconds edge_ = 0, next_edge_ = 0;
  mutable std::uint64_t remainder_ = 0;
};

}  // namespace duet::sim
