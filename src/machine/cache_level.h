// A level of cache that several share: slices, and the two directions of the interconnect above them. For the
// GTX 580's L2, which SMs and copy engines share:
//
//   CacheLevel l2(engine, gpu_node, level, names, map, pool, gpu.full_empty);
//   l2.connect_below(controllers);            // or: l2.connect_below(l3)
//   l2.requests().add_input(port, &l1);       // who is above; packets go to l2.destination_of(line)
//
// Numbers on the interconnect: slices for requests, clients (whoever asks) for answers.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "config/machine.h"
#include "memory/cache/cache.h"
#include "memory/cache/slice_map.h"
#include "memory/dram/dram_controller.h"
#include "memory/interconnect/crossbar.h"
#include "sim/engine.h"

namespace duet::machine {

class CacheLevel {
 public:
  // Of the interconnect's two directions, and what begins the names of statistics.
  struct Names {
    std::string down, up, interconnect_statistics, statistics;
  };
  // Throws duet::Error when it cannot be built.
  CacheLevel(sim::Engine& engine, const sim::Component* parent, const config::Level& config,
             const Names& names, const memory::AddressMap& map, memory::RequestPool& pool,
             const config::FullEmpty& full_empty);

  // Either of them. Throws duet::Error where the two do not fit.
  void connect_below(std::deque<memory::DramController>& controllers, const config::Dram& dram);
  void connect_below(CacheLevel& below);

  std::uint16_t destination_of(PhysicalAddress line) const {
    return static_cast<std::uint16_t>(map_.slice_of(line));
  }
  unsigned slices() const { return map_.slices(); }
  memory::RequestCrossbar& requests() { return requests_; }
  memory::ResponseCrossbar& responses() { return responses_; }
  // For a client of its own number, from 0.
  std::uint16_t new_client() { return next_client_++; }
  const std::string& name() const { return config_.name; }

  // memory::Cache::dirty_byte() of the slice that it belongs to.
  std::optional<std::byte> dirty_byte(PhysicalAddress address) const {
    return caches_[map_.slice_of(address.aligned_down(memory::kLineBytes))].dirty_byte(address);
  }
  // memory::Cache::flush_range() of all slices.
  template <typename F>
  void flush_range(PhysicalAddress base, Bytes bytes, F store) {
    for (memory::Cache& slice : caches_) slice.flush_range(base, bytes, store);
  }

 private:
  const config::Level config_;
  const memory::SliceMap map_;
  memory::RequestCrossbar requests_;
  memory::ResponseCrossbar responses_;
  std::deque<memory::Cache> caches_;
  std::deque<memory::Channel> channels_;           // to controllers
  std::deque<sim::Queue<memory::Packet>> queues_;  // from them
  std::uint16_t next_client_ = 0;
};

}  // namespace duet::machine
