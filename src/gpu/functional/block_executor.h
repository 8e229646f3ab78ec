// A block in execution on a functional SM: its warps, their registers and divergence, its barriers, shared
// and local memory. Runs in quanta, so blocks interleave. Source: PTX ISA 9.0 (execution model, bar, exit,
// brx); hu2016's SM for the units' names. Left out: time inside a block, beyond the number of machine
// instructions.
#pragma once

#include <memory>
#include <string>

#include "config/machine.h"
#include "gpu/functional/functional_sm.h"
#include "gpu/grid.h"

namespace duet::gpu {

struct RecordedBlock;

// The shared parts of the blocks of one SM.
struct SmContext {
  const config::Gpu* config = nullptr;
  const memory::AddressSpace* address_space = nullptr;
  const DeviceServices* services = nullptr;
  sim::ClockDomain clock;
  std::uint32_t number = 0;
};

class BlockExecutor {
 public:
  virtual ~BlockExecutor() = default;
  // Puts a block in place; it starts at `start_cycle`. `record`: for recording executors.
  virtual void start(Grid& grid, std::uint64_t block, Cycle start_cycle, RecordedBlock* record = nullptr) = 0;
  // Instructions until other blocks have their turn.
  virtual std::uint64_t turn() const = 0;
  // Executes about `warp_instructions` (less when the block ends or faults).
  virtual void run(std::uint64_t warp_instructions) = 0;
  virtual bool finished() const = 0;
  // Every warp waits at a barrier, and none of them can complete one.
  virtual bool stuck() const = 0;
  // The cycle that the block has reached by its executed instructions.
  virtual Cycle cycle() const = 0;
  // The counts of the block, and the fault of its end.
  virtual GridCounts counts() const = 0;
  virtual const Fault& fault() const = 0;
  // The position of the block's first live warp, and why it waits.
  virtual std::string describe() const = 0;
};
// `recorded`: it calls the recorder.
std::unique_ptr<BlockExecutor> make_block_executor(const SmContext& context, bool recorded = false);

}  // namespace duet::gpu
