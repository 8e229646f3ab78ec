// The memory system of a timed GPU, put together from a machine file: L1 and constant caches, interconnect
// and L2, the file's levels of cache below it, DRAM controllers, and the bridge to host memory. SMs and copy
// engines are plugged in. Numbers on L2's interconnect: slices of L2 and, behind the last one, the bridge for
// requests; three per SM (L1, constant cache, instructions) and, behind them, the copy engines for answers.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "config/machine.h"
#include "gpu/sm/sm.h"
#include "machine/host/host_bridge.h"
#include "machine/levels/cache_level.h"
#include "machine/levels/memory_fabric.h"
#include "memory/address_map.h"
#include "memory/address_space.h"
#include "memory/cache/cache.h"
#include "memory/cache/level_port.h"
#include "memory/dram/dram_controller.h"
#include "memory/virtual/tlb_port.h"
#include "sim/engine.h"

namespace duet::machine {

class MemorySystem {
 public:
  // The GPU's end of the link, for caches.
  struct LinkEnd {
    std::uint16_t number = 0, host_memory_number = 0;  // of this end, and of the other
    bool byte_masks = true;                            // it carries writes with holes
    bool below_l2 = false;                             // L2 may hold memory across it (Home::HostInL2)
    Picoseconds latency_ps = 0;
  };
  // `shared` is where levels below L2 belong in hu2016's tree, `parent` all the others.
  MemorySystem(sim::Engine& engine, const sim::Component* shared, const sim::Component* parent,
               const config::Gpu& config, const std::vector<config::Level>& levels, memory::RequestPool& pool,
               memory::AddressSpace& address_space, const LinkEnd& link,
               const std::optional<config::Translation>& translation = {});

  // The SM's side of its caches; SMs are connected in the order of their numbers.
  void connect_sm(sim::Component& sm, gpu::TimedSm::Ports& ports);
  struct EnginePorts {
    std::vector<memory::Channel*> requests;
    std::vector<sim::Queue<memory::Packet>*> responses;
    std::uint16_t number = 0;  // of the first; the others follow
  };
  // With so many ports of L2's interconnect; all but the first are every engine's.
  EnginePorts connect_copy_engine(sim::Component& engine, std::uint64_t ports);
  // Somebody who cleans and invalidates slices of L2: a command to each, and its tag back when it is done.
  struct CommandPorts {
    sim::Queue<memory::CacheCommand>* commands = nullptr;
    sim::Queue<std::uint32_t>* done = nullptr;
  };
  std::vector<CommandPorts> connect_commander(sim::Component& commander);
  void connect_link(sim::Queue<memory::Packet>& to_link, sim::Queue<memory::Packet>& from_link);
  HostBridge& bridge() { return bridge_; }
  // Null where translation takes no time.
  memory::TranslationUnit* translation_unit() { return translation_unit_ ? &*translation_unit_ : nullptr; }
  // Caches of an SM pass writes through, and L2 stands above the shared level: what L2 has is all that is
  // newer.
  bool l2_alone_is_newer() const;
  // The level that the processor's cores share; null without one.
  CacheLevel* shared_level();
  std::deque<memory::DramController>& controllers() { return controllers_; }
  void look_for_races(memory::RaceDetector* races) {
    for (memory::DramController& controller : controllers_) controller.look_for_races(races);
  }
  // Of requests of SMs and copy engines.
  const memory::Destinations& destinations() const { return destinations_; }

  // A processor's way to the controllers, for requests of so many bytes. Once, before the first tick. Throws
  // duet::Error where it cannot be built.
  MemoryFabric& build_fabric(const config::MemoryFabric& config, const sim::Component* parent,
                             Bytes line_bytes);

  // Brings what L2 and the levels below hold of these physical bytes to the backing memory and drops it,
  // outside simulated time. Their full/empty bits are full.
  void settle(PhysicalAddress physical, Bytes bytes);
  // The same of all that these and L1 hold, of memory without full/empty bits.
  void write_back_all();
  struct Sector {  // of device memory, as large as those of L2
    PhysicalAddress address;
    memory::Cacheability cacheability;
  };
  // Outside simulated time: sectors that were touched, the last one first, are in L2 as far as there is room,
  // clean. What L2 has already stays.
  void warm(const std::vector<Sector>& latest_first);
  // What L2 holds, the sector that was used last at the end.
  std::vector<PhysicalAddress> held_by_l2();
  const CacheLevel& l2() const { return levels_.front(); }
  // The byte as this SM's loads that bypass L1 find it, outside simulated time and changing nothing; null
  // where nothing lies.
  std::optional<std::byte> peek(std::uint32_t sm, PhysicalAddress physical) const;
  // After settle(), outside simulated time: these bytes of tracked memory are empty.
  void empty_bits(PhysicalAddress physical, Bytes bytes);
  // For reports: what waits for full/empty bits in the controllers, and (`also_before`, of a machine that
  // stands still) what is on its way to them.
  std::vector<memory::WaitingRequest> waiting_requests(bool also_before);

 private:
  void write_back(PhysicalAddress physical, Bytes bytes);

  sim::Engine& engine_;
  const config::Gpu config_;
  memory::RequestPool& pool_;
  memory::AddressSpace& address_space_;
  memory::AddressMap map_;
  std::deque<memory::DramController> controllers_;
  Bytes line_bytes_ = 0;           // as the longest request that comes to a controller
  std::deque<CacheLevel> levels_;  // from L2 down
  std::optional<MemoryFabric> fabric_;
  memory::Destinations destinations_;
  HostBridge bridge_;
  std::deque<memory::Cache> l1_, constant_caches_;
  std::optional<config::Translation> translation_;  // that takes time
  std::optional<memory::TranslationUnit> translation_unit_;
  std::deque<memory::TlbPort> tlb_ports_;
  std::deque<memory::LevelPort> ports_;   // of those of an SM whose requests are longer than L2's lines
  std::deque<memory::Channel> channels_;  // between SMs and their caches
  std::deque<sim::Queue<memory::Packet>> queues_;  // the other way
  std::deque<sim::Queue<memory::CacheCommand>> commands_;
  std::deque<sim::Queue<std::uint32_t>> commands_done_;
  std::uint16_t numbers_of_engines_ = 0;
  struct PortPair {
    unsigned requests, responses;
  };
  std::vector<PortPair> engine_ports_;  // of L2's interconnect, of all copy engines
};

}  // namespace duet::machine
