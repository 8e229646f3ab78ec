#include "memory/virtual/tlb_port.h"

#include <algorithm>
#include <utility>

namespace duet::memory {

TlbPort::TlbPort(sim::Engine& engine, std::string name, const sim::Component* parent,
                 const config::Translation& config, std::uint64_t clock_hz, TranslationUnit& unit,
                 const RequestPool& pool, Bytes page_bytes)
    : Component(engine, std::move(name), parent, 0, sim::Role::DataMovementElement),
      clock_(clock_hz),
      pool_(pool),
      page_shift_(static_cast<unsigned>(std::countr_zero(page_bytes))),
      most_pages_(config.tlb_misses),
      held_(config.tlb_entries, config.tlb_entries),
      unit_(unit.connect_client(*this, config.tlb_misses)) {}

Picoseconds TlbPort::tick(Picoseconds now) {
  bool moved = false;
  while (unit_.answers->can_pop(now)) {
    const std::uint64_t page = unit_.answers->pop(now);
    held_.insert(page);
    const auto waiting = waiting_.find(page);
    ready_.insert(ready_.end(), waiting->second.begin(), waiting->second.end());
    waiting_.erase(waiting);
    moved = true;
  }
  if (!ready_.empty())
    moved |= send_ready(now);
  else
    for (unsigned c = 0; c < kTrafficClasses; ++c) moved |= take(now, from_sm_->of(c));
  if (moved) return clock_.first_edge_after(now);
  const Picoseconds arrival = std::min(from_sm_->next_arrival(now), unit_.answers->next_arrival(now));
  return arrival == kNever ? kNever : clock_.first_edge_after(arrival);
}

bool TlbPort::send_ready(Picoseconds now) {
  if (!to_l1_->can_push(now, ready_.front().traffic_class)) return false;
  to_l1_->push(now, ready_.front());
  ready_.pop_front();
  return true;
}

// The next request of a class; whether it has gone on, or aside.
bool TlbPort::take(Picoseconds now, sim::Queue<Packet>& requests) {
  if (!requests.can_pop(now)) return false;
  const Packet& packet = requests.front();
  const Request& request = pool_[packet.request];
  if (request.translation != Translation::None) {
    const std::uint64_t page = request.address >> page_shift_;
    if (const auto waiting = waiting_.find(page); waiting != waiting_.end()) {
      waiting->second.push_back(requests.pop(now));
      ++statistics_.hits;
      return true;
    }
    if (!held_.find(page)) {
      if (waiting_.size() == most_pages_ || !unit_.asks->can_push(now)) return false;
      unit_.asks->push(now, {page, request.translation});
      waiting_[page].push_back(requests.pop(now));
      ++statistics_.misses;
      return true;
    }
    if (!to_l1_->can_push(now, packet.traffic_class)) return false;
    ++statistics_.hits;
  } else if (!to_l1_->can_push(now, packet.traffic_class)) {
    return false;
  }
  to_l1_->push(now, requests.pop(now));
  return true;
}

std::string TlbPort::waits_for() const {
  if (!waiting_.empty()) return "translations of " + std::to_string(waiting_.size()) + " pages";
  return ready_.empty() && from_sm_->size() == 0 ? std::string() : "room in L1";
}

}  // namespace duet::memory
