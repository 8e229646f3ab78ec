#include "machine/levels/route_port.h"

#include <algorithm>

namespace duet::machine {

Picoseconds RoutePort::tick(Picoseconds now) {
  bool moved = false;
  for (unsigned i = 0; i < below_.size() && !moved; ++i) {
    const unsigned side = (next_side_ + i) % below_.size();
    sim::Queue<memory::Packet>& answers = *below_[side].answers;
    if (!answers.can_pop(now) || !to_above_->can_push(now)) continue;
    to_above_->push(now, answers.pop(now));
    next_side_ = (side + 1) % below_.size();
    moved = true;
  }
  for (unsigned c = 0; c < memory::kTrafficClasses; ++c) {
    sim::Queue<memory::Packet>& requests = from_above_->of(c);
    if (!requests.can_pop(now)) continue;
    memory::Channel& to = *below(requests.front()).requests;
    if (!to.can_push(now, requests.front().traffic_class)) continue;
    to.push(now, requests.pop(now));
    moved = true;
    break;
  }
  if (moved) return clock_.first_edge_after(now);
  Picoseconds arrival = from_above_->next_arrival(now);
  for (const Below& side : below_) arrival = std::min(arrival, side.answers->next_arrival(now));
  return arrival == kNever ? kNever : clock_.first_edge_after(arrival);
}

std::string RoutePort::waits_for() const {
  return from_above_->size() != 0 ? "room at the memory controller, or on the link" : std::string();
}

}  // namespace duet::machine
