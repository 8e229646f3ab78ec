// The way from a cache to a shared level of cache at some distance: a wire, and lines of another length.
// Example: a GPU whose L2 has lines of 128 bytes, above an L3 of 64 near the processor.
//
//   LevelPort port(engine, "port of L2 slice 0", gpu_node, {clock_hz, 64, wire_cycles, 32}, pool);
//   port.connect_above(from_slice, to_slice);              // the cache's connect_below() has the same two
//   port.connect_below(to_level, from_level, number, &level.destinations());
//
// A request for more than one line of the level is sent in parts, one a line, each to the slice of its line.
// It is answered when all parts are. Bytes outside its mask are not sent. Atomics are cut in this way, too:
// each word is performed where its line is. Requests, and answers, of one
// direction keep their order on the wire.
//
// Time, in edges of the level's clock: a part seen at edge k leaves at edge k + wire_cycles, one a cycle and
// class; so do answers, on their way back. Left out: more than one packet a cycle, and triggers of full/empty
// bits. A triggered request may not be split, so machine/levels/cache_level.cpp refuses such a machine.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "memory/channel.h"
#include "memory/destinations.h"
#include "memory/packet.h"
#include "sim/clock_cursor.h"
#include "sim/engine.h"

namespace duet::memory {

struct LevelPortConfig {
  std::uint64_t clock_hz = 0;
  Bytes line_bytes = 0;  // of the level below
  std::uint64_t wire_cycles = 0;
  std::size_t queue_packets = 0;  // of a class, waiting for room below; packets on the wire come on top
};

class LevelPort final : public sim::Component {
 public:
  LevelPort(sim::Engine& engine, std::string name, const sim::Component* parent,
            const LevelPortConfig& config, RequestPool& pool);

  // The cache always goes on reading `responses`.
  void connect_above(Channel& requests, sim::Queue<Packet>& responses);
  void connect_below(Channel& requests, sim::Queue<Packet>& responses, std::uint16_t number,
                     const Destinations* destinations);

  Picoseconds tick(Picoseconds now) override;
  std::string waits_for() const override;
  Picoseconds next_opportunity(Picoseconds time) const override { return clock_.first_edge_after(time); }

  // Outside simulated time: parts of writes on their way lose these bytes (Cache::flush_range() of the cache
  // above has stored them).
  void forget(PhysicalAddress base, Bytes bytes);

 private:
  static constexpr unsigned kMostParts = 4;
  struct OnWire {
    Picoseconds ready;
    Packet packet;
  };
  // A request of the cache above whose parts are under way.
  struct Whole {
    Packet packet;
    unsigned parts_left = 0;
    std::array<RequestHandle, kMostParts> parts;  // its own requests, one for each part on its way
  };
  bool has_room(const std::deque<OnWire>& wire) const {
    return wire.size() < config_.wire_cycles + config_.queue_packets;
  }
  Picoseconds next_tick(Picoseconds now, bool ready) const;
  void take(Picoseconds now, const Packet& packet);
  RequestHandle part_of(const Request& request, PhysicalAddress first, unsigned bytes, const ByteMask& mask);
  void send(Picoseconds now, std::uint32_t index, RequestHandle part);
  void finish(Picoseconds now, const Packet& part);
  void take_over(const Request& part, Request& request);

  sim::ClockCursor clock_;
  const LevelPortConfig config_;
  RequestPool pool_;  // of parts
  Channel* from_above_ = nullptr;
  sim::Queue<Packet>* to_above_ = nullptr;
  Channel* to_below_ = nullptr;
  sim::Queue<Packet>* from_below_ = nullptr;
  std::uint16_t number_ = 0;
  const Destinations* destinations_ = nullptr;
  std::array<std::deque<OnWire>, kTrafficClasses> down_;
  std::deque<OnWire> up_;
  std::vector<Whole> wholes_;
  std::vector<std::uint32_t> free_wholes_;
};

}  // namespace duet::memory
