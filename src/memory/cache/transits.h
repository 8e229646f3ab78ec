// The requests of a cache below other than fetches: write-backs, and requests passed on.
//
//   const std::uint32_t index = transits.add(line, TrafficClass::NonTriggered);
//   transits[index].entry = entry;               // of the client to be answered
//   ... send, receive the answer ...
//   transits.release(index);
//
// The list is in the order of sending. A triggered request of it may stay for ever (lustig2013 §4.3).
#pragma once

#include <array>
#include <vector>

#include "config/machine.h"
#include "memory/cache/miss_table.h"

namespace duet::memory {

struct Transit {
  CacheEntry entry;                // to be answered; without a request for an eviction
  RequestHandle own = kNoRequest;  // the request with the dirty bytes of a write-back
  PhysicalAddress line;
  TrafficClass traffic_class = TrafficClass::NonTriggered;
  bool awaited = false;  // by a command
};

class Transits {
 public:
  // Where the memory below looks into its queues, triggered requests of one class pass each other.
  explicit Transits(const config::FullEmpty& full_empty) : class_in_order_(full_empty.look_ahead <= 1) {}

  std::uint32_t add(PhysicalAddress line, TrafficClass traffic_class);
  void release(std::uint32_t index);

  Transit& operator[](std::uint32_t index) { return nodes_[index]; }
  std::size_t size() const { return size_; }
  std::size_t size_of(TrafficClass traffic_class) const {
    return size_of_[static_cast<unsigned>(traffic_class)];
  }

  // Oldest first.
  template <typename F>
  void for_each(F f) {
    for (std::uint32_t i = first_; i != kNone; i = nodes_[i].next) f(static_cast<Transit&>(nodes_[i]));
  }
  template <typename F>
  void for_each(F f) const {
    for (std::uint32_t i = first_; i != kNone; i = nodes_[i].next) f(static_cast<const Transit&>(nodes_[i]));
  }
  template <typename F>
  bool any_of(F f) const {
    for (std::uint32_t i = first_; i != kNone; i = nodes_[i].next)
      if (f(static_cast<const Transit&>(nodes_[i]))) return true;
    return false;
  }

  bool of_line(PhysicalAddress line) const {
    return any_of([&](const Transit& transit) { return transit.line == line; });
  }
  bool writing_back(PhysicalAddress line) const {
    return any_of([&](const Transit& transit) { return transit.line == line && transit.own != kNoRequest; });
  }
  // A request of `traffic_class` may overtake one of `line` below.
  bool overtaken_by(TrafficClass traffic_class, PhysicalAddress line) const {
    const bool in_order = traffic_class == TrafficClass::NonTriggered || class_in_order_;
    if (in_order && size_ == size_of(traffic_class)) return false;
    return any_of([&](const Transit& transit) {
      return transit.line == line && (!in_order || transit.traffic_class != traffic_class);
    });
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  struct Node : Transit {
    std::uint32_t previous = kNone, next = kNone;
  };
  bool class_in_order_;
  std::vector<Node> nodes_;
  std::uint32_t free_ = kNone;
  std::uint32_t first_ = kNone, last_ = kNone;
  std::size_t size_ = 0;
  std::array<std::size_t, kTrafficClasses> size_of_{};
};

inline std::uint32_t Transits::add(PhysicalAddress line, TrafficClass traffic_class) {
  std::uint32_t index = free_;
  if (index == kNone) {
    index = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
  } else {
    free_ = nodes_[index].next;
  }
  Node& own = nodes_[index];
  own = Node{};
  own.line = line;
  own.traffic_class = traffic_class;
  own.previous = last_;
  (last_ == kNone ? first_ : nodes_[last_].next) = index;
  last_ = index;
  ++size_;
  ++size_of_[static_cast<unsigned>(traffic_class)];
  return index;
}

inline void Transits::release(std::uint32_t index) {
  Node& own = nodes_[index];
  (own.previous == kNone ? first_ : nodes_[own.previous].next) = own.next;
  (own.next == kNone ? last_ : nodes_[own.next].previous) = own.previous;
  --size_;
  --size_of_[static_cast<unsigned>(own.traffic_class)];
  own.next = free_;
  free_ = index;
}

}  // namespace duet::memory
