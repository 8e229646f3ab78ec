// A kernel in flight: the messages from the front end to the SMs, and back. Blocks are named by grid handle
// and linear index.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "base/address.h"
#include "base/issue_slot.h"
#include "base/once.h"
#include "ptx/kernel.h"

namespace duet::gpu {

struct GridArrays;
struct TimedKernel;

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  // Without the last ones of extent 1.
  unsigned dimensions() const { return z != 1 ? 3 : y != 1 ? 2 : 1; }
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
  LaunchTooLarge  // a block, or a cooperative grid, too large for this GPU
};

// The first fault of a kernel. `text` is the complete line for the user: kernel, thread, PTX line, address
// and nearest allocation.
struct Fault {
  FaultKind kind = FaultKind::None;
  std::string text;
  // The time, and the SM.
  Picoseconds time_ps = 0;
  std::uint32_t sm = 0;
};

// The counts of a running grid.
struct GridCounts {
  std::uint64_t warp_instructions = 0;    // machine instructions, weighted (MicroOp::machine_instructions)
  std::uint64_t thread_instructions = 0;  // the same times active lanes
  IssueSlots issue_slots{};               // SMs, schedulers, cycles
  WarpCycles warp_cycles{};               // of the timed GPU: warps, cycles

  GridCounts& operator+=(const GridCounts& other) {
    warp_instructions += other.warp_instructions;
    thread_instructions += other.thread_instructions;
    for (std::size_t i = 0; i < issue_slots.size(); ++i) issue_slots[i] += other.issue_slots[i];
    for (std::size_t i = 0; i < warp_cycles.size(); ++i) warp_cycles[i] += other.warp_cycles[i];
    return *this;
  }
  GridCounts& operator*=(std::uint64_t times) {
    warp_instructions *= times;
    thread_instructions *= times;
    for (std::uint64_t& slots : issue_slots) slots *= times;
    for (std::uint64_t& cycles : warp_cycles) cycles *= times;
    return *this;
  }
  GridCounts& operator-=(const GridCounts& other) {
    warp_instructions -= other.warp_instructions;
    thread_instructions -= other.thread_instructions;
    for (std::size_t i = 0; i < issue_slots.size(); ++i) issue_slots[i] -= other.issue_slots[i];
    for (std::size_t i = 0; i < warp_cycles.size(); ++i) warp_cycles[i] -= other.warp_cycles[i];
    return *this;
  }
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
  bool fast_forward = false;  // on the timed GPU: executed functionally (machine/time_models/fast_forward.h)
  std::uint64_t timed_blocks = 0;  // of a grid that began in time: the blocks dispatched before
  std::shared_ptr<const VirtualAddress>
      workspace;  // of a cooperative grid: where its blocks meet, in device memory
  // For the timed GPU: physical addresses of the machine code and of local memory (of warp slot 0 of SM 0;
  // warp slot w of SM s follows at (s * max_warps + w) * warp_width * local bytes per thread).
  PhysicalAddress code_physical, local_physical;

  Bytes local_bytes() const { return kernel->local_bytes + (kernel->uses_stack ? stack_bytes : 0); }

  // An SM has found a fault at `now`.
  void fail(Picoseconds now) {
    Picoseconds known = failed_ps.load(std::memory_order_relaxed);
    while (now < known && !failed_ps.compare_exchange_weak(known, now, std::memory_order_relaxed)) {
    }
  }

  // Made by the first SM that needs them: immediates and parameters broadcast to lane arrays, and the timing
  // model's form of the kernel.
  std::shared_ptr<const GridArrays> lane_arrays;
  std::shared_ptr<const TimedKernel> timed_kernel;
  Once lane_arrays_made, timed_kernel_made;
  // The earliest time at which an SM found a fault. Other SMs may compare it with their own time.
  std::atomic<Picoseconds> failed_ps{kNever};

  // Of a grid launched by a kernel: the launching grid, and its own number in events; 0: the command's.
  Grid* parent = nullptr;
  std::uint64_t launched_number = 0;
  Picoseconds launched_ps = 0;  // when its thread called
  std::uint64_t number() const { return launched_number != 0 ? launched_number : command; }

  // Kept by the work distributor.
  std::uint64_t children = 0;  // launched kernels that have not completed
  GridCounts counts;           // reported by SMs
  GridCounts children_counts;  // of completed kernels below it, launched by it or by them
  Fault fault;                 // the first, once its block is done
  Picoseconds first_block_ps = kNever;
  std::uint64_t completed_blocks = 0;
  Picoseconds emptying_ps =
      0;  // from the end of all blocks to the end of its launch's change of full/empty bits
};

// Descriptors in the queues between work distributor and SMs.
struct BlockLaunch {
  Grid* grid = nullptr;
  std::uint64_t block = 0;  // linear index, x fastest
};
// An SM's report of a grid at the end of one of its blocks: the counts since the last report, and the first
// fault since. It lies with the SM until the message has been taken (BlockReports).
struct BlockReport {
  const Grid* grid = nullptr;
  GridCounts counts;
  Fault fault;
};
struct BlockDone {
  Grid* grid = nullptr;
  std::uint64_t block = 0;
  std::uint32_t sm = 0;
  bool faulted = false;  // the grid has failed: blocks not yet dispatched are dropped
  // With gpu.front_end.dispatch = "cross_level": threads of ended warps of a running block; at the block's
  // end, threads that earlier messages reported.
  bool goes_on = false;
  std::uint16_t threads = 0;
  const BlockReport* report = nullptr;
};

// Adds the message's report to its grid. The earliest fault is kept; at equal times the lowest SM's.
inline void take_report(const BlockDone& done) {
  if (done.report == nullptr) return;
  done.grid->counts += done.report->counts;
  const Fault& told = done.report->fault;
  Fault& kept = done.grid->fault;
  if (told.kind != FaultKind::None &&
      (kept.kind == FaultKind::None || std::tie(told.time_ps, told.sm) < std::tie(kept.time_ps, kept.sm)))
    kept = told;
}

// A core that executes blocks of a grid too asks for its last undispatched block
// (WorkDistributor::connect_core).
struct BlockClaim {
  std::uint64_t launch_id = 0;
  std::uint32_t core = 0;
};
struct BlockGrant {
  Grid* grid = nullptr;     // until the block is done; null: none is left
  std::uint64_t block = 0;  // linear index, x fastest
  std::uint32_t core = 0;
};

}  // namespace duet::gpu
