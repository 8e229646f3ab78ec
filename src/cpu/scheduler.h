// How full a core's scheduler is: the entries of instructions that have been dispatched and have not started.
//
//   scheduler.enter();                     // an instruction is dispatched
//   scheduler.leave(107);                  // its start is known; its entry is free in cycle 107
//   scheduler.find_room(cycle);            // moves `cycle` to the first one with a free entry, or fails
//
// Instructions leave in any order, and at cycles that dispatch has not reached. So departures are counted by
// cycle, up to kReach cycles ahead of dispatch; departures further ahead are taken to be there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/units.h"

namespace duet::cpu {

class Scheduler {
 public:
  static constexpr std::size_t kReach = 8192;

  explicit Scheduler(std::uint64_t entries) : entries_(entries), leaves_(kReach) {}

  void enter() { ++taken_; }
  void leave(Cycle cycle) {
    const Cycle last = from_ + kReach - 1;
    if (cycle < from_)
      --taken_;
    else
      ++leaves_[std::min(cycle, last) % kReach];
  }
  // An entry whose start is `start` is still taken, as seen from the last dispatch.
  bool holds(Cycle start) const { return start >= from_; }
  // Moves `cycle` to the first one, from it on, with a free entry; false while it is not known.
  bool find_room(Cycle& cycle) {
    cycle = std::max(cycle, room_);  // found already, where it was too far ahead
    return (cycle <= from_ && taken_ < entries_) || find_later_room(cycle);
  }
  // Nothing is in it.
  void clear() {
    std::fill(leaves_.begin(), leaves_.end(), 0);
    taken_ = 0;
    room_ = 0;
  }

 private:
  bool find_later_room(Cycle& cycle);

  const std::uint64_t entries_;
  std::vector<std::uint32_t> leaves_;  // instructions that leave, by cycle
  Cycle from_ = 0;                     // the first cycle whose departures are still in leaves_
  Cycle room_ = 0;                     // when it was last known to be no longer full
  std::uint64_t taken_ = 0;
};

}  // namespace duet::cpu
