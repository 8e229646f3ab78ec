// Control flow, barriers, special registers and calls of a timed SM. What they do is the functional model's
// (block_executor.cpp); what differs is where a warp's state lies.
#include <algorithm>
#include <bit>

#include "gpu/functional/device_services.h"
#include "gpu/sm/sm_core.h"
#include "ptx/state_spaces.h"

namespace duet::gpu {

using ptx::Kind;
using ptx::MicroOp;

template <unsigned W>
void SmCoreOf<W>::execute_control(Warp& warp, unsigned slot, const MicroOp& op, std::uint64_t lanes) {
  const std::uint32_t next = warp.pc + 1;
  switch (op.kind) {
    case Kind::Branch:
      if (lanes == warp.active) return advance(warp, slot, op.target);
      if (lanes == 0) return advance(warp, slot, next);
      warp.stack.diverge(lanes, op.target, next, op.reconvergence);
      return path_changed(warp, slot);
    case Kind::BranchIndexed:
      if (lanes == 0) return advance(warp, slot, next);
      return branch_indexed(warp, slot, op, lanes);
    case Kind::Exit:
      warp.stack.move_to(next);
      warp.stack.exit(lanes);
      return path_changed(warp, slot);
    case Kind::Barrier:
      advance(warp, slot, next);
      if (lanes != 0 && static_cast<ptx::BarrierMode>(op.mode) != ptx::BarrierMode::Warp)
        arrive(warp, slot, op, lanes);
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
  const std::vector<std::uint32_t>& table = grid.kernel->branch_tables[op.target];
  const std::uint32_t* index = warp.lanes.lanes32(op.sources[0]);
  ReconvergenceStack::Path paths[W + 1];
  std::size_t count = 0;
  if (lanes != warp.active) paths[count++] = {warp.pc + 1, 0, warp.active & ~lanes};
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    if (index[lane] >= table.size()) {
      fault(*warp.block, FaultKind::IllegalInstruction,
            branch_index_text(grid, op, thread_of(warp, lane), index[lane], table.size()));
      return;
    }
    const std::uint32_t target = table[index[lane]];
    std::size_t at = 0;
    while (at < count && paths[at].pc != target) ++at;
    if (at == count) paths[count++] = {target, 0, 0};
    paths[at].lanes |= 1ull << lane;
  }
  if (count == 1) return advance(warp, slot, paths[0].pc);
  warp.stack.diverge(paths, count, op.reconvergence);
  path_changed(warp, slot);
}

template <unsigned W>
void SmCoreOf<W>::arrive(Warp& warp, unsigned slot, const MicroOp& op, std::uint64_t lanes) {
  Block& block = *warp.block;
  const auto mode = static_cast<ptx::BarrierMode>(op.mode);
  const unsigned first = LaneMask(lanes).lowest();
  const std::uint32_t id = op.source_count > 0 ? warp.lanes.lanes32(op.sources[0])[first] : 0;
  std::uint64_t count = op.source_count > 1 ? warp.lanes.lanes32(op.sources[1])[first] : 0;
  if (id >= kBarriers) {
    fault(block, FaultKind::IllegalInstruction, barrier_text(*block.grid, op, thread_of(warp, first), id));
    return;
  }
  // A count that names the whole block, rounded up to warps, lets ended warps count as arrived.
  if (count == block.warp_count * width_) count = 0;
  Barrier& barrier = block.barriers[id];
  barrier.arrive(width_, count);
  if (mode == ptx::BarrierMode::ReducePopc || mode == ptx::BarrierMode::ReduceAnd ||
      mode == ptx::BarrierMode::ReduceOr) {
    const ptx::Operand& source = op.sources[2];
    const std::uint64_t value = warp.lanes.predicates[source.slot];
    const std::uint64_t votes = (source.negate ? ~value : value) & lanes;
    barrier.running.count += LaneMask(votes).count();
    barrier.running.all &= votes == lanes;
    barrier.running.any |= votes != 0;
    warp.waiting_op = &op;
    warp.waiting_lanes = lanes;
  }
  if (mode != ptx::BarrierMode::Arrive) {
    warp.barrier = id;
    warp.barrier_op = &op;
    sleep(warp, slot, IssueSlot::Barrier);
  }
  release_barriers(block);
}

template <unsigned W>
void SmCoreOf<W>::release_barriers(Block& block) {
  for (unsigned id = 0; id < kBarriers; ++id) {
    Barrier& barrier = block.barriers[id];
    if (!barrier.satisfied(block.live_warps)) continue;
    barrier.next_phase();
    for (std::uint64_t rest = block.warps; rest != 0; rest &= rest - 1) {
      const auto slot = static_cast<unsigned>(std::countr_zero(rest));
      Warp& warp = *warps_[slot];
      if (warp.reason != IssueSlot::Barrier || warp.barrier != id) continue;
      if (warp.waiting_op != nullptr) deliver_reduction(warp, barrier);
      // Seen by the schedulers in the next cycle, whichever of them looks first.
      sleep_until(warp, slot, cycle_ + 1, IssueSlot::Barrier);
    }
  }
}

template <unsigned W>
void SmCoreOf<W>::deliver_reduction(Warp& warp, const Barrier& barrier) {
  const MicroOp& op = *warp.waiting_op;
  warp.waiting_op = nullptr;
  if (static_cast<ptx::BarrierMode>(op.mode) == ptx::BarrierMode::ReducePopc) {
    std::uint32_t* to = warp.lanes.destination32(op.destinations[0]);
    LaneMask(warp.waiting_lanes).for_each([&](unsigned lane) { to[lane] = barrier.complete.count; });
    return;
  }
  const bool value = static_cast<ptx::BarrierMode>(op.mode) == ptx::BarrierMode::ReduceAnd
                         ? barrier.complete.all
                         : barrier.complete.any;
  std::uint64_t& predicate = warp.lanes.predicates[op.predicate_destination];
  predicate = value ? predicate | warp.waiting_lanes : predicate & ~warp.waiting_lanes;
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
  const Dim3& shape = warp.block->grid->block;
  const std::uint64_t thread = std::uint64_t{warp.index} * width_ + lane;
  ThreadName name;
  name.block = warp.block->index;
  name.thread.x = static_cast<std::uint32_t>(thread % shape.x);
  name.thread.y = static_cast<std::uint32_t>(thread / shape.x % shape.y);
  name.thread.z = static_cast<std::uint32_t>(thread / shape.x / shape.y);
  return name;
}

template <unsigned W>
void SmCoreOf<W>::read_special(Warp& warp, unsigned slot, const MicroOp& op, std::uint64_t lanes) {
  const std::uint64_t nanoseconds = now_ / kPicosecondsPerNanosecond;
  std::uint64_t value = 0;
  switch (static_cast<ptx::Special>(op.mode)) {
    case ptx::Special::Clock:
      value = static_cast<std::uint32_t>(cycle_);
      break;
    case ptx::Special::Clock64:
      value = cycle_;
      break;
    case ptx::Special::ClockHi:
      value = cycle_ >> 32;
      break;
    case ptx::Special::GlobalTimer:
      value = nanoseconds;
      break;
    case ptx::Special::GlobalTimerLo:
      value = static_cast<std::uint32_t>(nanoseconds);
      break;
    case ptx::Special::GlobalTimerHi:
      value = nanoseconds >> 32;
      break;
    case ptx::Special::SmId:
      value = number_;
      break;
    case ptx::Special::NumSm:
      value = config_.sm.count;
      break;
    case ptx::Special::WarpSlot:
      value = slot;
      break;
    case ptx::Special::NumWarpSlot:
      value = config_.sm.max_warps;
      break;
    case ptx::Special::GridId:
      value = warp.block->grid->launch_id;
      break;
    case ptx::Special::DynamicSharedBytes:
      value = warp.block->grid->dynamic_shared_bytes;
      break;
    case ptx::Special::TotalSharedBytes:
      value = warp.block->shared.size();
      break;
  }
  if (ptx::type_bytes(op.type) == 8) {
    std::uint64_t* to = warp.lanes.destination64(op.destinations[0]);
    LaneMask(lanes).for_each([&](unsigned lane) { to[lane] = value; });
  } else {
    std::uint32_t* to = warp.lanes.destination32(op.destinations[0]);
    LaneMask(lanes).for_each([&](unsigned lane) { to[lane] = static_cast<std::uint32_t>(value); });
  }
}

template <unsigned W>
void SmCoreOf<W>::system_call(Warp& warp, const MicroOp& op, std::uint64_t lanes) {
  Block& block = *warp.block;
  for (std::uint64_t rest = lanes; rest != 0 && block.live_warps != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    SystemCall call;
    call.function = static_cast<ptx::SystemFunction>(op.mode);
    call.thread = thread_of(warp, lane);
    // The line number of __assertfail is its only 32-bit argument.
    for (unsigned i = 0; i < op.source_count; ++i)
      call.arguments[i] = call.function == ptx::SystemFunction::AssertFail && i == 2
                              ? warp.lanes.lanes32(op.sources[i])[lane]
                              : warp.lanes.lanes64(op.sources[i])[lane];
    call.read = [&, lane](Address address, std::byte* to, Bytes bytes) {
      return read_bytes(warp, lane, address, to, bytes);
    };
    const SystemCallResult result = perform_system_call(*block.grid, op, call, services_);
    if (result.fault != FaultKind::None)
      fault(block, result.fault, result.text);
    else if (op.destination_count != 0 && op.destinations[0] != ptx::kNoRegister)
      warp.lanes.destination32(op.destinations[0])[lane] = result.value;
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
