// The way from the GPU's interconnect to host memory across the link: requests of SMs for mapped host memory
// leave here, answers come back and find their requester. Left out: the root complex's own queues.
#pragma once

#include <string>
#include <vector>

#include "memory/channel.h"
#include "sim/clock_cursor.h"
#include "sim/engine.h"
#include "sim/statistics.h"

namespace duet::machine {

struct HostBridgeStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter requests{*this, "requests", "requests", "requests of SMs that went to host memory"};
  sim::Counter answers{*this, "answers", "answers", "answers of host memory to SMs"};
};

class HostBridge : public sim::Component {
 public:
  HostBridge(sim::Engine& engine, const sim::Component* parent, std::uint64_t clock_khz,
             std::uint16_t link_number, std::uint16_t host_memory_number);

  struct Ports {
    memory::Channel* from_gpu = nullptr;
    sim::Queue<memory::Packet>* to_gpu = nullptr;
    sim::Queue<memory::Packet>* to_link = nullptr;
    sim::Queue<memory::Packet>* from_link = nullptr;
  };
  void connect(const Ports& ports) { ports_ = ports; }

  Picoseconds tick(Picoseconds now) override;
  Picoseconds next_opportunity(Picoseconds time) const override { return clock_.first_edge_after(time); }
  std::string waits_for() const override;

 private:
  // What a requester wants back with its answer.
  struct Sender {
    std::uint16_t source = 0;
    std::uint64_t argument = 0;
  };
  sim::ClockCursor clock_;
  std::uint16_t link_number_, host_memory_number_;
  Ports ports_;
  std::vector<Sender> senders_;  // of requests on their way, by the argument that they carry on the link
  std::vector<std::uint64_t> free_;
  HostBridgeStatistics statistics_{*this, "host_bridge."};
};

}  // namespace duet::machine
