// One direction of the GPU's interconnect: a crossbar from input ports to output ports.
//
// Example, with S = max(1, ceil((payload + header) / flit)) cycles a packet: a producer pushes at time t; the
// packet is sent at the first edge k after t, and has its input and its output port for S cycles; a consumer
// on the same clock sees it at edge k + S + latency_cycles (Crossbar.UnloadedLatencyIsExact).
//
// Arbitration, at every edge: each free output port offers itself, round-robin, to the next free input port
// with a packet for it at the head of a queue. An input port takes the offer of its lowest traffic class,
// producers of one port in turn within a class. The other outputs offer themselves on, until no packet can be
// sent.
//
// Guarantees: packets between one input queue and one output queue keep their order. A packet is sent when
// the output queue of its number and class has room, and takes that room at once. So a head that cannot go
// holds up its own queue alone, and class 0 progresses while classes 1 and 2 wait (lustig2013 §4.3).
// Left out: packets whose flits share a port in turns, several stages, topologies other than a crossbar.
#pragma once

#include <array>
#include <deque>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "config/machine.h"
#include "memory/channel.h"
#include "memory/packet.h"
#include "sim/clock_cursor.h"
#include "sim/engine.h"
#include "sim/queue.h"
#include "sim/statistics.h"

namespace duet::memory {

class CrossbarBase : public sim::Component {
 public:
  struct Statistics : sim::StatisticGroup {
    using StatisticGroup::StatisticGroup;
    sim::Counter packets{*this, "packets", "packets", "packets sent"};
    sim::Counter flits{*this, "flits", "cycles", "cycles for which ports were taken"};
    sim::Counter waiting_ps{*this, "waiting_ps", "ps", "time of packets at the head of their queue"};
  };

  // A port is a wire: packets of several producers at one input port, or to several numbers at one output
  // port, take turns on it.
  unsigned add_input_port();
  unsigned add_output_port();

  Picoseconds tick(Picoseconds now) override;
  Picoseconds next_opportunity(Picoseconds time) const override { return clock_.first_edge_after(time); }
  std::string waits_for() const override;

  const Statistics& statistics() const { return statistics_; }

 protected:
  using PacketQueue = sim::Queue<Packet>;

  CrossbarBase(sim::Engine& engine, std::string name, const sim::Component* parent,
               const config::Interconnect& config, std::string prefix);
  std::size_t queue_packets() const { return queue_packets_; }
  // One queue a class.
  void connect_input(unsigned port, std::span<PacketQueue* const> queues);
  void connect_output(unsigned port, std::uint16_t number, std::span<PacketQueue* const> queues);

 private:
  static constexpr unsigned kMaxPorts = 256;        // in and out
  static constexpr unsigned kMaxQueuesOfPort = 64;  // one bit each
  static constexpr std::uint16_t kNoRoute = ~std::uint16_t{0};

  static constexpr unsigned kWords = kMaxPorts / 64;
  // Functions over whole sets are compiled twice: for the first word, enough for 64 ports a side, and for all
  // words.
  template <unsigned W>
  using Words = std::array<std::uint64_t, W>;
  struct PortSet {
    Words<kWords> words{};
    template <unsigned W>
    void insert(unsigned port) {
      words[W == 1 ? 0 : port / 64] |= 1ull << port % 64;
    }
    template <unsigned W>
    void erase(unsigned port) {
      words[W == 1 ? 0 : port / 64] &= ~(1ull << port % 64);
    }
    template <unsigned W>
    bool empty() const {
      std::uint64_t all = 0;
      for (unsigned i = 0; i < W; ++i) all |= words[i];
      return all == 0;
    }
  };
  struct InputQueue {
    PacketQueue* queue;
    std::uint16_t port;
    std::uint8_t traffic_class;
    std::uint64_t bit;         // of its number at the port
    std::uint16_t target = 0;  // of the head: number of the output queue
    Picoseconds head_since = 0;
  };
  struct InputPort {
    Picoseconds free_at = 0;
    std::uint64_t heads = 0;  // queues (one bit a slot) whose head waits to be sent
    std::array<std::uint64_t, kTrafficClasses> of_class{};
    std::array<std::uint8_t, kTrafficClasses> round_robin{};
    std::vector<std::uint16_t> queues;
    // The best offer of the output ports in one round of arbitration; a lower rank is better.
    unsigned offered_rank = 0, offered_slot = 0, offering_output = 0;
  };
  struct OutputQueue {
    PacketQueue* queue;
    std::uint16_t port;
    std::uint16_t number;
    std::uint64_t bit;  // of its number at the port
    PortSet requests;   // input ports with a head for this queue
  };
  struct OutputPort {
    Picoseconds free_at = 0;
    std::uint64_t requested = 0;  // queues (one bit a slot) with requests
    unsigned round_robin = 0;
    std::vector<std::uint16_t> queues;
  };

