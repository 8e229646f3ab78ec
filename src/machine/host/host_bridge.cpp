#include "machine/host/host_bridge.h"

#include <algorithm>
#include <cstring>

#include "memory/cache/byte_masks.h"

namespace duet::machine {

using memory::ByteMask;
using memory::Packet;
using memory::Request;

HostBridge::HostBridge(sim::Engine& engine, const sim::Component* parent, std::uint64_t clock_khz,
                       std::uint16_t link_number, std::uint16_t host_memory_number, bool byte_masks,
                       memory::RequestPool& pool)
    : Component(engine, "host bridge", parent, 1, sim::Role::DataMovementElement),
      clock_(clock_khz * 1000),
      link_number_(link_number),
      host_memory_number_(host_memory_number),
      byte_masks_(byte_masks),
      pool_(&pool) {}

Picoseconds HostBridge::tick(Picoseconds now) {
  // One packet each way a cycle.
  const bool answered = answer(now);
  const bool moved = ask(now) || answered;
  if (moved) return clock_.first_edge_after(now);
  Picoseconds arrival = from_link_->next_arrival(now);
  for (const Client& client : clients_) arrival = std::min(arrival, client.requests->next_arrival(now));
  return arrival == kNever ? kNever : clock_.first_edge_after(arrival);
}

bool HostBridge::answer(Picoseconds now) {
  if (!from_link_->can_pop(now)) return false;
  const std::size_t index = from_link_->front().argument;
  const std::size_t whole = senders_[index].whole;
  Sender& sender = senders_[whole == kNone ? index : whole];
  if (!clients_[sender.client].answers->can_push(now)) return false;
  Packet packet = from_link_->pop(now);
  free_.push_back(index);
  if (whole != kNone) {
    pool_.release(packet.request);
    if (--sender.runs != 0 || !sender.sent) return true;
    free_.push_back(whole);
    packet.request = sender.packet.request;
  }
  packet.destination = sender.packet.source;
  packet.argument = sender.packet.argument;
  clients_[sender.client].answers->push(now, packet);
  ++statistics_.answers;
  return true;
}

bool HostBridge::ask(Picoseconds now) {
  if (!to_link_->can_push(now)) return false;
  if (cutting_ != kNone) {
    send_run(now);
    return true;
  }
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    const std::size_t number = (next_client_ + i) % clients_.size();
    for (unsigned c = 0; c < memory::kTrafficClasses; ++c) {
      sim::Queue<Packet>& requests = clients_[number].requests->of(c);
      if (!requests.can_pop(now)) continue;
      const Packet packet = requests.pop(now);
      next_client_ = (number + 1) % clients_.size();
      ++statistics_.requests;
      const std::size_t sender = new_sender(number, packet);
      if (has_holes(packet)) {
        ++statistics_.cut;
        cutting_ = sender;
        senders_[sender].sent = false;
        left_ = pool_[packet.request].mask;
        send_run(now);
      } else {
        send(now, packet, sender);
      }
      return true;
    }
  }
  return false;
}

bool HostBridge::has_holes(const Packet& packet) const {
  if (byte_masks_) return false;
  const Request& request = pool_[packet.request];
  return request.operation == memory::Operation::Write &&
         memory::last_byte(request.mask) + 1 - memory::first_byte(request.mask) !=
             memory::count(request.mask);
}

// The next run of the write that is cut.
void HostBridge::send_run(Picoseconds now) {
  const std::size_t whole = cutting_;
  const Packet& packet = senders_[whole].packet;
  const Request& request = pool_[packet.request];
  const unsigned first = memory::first_byte(left_);
  unsigned end = first;
  while (end < request.bytes && left_.test(end)) ++end;
  const memory::RequestHandle handle = pool_.allocate();
  Request& run = pool_[handle];
  static_cast<memory::RequestFields&>(run) = request;
  run.address = request.address + first;
  run.bytes = static_cast<std::uint16_t>(end - first);
  run.mask = ByteMask::first(end - first);
  std::memcpy(run.data.data(), request.data.data() + first, end - first);
  left_ = left_ & ~memory::moved_up(run.mask, first);
  Packet own = packet;
  own.request = handle;
  own.payload_bytes = run.bytes;
  if (!memory::any(left_)) {
    senders_[whole].sent = true;
    cutting_ = kNone;
  }
  ++senders_[whole].runs;
  const std::size_t sender = new_sender(senders_[whole].client, own);
  senders_[sender].whole = whole;
  send(now, own, sender);
}

std::size_t HostBridge::new_sender(std::size_t client, const Packet& packet) {
  if (free_.empty()) {
    free_.push_back(senders_.size());
    senders_.emplace_back();
  }
  const std::size_t sender = free_.back();
  free_.pop_back();
  senders_[sender] = {client, packet};
  return sender;
}

void HostBridge::send(Picoseconds now, Packet packet, std::size_t sender) {
  packet.argument = sender;
  packet.source = link_number_;
  packet.destination = host_memory_number_;
  to_link_->push(now, packet);
}

std::string HostBridge::waits_for() const {
  std::size_t requests = 0;
  for (const Client& client : clients_) requests += client.requests->size();
  if (from_link_->size() != 0) return "room on the interconnect for answers of host memory";
  return requests != 0 || cutting_ != kNone ? "room on the link" : std::string();
}

}  // namespace duet::machine
