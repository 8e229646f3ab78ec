// A recorder of functional execution: it sees the instructions of each warp in the order of their execution,
// and each access to memory before it happens (predict/recorder.h).
//   RecordedBlock* record = recorder.begin(grid, block, sm, now);  null: this block is not recorded
//   record->step(warp, pc);                                        every instruction of a warp
//   recorder.access(*record, warp, registers, op, lanes, memory);  a load, store or atomic of it
//   recorder.reads_clock(*record, warp, pc, cycle);                the last step reads a clock: its cycle
//   recorder.finished(grid, block, counts, now)                    returns the time of the block's end
// A recorder that wants only a part of a block's work gives it partial code.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/functional/counted_loop.h"
#include "gpu/functional/memory_unit.h"
#include "gpu/grid.h"

namespace duet::gpu {

// A part of a kernel's code, by the same indices. A branch stands in place of left-out code.
struct PartialCode {
  enum class Told : std::uint8_t {
    Executed,
    Address,  // nothing is loaded or stored, but the recorder hears of the access
    Access    // executed, without its address
  };
  static constexpr std::uint32_t kNoLoop = ~std::uint32_t{0};
  std::vector<ptx::MicroOp> code;
  std::vector<Told> told;
  std::vector<std::uint16_t> steps;  // instructions of the kernel for each of these, from this one on
  std::vector<CountedLoop> loops;
  std::vector<std::uint32_t> loop_at;  // by the closing branch; empty: there is none
};

// The steps of a block's warps, each an index in Kernel::code; with kAccess an access to memory belongs to
// it.
struct RecordedBlock {
  static constexpr std::uint32_t kAccess = 1u << 31;

  // Of as many warps, each with room for so many steps.
  void begin(std::size_t count, std::uint32_t steps) {
    warps.resize(count);
    room.assign(count, steps);
    executes.assign(count, partial);
  }
  // A warp goes on: without room for further steps it only counts.
  const PartialCode* go_on(std::uint32_t warp) {
    if (room[warp] == 0 && counting != nullptr) executes[warp] = counting;
    return executes[warp];
  }
  void step(std::uint32_t warp, std::uint32_t pc) {
    if (room[warp] == 0) return;
    --room[warp];
    ++kept;
    if (keeps_steps) warps[warp].push_back(pc);
  }
  // A step at `pc` of a warp's partial code.
  void partial_step(std::uint32_t warp, std::uint32_t pc) {
    for (std::uint32_t i = 0; i < executes[warp]->steps[pc] && room[warp] != 0; ++i) step(warp, pc + i);
  }
  void mark_access(std::uint32_t warp) {
    if (room[warp] != 0 && !warps[warp].empty()) warps[warp].back() |= kAccess;
  }

  // The last step, a call, holds the warp up.
  void hold_up(std::uint32_t warp, Cycle cycles, Cycle interval) {
    if (room[warp] == 0 || warps[warp].empty()) return;
    if (holds.size() <= warp) holds.resize(warps.size());
    holds[warp].push_back({static_cast<std::uint32_t>(warps[warp].size() - 1), cycles, interval});
  }

  // For how long a step holds up its warp, and for how long the device heap serves no other.
  struct Hold {
    std::uint32_t step;
    Cycle cycles, interval;
    bool by_clock = false;  // it waits until a clock shows so much more
  };

  // The index of an executed instruction in Kernel::code.
  std::size_t index_of(std::uint32_t warp, const ptx::MicroOp& op, const ptx::Kernel& kernel) const {
    return static_cast<std::size_t>(&op -
                                    (executes[warp] == nullptr ? kernel.code : executes[warp]->code).data());
  }

  // Null: all is executed. Set before begin(); the second is for warps without room for further steps.
  const PartialCode *partial = nullptr, *counting = nullptr;
  std::vector<const PartialCode*> executes;  // by warp
  bool follows_stores = false;               // all stores are reported, also without room for them
  std::uint64_t block = 0;
  std::uint64_t kept = 0;           // steps of all warps
  std::vector<std::uint32_t> room;  // by warp: room for further steps
  bool keeps_steps = true;          // otherwise only their accesses
  // It ends once nothing is kept any more of its warps: only of others it is wanted how much they do.
  bool may_stop = false, stopped = false;
  // Blocks and their warps take short turns: their work depends on their order.
  bool short_turns = true;
  std::vector<std::vector<std::uint32_t>> warps;
  std::vector<std::vector<Hold>> holds;  // by warp, in their order; empty: nothing held one up
};

class BlockRecorder {
 public:
  virtual ~BlockRecorder() = default;
  // A block starts. It lives until finished().
  virtual RecordedBlock* begin(Grid& grid, std::uint64_t block, std::uint32_t sm, Picoseconds now) = 0;
  virtual void access(RecordedBlock& record, std::uint32_t warp, ptx::Warp<32>& registers,
                      const ptx::MicroOp& op, std::uint64_t lanes, const BlockMemory& memory) = 0;
  virtual void access(RecordedBlock& record, std::uint32_t warp, ptx::Warp<64>& registers,
                      const ptx::MicroOp& op, std::uint64_t lanes, const BlockMemory& memory) = 0;
  // One whose address was not computed (PartialCode::Told::Access).
  virtual void access(RecordedBlock&, std::uint32_t) {}
  // Optional.
  virtual void reads_clock(RecordedBlock&, std::uint32_t, std::uint32_t, Cycle) {}
  // Called for all blocks, also unrecorded ones. The work distributor receives the block's end no earlier.
  virtual Picoseconds finished(Grid& grid, std::uint64_t block, const GridCounts& counts,
                               Picoseconds now) = 0;
};

}  // namespace duet::gpu
