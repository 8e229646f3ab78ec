#include "machine/host/host_bridge.h"

#include <algorithm>

namespace duet::machine {

HostBridge::HostBridge(sim::Engine& engine, const sim::Component* parent, std::uint64_t clock_khz,
                       std::uint16_t link_number, std::uint16_t host_memory_number)
    : Component(engine, "host bridge", parent, 1, sim::Role::DataMovementElement),
      clock_(clock_khz * 1000),
      link_number_(link_number),
      host_memory_number_(host_memory_number) {}

Picoseconds HostBridge::tick(Picoseconds now) {
  // One packet each way a cycle.
  bool moved = false;
  if (ports_.from_link->can_pop(now) && ports_.to_gpu->can_push(now)) {
    memory::Packet packet = ports_.from_link->pop(now);
    const Sender& sender = senders_[packet.argument];
    free_.push_back(packet.argument);
    packet.destination = sender.source;
    packet.argument = sender.argument;
    ports_.to_gpu->push(now, packet);
    ++statistics_.answers;
    moved = true;
  }
  for (unsigned c = 0; c < memory::kTrafficClasses; ++c) {
    auto& requests = ports_.from_gpu->of(c);
    if (!requests.can_pop(now) || !ports_.to_link->can_push(now)) continue;
    memory::Packet packet = requests.pop(now);
    if (free_.empty()) {
      free_.push_back(senders_.size());
      senders_.emplace_back();
    }
    senders_[free_.back()] = {packet.source, packet.argument};
    packet.argument = free_.back();
    free_.pop_back();
    packet.source = link_number_;
    packet.destination = host_memory_number_;
    ports_.to_link->push(now, packet);
    ++statistics_.requests;
    moved = true;
    break;
  }
  if (moved) return clock_.first_edge_after(now);
  const Picoseconds arrival =
      std::min(ports_.from_link->next_arrival(now), ports_.from_gpu->next_arrival(now));
  return arrival == kNever ? kNever : clock_.first_edge_after(arrival);
}

std::string HostBridge::waits_for() const {
  const std::size_t requests = ports_.from_gpu->size(), answers = ports_.from_link->size();
  if (requests + answers == 0) return {};
  return answers != 0 ? "room on the interconnect for answers of host memory" : "room on the link";
}

}  // namespace duet::machine
