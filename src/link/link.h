// A packet link between host and GPU, PCIe-like (lustig2013 §6.1: bytes divided by the link's bandwidth, plus
// latency). Each direction is a component: packets of its inputs are taken in round-robin order, reserve the
// wire for payload / rate, and arrive `latency` after their last byte has left
// (Link.OnePacketTakesSerializationAndLatency). Flow control is per destination, by credits: at most
// queue_packets are sent to one destination and not yet taken by it, so a full destination never holds up
// packets at other inputs for other destinations (Link.AFullReceiverHoldsUpOnlyItsOwnPackets). A packet
// without payload takes no wire time but waits for the wire, where the payload rate of the machine file is a
// measured one and contains the headers; frame() has others (Link.APacketTakesWholeFlits). Full duplex,
// unless the two directions share a wire: then one packet at a time is on it, and when both have packets they
// take turns. Left out: link-layer retries and acknowledgements.
#pragma once

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "memory/bandwidth.h"
#include "memory/packet.h"
#include "sim/engine.h"
#include "sim/queue.h"
#include "sim/statistics.h"

namespace duet::link {

using PacketQueue = sim::Queue<memory::Packet>;

struct DirectionStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter packets{*this, "packets", "packets", "packets sent"};
  sim::Counter payload_bytes{*this, "payload_bytes", "bytes", "payload of the packets"};
  sim::Counter busy_ps{*this, "busy_ps", "ps", "time for which the wire was taken"};
};

class Direction : public sim::Component {
 public:
  // `prefix` begins the names of its statistics: "link.to_gpu_".
  Direction(sim::Engine& engine, std::string name, std::string prefix, const sim::Component* parent,
            std::uint64_t mb_per_s, Picoseconds latency_ps, std::size_t queue_packets);

  // The queue of `producer`, with room for at least `packets`.
  PacketQueue& add_input(sim::Component* producer, std::size_t packets = 0);
  // The arrivals for `number`.
  PacketQueue& add_output(std::uint16_t number, sim::Component* consumer);

  // A packet takes the wire for its payload and these bytes, rounded up to whole flits.
  void frame(Bytes header_bytes, Bytes flit_bytes) {
    header_bytes_ = header_bytes;
    flit_bytes_ = flit_bytes;
  }

  // Half duplex: the two have one wire, at the rate of whoever sends.
  void share_wire_with(Direction& other) {
    peer_ = &other;
    other.peer_ = this;
    other.tick_on_thread_of(*this);
    other.went_last_ = other.went_last_before_ = true;
  }

  Picoseconds tick(Picoseconds now) override;
  // Events while the wire is busy do not matter before the wire is free.
  Picoseconds next_opportunity(Picoseconds time) const override {
    return wire_.free_at() <= time ? time + 1 : wire_.free_at();
  }
  std::string waits_for() const override;

 private:
  static constexpr std::uint8_t kNoOutput = 255;

  bool accept(Picoseconds now);
  bool send(Picoseconds now, std::size_t input);
  // Whether f holds for one of the inputs from `begin` to `end` that may hold a packet; asked up to the
  // first.
  template <typename F>
  bool any_input(std::size_t begin, std::size_t end, F f) const;
  bool ready(Picoseconds now) const;
  bool has_turn(Picoseconds now) const;
  // A packet has left: of a shared wire, the other is next.
  void take_turn(Picoseconds now);
  const PacketQueue& output_of(const memory::Packet& packet) const {
    return outputs_[output_index_[packet.destination]];
  }

  memory::Bandwidth wire_;
  Picoseconds latency_ps_;
  Bytes header_bytes_ = 0, flit_bytes_ = 1;
  std::size_t queue_packets_;
  std::deque<PacketQueue> inputs_;
  std::deque<std::uint64_t> marked_;  // inputs (one bit each) that may hold a packet
  std::deque<PacketQueue> outputs_;
  std::array<std::uint8_t, 256> output_index_;
  std::size_t round_robin_ = 0;
  Direction* peer_ = nullptr;  // the direction that shares the wire
  // Whether this one went last, now and before `turn_ps_`, and when it went: decisions of one time depend on
  // earlier times alone, so the order of events of one time cannot be observed.
  bool went_last_ = false, went_last_before_ = false;
  Picoseconds turn_ps_ = 0, sent_ps_ = kNever;
  DirectionStatistics statistics_;
};

}  // namespace duet::link
