// The way of a cache's requests to the level below: one packet a cycle, and refused ones again.
//
//   below_.begin_edge();
//   if (below_.room(now, traffic_class) == Outcome::Done)
//     below_.send(now, packet, line, {ReturnAddress::Kind::Fetch, mshr});
//   ...
//   ReturnAddress::of(answer)                     // {Fetch, mshr}: whose answer it is
//
// A refused request keeps its miss register or its transit entry, which bounds their number. It holds up no
// answer behind it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "memory/cache/outcome.h"
#include "memory/channel.h"
#include "memory/destinations.h"

namespace duet::memory {

// Of a packet below: what its answer is for.
struct ReturnAddress {
  enum class Kind : std::uint8_t { Fetch, WriteBack, PassedOn };
  Kind kind;
  std::uint32_t index;  // of a miss register (Fetch), otherwise of a transit

  std::uint64_t pack() const { return std::uint64_t{index} << 2 | static_cast<std::uint64_t>(kind); }
  static ReturnAddress of(const Packet& packet) {
    return {static_cast<Kind>(packet.argument & 3), static_cast<std::uint32_t>(packet.argument >> 2)};
  }
};

class PortBelow {
 public:
  // Packets carry source `number` and the destination of their line; null: 0.
  void connect(Channel& requests, sim::Queue<Packet>& responses, std::uint16_t number,
               const Destinations* destinations) {
    requests_ = &requests;
    responses_ = &responses;
    number_ = number;
    destinations_ = destinations;
  }
  sim::Queue<Packet>& responses() { return *responses_; }

  void begin_edge() { sent_ = false; }
  // A packet has left in this cycle.
  bool sent() const { return sent_; }
  Outcome room(Picoseconds now, TrafficClass traffic_class) const {
    if (sent_) return Outcome::NextCycle;
    return requests_->can_push(now, traffic_class) ? Outcome::Done : Outcome::Blocked;
  }
  void send(Picoseconds now, Packet packet, PhysicalAddress line, ReturnAddress back) {
    packet.source = number_;
    packet.destination = destinations_ == nullptr ? std::uint16_t{0} : destinations_->of(line);
    packet.argument = back.pack();
    requests_->push(now, packet);
    sent_ = true;
  }

  void keep_refused(const Packet& packet) { refused_.push_back(packet); }
  bool has_refused() const { return !refused_.empty(); }
  // One of the refused requests, in the order of their return. Whether one has left.
  bool send_refused(Picoseconds now);

 private:
  Channel* requests_ = nullptr;
  sim::Queue<Packet>* responses_ = nullptr;
  std::uint16_t number_ = 0;
  const Destinations* destinations_ = nullptr;
  std::vector<Packet> refused_;  // came back, and have not been sent again
  bool sent_ = false;
};

inline bool PortBelow::send_refused(Picoseconds now) {
  std::uint64_t full = 0;  // classes, one bit each
  for (std::size_t i = 0; i < refused_.size(); ++i) {
    const std::uint64_t bit = 1ull << static_cast<unsigned>(refused_[i].traffic_class);
    if ((full & bit) != 0) continue;
    if (room(now, refused_[i].traffic_class) != Outcome::Done) {
      full |= bit;
      continue;
    }
    Packet packet = refused_[i];
    packet.kind = PacketKind::Request;
    std::swap(packet.source, packet.destination);
    requests_->push(now, packet);
    sent_ = true;
    refused_.erase(refused_.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }
  return false;
}

}  // namespace duet::memory
