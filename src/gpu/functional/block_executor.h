// A block in execution on a functional SM: its warps, their registers and divergence, its barriers, shared
// and local memory. Runs in quanta, so that blocks interleave. Source: PTX ISA 9.0 (execution model, bar,
// exit, brx); hu2016's SM for the units' names. Left out: time inside a block, except that each machine
// instruction counts.
#pragma once

#include <memory>
#include <string>

#include "config/machine.h"
#include "gpu/functional/functional_sm.h"
#include "gpu/grid.h"

namespace duet::gpu {

struct RecordedBlock;

// What the blocks of one SM share.
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
  // Puts a block in place; it starts at `start_cycle`. `record` is of executors that record.
  virtual void start(Grid& grid, std::uint64_t block, Cycle start_cycle, RecordedBlock* record = nullptr) = 0;
  // So many instructions that others then have their turn.
  virtual std::uint64_t turn() const = 0;
  // Executes about `warp_instructions` (less when the block ends or faults).
  virtual void run(std::uint64_t warp_instructions) = 0;
  virtual bool finished() const = 0;
  // Every warp waits at a barrier that none of them can complete.
  virtual bool stuck() const = 0;
  // The cycle that the block has reached by what it has executed.
  virtual Cycle cycle() const = 0;
  // What has been counted of the block, and the fault that has ended it.
  virtual GridCounts counts() const = 0;
  virtual const Fault& fault() const = 0;
  // Where the block's first warp stands that has not ended, and why it waits.
  virtual std::string describe() const = 0;
};
// `recorded`: it tells the recorder what it does.
std::unique_ptr<BlockExecutor> make_block_executor(const SmContext& context, bool recorded = false);

}  // namespace duet::gpu
