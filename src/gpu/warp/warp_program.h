// The effects of instructions on a warp beside arithmetic and memory accesses: branches, calls, exits,
// barriers, exchanges of lanes on several paths, special registers, calls of the device runtime. Written
// once. The model of time derives from it and defines going on, sleeping and waking: sm/ in cycles,
// functional/ in turns. Source: PTX ISA 9.0 (bra, brx, call, ret, exit, bar, barrier, trap); CUDA C
// programming guide, independent thread scheduling.
#pragma once

#include <bit>
#include <string>
#include <type_traits>
#include <utility>

#include "base/readable_name.h"
#include "gpu/warp/fault_text.h"
#include "gpu/warp/special_registers.h"
#include "gpu/warp/warp_control.h"
#include "gpu/warp/warp_state.h"

namespace duet::gpu {

// `Warp` derives from WarpState, and `Sm` from this. An Sm has
//   void advance(Warp&, std::uint32_t pc)      the running path goes on at `pc`, or ends there
//   void path_changed(Warp&)                   another path runs, or none: next_path() must be called before
//                                              the warp's next instruction, now or then
//   void sleep_at_barrier(Warp&)               until one of the two below
//   bool sleeps_at_barrier(const Warp&) const
//   void wake(Warp&)                           its barrier is complete
//   void wake_paths(Warp&)                     one is at which some of its paths waited
//   void warp_ended(Warp&)                     it has no lanes left
//   void results_written(Warp&, const MicroOp&)  one of its waiting paths has executed an exchange
//   void fault(Block&, FaultKind, const std::string&)  ends the block: no warp of it is live any more
//   void for_each_warp(Block&, function of Warp&)
//   bool read_bytes(const Warp&, unsigned lane, Address, std::byte* to, Bytes)  as the lane sees memory
//   SpecialContext special_context(const Warp&) const
//   const DeviceServices& services() const, const memory::AddressSpace& address_space() const,
//   std::uint32_t sm_number() const
//   void call(F perform)  performs a call before anybody uses its results
template <unsigned W, class Sm, class Warp>
class WarpProgram {
 protected:
  using Block = std::remove_pointer_t<decltype(Warp::block)>;
  using MicroOp = ptx::MicroOp;

  // Whether an instruction with a mask of lanes has to wait for some of them.
  static bool lanes_missing(const Warp& warp, const MicroOp& op, std::uint64_t lanes) {
    return lanes != 0 && !warp.stack.together() && warp.block->grid->kernel->independent_threads &&
           IndependentThreads<W>::incomplete(warp.lanes, warp.stack, op, lanes);
  }
  // Executes an instruction other than arithmetic and memory accesses; an exchange only where lanes are
  // missing. `lanes` have passed its guard.
  void execute_control(Warp& warp, const MicroOp& op, std::uint64_t lanes);
  // Chooses the running path. False: the warp has ended, or sleeps at a barrier.
  bool next_path(Warp& warp);
  // Where the block is checked: the lanes of an instruction with a mask execute it.
  static void check_members(const Warp& warp, const MicroOp& op, std::uint64_t lanes);
  // Some lanes of the running path end.
  void exit_lanes(Warp& warp, std::uint64_t lanes);
  void fault_of_access(const Warp& warp, const MicroOp& op, const AccessFault& access);
  // "warp 0 of block (0,0,0) of kernel 'k' ": the beginning of a line in a report.
  std::string name_of_warp(const Warp& warp) const;
  // "waits at barrier 1 (32 of 128 threads have arrived, k.ptx:11)"
  std::string wait_at_barrier(const Warp& warp) const;

 private:
  Sm& sm() { return static_cast<Sm&>(*this); }
  const Sm& sm() const { return static_cast<const Sm&>(*this); }
  auto when_executed(Warp& warp) {
    return [this, &warp](const typename IndependentThreads<W>::Waiting& path, std::uint64_t together) {
      if (warp.block->check != nullptr) check_met(warp, *path.op, path.lanes, together, path.members);
      sm().results_written(warp, *path.op);
    };
  }
  static void check_masks(const Warp& warp, const MicroOp& op, std::uint64_t lanes);
  static void check_met(const Warp& warp, const MicroOp& op, std::uint64_t lanes, std::uint64_t together,
                        std::uint64_t members) {
    warp.block->check->meets({warp.index, &op, lanes, together, members, warp.stack.live()});
  }
  static ThreadName thread_of(const Warp& warp, unsigned lane) {
    return thread_name(warp.block->index, warp.block->grid->block,
                       std::uint64_t{warp.index} * warp.lanes.width + lane);
  }
  static ptx::BarrierMode mode_of(const MicroOp& op) { return static_cast<ptx::BarrierMode>(op.mode); }