  struct Reservation {
    Picoseconds sent_at = kNever;
    Cycle cycles = 0;
    Picoseconds free_at = 0, arrival = 0;
  };

  template <unsigned W>
  Picoseconds tick_ports(Picoseconds now);
  template <unsigned W>
  void take_arrivals(Picoseconds now);
  template <unsigned W>
  void take_head(InputQueue& input, Picoseconds now);
  template <unsigned W>
  void arbitrate(Picoseconds now);
  template <unsigned W>
  bool offer(unsigned output, Picoseconds now, Words<W>& offered);
  template <unsigned W>
  void send(InputPort& port, Picoseconds now);
  [[noreturn]] void refuse_destination(unsigned number) const;
  template <unsigned W>
  Picoseconds next_free_port() const;

  sim::ClockCursor clock_;
  std::uint32_t flit_bytes_, header_bytes_;
  Cycle latency_cycles_;
  std::size_t queue_packets_;
  std::vector<InputPort> inputs_;
  std::vector<OutputPort> outputs_;
  std::vector<InputQueue> input_queues_;
  std::vector<OutputQueue> output_queues_;
  std::vector<std::uint16_t> route_;     // by destination: its queue of class 0, or kNoRoute
  std::vector<std::uint64_t> arrivals_;  // input queues (one bit each), possibly with a new head
  PortSet busy_inputs_, busy_outputs_;
  PortSet inputs_with_heads_, requested_outputs_;
  std::array<Reservation, 8> reservations_;  // by cycles, modulo
  Picoseconds next_arrival_ = kNever;        // during a tick
  Statistics statistics_;
};

// Connection: Channel (requests) or sim::Queue<Packet> (responses, of one class).
template <typename Connection>
class Crossbar : public CrossbarBase {
 public:
  // `kind` begins the names of its statistics.
  Crossbar(sim::Engine& engine, std::string name, const sim::Component* parent,
           const config::Interconnect& config, const std::string& kind = "interconnect")
      : CrossbarBase(engine, std::move(name), parent, config,
                     kind + (std::is_same_v<Connection, Channel> ? ".request_" : ".response_")) {}

  // The connection that `producer` sends through: queue_packets of each class.
  Connection& add_input(unsigned port, sim::Component* producer) {
    Connection& connection = connections_.emplace_back(queue_packets(), producer, this);
    connect_input(port, queues_of(connection));
    return connection;
  }
  // Where packets for `number` arrive.
  Connection& add_output(unsigned port, std::uint16_t number, sim::Component* consumer) {
    Connection& connection = connections_.emplace_back(queue_packets(), this, consumer);
    connect_output(port, number, queues_of(connection));
    return connection;
  }
  // At a port of its own.
  Connection& add_output(std::uint16_t number, sim::Component* consumer) {
    return add_output(add_output_port(), number, consumer);
  }

 private:
  static std::array<PacketQueue*, kTrafficClasses> queues_of(Channel& channel) {
    return {&channel.of(0), &channel.of(1), &channel.of(2)};
  }
  static std::array<PacketQueue*, 1> queues_of(PacketQueue& queue) { return {&queue}; }

  std::deque<Connection> connections_;
};

using RequestCrossbar = Crossbar<Channel>;
using ResponseCrossbar = Crossbar<sim::Queue<Packet>>;

}  // namespace duet::memory
