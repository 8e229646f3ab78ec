// A kernel in flight: what the front end hands to the SMs, and what comes back. Blocks are named by grid
// handle and linear index.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/address.h"
#include "base/issue_slot.h"
#include "ptx/kernel.h"

namespace duet::gpu {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

enum class FaultKind : std::uint8_t {
  None,
  IllegalAddress,
  MisalignedAddress,
  IllegalInstruction,
  Assert,
  Trap,
  HardwareStack,
  LaunchTooLarge  // a block, or a cooperative grid, that this GPU can never hold
};

// The first thing that went wrong in a kernel. `text` is the complete line for the user: kernel, thread, PTX
// line, address and nearest allocation.
struct Fault {
  FaultKind kind = FaultKind::None;
  std::string text;
  // Of the timed GPU: when, and on which SM; of faults at one time that of the lowest SM is kept.
  Picoseconds time_ps = 0;
  std::uint32_t sm = 0;
};

struct Grid {
  const ptx::Kernel* kernel = nullptr;
  Dim3 grid, block;
  Bytes dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;  // kernel->parameter_bytes
  Bytes stack_bytes = 0;              // per thread, where the kernel uses a stack
  std::uint32_t stream = 0;
  std::uint64_t launch_id = 0;
  std::uint64_t command = 0;  // the driver's number of its launch
  bool cooperative = false;
  std::shared_ptr<const VirtualAddress>
      workspace;  // of a cooperative grid: where its blocks meet, in device memory
  // For the timed GPU: physical addresses of the machine code and of local memory (of warp slot 0 of SM 0;
  // warp slot w of SM s follows at (s * max_warps + w) * warp_width * local bytes per thread).
  PhysicalAddress code_physical, local_physical;

  Bytes local_bytes() const { return kernel->local_bytes + (kernel->uses_stack ? stack_bytes : 0); }

  // Kept by the GPU while it runs.
  std::shared_ptr<const void>
      lane_arrays;  // immediates and parameters broadcast to lane arrays, by the first SM that needs them
  std::uint64_t warp_instructions = 0;    // machine instructions, weighted (MicroOp::machine_instructions)
  std::uint64_t thread_instructions = 0;  // the same times active lanes
  std::array<std::uint64_t, static_cast<std::size_t>(IssueSlot::Count)>
      issue_slots{};                         // SMs, schedulers, cycles
  std::shared_ptr<const void> timed_kernel;  // what the timing model derives from the kernel
  Fault fault;
  Picoseconds first_block_ps = kNever;
  Picoseconds last_block_ps = 0;
  std::uint64_t completed_blocks = 0;
  Picoseconds emptying_ps =
      0;  // from the end of all blocks to the end of what its launch does to full/empty bits
};

// Descriptors in the queues between work distributor and SMs.
struct BlockLaunch {
  Grid* grid = nullptr;
  std::uint64_t block = 0;  // linear index, x fastest
};
struct BlockDone {
  Grid* grid = nullptr;
  std::uint64_t block = 0;
  std::uint32_t sm = 0;
  bool faulted = false;  // this block has set the grid's fault: blocks not yet dispatched are dropped
};

}  // namespace duet::gpu
