// When a core's execution units are taken: for each kind of unit the starts in a cycle, and for unpipelined
// ones the end of their work. Operations are placed in the order in which their operands become known, each
// in the first cycle with room (as in Sniper's and zsim's core models: Carlson et al., TACO 2014; Sanchez and
// Kozyrakis, ISCA 2013).
#pragma once

#include <algorithm>
#include <vector>

#include "base/units.h"

namespace duet::cpu {

// So many starts a cycle. Remembers a window of cycles, longer than the span of operations in flight.
class SlotsPerCycle {
 public:
  explicit SlotsPerCycle(unsigned slots) : slots_(slots), used_(kWindow) {}

  bool has_room(Cycle cycle) const {
    const Slot& slot = used_[cycle % kWindow];
    return slot.cycle != cycle || slot.used < slots_;
  }
  void take(Cycle cycle) {
    Slot& slot = used_[cycle % kWindow];
    if (slot.cycle != cycle) slot = {cycle, 0};
    ++slot.used;
  }

 private:
  static constexpr std::size_t kWindow = 8192;
  struct Slot {
    Cycle cycle = ~Cycle{0};
    unsigned used = 0;
  };
  unsigned slots_;
  std::vector<Slot> used_;
};

// The units of one kind.
class Units {
 public:
  Units(unsigned count, Cycle interval) : interval_(interval), starts_(count), busy_until_(count) {}

  // The first cycle from `from` on with a free slot and room in `also`; takes both.
  Cycle place(Cycle from, SlotsPerCycle& also) {
    Cycle cycle = from;
    auto unit = busy_until_.begin();
    if (interval_ > 1) {
      unit = std::min_element(busy_until_.begin(), busy_until_.end());
      cycle = std::max(cycle, *unit);
    }
    while (!also.has_room(cycle) || (interval_ == 1 && !starts_.has_room(cycle))) ++cycle;
    also.take(cycle);
    if (interval_ == 1)
      starts_.take(cycle);
    else
      *unit = cycle + interval_;
    return cycle;
  }

 private:
  Cycle interval_;
  SlotsPerCycle starts_;
  std::vector<Cycle> busy_until_;
};

}  // namespace duet::cpu
