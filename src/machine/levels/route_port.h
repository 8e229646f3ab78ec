// Below a slice of L2 that may hold memory on both sides of the link: requests for the GPU's DRAM go to its
// controller, those for the host's to the link.
//
//   RoutePort port(engine, "port of L2 slice 0", parent, clock_hz, memory_map);
//   port.connect_above(from_slice, to_slice);
//   port.connect(RoutePort::Memory, to_controller, from_controller);
//   port.connect(RoutePort::Link, to_bridge, from_bridge);
//
// A packet each way and cycle, a cycle after it came. Requests of a class keep their order: one for the link,
// which has no room, holds up those behind it. Answers of the two sides take turns.
#pragma once

#include <array>
#include <string>

#include "memory/channel.h"
#include "memory/physical/memory_map.h"
#include "memory/request.h"
#include "sim/clock_cursor.h"
#include "sim/engine.h"

namespace duet::machine {

class RoutePort final : public sim::Component {
 public:
  enum Side : unsigned { Memory, Link };

  RoutePort(sim::Engine& engine, std::string name, const sim::Component* parent, std::uint64_t clock_hz,
            const memory::MemoryMap& map, const memory::RequestPool& pool)
      : Component(engine, std::move(name), parent, 1, sim::Role::DataMovementElement),
        clock_(clock_hz),
        map_(map),
        pool_(pool) {}

  // The cache always goes on reading `answers`.
  void connect_above(memory::Channel& requests, sim::Queue<memory::Packet>& answers) {
    from_above_ = &requests;
    to_above_ = &answers;
  }
  void connect(Side side, memory::Channel& requests, sim::Queue<memory::Packet>& answers) {
    below_[side] = {&requests, &answers};
  }

  Picoseconds tick(Picoseconds now) override;
  Picoseconds next_opportunity(Picoseconds time) const override { return clock_.first_edge_after(time); }
  std::string waits_for() const override;

 private:
  struct Below {
    memory::Channel* requests = nullptr;
    sim::Queue<memory::Packet>* answers = nullptr;
  };
  Below& below(const memory::Packet& packet) {
    return below_[memory::behind_link(map_.home_of(pool_[packet.request].address)) ? Link : Memory];
  }

  sim::ClockCursor clock_;
  const memory::MemoryMap& map_;
  const memory::RequestPool& pool_;
  memory::Channel* from_above_ = nullptr;
  sim::Queue<memory::Packet>* to_above_ = nullptr;
  std::array<Below, 2> below_;
  unsigned next_side_ = 0;
};

}  // namespace duet::machine
