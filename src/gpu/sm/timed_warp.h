// A timed SM's data of a block and of a warp beyond their program's: their slots, the scoreboard, the
// instruction buffer, and why a warp cannot issue.
#pragma once

#include <memory>
#include <vector>

#include "gpu/sm/line_counts.h"
#include "gpu/sm/load_store_unit.h"
#include "gpu/sm/timed_kernel.h"
#include "gpu/warp/warp_state.h"

namespace duet::gpu {

// An SM's counts of a grid with blocks here, since its last report.
struct GridTally {
  Grid* grid = nullptr;
  GridCounts counts;
  Fault fault;
  LineCounts* lines = nullptr;  // of its kernel; null: not asked for
};

struct TimedBlock : BlockState {
  std::uint16_t told_threads = 0;  // of ended warps with freed room
  std::uint64_t warps = 0;         // slots
  GridTally* tally = nullptr;
  std::shared_ptr<const TimedKernel> timed;
};

template <unsigned W>
struct TimedWarp : WarpState<W, TimedBlock> {
  const TimedOp* timed = nullptr;
  const std::uint16_t* entries = nullptr;
  Cycle* ready = nullptr;  // scoreboard: the first cycle at which an entry may be used

  // Instruction buffer, in machine instructions of the kernel.
  std::uint32_t machine_pc = 0, buffered_end = 0, fetched_end = 0;
  Cycle fetched_ready = 0;  // from then on buffered_end is fetched_end
  std::uint32_t parts_left = 0;
  bool operands_ready = false;  // the scoreboard lets the next micro-op issue

  IssueSlot reason = IssueSlot::NoWarp;  // why it cannot issue; Issued: it may
  bool acquires = false;                 // asleep behind an acquire
  Cycle counted_until = 0;               // of its cycles, in its kernel's warp_cycles
  Cycle wake_cycle = 0;  // when reason ends by itself; SmCoreOf::kPending: something else ends it
  unsigned slot = 0;     // of the SM: always the same
  InstructionCounts* counts = nullptr;  // of its kernel, by pc; null: not asked for
  WarpMemory memory;
  LaneArrays registers;
  std::vector<std::uint64_t> predicates;
  std::vector<Cycle> scoreboard;
};

}  // namespace duet::gpu
