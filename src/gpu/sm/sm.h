// A streaming multiprocessor in time (hu2016 §2.3: PE_C of level 1, with the thread controller, the warp
// schedulers, the scoreboard, reconvergence stacks, barrier counters and instruction buffers of level 0).
// Each cycle: answers from memory are taken, each scheduler issues at most one machine instruction of one
// warp, one warp's instructions are fetched. Instructions execute in order within a warp; their values are
// computed at issue, the scoreboard says when somebody may use them. Loads and stores bind their values where
// they are serviced (load_store_unit.h). With gpu.sm.blocking_issue a warp has one instruction on its way
// (timed_kernel.h). Sleeps when no warp can issue. Left out: dual issue from one warp,
// replay.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "config/machine.h"
#include "gpu/functional/functional_sm.h"
#include "gpu/grid.h"
#include "gpu/sm/instruction_cache.h"
#include "memory/address_space.h"
#include "memory/channel.h"
#include "memory/race_detector.h"
#include "sim/engine.h"
#include "sim/queue.h"

namespace duet::gpu {

class SmCore;
struct LineCounts;

class TimedSm : public sim::Component {
 public:
  TimedSm(sim::Engine& engine, const sim::Component* parent, std::uint32_t number, const config::Gpu& config,
          memory::RequestPool& pool, memory::AddressSpace& address_space, const DeviceServices& services);
  ~TimedSm() override;

  struct Ports {
    bool skip_clock_loops = true;  // clock_skip.cpp
    bool count_lines = false;      // line_counts.h
    sim::Queue<BlockLaunch>* launches = nullptr;
    sim::Queue<BlockDone>* done = nullptr;
    memory::Channel* to_l1 = nullptr;
    sim::Queue<memory::Packet>* from_l1 = nullptr;
    memory::Channel* to_constant_cache = nullptr;
    sim::Queue<memory::Packet>* from_constant_cache = nullptr;
    InstructionCache::Ports instructions;
    memory::RaceDetector* races = nullptr;  // null: nobody looks for races
    // A kernel starts: L1 and the constant cache drop their lines, strictly after this time.
    std::function<void(Picoseconds)> invalidate_caches = [](Picoseconds) {};
    // A warp of this SM has acquired: L1 drops its lines, strictly after this time.
    std::function<void(Picoseconds)> invalidate_l1 = [](Picoseconds) {};
    // A kernel has failed on this SM: the others end its blocks, also blocks that wait for ever, strictly
    // after this time.
    std::function<void(Picoseconds)> kernel_failed = [](Picoseconds) {};
  };
  void connect(const Ports& ports);

  Picoseconds tick(Picoseconds now) override;
  Picoseconds next_opportunity(Picoseconds time) const override;
  std::string waits_for() const override;
  bool settle_statistics() override;
  // For reports: the driver's number of the command whose instruction sent a request (Request::requester,
  // pc); 0: not known.
  std::uint64_t command_of(std::uint32_t requester, std::uint32_t pc) const;
  // Its counts of a grid, as far as the work distributor does not have them yet.
  GridCounts counts_to_tell(const Grid& grid) const;
  // Outside simulated time: its instruction cache holds this code.
  void warm_code(PhysicalAddress code, Bytes bytes);
  // Adds its counts by instruction of a kernel since the last call to `total`; between ticks.
  void take_lines(const ptx::Kernel& kernel, LineCounts& total);

 private:
  std::unique_ptr<SmCore> core_;
};

}  // namespace duet::gpu
