// The way of a processor to the memory controllers of a chip whose cores and GPU share the DRAM and no cache
// (Tegra K1): a crossbar with a port for the processor's last cache and one for each controller. For a cache
// `l2` below the cores' directory:
//
//   MemoryFabric fabric(engine, system_node, config, line_bytes, map, controllers);
//   const auto way = fabric.connect_client(l2);
//   l2.connect_below(*way.requests, *way.responses, way.number, &fabric.destinations());
//
// The GPU's L2 slices stand right above the controllers. They meet the processor's requests in the
// controllers' queues, which take clients in turn. Left out: a crossbar that both share, priorities.
#pragma once

#include <deque>

#include "config/machine.h"
#include "machine/levels/cache_level.h"

namespace duet::machine {

class MemoryFabric {
 public:
  // `line_bytes`: of the requests that come; none is longer. Throws duet::Error where they are longer than
  // what lies in one channel.
  MemoryFabric(sim::Engine& engine, const sim::Component* parent, const config::Interconnect& config,
               Bytes line_bytes, const memory::AddressMap& map,
               std::deque<memory::DramController>& controllers);

  CacheLevel::Client connect_client(sim::Component& client);
  // Of its requests, by their line.
  const memory::Destinations& destinations() const { return destinations_; }

 private:
  const memory::SliceMap map_;  // a channel is a slice
  const memory::Destinations destinations_{map_};
  memory::RequestCrossbar requests_;
  memory::ResponseCrossbar responses_;
  std::uint16_t next_client_ = 0;
};

}  // namespace duet::machine
