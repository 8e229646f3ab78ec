// A connection for requests on their way to memory: one queue per traffic class, so a waiting class never
// takes the room of another one (lustig2013 §4.3: the fill that a triggered request waits for must be able to
// pass it). Order holds within a class.
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "memory/packet.h"
#include "sim/queue.h"

namespace duet::memory {

inline constexpr unsigned kTrafficClasses = 3;

class Channel {
 public:
  // `capacity` packets of each class.
  Channel(std::size_t capacity, sim::Component* producer, sim::Component* consumer)
      : queues_{sim::Queue<Packet>(capacity, producer, consumer),
                sim::Queue<Packet>(capacity, producer, consumer),
                sim::Queue<Packet>(capacity, producer, consumer)} {}

  sim::Queue<Packet>& of(TrafficClass traffic_class) { return queues_[static_cast<unsigned>(traffic_class)]; }
  const sim::Queue<Packet>& of(TrafficClass traffic_class) const {
    return queues_[static_cast<unsigned>(traffic_class)];
  }
  sim::Queue<Packet>& of(unsigned traffic_class) { return queues_[traffic_class]; }

  bool can_push(Picoseconds now, TrafficClass traffic_class) const { return of(traffic_class).can_push(now); }
  void push(Picoseconds now, const Packet& packet) { of(packet.traffic_class).push(now, packet); }
  void push(Picoseconds now, const Packet& packet, Picoseconds arrival) {
    of(packet.traffic_class).push(now, packet, arrival);
  }
  // Entries inside, visible or not.
  std::size_t size() const { return queues_[0].size() + queues_[1].size() + queues_[2].size(); }
  Picoseconds next_arrival(Picoseconds now) const {
    return std::min(
        {queues_[0].next_arrival(now), queues_[1].next_arrival(now), queues_[2].next_arrival(now)});
  }

 private:
  std::array<sim::Queue<Packet>, kTrafficClasses> queues_;
};

}  // namespace duet::memory
