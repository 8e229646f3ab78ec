// Miss-status holding registers: the lines on their way, each with its waiting requests in arrival order. A
// register is found through its line. The registers whose fetch has come back form a list; the requests of
// the oldest are served first. Left out: time, data (memory/cache/cache.h).
//
// A traffic class other than NonTriggered may wait for ever for the condition of a request (lustig2013 §4.3).
// So such classes leave one of the shared registers to class NonTriggered, and each class may always hold at
// least one register; with few registers the table is larger than the machine file says, by up to two.
#pragma once

#include <array>
#include <vector>

#include "memory/cache/byte_masks.h"
#include "memory/channel.h"

namespace duet::memory {

// A request inside the cache: in the pipeline, or waiting for a line.
struct CacheEntry {
  Packet packet;  // without a request: drop the clean bytes of the line here
  std::uint32_t client = 0;
  bool occupied_port = false;  // an atomic that had the port for all its cycles but the last
  bool stalled = false;        // already counted among the stalls
  bool pending = false;        // has an entry of the level's pool (pending_pool.h)
};

class MissTable {
 public:
  static constexpr std::uint32_t kNone = ~0u;

  struct Register {
    PhysicalAddress line;
    std::uint32_t line_index = kNone;
    TrafficClass traffic_class = TrafficClass::NonTriggered;  // of its fetches
    bool in_use = false;
    bool listed = false;    // among the ready ones
    bool released = false;  // a fetch came back by an override: its requests keep nothing
    bool outdated = false;  // its fetches' bytes are too old for its first ordered target
    std::uint32_t fetches = 0;
    ByteMask on_their_way;      // bytes of the line
    std::uint32_t targets = 0;  // not counting markers
    std::uint32_t ordered = 0;  // targets other than reads, and markers
    std::uint32_t first = kNone, last = kNone;
    std::uint32_t next_ready = kNone;
  };

  MissTable(std::size_t registers, std::size_t targets)
      : shared_(registers), targets_(targets), registers_(size_for(registers)) {
    for (std::size_t i = registers_.size(); i-- > 0;) free_.push_back(static_cast<std::uint32_t>(i));
  }

  // With `registers` in the machine file.
  static std::size_t size_for(std::size_t registers) { return registers + kTrafficClasses - 1; }
  Register& operator[](std::uint32_t index) { return registers_[index]; }
  std::size_t in_use() const { return registers_.size() - free_.size(); }

  bool available(TrafficClass traffic_class) const {
    const std::size_t reserved = traffic_class == TrafficClass::NonTriggered ? 0 : 1;
    return held_[static_cast<unsigned>(traffic_class)] == 0 || in_use() + reserved < shared_;
  }
  std::uint32_t allocate(PhysicalAddress line, std::uint32_t line_index, TrafficClass traffic_class) {
    const std::uint32_t index = free_.back();
    free_.pop_back();
    ++held_[static_cast<unsigned>(traffic_class)];
    Register& own = registers_[index];
    own = Register{};
    own.line = line;
    own.line_index = line_index;
    own.traffic_class = traffic_class;
    own.in_use = true;
    return index;
  }
  void release(std::uint32_t index) {
    registers_[index].in_use = false;
    --held_[static_cast<unsigned>(registers_[index].traffic_class)];
    free_.push_back(index);
  }

  bool has_room(const Register& own) const { return own.targets < targets_; }
  void append(Register& own, const CacheEntry& entry, bool ordered) {
    std::uint32_t node = free_node_;
    if (node == kNone) {
      node = static_cast<std::uint32_t>(nodes_.size());
      nodes_.emplace_back();
    } else {
      free_node_ = nodes_[node].next;
    }
    nodes_[node] = {entry, kNone};
    if (own.first == kNone) {
      own.first = node;
    } else {
      nodes_[own.last].next = node;
    }
    own.last = node;
    own.ordered += ordered;
    own.targets += entry.packet.request != kNoRequest;
  }
  CacheEntry& front(const Register& own) { return nodes_[own.first].entry; }
  // Moves the first request with `ready` to the front; false when there is none.
  template <typename F>
  bool promote(Register& own, F ready) {
    std::uint32_t before = kNone;
    for (std::uint32_t node = own.first; node != kNone; before = node, node = nodes_[node].next) {
      if (!ready(nodes_[node].entry)) continue;
      if (before != kNone) {
        nodes_[before].next = nodes_[node].next;
        if (own.last == node) own.last = before;
        nodes_[node].next = own.first;
        own.first = node;
      }
      return true;
    }
    return false;
  }
  void pop(Register& own, bool ordered) {
    const std::uint32_t node = own.first;
    own.targets -= nodes_[node].entry.packet.request != kNoRequest;
    own.ordered -= ordered;
    own.first = nodes_[node].next;
    nodes_[node].next = free_node_;
    free_node_ = node;
  }

  std::uint32_t first_ready() const { return first_ready_; }
  void list_ready(std::uint32_t index) {
    Register& own = registers_[index];
    if (own.listed) return;
    own.listed = true;
    own.next_ready = kNone;
    if (first_ready_ == kNone) {
      first_ready_ = index;
    } else {
      registers_[last_ready_].next_ready = index;
    }
    last_ready_ = index;
  }
  void unlist_first() {
    Register& own = registers_[first_ready_];
    own.listed = false;
    first_ready_ = own.next_ready;
  }

 private:
  struct Node {
    CacheEntry entry;
    std::uint32_t next = kNone;
  };
  std::size_t shared_, targets_;
  std::array<std::size_t, kTrafficClasses> held_{};
  std::vector<Register> registers_;
  std::vector<std::uint32_t> free_;
  std::vector<Node> nodes_;
  std::uint32_t free_node_ = kNone;
  std::uint32_t first_ready_ = kNone, last_ready_ = kNone;
};

}  // namespace duet::memory
