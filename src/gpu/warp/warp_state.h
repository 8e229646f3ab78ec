// A block and a warp as their program (warp_program.h) sees them, in each model of time. Each model adds its
// own: scoreboard and instruction buffer, or whether a warp is ready.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/lane_mask.h"
#include "check/block_check.h"
#include "gpu/grid.h"
#include "gpu/warp/barriers.h"
#include "gpu/warp/grid_arrays.h"
#include "gpu/warp/independent_threads.h"
#include "gpu/warp/reconvergence_stack.h"
#include "ptx/semantics/warp.h"

namespace duet::gpu {

struct BlockState {
  // The block comes; its barriers are as new.
  void start(Grid& of, std::uint64_t linear_index) {
    grid = &of;
    number = linear_index;
    index.x = static_cast<std::uint32_t>(number % of.grid.x);
    index.y = static_cast<std::uint32_t>(number / of.grid.x % of.grid.y);
    index.z = static_cast<std::uint32_t>(number / of.grid.x / of.grid.y);
    live_warps = 0;
    LaneMask(arrived_barriers).for_each([&](unsigned id) { barriers[id] = {}; });
    arrived_barriers = 0;
  }

  Grid* grid = nullptr;
  std::uint64_t number = 0;
  Dim3 index;
  std::uint64_t warp_count = 0, live_warps = 0;
  std::array<Barrier, kBarriers> barriers;
  std::uint32_t arrived_barriers = 0;  // a bit each: somebody has arrived in this phase
  std::shared_ptr<const GridArrays> arrays;
  LaneArrays block_slots;
  std::vector<std::byte> shared;
  std::unique_ptr<check::BlockCheck> check;  // null: nobody checks
};

// `Block` is the model's, derived from BlockState.
template <unsigned W, class Block>
struct WarpState {
  // Warp `number` of a block whose arrays are there; registers and predicates are its own.
  void bind(Block& of, std::uint32_t number, std::byte* registers, std::uint64_t* predicates,
            unsigned width) {
    block = &of;
    index = number;
    code = of.grid->kernel->code.data();
    code_size = static_cast<std::uint32_t>(of.grid->kernel->code.size());
    const auto bank = [this](ptx::Bank which) -> const std::byte*& {
      return lanes.banks[static_cast<unsigned>(which)];
    };
    lanes.registers = registers;
    bank(ptx::Bank::Register) = registers;
    bank(ptx::Bank::Warp) = of.arrays->warps.data() + number * of.arrays->warp_stride;
    bank(ptx::Bank::Block) = of.block_slots.data();
    bank(ptx::Bank::Parameter) = of.arrays->parameters.data();
    bank(ptx::Bank::Immediate) = of.arrays->immediates.data();
    lanes.predicates = predicates;
    lanes.width = width;
  }
  // Its threads, of so many of the block, stand before the first instruction.
  void start(std::uint64_t block_threads) {
    const std::uint64_t left = block_threads - std::uint64_t{index} * lanes.width;
    lanes.carry = 0;
    threads.start();
    stack.start(LaneMask::first(static_cast<unsigned>(std::min<std::uint64_t>(lanes.width, left))).bits());
    waiting_op = nullptr;
    released = false;
    ahead_at = 0;
  }

  ptx::Warp<W> lanes;
  // The running path, the stack's top; `pc` is stale in the stack.
  std::uint32_t pc = 0, path_end = 0, code_size = 0;
  std::uint64_t active = 0;
  const ptx::MicroOp* code = nullptr;
  Block* block = nullptr;
  std::uint32_t index = 0;     // in its block
  bool released = false;       // some of its paths have left a barrier, and the warp is to be told
  std::uint16_t ahead_at = 0;  // a bit each: barriers at which it has arrived without waiting
  unsigned barrier = 0;        // where it waits, or one of its paths does
  const ptx::MicroOp* barrier_op = nullptr;
  const ptx::MicroOp* waiting_op = nullptr;  // the reduction whose result is due when the barrier completes
  std::uint64_t waiting_lanes = 0;
  ReconvergenceStack stack;
  IndependentThreads<W> threads;
};

}  // namespace duet::gpu
