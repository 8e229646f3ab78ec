// A clock domain with a memory: walks along the edges of a ClockDomain without a division per edge. Answers
// are exactly those of ClockDomain (the remainder of the division is carried along).
#pragma once

#include "sim/clock_domain.h"

namespace duet::sim {

class ClockCursor {
 public:
  explicit ClockCursor(std::uint64_t hertz)
      : domain_(hertz),
        hertz_(hertz),
        whole_(kPicosecondsPerSecond / hertz),
        part_(kPicosecondsPerSecond % hertz),
        next_edge_(whole_),
        next_remainder_(part_) {}

  Picoseconds first_edge_after(Picoseconds time) const {
    seek(time);
    return next_edge_;
  }
  // The edge that lies `cycles` edges after the last edge at or before `time`.
  Picoseconds edge_after(Picoseconds time, Cycle cycles) const {
    seek(time);
    return cycles == 1 ? next_edge_ : domain_.edge(cycle_ + cycles);
  }
  bool is_edge(Picoseconds time) const {
    seek(time);
    return edge_ == time;
  }

 private:
  static constexpr unsigned kSteps = 8;
  void seek(Picoseconds time) const {
    if (time >= edge_ && time < next_edge_) return;
    if (time >= next_edge_)
      for (unsigned i = 0; i < kSteps; ++i) {
        step();
        if (time < next_edge_) return;
      }
    cycle_ = domain_.cycle_at(time);
    edge_ = domain_.edge(cycle_);
    next_edge_ = domain_.edge(cycle_ + 1);
    const auto position = static_cast<unsigned __int128>(cycle_ + 1) * kPicosecondsPerSecond;
    next_remainder_ = static_cast<std::uint64_t>(position % hertz_);
  }
  void step() const {
    ++cycle_;
    edge_ = next_edge_;
    next_edge_ += whole_;
    next_remainder_ += part_;
    if (next_remainder_ >= hertz_) {
      next_remainder_ -= hertz_;
      ++next_edge_;
    }
  }

  ClockDomain domain_;
  std::uint64_t hertz_, whole_, part_;
  mutable Cycle cycle_ = 0;
  mutable Picoseconds edge_ = 0, next_edge_;
  mutable std::uint64_t next_remainder_;
};

}  // namespace duet::sim
