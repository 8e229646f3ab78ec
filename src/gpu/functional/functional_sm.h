// A streaming multiprocessor that executes blocks functionally: right values, and a stated simple time per
// block (config::Functional) instead of pipelines and caches. Values are bound when a quantum of instructions
// executes, so a kernel beside a copy sees the bytes that have arrived by then. hu2016: SM = PE_C of level 1.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "config/machine.h"
#include "gpu/grid.h"
#include "memory/address_space.h"
#include "sim/clock_domain.h"
#include "sim/engine.h"
#include "sim/queue.h"

namespace duet::check {
class Checker;
}

namespace duet::gpu {

class BlockRecorder;
class HeapTurns;
class LineLog;
class OutsideAccesses;

// The services for running device code.
struct SystemCall;
struct SystemCallResult;

// Of a call by lanes of a warp, in core cycles: for how long it holds up the warp, and for how long the
// device heap serves no other. Each lane beyond the first adds.
struct CallCost {
  Cycle cycles = 0, lane_cycles = 0;
  Cycle interval = 0, lane_interval = 0;
};

struct DeviceServices {
  // Takes accesses beside allocations; null: they are faults.
  OutsideAccesses* outside = nullptr;
  check::Checker* checker = nullptr;  // null: nothing is checked
  BlockRecorder* recorder = nullptr;  // of functional SMs, where nothing is checked; null: nobody asks
  LineLog* lines = nullptr;           // accesses of functional SMs without a check; null: not wanted
  std::function<void(const std::string&)> print;  // text of device printf or assert
  // The device heap, as an SM asks for it: 0 when it is full; false when nothing starts at this address. Both
  // may be absent.
  std::function<VirtualAddress(std::uint32_t sm, Bytes)> allocate;
  std::function<bool(std::uint32_t sm, VirtualAddress)> release;
  config::DeviceHeap heap_costs;
  HeapTurns* heap_turns = nullptr;  // timed GPU
  // Kernels that kernels launch: the result of a call, or why it ends the kernel. Absent: no kernel launches
  // kernels.
  std::function<SystemCallResult(Grid&, const SystemCall&)> launches;
  // Timed GPU: the byte as it stands behind an SM, outside simulated time; nothing where none lies.
  std::function<std::optional<std::byte>(std::uint32_t sm, PhysicalAddress)> peek;
  // Timed GPU: when a call may be performed: it looks at memory and at data that SMs share.
  std::function<void(std::function<void()>)> between_ticks = [](const std::function<void()>& call) {
    call();
  };
};

class FunctionalSm : public sim::Component {
 public:
  // Its place: the GPU's own SM, or the one beside a timed SM for fast-forwarded kernels.
  enum class Place : std::uint8_t { Own, BesideTimed };
  FunctionalSm(sim::Engine& engine, const sim::Component* parent, std::uint32_t number,
               const config::Gpu& config, memory::AddressSpace& address_space, const DeviceServices& services,
               Place place = Place::Own);
  ~FunctionalSm() override;

  // The builder of the machine owns both queues. Launches arrive only when they fit.
  void connect(sim::Queue<BlockLaunch>& launches, sim::Queue<BlockDone>& done);
  // Called when a kernel has failed on this SM: the others end its blocks, also blocks that wait for ever.
  void on_failure(std::function<void(Picoseconds)> kernel_failed);

  Picoseconds tick(Picoseconds now) override;
  Picoseconds next_opportunity(Picoseconds time) const override;
  std::string waits_for() const override;
  // Its counts of a grid, as far as the work distributor does not have them yet.
  GridCounts counts_to_tell(const Grid& grid) const;

 private:
  struct State;
  struct Resident;
  void start(Picoseconds now, Cycle cycle, const BlockLaunch& launch);
  void run(Picoseconds now, Cycle cycle, Resident& entry);
  void finish(Picoseconds now, Resident& entry);
  std::unique_ptr<State> state_;
};

}  // namespace duet::gpu
