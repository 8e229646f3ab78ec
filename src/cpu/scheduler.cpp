#include "cpu/scheduler.h"

namespace duet::cpu {

bool Scheduler::find_later_room(Cycle& cycle) {
  if (cycle > from_ + kReach) from_ = cycle - kReach;
  for (; from_ < cycle; ++from_) {
    std::uint32_t& left = leaves_[from_ % kReach];
    taken_ -= left;
    left = 0;
  }
  while (taken_ >= entries_) {
    const Cycle end = from_ + kReach;
    Cycle at = from_;
    while (at != end && leaves_[at % kReach] == 0) ++at;
    if (at == end) return false;
    taken_ -= leaves_[at % kReach];
    leaves_[at % kReach] = 0;
    from_ = at;
    room_ = at + 1;
    cycle = std::max(cycle, room_);
  }
  return true;
}

}  // namespace duet::cpu
