// The clients above a cache: their requests in turn, and one answer a cycle.
//
//   clients_.begin_edge();
//   clients_.take_next(now, has_room, take);    // has_room(class); take(queue, class, client) pops one
//   packet if (clients_.room(now, client) == Outcome::Done) clients_.answer(now, entry, payload_bytes);
//
// Classes of traffic go in order, clients of a class in turn. One request a cycle is taken.
#pragma once

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "memory/cache/miss_table.h"
#include "memory/cache/outcome.h"

namespace duet::memory {

class ClientPorts {
 public:
  // The object stays where it is: the queues mark their pushes in it.
  void connect(Channel& requests, sim::Queue<Packet>& responses) {
    clients_.push_back({&requests, &responses});
    for (unsigned c = 0; c < kTrafficClasses; ++c) requests.of(c).mark_pushes(&arrivals_, 1ull << c);
  }

  void begin_edge() { answered_ = false; }
  Outcome room(Picoseconds now, std::uint32_t client) const {
    if (answered_) return Outcome::NextCycle;
    return clients_[client].responses->can_push(now) ? Outcome::Done : Outcome::Blocked;
  }
  void answer(Picoseconds now, const CacheEntry& entry, std::uint16_t payload_bytes) {
    Packet packet = entry.packet;
    packet.kind = PacketKind::Response;
    packet.payload_bytes = payload_bytes;
    std::swap(packet.source, packet.destination);
    clients_[entry.client].responses->push(now, packet);
    answered_ = true;
  }

  struct Taken {
    Picoseconds arrival;  // of the next request on a wire; kNever when there is none, or no room
    bool more;            // another request is here already
  };
  template <typename HasRoom, typename Take>
  Taken take_next(Picoseconds now, HasRoom has_room, Take take) {
    if (arrivals_ == 0) return {kNever, false};
    if (arrivals_ == 1 && clients_.size() == 1) return take_of_only_client(now, has_room, take);
    return take_in_turn(now, has_room, take);
  }

 private:
  struct Client {
    Channel* requests;
    sim::Queue<Packet>* responses;
  };
  template <typename HasRoom, typename Take>
  Taken take_in_turn(Picoseconds now, HasRoom has_room, Take take);
  template <typename HasRoom, typename Take>
  [[gnu::always_inline]] Taken take_of_only_client(Picoseconds now, HasRoom has_room, Take take);

  std::vector<Client> clients_;
  std::uint64_t arrivals_ = 0;  // classes (one bit each) with packets possibly on their way to here
  std::size_t first_ = 0;       // the client whose turn it is
  bool answered_ = false;       // in this cycle
};

template <typename HasRoom, typename Take>
ClientPorts::Taken ClientPorts::take_in_turn(Picoseconds now, HasRoom has_room, Take take) {
  Picoseconds arrival = kNever;
  bool taken = false, again = false;
  const std::size_t first = first_, clients = clients_.size();
  for (std::uint64_t classes = arrivals_; classes != 0; classes &= classes - 1) {
    const auto c = static_cast<unsigned>(std::countr_zero(classes));
    if (!has_room(c)) continue;
    bool more = false;
    for (std::size_t i = 0; i < clients; ++i) {
      std::size_t index = first + i;
      if (index >= clients) index -= clients;
      sim::Queue<Packet>& requests = clients_[index].requests->of(c);
      if (requests.can_pop(now)) {
        if (taken) return {kNever, true};
        take(requests, c, static_cast<std::uint32_t>(index));
        again |= requests.can_pop(now);
        first_ = index + 1 == clients ? 0 : index + 1;
        taken = true;
      }
      more |= !requests.empty();
      arrival = std::min(arrival, requests.next_arrival(now));
    }
    if (!more) arrivals_ &= ~(1ull << c);
  }
  return {arrival, again};
}

// The usual case: one client, and nothing but class NonTriggered.
template <typename HasRoom, typename Take>
inline ClientPorts::Taken ClientPorts::take_of_only_client(Picoseconds now, HasRoom has_room, Take take) {
  sim::Queue<Packet>& requests = clients_.front().requests->of(0);
  if (!has_room(0)) return {kNever, false};
  bool more = false;
  if (requests.can_pop(now)) {
    take(requests, 0, 0);
    more = requests.can_pop(now);
  }
  if (requests.empty()) arrivals_ = 0;
  return {requests.next_arrival(now), more};
}

}  // namespace duet::memory
