// A memory with a fixed latency and a bandwidth: one request is serviced at a time, in round-robin order of
// the clients; a value is bound at service, the answer arrives transfer time plus latency later. A request is
// serviced only when its client's queue of answers has room, so one client never blocks another. Left out:
// banks, rows, refresh (dram/ models them), full/empty bits (a trigger or an action is refused).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "memory/bandwidth.h"
#include "memory/host_port.h"
#include "memory/packet.h"
#include "memory/physical/physical_memory.h"
#include "sim/engine.h"
#include "sim/queue.h"
#include "sim/statistics.h"

namespace duet::memory {

struct SimpleMemoryConfig {
  Picoseconds latency_ps = 0;
  std::uint64_t bandwidth_mb_per_s = 0;  // 0: no limit
  std::uint8_t number = 0;               // of this end of a link
  std::string kind{};                    // begins the names of its statistics; empty: it has none
};

struct SimpleMemoryStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter reads{*this, "reads", "requests", "reads and atomics"};
  sim::Counter writes{*this, "writes", "requests", "writes"};
  sim::Counter read_bytes{*this, "read_bytes", "bytes", "of the reads and atomics"};
  sim::Counter written_bytes{*this, "written_bytes", "bytes", "of the writes"};
};

class SimpleMemory : public sim::Component {
 public:
  SimpleMemory(sim::Engine& engine, std::string name, const sim::Component* parent, int level,
               const SimpleMemoryConfig& config, RequestPool& pool, const PhysicalMemory& memory,
               HostPort& host);

  // A client: the capacity of `responses` bounds the requests between service and answer. Queues belong to
  // the machine.
  void connect(sim::Queue<Packet>& requests, sim::Queue<Packet>& responses);

  // Called before each write or atomic is serviced.
  void tell_before_writes(std::function<void(const Request&)> tell) { before_write_ = std::move(tell); }
  void tell_before_reads(std::function<void(const Request&)> tell) { before_read_ = std::move(tell); }

  Picoseconds tick(Picoseconds now) override;
  std::string waits_for() const override;

 private:
  struct Client {
    sim::Queue<Packet>* requests;
    sim::Queue<Packet>* responses;
  };
  Client* next_client(Picoseconds now);
  void count(const Request& request);
  void service(Request& request);
  void service_block(const Request& request);
  void service_through_port(Request& request, std::byte* host);
  void service_bytes(Request& request);
  [[noreturn]] void refuse_unmapped(const Request& request) const;

  SimpleMemoryConfig config_;
  RequestPool& pool_;
  const PhysicalMemory& memory_;
  HostPort& host_;
  std::function<void(const Request&)> before_write_, before_read_;
  Bandwidth bandwidth_;
  std::vector<Client> clients_;
  std::size_t round_robin_ = 0;
  std::optional<SimpleMemoryStatistics> statistics_;
};

}  // namespace duet::memory
