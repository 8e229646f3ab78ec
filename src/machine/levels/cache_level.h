// A shared level of cache: slices, and the two directions of the interconnect above them. For the GTX 580's
// L2, shared by SMs and copy engines:
//
//   CacheLevel l2(engine, gpu_node, level, names, map, pool, gpu.full_empty);
//   l2.connect_below(controllers);            // or: l2.connect_below(l3)
//   l2.requests().add_input(port, &l1);       // the client; packets go to l2.destinations().of(line)
//
// Numbers on the interconnect: slices for requests, clients for answers.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "config/machine.h"
#include "machine/levels/route_port.h"
#include "memory/cache/cache.h"
#include "memory/cache/level_port.h"
#include "memory/cache/pending_pool.h"
#include "memory/cache/slice_map.h"
#include "memory/destinations.h"
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

  // A way across the link, of a component that has lines of its memory.
  struct LinkWay {
    memory::Channel* requests = nullptr;
    sim::Queue<memory::Packet>* answers = nullptr;
  };
  using WayToLink = std::function<LinkWay(sim::Component&)>;
  // Either of them. `way_to_link`, where the level may hold memory across the link: called for each slice.
  // Throws duet::Error where the two do not fit.
  void connect_below(std::deque<memory::DramController>& controllers, const config::Dram& dram,
                     const memory::MemoryMap& map, const WayToLink& way_to_link = {});
  // Makes it perfect (memory/cache/cache.h).
  void serve_from(const memory::PhysicalMemory& memory) {
    for (memory::Cache& slice : caches_) slice.serve_from(memory);
  }
  // Through ports of their own where the level below is far away, or has shorter lines.
  void connect_below(CacheLevel& below);
  // Somebody else above this level, with lines no longer than its: the processor's directory.
  struct Client {
    memory::Channel* requests = nullptr;
    sim::Queue<memory::Packet>* responses = nullptr;
    std::uint16_t number = 0;
  };
  Client connect_client(sim::Component& client);

  // Of requests from above, by their line.
  const memory::Destinations& destinations() const { return destinations_; }
  const memory::SliceMap& slice_map() const { return map_; }
  unsigned slices() const { return map_.slices(); }
  memory::RequestCrossbar& requests() { return requests_; }
  memory::ResponseCrossbar& responses() { return responses_; }
  // For a client of its own number, from 0.
  std::uint16_t new_client() { return next_client_++; }
  const std::string& name() const { return config_.name; }
  // That begins the names of its statistics.
  std::string statistics_prefix() const { return config::statistics_name(config_) + "."; }
  bool shared_with_processor() const { return config_.shared_with_processor; }
  Bytes line_bytes() const { return config_.cache.line_bytes; }

  // memory::Cache::dirty_byte() of the slice that it belongs to.
  std::optional<std::byte> dirty_byte(PhysicalAddress address) const {
    return caches_[map_.slice_of(address.aligned_down(config_.cache.line_bytes))].dirty_byte(address);
  }
  void copy_dirty_bytes(PhysicalAddress address, unsigned bytes, std::byte* to) const {
    caches_[map_.slice_of(address.aligned_down(config_.cache.line_bytes))].copy_dirty_bytes(address, bytes,
                                                                                            to);
  }
  // memory::Cache::flush_range() of all slices.
  template <typename F>
  void flush_range(PhysicalAddress base, Bytes bytes, F store) {
    for (memory::Cache& slice : caches_) slice.flush_range(base, bytes, store);
    for (memory::LevelPort& port : ports_) port.forget(base, bytes);
  }
  std::deque<memory::Cache>& caches() { return caches_; }
  // What a miss fetches at least, and how many of these it holds.
  unsigned sector_bytes() const { return static_cast<unsigned>(config_.cache.sector_bytes); }
  std::size_t sectors() const { return slices() * config_.cache.capacity() / config_.cache.sector_bytes; }
  // memory::Cache::warm() of the slice that it belongs to.
  bool warm(PhysicalAddress sector, const std::byte* data, const memory::Cacheability& cacheability) {
    return caches_[map_.slice_of(sector.aligned_down(config_.cache.line_bytes))].warm(
        sector, data, sector_bytes(), cacheability);
  }

 private:
  const config::Level config_;
  const memory::SliceMap map_;
  const memory::Destinations destinations_{map_};
  memory::RequestCrossbar requests_;
  memory::ResponseCrossbar responses_;
  std::optional<memory::PendingPool> pool_of_pending_;  // of all slices
  std::deque<memory::Cache> caches_;
  std::deque<memory::LevelPort> ports_;            // to the level below
  std::deque<RoutePort> route_ports_;              // to controllers and the link
  std::deque<memory::Channel> channels_;           // to controllers, or ports
  std::deque<sim::Queue<memory::Packet>> queues_;  // from them
  sim::Engine& engine_;
  const sim::Component* const parent_;
  memory::RequestPool& pool_;
  const bool has_bits_;
  std::uint16_t next_client_ = 0;
};

}  // namespace duet::machine