  void branch(Warp& warp, const MicroOp& op, std::uint64_t lanes);
  void branch_indexed(Warp& warp, const MicroOp& op, std::uint64_t lanes);
  void call(Warp& warp, const MicroOp& op);
  void barrier(Warp& warp, const MicroOp& op, std::uint64_t lanes);
  void wait_for_cluster(Warp& warp, const MicroOp& op, std::uint64_t lanes);
  void arrive(Warp& warp, const MicroOp& op, std::uint64_t lanes, bool apart);
  void wait_for_lanes(Warp& warp, const MicroOp& op, std::uint64_t lanes);
  void release_barriers(Block& block);
  bool release(Warp& warp, unsigned id, const BarrierReduction& result);
  void count_ended_lanes(Warp& warp);
  bool take_turn(Warp& warp);
  void end_warp(Warp& warp);
  void system_call(Warp& warp, const MicroOp& op, std::uint64_t lanes);
};

template <unsigned W, class Sm, class Warp>
void WarpProgram<W, Sm, Warp>::execute_control(Warp& warp, const MicroOp& op, std::uint64_t lanes) {
  using ptx::Kind;
  const std::uint32_t next = warp.pc + 1;
  switch (op.kind) {
    case Kind::Branch:
      return branch(warp, op, lanes);
    case Kind::BranchIndexed:
      if (lanes == 0) return sm().advance(warp, next);
      return branch_indexed(warp, op, lanes);
    case Kind::Call:
      return call(warp, op);
    case Kind::Return:
      return branch_indexed(warp, op, lanes);
    case Kind::Exit:
      if (warp.block->check != nullptr) [[unlikely]]
        warp.block->check->lanes_ended(warp.index, lanes, warp.pc);
      warp.stack.move_to(next);
      exit_lanes(warp, lanes);
      return sm().path_changed(warp);
    case Kind::Barrier:
      return barrier(warp, op, lanes);
    case Kind::Exchange:
      return wait_for_lanes(warp, op, lanes);
    case Kind::Fence:
      if (warp.block->check != nullptr && lanes != 0) [[unlikely]]
        warp.block->check->fence(warp.index, op);
      return sm().advance(warp, next);
    case Kind::Special:
      if (lanes != 0)
        write_lanes<W>(warp.lanes, op, lanes,
                       special_value(static_cast<ptx::Special>(op.mode), sm().special_context(warp)));
      return sm().advance(warp, next);
    case Kind::SystemCall:
      sm().advance(warp, next);
      if (lanes != 0) sm().call([this, &warp, &op, lanes] { system_call(warp, op, lanes); });
      return;
    case Kind::Trap:
      sm().advance(warp, next);
      if (lanes != 0)
        sm().fault(*warp.block, FaultKind::Trap,
                   trap_text(*warp.block->grid, op, thread_of(warp, LaneMask(lanes).lowest())));
      return;
    default:  // Nop
      return sm().advance(warp, next);
  }
}

template <unsigned W, class Sm, class Warp>
void WarpProgram<W, Sm, Warp>::branch(Warp& warp, const MicroOp& op, std::uint64_t lanes) {
  const std::uint32_t next = warp.pc + 1;
  if (lanes == warp.active) {
    if (op.may_wait && warp.stack.depth() > 1 && warp.threads.turn_over(warp.stack, op.target)) [[unlikely]]
      return sm().path_changed(warp);
    return sm().advance(warp, op.target);
  }
  if (lanes == 0) return sm().advance(warp, next);
  warp.stack.diverge(lanes, op.target, next, op.reconvergence);
  sm().path_changed(warp);
}

template <unsigned W, class Sm, class Warp>
void WarpProgram<W, Sm, Warp>::branch_indexed(Warp& warp, const MicroOp& op, std::uint64_t lanes) {
  const Grid& grid = *warp.block->grid;
  const IndexedPaths<W> to = indexed_paths<W>(warp.lanes, op, *grid.kernel, lanes, warp.active, warp.pc + 1);
  if (to.beyond)
    return sm().fault(*warp.block, FaultKind::IllegalInstruction,
                      indexed_branch_text(grid, op, thread_of(warp, *to.beyond),
                                          branch_value<W>(warp.lanes, op, *to.beyond)));
  if (op.kind == ptx::Kind::Return)
    warp.stack.leave(to.paths.data(), to.count);
  else if (to.count == 1)
    return sm().advance(warp, to.paths[0].pc);
  else
    warp.stack.diverge(to.paths.data(), to.count, op.reconvergence);
  sm().path_changed(warp);
}

template <unsigned W, class Sm, class Warp>
void WarpProgram<W, Sm, Warp>::call(Warp& warp, const MicroOp& op) {
  const Grid& grid = *warp.block->grid;
  if (const auto lane = overflowing_lane<W>(warp.lanes, op, grid, warp.active))
    return sm().fault(*warp.block, FaultKind::HardwareStack,
                      stack_overflow_text(grid, op, thread_of(warp, *lane)));
  warp.stack.call(op.target, op.reconvergence);
  sm().path_changed(warp);
}

template <unsigned W, class Sm, class Warp>
void WarpProgram<W, Sm, Warp>::barrier(Warp& warp, const MicroOp& op, std::uint64_t lanes) {
  if (mode_of(op) == ptx::BarrierMode::ClusterWait) [[unlikely]]
    return wait_for_cluster(warp, op, lanes);
  const bool of_warp = mode_of(op) == ptx::BarrierMode::Warp;
  if (lanes != 0 && warp.stack.depth() > 1 && warp.block->grid->kernel->independent_threads &&
      !warp.stack.together()) [[unlikely]] {
    if (!of_warp) return arrive(warp, op, lanes, true);
    if (lanes_missing(warp, op, lanes)) return wait_for_lanes(warp, op, lanes);
  }
  if (of_warp && lanes != 0 && warp.block->check != nullptr) [[unlikely]]
    check_members(warp, op, lanes);
  sm().advance(warp, warp.pc + 1);
  if (lanes != 0 && !of_warp) arrive(warp, op, lanes, false);
}

// The mask of each lane is the instruction's last source.
template <unsigned W, class Sm, class Warp>
[[gnu::noinline]] void WarpProgram<W, Sm, Warp>::check_masks(const Warp& warp, const MicroOp& op,
                                                             std::uint64_t lanes) {
  warp.block->check->masks(warp.index, op, lanes, warp.lanes.lanes32(op.sources[op.source_count - 1u]));
}

template <unsigned W, class Sm, class Warp>
[[gnu::noinline]] void WarpProgram<W, Sm, Warp>::check_members(const Warp& warp, const MicroOp& op,
                                                               std::uint64_t lanes) {
  check_masks(warp, op, lanes);
  check_met(warp, op, lanes, lanes, IndependentThreads<W>::members_of(warp.lanes, op, lanes));
}

// `apart`: the warp's lanes are on several paths, and the arriving path stands at the barrier.
template <unsigned W, class Sm, class Warp>
void WarpProgram<W, Sm, Warp>::arrive(Warp& warp, const MicroOp& op, std::uint64_t lanes, bool apart) {
  Block& block = *warp.block;
  const unsigned width = warp.lanes.width;
  const BarrierUse use = barrier_use<W>(warp.lanes, op, lanes, block.warp_count * width);
  if (use.id >= kBarriers)
    return sm().fault(block, FaultKind::IllegalInstruction,
                      barrier_text(*block.grid, op, thread_of(warp, LaneMask(lanes).lowest()), use.id));
  Barrier& barrier = block.barriers[use.id];
  if (block.check != nullptr) [[unlikely]]
    block.check->arrives(warp.index, op, use.id, use.expected == 0, lanes, warp.stack.live());
  block.arrived_barriers |= 1u << use.id;
  if (apart) {
    warp.stack.park(warp.pc);
    warp.threads.arrive(warp.lanes, warp.stack, op, lanes, use, barrier);
    sm().path_changed(warp);
    return release_barriers(block);
  }
  barrier.arrive(width, use.expected);
  if (vote_at<W>(barrier, warp.lanes, op, lanes)) {
    warp.waiting_op = &op;
    warp.waiting_lanes = lanes;
  }
  if (mode_of(op) < ptx::BarrierMode::Arrive) {
    warp.barrier = use.id;
    warp.barrier_op = &op;
    sm().sleep_at_barrier(warp);
  } else {
    barrier.ahead = true;
    warp.ahead_at |= static_cast<std::uint16_t>(1u << use.id);
  }
  release_barriers(block);
}

// Nothing to wait for where the phase of the warp's arrival is over, or where its paths arrived one by one:
// they have waited there.
template <unsigned W, class Sm, class Warp>
[[gnu::noinline]] void WarpProgram<W, Sm, Warp>::wait_for_cluster(Warp& warp, const MicroOp& op,
                                                                  std::uint64_t lanes) {
  constexpr unsigned kId = ptx::kClusterBarrier;
  if (lanes == 0 || (warp.ahead_at >> kId & 1) == 0) return sm().advance(warp, warp.pc + 1);
  if (warp.stack.depth() > 1 && warp.block->grid->kernel->independent_threads && !warp.stack.together()) {
    warp.stack.park(warp.pc);
    warp.threads.wait_at(warp.stack, op, lanes, kId);
    return sm().path_changed(warp);
  }
  sm().advance(warp, warp.pc + 1);
  warp.barrier = kId;
  warp.barrier_op = &op;
  sm().sleep_at_barrier(warp);
}

template <unsigned W, class Sm, class Warp>
void WarpProgram<W, Sm, Warp>::release_barriers(Block& block) {
  bool apart = false;
  for (std::uint32_t rest = block.arrived_barriers; rest != 0; rest &= rest - 1) {
    const auto id = static_cast<unsigned>(std::countr_zero(rest));
    Barrier& barrier = block.barriers[id];
    if (!barrier.satisfied(block.live_warps)) continue;
    if (barrier.ahead) [[unlikely]]
      sm().for_each_warp(block,
                         [&](Warp& warp) { warp.ahead_at &= static_cast<std::uint16_t>(~(1u << id)); });
    barrier.next_phase();
    if (block.check != nullptr) [[unlikely]]
      block.check->completed(id);
    block.arrived_barriers &= ~(1u << id);
    sm().for_each_warp(block, [&](Warp& warp) { apart |= release(warp, id, barrier.complete); });
  }
  if (apart) [[unlikely]]
    sm().for_each_warp(block, [&](Warp& warp) {
      if (std::exchange(warp.released, false)) sm().wake_paths(warp);
    });
}

// Barrier `id` is complete. Returns whether some paths of a warp are released while others sleep. The warp is
// woken after all completed barriers have released their paths.
template <unsigned W, class Sm, class Warp>
bool WarpProgram<W, Sm, Warp>::release(Warp& warp, unsigned id, const BarrierReduction& result) {
  if (warp.threads.waits()) [[unlikely]] {
    if (!warp.threads.release(warp.lanes, warp.stack, id, result) || !sm().sleeps_at_barrier(warp))
      return false;
    warp.released = true;
    return true;
  }
  if (!sm().sleeps_at_barrier(warp) || warp.barrier != id) return false;
  if (warp.waiting_op != nullptr) {
    deliver_reduction<W>(warp.lanes, *warp.waiting_op, warp.waiting_lanes, result);
    warp.waiting_op = nullptr;
  }
  sm().wake(warp);
  return false;
}

// The running path waits at an exchange with lanes elsewhere.
template <unsigned W, class Sm, class Warp>
void WarpProgram<W, Sm, Warp>::wait_for_lanes(Warp& warp, const MicroOp& op, std::uint64_t lanes) {
  if (warp.block->check != nullptr) check_masks(warp, op, lanes);
  warp.stack.park(warp.pc);
  warp.threads.wait_for_lanes(warp.lanes, warp.stack, op, lanes, when_executed(warp));
  sm().path_changed(warp);
}

template <unsigned W, class Sm, class Warp>
inline void WarpProgram<W, Sm, Warp>::exit_lanes(Warp& warp, std::uint64_t lanes) {
  warp.stack.exit(lanes);
  if (warp.threads.waits()) [[unlikely]]
    count_ended_lanes(warp);
}

// The remaining lanes may all wait at a barrier of the block: then the warp has arrived there.
template <unsigned W, class Sm, class Warp>
[[gnu::noinline]] void WarpProgram<W, Sm, Warp>::count_ended_lanes(Warp& warp) {
  const unsigned id = warp.threads.lanes_ended(warp.lanes, warp.stack, when_executed(warp));
  if (id == kBarriers) return;
  warp.block->barriers[id].arrive(warp.lanes.width, 0);
  warp.block->arrived_barriers |= 1u << id;
  release_barriers(*warp.block);
}

template <unsigned W, class Sm, class Warp>
inline bool WarpProgram<W, Sm, Warp>::next_path(Warp& warp) {
  do {
    // Running off the end is an exit.
    while (!warp.stack.empty() && warp.stack.top().pc >= warp.code_size)
      exit_lanes(warp, warp.stack.top().lanes);
    if (warp.stack.empty()) {
      end_warp(warp);
      return false;
    }
    if (warp.threads.waits() && !take_turn(warp)) return false;
  } while (warp.stack.top().pc >= warp.code_size);
  const ReconvergenceStack::Path& path = warp.stack.top();
  warp.pc = path.pc;
  warp.path_end = path.reconvergence;
  warp.active = path.lanes;
  return true;
}

// Turns to a runnable path. False: all wait at barriers, and the warp sleeps.
template <unsigned W, class Sm, class Warp>
[[gnu::noinline]] bool WarpProgram<W, Sm, Warp>::take_turn(Warp& warp) {
  if (warp.threads.next_path(warp.lanes, warp.stack, when_executed(warp))) return true;
  const auto& waiting = warp.threads.at_barrier();
  warp.barrier = waiting.barrier;
  warp.barrier_op = waiting.op;
  sm().sleep_at_barrier(warp);
  return false;
}

template <unsigned W, class Sm, class Warp>
[[gnu::noinline]] void WarpProgram<W, Sm, Warp>::end_warp(Warp& warp) {
  --warp.block->live_warps;
  if (warp.block->check != nullptr) warp.block->check->ended(warp.index);
  sm().warp_ended(warp);
  LaneMask(std::exchange(warp.ahead_at, {})).for_each([&](unsigned id) {
    ++warp.block->barriers[id].gone_warps;
  });
  if (warp.block->arrived_barriers != 0) release_barriers(*warp.block);
}

template <unsigned W, class Sm, class Warp>
void WarpProgram<W, Sm, Warp>::system_call(Warp& warp, const MicroOp& op, std::uint64_t lanes) {
  Block& block = *warp.block;
  CallCost most;
  Cycle callers = 0;  // whose call takes time
  for (std::uint64_t rest = lanes; rest != 0 && block.live_warps != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    SystemCall call = system_call_of<W>(warp.lanes, op, lane, thread_of(warp, lane));
    call.sm = sm().sm_number();
    call.read = [&, lane](Address address, std::byte* to, Bytes bytes) {
      return sm().read_bytes(warp, lane, address, to, bytes);
    };
    const SystemCallResult result = perform_system_call(*block.grid, op, call, sm().services());
    if (result.fault != FaultKind::None)
      sm().fault(block, result.fault, result.text);
    else if (op.destination_count != 0 && op.destinations[0] != ptx::kNoRegister)
      write_lanes<W>(warp.lanes, op, 1ull << lane, result.value);
    if (result.cost.cycles == 0 && result.cost.interval == 0) continue;
    most = result.cost;
    ++callers;
  }
  if (callers != 0 && block.live_warps != 0)
    sm().hold_up(warp, most.cycles + (callers - 1) * most.lane_cycles,
                 most.interval + (callers - 1) * most.lane_interval);
}

template <unsigned W, class Sm, class Warp>
[[gnu::noinline]] void WarpProgram<W, Sm, Warp>::fault_of_access(const Warp& warp, const MicroOp& op,
                                                                 const AccessFault& access) {
  sm().fault(
      *warp.block, access.kind,
      access_fault_text(*warp.block->grid, op, access, thread_of(warp, access.lane), sm().address_space()));
}

template <unsigned W, class Sm, class Warp>
std::string WarpProgram<W, Sm, Warp>::name_of_warp(const Warp& warp) const {
  return "warp " + std::to_string(warp.index) + " of block " + name_of(warp.block->index) + " of kernel '" +
         readable_name(warp.block->grid->kernel->name) + "' ";
}

template <unsigned W, class Sm, class Warp>
std::string WarpProgram<W, Sm, Warp>::wait_at_barrier(const Warp& warp) const {
  const Block& block = *warp.block;
  return "waits at barrier " + std::to_string(warp.barrier) + " (" +
         block.barriers[warp.barrier].arrivals(block.live_warps) + " have arrived, " +
         place_of(*block.grid, *warp.barrier_op) + ")";
}

}  // namespace duet::gpu
