// Control flow, barriers, special registers and calls of a timed SM. What they do is the functional model's
// (block_executor.cpp); what differs is where a warp's state lies.
#include <algorithm>
#include <bit>

#include "gpu/sm/sm_core.h"
#include "gpu/warp/special_registers.h"
#include "gpu/warp/warp_control.h"
#include "ptx/state_spaces.h"

namespace duet::gpu {

using ptx::Kind;
using ptx::MicroOp;

template <unsigned W>
void SmCoreOf<W>::execute_control(Warp& warp, unsigned slot, const MicroOp& op, std::uint64_t lanes) {
  const std::uint32_t next = warp.pc + 1;
  switch (op.kind) {
    case Kind::Branch:
      if (lanes == warp.active) {
        if (op.may_wait && warp.stack.depth() > 1 && warp.threads.turn_over(warp.stack, op.target))
            [[unlikely]]
          return path_changed(warp, slot);
        return advance(warp, slot, op.target);
      }
      if (lanes == 0) return advance(warp, slot, next);
      warp.stack.diverge(lanes, op.target, next, op.reconvergence);
      return path_changed(warp, slot);
    case Kind::BranchIndexed:
      if (lanes == 0) return advance(warp, slot, next);
      return branch_indexed(warp, slot, op, lanes);
    case Kind::Call:
      return call(warp, slot, op);
    case Kind::Return:
      return branch_indexed(warp, slot, op, lanes);
    case Kind::Exit:
      warp.stack.move_to(next);
      exit_lanes(warp, lanes);
      return path_changed(warp, slot);
    case Kind::Barrier:
      if (lanes != 0 && warp.stack.depth() > 1 && warp.block->grid->kernel->independent_threads &&
          !warp.stack.together()) [[unlikely]] {
        if (static_cast<ptx::BarrierMode>(op.mode) != ptx::BarrierMode::Warp)
          return arrive(warp, slot, op, lanes, true);
        if (IndependentThreads<W>::incomplete(warp.lanes, warp.stack, op, lanes))
          return wait_for_lanes(warp, slot, op, lanes);
      }
      advance(warp, slot, next);
      if (lanes != 0 && static_cast<ptx::BarrierMode>(op.mode) != ptx::BarrierMode::Warp)
        arrive(warp, slot, op, lanes, false);
      return;
    case Kind::Special:
      if (lanes != 0) read_special(warp, slot, op, lanes);
      return advance(warp, slot, next);
    case Kind::SystemCall:
      advance(warp, slot, next);
      if (lanes != 0) system_call(warp, op, lanes);
      return;
    case Kind::Trap:
      advance(warp, slot, next);
      if (lanes != 0)
        fault(*warp.block, FaultKind::Trap,
              trap_text(*warp.block->grid, op, thread_of(warp, LaneMask(lanes).lowest())));
      return;
    default:  // Fence, Nop
      return advance(warp, slot, next);
  }
}

template <unsigned W>
void SmCoreOf<W>::branch_indexed(Warp& warp, unsigned slot, const MicroOp& op, std::uint64_t lanes) {
  const Grid& grid = *warp.block->grid;
  const IndexedPaths<W> to = indexed_paths<W>(warp.lanes, op, *grid.kernel, lanes, warp.active, warp.pc + 1);
  if (to.beyond) {
    fault(*warp.block, FaultKind::IllegalInstruction,
          indexed_branch_text(grid, op, thread_of(warp, *to.beyond),
                              branch_value<W>(warp.lanes, op, *to.beyond)));
    return;
  }
  if (op.kind == Kind::Return) {
    warp.stack.leave(to.paths.data(), to.count);
    return path_changed(warp, slot);
  }
  if (to.count == 1) return advance(warp, slot, to.paths[0].pc);
  warp.stack.diverge(to.paths.data(), to.count, op.reconvergence);
  path_changed(warp, slot);
}

template <unsigned W>
void SmCoreOf<W>::call(Warp& warp, unsigned slot, const MicroOp& op) {
  const Grid& grid = *warp.block->grid;
  if (const auto lane = overflowing_lane<W>(warp.lanes, op, grid, warp.active)) {
    fault(*warp.block, FaultKind::HardwareStack, stack_overflow_text(grid, op, thread_of(warp, *lane)));
    return;
  }
  warp.stack.call(op.target, op.reconvergence);
  path_changed(warp, slot);
}

// `apart`: the warp's lanes are on several paths, and the one that arrives stands at the barrier.
template <unsigned W>
void SmCoreOf<W>::arrive(Warp& warp, unsigned slot, const MicroOp& op, std::uint64_t lanes, bool apart) {
  Block& block = *warp.block;
  const BarrierUse use = barrier_use<W>(warp.lanes, op, lanes, block.warp_count * width_);
  if (use.id >= kBarriers) {
    fault(block, FaultKind::IllegalInstruction,
          barrier_text(*block.grid, op, thread_of(warp, LaneMask(lanes).lowest()), use.id));
    return;
  }
  Barrier& barrier = block.barriers[use.id];
  if (apart) {
    warp.stack.park(warp.pc);
    warp.threads.arrive(warp.lanes, warp.stack, op, lanes, use, barrier);
    path_changed(warp, slot);
    return release_barriers(block);
  }
  barrier.arrive(width_, use.expected);
  if (vote_at<W>(barrier, warp.lanes, op, lanes)) {
    warp.waiting_op = &op;
    warp.waiting_lanes = lanes;
  }
  if (static_cast<ptx::BarrierMode>(op.mode) != ptx::BarrierMode::Arrive) {
    warp.barrier = use.id;
    warp.barrier_op = &op;
    sleep(warp, slot, IssueSlot::Barrier);
  }
  release_barriers(block);
}

template <unsigned W>
void SmCoreOf<W>::wait_for_lanes(Warp& warp, unsigned slot, const MicroOp& op, std::uint64_t lanes) {
  warp.stack.park(warp.pc);
  warp.threads.wait_for_lanes(warp.lanes, warp.stack, op, lanes, when_executed(warp));
  path_changed(warp, slot);
}

template <unsigned W>
void SmCoreOf<W>::count_ended_lanes(Warp& warp) {
  if (const unsigned id = warp.threads.lanes_ended(warp.lanes, warp.stack, when_executed(warp));
      id != kBarriers)
    warp.block->barriers[id].arrive(width_, 0);
}

// Turns to a path that can run. False: all wait at barriers, and the warp sleeps.
template <unsigned W>
bool SmCoreOf<W>::take_next_path(Warp& warp, unsigned slot) {
  if (warp.threads.next_path(warp.lanes, warp.stack, when_executed(warp))) return true;
  const auto& waiting = warp.threads.at_barrier();
  warp.barrier = waiting.barrier;
  warp.barrier_op = waiting.op;
  sleep(warp, slot, IssueSlot::Barrier);
  release_barriers(*warp.block);
  return false;
}

template <unsigned W>
void SmCoreOf<W>::release_barriers(Block& block) {
  std::uint64_t woken = 0;
  for (unsigned id = 0; id < kBarriers; ++id) {
    Barrier& barrier = block.barriers[id];
    if (!barrier.satisfied(block.live_warps)) continue;
    barrier.next_phase();
    for (std::uint64_t rest = block.warps; rest != 0; rest &= rest - 1) {
      const auto slot = static_cast<unsigned>(std::countr_zero(rest));
      Warp& warp = *warps_[slot];
      if (warp.threads.waits()) [[unlikely]] {
        if (warp.threads.release(warp.lanes, warp.stack, id, barrier.complete) &&
            warp.reason == IssueSlot::Barrier)
          woken |= 1ull << slot;
        continue;
      }
      if (warp.reason != IssueSlot::Barrier || warp.barrier != id) continue;
      if (warp.waiting_op != nullptr) {
        deliver_reduction<W>(warp.lanes, *warp.waiting_op, warp.waiting_lanes, barrier.complete);
        warp.waiting_op = nullptr;
      }
      // Seen by the schedulers in the next cycle, whichever of them looks first.
      sleep_until(warp, slot, cycle_ + 1, IssueSlot::Barrier);
    }
  }
  // Those with lanes on several paths: one of them can run now, perhaps.
  for (; woken != 0; woken &= woken - 1) {
    const auto slot = static_cast<unsigned>(std::countr_zero(woken));
    Warp& warp = *warps_[slot];
    set_ready(warp, slot);
    path_changed(warp, slot);
    if (warp.reason == IssueSlot::Issued) sleep_until(warp, slot, cycle_ + 1, IssueSlot::Barrier);
  }
}

template <unsigned W>
void SmCoreOf<W>::end_warp(Warp& warp, unsigned slot) {
  set_reason(warp, slot, IssueSlot::NoWarp);
  warp.wake_cycle = kPending;
  wants_fetch_ &= ~(1ull << slot);
  fetch_blocked_ &= ~(1ull << slot);
  if (--warp.block->live_warps == 0) blocks_ending_ = drain_changed_ = true;
  release_barriers(*warp.block);
}

template <unsigned W>
ThreadName SmCoreOf<W>::thread_of(const Warp& warp, unsigned lane) const {
  return thread_name(warp.block->index, warp.block->grid->block, std::uint64_t{warp.index} * width_ + lane);
}

template <unsigned W>
void SmCoreOf<W>::read_special(Warp& warp, unsigned slot, const MicroOp& op, std::uint64_t lanes) {
  const SpecialContext context{config_, *warp.block->grid,        now_, cycle_, number_,
                               slot,    warp.block->shared.size()};
  write_lanes<W>(warp.lanes, op, lanes, special_value(static_cast<ptx::Special>(op.mode), context));
}

template <unsigned W>
void SmCoreOf<W>::system_call(Warp& warp, const MicroOp& op, std::uint64_t lanes) {
  Block& block = *warp.block;
  for (std::uint64_t rest = lanes; rest != 0 && block.live_warps != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    SystemCall call = system_call_of<W>(warp.lanes, op, lane, thread_of(warp, lane));
    call.sm = number_;
    call.read = [&, lane](Address address, std::byte* to, Bytes bytes) {
      return read_bytes(warp, lane, address, to, bytes);
    };
    const SystemCallResult result = perform_system_call(*block.grid, op, call, services_);
    if (result.fault != FaultKind::None)
      fault(block, result.fault, result.text);
    else if (op.destination_count != 0 && op.destinations[0] != ptx::kNoRegister)
      write_lanes<W>(warp.lanes, op, 1ull << lane, result.value);
  }
}

// Bytes at a generic address as a lane sees them; its stores have all been acknowledged.
template <unsigned W>
bool SmCoreOf<W>::read_bytes(const Warp& warp, unsigned lane, Address address, std::byte* to, Bytes bytes) {
  const WarpMemory& memory = warp.memory;
  if (address - ptx::kSharedWindow < ptx::kWindowBytes) {
    const Bytes offset = address - ptx::kSharedWindow;
    if (offset + bytes > memory.shared_bytes) return false;
    std::copy_n(memory.shared + offset, bytes, to);
    return true;
  }
  if (address - ptx::kParamWindow < ptx::kWindowBytes) {
    const Bytes offset = address - ptx::kParamWindow;
    if (offset + bytes > memory.parameter_bytes) return false;
    std::copy_n(memory.parameters + offset, bytes, to);
    return true;
  }
  for (Bytes i = 0; i < bytes; ++i) {
    Address physical = 0;
    if (address + i - ptx::kLocalWindow < ptx::kWindowBytes) {
      const Bytes offset = address + i - ptx::kLocalWindow;
      if (offset >= memory.local_bytes) return false;
      physical = memory.local_physical + (offset / 4 * width_ + lane) * 4 + offset % 4;
    } else {
      const memory::Allocation* allocation = address_space_.find(address + i);
      if (allocation == nullptr) return false;
      physical = allocation->physical + (address + i - allocation->base);
    }
    if (services_.settle) services_.settle(physical, 1);
    const std::byte* backing = address_space_.backing(physical);
    if (backing == nullptr) return false;
    to[i] = *backing;
  }
  return true;
}

template class SmCoreOf<32>;
template class SmCoreOf<64>;

}  // namespace duet::gpu
