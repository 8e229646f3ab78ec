// The way from the GPU to host memory across the link: requests of SMs for mapped host memory, and those of
// L2 where it may hold such memory, leave here; answers come back and find their requester.
//
//   bridge.connect(to_link, from_link);
//   bridge.connect_client(from_sms, to_sms);         // the interconnect
//   bridge.connect_client(from_slice, to_slice);     // below a slice of L2
//
// A packet each way and cycle; clients take turns. Where the link has no byte masks, a write with holes goes
// as one packet for each run of its bytes, and is answered when all are. Left out: the root complex's own
// queues.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "memory/channel.h"
#include "memory/request.h"
#include "sim/clock_cursor.h"
#include "sim/engine.h"
#include "sim/statistics.h"

namespace duet::machine {

struct HostBridgeStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter requests{*this, "requests", "requests",
                        "requests of SMs, and of L2, that went to host memory"};
  sim::Counter answers{*this, "answers", "answers", "answers of host memory to them"};
  sim::Counter cut{*this, "cut", "writes", "writes with holes, sent as several packets"};
};

class HostBridge : public sim::Component {
 public:
  // `byte_masks`: the link carries writes with holes.
  HostBridge(sim::Engine& engine, const sim::Component* parent, std::uint64_t clock_khz,
             std::uint16_t link_number, std::uint16_t host_memory_number, bool byte_masks,
             memory::RequestPool& pool);

  void connect(sim::Queue<memory::Packet>& to_link, sim::Queue<memory::Packet>& from_link) {
    to_link_ = &to_link;
    from_link_ = &from_link;
  }
  void connect_client(memory::Channel& requests, sim::Queue<memory::Packet>& answers) {
    clients_.push_back({&requests, &answers});
  }

  Picoseconds tick(Picoseconds now) override;
  Picoseconds next_opportunity(Picoseconds time) const override { return clock_.first_edge_after(time); }
  std::string waits_for() const override;

 private:
  struct Client {
    memory::Channel* requests;
    sim::Queue<memory::Packet>* answers;
  };
  // Whom an answer is for, and what the requester wants back with it.
  struct Sender {
    std::size_t client = 0;
    memory::Packet packet;
    unsigned runs = 0;          // of a write that is cut: not answered yet
    bool sent = true;           // all of it
    std::size_t whole = kNone;  // of a run: the sender of the write
  };
  static constexpr std::size_t kNone = ~std::size_t{0};

  bool answer(Picoseconds now);
  bool ask(Picoseconds now);
  bool has_holes(const memory::Packet& packet) const;
  void send_run(Picoseconds now);
  void send(Picoseconds now, memory::Packet packet, std::size_t sender);
  std::size_t new_sender(std::size_t client, const memory::Packet& packet);

  sim::ClockCursor clock_;
  const std::uint16_t link_number_, host_memory_number_;
  const bool byte_masks_;
  memory::RequestPool pool_;  // of runs
  sim::Queue<memory::Packet>*to_link_ = nullptr, *from_link_ = nullptr;
  std::vector<Client> clients_;
  std::size_t next_client_ = 0;
  std::vector<Sender> senders_;  // of requests on their way, by the argument that they carry on the link
  std::vector<std::size_t> free_;
  std::size_t cutting_ = kNone;  // the sender of the write whose runs are being sent
  memory::ByteMask left_;        // of it
  HostBridgeStatistics statistics_{*this, "host_bridge."};
};

}  // namespace duet::machine
