// Issue: the choice of a warp, the check of its next machine instruction, and the reservations of the
// instruction.
#include <algorithm>

#include "gpu/sm/sm_core.h"
#include "gpu/warp/checked_access.h"
#include "ptx/memory_order.h"

namespace duet::gpu {

using ptx::Kind;
using ptx::MicroOp;

// Counts its cycles in the state that ends now. The cycle of an issue is counted by then.
template <unsigned W>
[[gnu::always_inline]] inline void SmCoreOf<W>::count_cycles(Warp& warp) const {
  if (cycle_ <= warp.counted_until) return;
  warp.block->tally->counts.warp_cycles[static_cast<unsigned>(warp.reason)] += cycle_ - warp.counted_until;
  warp.counted_until = cycle_;
}

template <unsigned W>
void SmCoreOf<W>::set_reason(Warp& warp, unsigned slot, IssueSlot reason) {
  count_cycles(warp);
  states_.change(slot, warp.reason, reason);
  warp.reason = reason;
}

template <unsigned W>
void SmCoreOf<W>::set_ready(Warp& warp, unsigned slot) {
  set_reason(warp, slot, IssueSlot::Issued);
}

// Until `cycle`, a later one. Returns false, the result of a failed issue.
template <unsigned W>
bool SmCoreOf<W>::sleep_until(Warp& warp, unsigned slot, Cycle cycle, IssueSlot reason) {
  set_reason(warp, slot, reason);
  warp.wake_cycle = cycle;
  wheel_.sleep(cycle_, cycle, slot);
  return false;
}

// Until something else wakes the warp.
template <unsigned W>
bool SmCoreOf<W>::sleep(Warp& warp, unsigned slot, IssueSlot reason) {
  set_reason(warp, slot, reason);
  warp.wake_cycle = kPending;
  return false;
}

template <unsigned W>
void SmCoreOf<W>::charge(const WarpScheduler& scheduler, Cycle cycles) {
  const WarpStates::Wait wait = states_.first_wait(scheduler.warps());
  statistics_.issue_slots[wait.reason] += cycles;
  GridTally* const only = blocks_.only_tally();
  GridTally& tally = only != nullptr ? *only : idle_tally(wait, cycles);
  tally.counts.issue_slots[wait.reason] += cycles;
}

// Flat: the way of every instruction is one function, without registers saved at every step.
template <unsigned W>
[[gnu::flatten]] void SmCoreOf<W>::issue() {
  for (WarpScheduler& scheduler : schedulers_)
    if (const std::uint64_t ready = may_issue(scheduler); ready == 0 || !issue_one(scheduler, ready))
      charge(scheduler, 1);
}

template <unsigned W>
inline bool SmCoreOf<W>::issue_one(WarpScheduler& scheduler, std::uint64_t ready) {
  for (; ready != 0; ready = may_issue(scheduler)) {
    const unsigned slot = scheduler.pick(ready);
    Warp& warp = *warps_[slot];
    if (warp.reason != IssueSlot::Issued) set_ready(warp, slot);
    if (!try_issue(warp, slot)) continue;
    scheduler.issued(slot);
    // Its next wait is known already: no scheduler need try it in vain.
    if (warp.reason == IssueSlot::Issued && warp.parts_left == 0 && !warp.operands_ready)
      check_operands(warp, slot, cycle_ + 1);
    return true;
  }
  return false;
}

// Whether the scoreboard lets a warp's next micro-op issue at `from`; otherwise the warp goes to sleep.
template <unsigned W>
bool SmCoreOf<W>::check_operands(Warp& warp, unsigned slot, Cycle from) {
  const TimedOp& timed = warp.timed[warp.pc];
  Cycle latest = 0;
  const std::uint16_t* entry = warp.entries + timed.first_entry;
  for (const std::uint16_t* end = entry + timed.read_entries + timed.write_entries; entry != end; ++entry)
    latest = std::max(latest, warp.ready[*entry]);
  if (latest == kPending) return sleep(warp, slot, IssueSlot::Memory);
  warp.operands_ready = true;  // then, as nothing else of this warp issues before
  return latest <= from || sleep_until(warp, slot, latest, IssueSlot::Dependency);
}

// Issues one machine instruction of a warp. False: it cannot now, and has gone to sleep or ended.
template <unsigned W>
bool SmCoreOf<W>::try_issue(Warp& warp, unsigned slot) {
  while (true) {
    const MicroOp& op = warp.code[warp.pc];
    const TimedOp& timed = warp.timed[warp.pc];
    if (warp.parts_left == 0) {
      if (!warp.operands_ready && !check_operands(warp, slot, cycle_)) return false;
      if (timed.parts == 0 && (op.kind == Kind::Arithmetic || op.kind == Kind::Nop)) {
        // No machine instruction stands for it: it comes with its successor.
        const std::uint64_t lanes = ptx::guarded_lanes(warp.lanes, op, warp.active);
        if (op.kind == Kind::Arithmetic && lanes != 0) ptx::execute(warp.lanes, op, lanes);
        advance(warp, slot, warp.pc + 1);
        if (warp.reason != IssueSlot::Issued) return false;
        continue;
      }
    }
    if (timed.parts != 0 && !has_instruction(warp, slot)) return false;
    switch (op.kind) {
      case Kind::Arithmetic:
        return issue_arithmetic(warp, slot, op, timed);
      case Kind::Exchange:
        return issue_exchange(warp, slot, op, timed);
      case Kind::Load:
      case Kind::Store:
      case Kind::Atomic:
      case Kind::Image:
        return issue_memory(warp, slot, op, timed);
      default:
        return issue_control(warp, slot, op, timed);
    }
  }
}

// Whether the next machine instruction is in the warp's buffer.
template <unsigned W>
bool SmCoreOf<W>::has_instruction(Warp& warp, unsigned slot) {
  if (fetch_.buffered(warp, slot, cycle_)) return true;
  if (warp.fetched_end > warp.buffered_end)
    return sleep_until(warp, slot, warp.fetched_ready, IssueSlot::Fetch);
  return sleep(warp, slot, IssueSlot::Fetch);
}

// A machine instruction of `op` has issued.
template <unsigned W>
void SmCoreOf<W>::consumed(Warp& warp, unsigned slot, const TimedOp& timed) {
  std::uint64_t threads = 0;
  GridCounts& counts = warp.block->tally->counts;
  count_cycles(warp);
  warp.counted_until = cycle_ + 1;
  ++counts.warp_cycles[static_cast<unsigned>(IssueSlot::NoWarp)];
  if (timed.parts != 0) {
    ++warp.machine_pc;
    fetch_.want(warp, slot, cycle_);
    threads = static_cast<std::uint64_t>(std::popcount(warp.active));
    ++counts.warp_instructions;
    counts.thread_instructions += threads;
    ++statistics_.warp_instructions;
  }
  constexpr auto kIssued = static_cast<unsigned>(IssueSlot::Issued);
  ++statistics_.issue_slots[kIssued];
  ++counts.issue_slots[kIssued];
  if (InstructionCounts* const of_line = counts_at(warp); of_line != nullptr) {
    ++(*of_line)[kIssued];
    count_of(*of_line, InstructionCount::ThreadInstructions) += threads;
  }
}

template <unsigned W>
bool SmCoreOf<W>::issue_arithmetic(Warp& warp, unsigned slot, const MicroOp& op, const TimedOp& timed) {
  const bool first = warp.parts_left == 0;
  const Pipe pipe = first ? timed.first_pipe : timed.pipe;
  const Cycle free = units_.next_issue(pipe);
  if (free > cycle_) return sleep_until(warp, slot, free, IssueSlot::UnitBusy);
  const std::uint16_t* entries = warp.entries + timed.first_entry;
  const Cycle start = units_.start(pipe, units_.collect(cycle_, slot, entries, timed.register_reads),
                                   first ? timed.first_interval_cycles : timed.interval_cycles);
  consumed(warp, slot, timed);
  if (first) {
    warp.parts_left = timed.parts;
    const std::uint64_t lanes = ptx::guarded_lanes(warp.lanes, op, warp.active);
    if (lanes != 0) ptx::execute(warp.lanes, op, lanes);
  }
  if (--warp.parts_left != 0) {
    const Cycle interval = first ? timed.first_part_cycles : timed.part_interval_cycles;
    if (interval > 1) sleep_until(warp, slot, cycle_ + interval, IssueSlot::Dependency);
    return true;
  }
  const Cycle ready = start + timed.latency_cycles;
  entries += timed.read_entries;
  for (unsigned i = 0; i < timed.write_entries; ++i) warp.ready[entries[i]] = ready;
  advance(warp, slot, warp.pc + 1);
  return true;
}

// Where some of its named lanes are on other paths, the path waits for them: it has only issued its arrival.
template <unsigned W>
bool SmCoreOf<W>::issue_exchange(Warp& warp, unsigned slot, const MicroOp& op, const TimedOp& timed) {
  const std::uint64_t lanes = ptx::guarded_lanes(warp.lanes, op, warp.active);
  if (warp.parts_left != 0 || !Program::lanes_missing(warp, op, lanes)) {
    if (warp.block->check != nullptr && warp.parts_left == 0 && lanes != 0 &&
        units_.next_issue(timed.first_pipe) <= cycle_) [[unlikely]]
      Program::check_members(warp, op, lanes);
    return issue_arithmetic(warp, slot, op, timed);
  }
  const Cycle free = units_.next_issue(timed.pipe);
  if (free > cycle_) return sleep_until(warp, slot, free, IssueSlot::UnitBusy);
  const std::uint16_t* entries = warp.entries + timed.first_entry;
  const Cycle start = units_.start(timed.pipe, units_.collect(cycle_, slot, entries, timed.register_reads),
                                   timed.interval_cycles);
  consumed(warp, slot, timed);
  if (blocking_) warp.ready[warp.block->timed->commit_entry()] = start + timed.latency_cycles;
  execute_program(warp, op, lanes);
  return true;
}

template <unsigned W>
bool SmCoreOf<W>::issue_memory(Warp& warp, unsigned slot, const MicroOp& op, const TimedOp& timed) {
  // The arithmetic of the address, before the access itself, takes issue slots.
  const unsigned parts = warp.parts_left == 0 ? std::max<unsigned>(timed.parts, 1) : warp.parts_left;
  const std::uint16_t* entries = warp.entries + timed.first_entry;
  if (parts > 1) {
    const Cycle free = units_.next_issue(timed.first_pipe);
    if (free > cycle_) return sleep_until(warp, slot, free, IssueSlot::UnitBusy);
    units_.start(timed.first_pipe, units_.collect(cycle_, slot, entries, timed.register_reads),
                 timed.first_interval_cycles);
    consumed(warp, slot, timed);
    warp.parts_left = parts - 1;
    if (blocking_) [[unlikely]]
      part_issued(warp, slot, timed);
    return true;
  }
  std::uint64_t lanes = ptx::guarded_lanes(warp.lanes, op, warp.active);
  if (op.kind == Kind::Image) [[unlikely]]
    return issue_image(warp, slot, op, timed);
  if (op.semantics > ptx::MemorySemantics::Relaxed && held_by_release(warp, slot, op, lanes)) [[unlikely]]
    return false;
  if (warp.block->check != nullptr && lanes != 0 && load_store_.can_issue()) [[unlikely]]
    lanes = checked_lanes<W>(*warp.block->check, warp.lanes, op, warp.pc, warp.index, lanes);
  if (lanes != 0) {
    if (!load_store_.can_issue()) return sleep(warp, slot, IssueSlot::LoadStoreBusy);
    const auto issue = load_store_.issue(slot, warp.lanes, op, lanes, warp.memory, counts_at(warp));
    if (issue == LoadStoreUnit<W>::Issue::Later) return sleep(warp, slot, IssueSlot::TrackedOrder);
    if (issue == LoadStoreUnit<W>::Issue::Faulted) {
      Program::fault_of_access(warp, op, load_store_.fault());
      return true;
    }
    load_store_.start_at(units_.collect(cycle_, slot, entries, timed.register_reads));
    issued_memory_ = true;
    load_store_next_ = cycle_ + 1;
    entries += timed.read_entries;
    for (unsigned i = 0; i < timed.write_entries; ++i) warp.ready[entries[i]] = kPending;
  }
  consumed(warp, slot, timed);
  warp.parts_left = 0;
  advance(warp, slot, warp.pc + 1);
  if (op.semantics > ptx::MemorySemantics::Relaxed) [[unlikely]]
    acquire_issued(warp, slot, op, lanes);
  if (blocking_) [[unlikely]]
    access_issued(warp, slot, op, lanes);
  return true;
}

// With gpu.sm.blocking_issue: the next part waits, too.
template <unsigned W>
[[gnu::noinline]] void SmCoreOf<W>::part_issued(Warp& warp, unsigned slot, const TimedOp& timed) {
  sleep_until(warp, slot, cycle_ + timed.part_interval_cycles, IssueSlot::Dependency);
}

// With gpu.sm.blocking_issue: a load commits when it completes, a store when its requests have left. Without
// lanes it only goes through the pipeline.
template <unsigned W>
[[gnu::noinline]] void SmCoreOf<W>::access_issued(Warp& warp, unsigned slot, const MicroOp& op,
                                                  std::uint64_t lanes) {
  Cycle& commits = warp.ready[warp.block->timed->commit_entry()];
  const Cycle least = cycle_ + config_.sm.commit_cycles;
  if (lanes == 0) {
    commits = least;
  } else if (op.kind == Kind::Image) {
    textures_.ready_from(least);
  } else {
    load_store_.ready_from(least);
    if (!commits_when_sent(op)) return;
    commits = kPending;
    leaving_ |= 1ull << slot;
    if (warp.reason == IssueSlot::Issued) sleep(warp, slot, IssueSlot::LoadStoreBusy);
  }
}

template <unsigned W>
[[gnu::noinline]] void SmCoreOf<W>::store_sent(std::uint32_t slot, Cycle ready) {
  Warp& warp = *warps_[slot];
  leaving_ &= ~(1ull << slot);
  warp.ready[warp.block->timed->commit_entry()] = ready;
  if (warp.reason == IssueSlot::LoadStoreBusy || warp.reason == IssueSlot::Memory)
    sleep_until(warp, slot, ready, IssueSlot::Dependency);
}

// PTX ISA 9.0, memory consistency model, for accesses that name a scope of more than the block: what comes
// before a release is performed before it, and what comes behind an acquire after it. L1 may hold older bytes
// then: it drops them. Of devices before compute capability 7.0, L1 keeps them, as Fermi's does.
template <unsigned W>
[[gnu::noinline]] bool SmCoreOf<W>::held_by_release(Warp& warp, unsigned slot, const MicroOp& op,
                                                    std::uint64_t lanes) {
  if (!ordered_ || !ptx::releases(op) || op.scope == ptx::MemoryScope::Cta || lanes == 0 || drained(slot))
    return false;
  sleep(warp, slot, IssueSlot::Fence);
  return true;
}

// The warp goes on when all of its accesses are performed.
template <unsigned W>
[[gnu::noinline]] void SmCoreOf<W>::acquire_issued(Warp& warp, unsigned slot, const MicroOp& op,
                                                   std::uint64_t lanes) {
  if (!ordered_ || !ptx::acquires(op) || op.scope == ptx::MemoryScope::Cta || lanes == 0 ||
      warp.reason != IssueSlot::Issued || drained(slot))
    return;
  warp.acquires = true;
  sleep(warp, slot, IssueSlot::Fence);
}

template <unsigned W>
void SmCoreOf<W>::acquired(Warp& warp) {
  warp.acquires = false;
  invalidate_l1_(now_);
}

template <unsigned W>
[[gnu::noinline]] bool SmCoreOf<W>::issue_image(Warp& warp, unsigned slot, const MicroOp& op,
                                                const TimedOp& timed) {
  const std::uint64_t lanes = ptx::guarded_lanes(warp.lanes, op, warp.active);
  if (lanes != 0) {
    if (!textures_.can_issue()) {
      waits_for_textures_ |= 1ull << slot;
      return sleep(warp, slot, IssueSlot::UnitBusy);
    }
    if (!textures_.issue(slot, warp.lanes, op, lanes, warp.memory, counts_at(warp))) {
      Program::fault_of_access(warp, op, textures_.fault());
      return true;
    }
    if (warp.block->check != nullptr) tell_image_stores(*warp.block->check, textures_.issued());
    const std::uint16_t* entries = warp.entries + timed.first_entry;
    textures_.start_at(units_.collect(cycle_, slot, entries, timed.register_reads));
    load_store_next_ = cycle_ + 1;
    entries += timed.read_entries;
    for (unsigned i = 0; i < timed.write_entries; ++i) warp.ready[entries[i]] = kPending;
  }
  consumed(warp, slot, timed);
  if (blocking_) access_issued(warp, slot, op, lanes);
  warp.parts_left = 0;
  advance(warp, slot, warp.pc + 1);
  return true;
}

// A warp arrives at a barrier: when the barrier's warps may go on, if it is the last.
template <unsigned W>
Cycle SmCoreOf<W>::arrival_ends() {
  const config::Sm::Timing& barrier = config_.sm.barrier;
  return units_.start(Pipe::Barrier, cycle_, static_cast<unsigned>(barrier.interval_cycles)) +
         barrier.latency_cycles;
}

template <unsigned W>
bool SmCoreOf<W>::issue_control(Warp& warp, unsigned slot, const MicroOp& op, const TimedOp& timed) {
  const std::uint64_t lanes = ptx::guarded_lanes(warp.lanes, op, warp.active);
  const bool waits =
      op.kind == Kind::SystemCall || (op.kind == Kind::Fence && op.scope != ptx::MemoryScope::Cta);
  if (waits && lanes != 0 && !drained(slot)) return sleep(warp, slot, IssueSlot::Fence);
  // Accesses ordered by a barrier or a fence in a block keep their order below too, but for tracked memory.
  const bool in_block =
      op.kind == Kind::Fence ||
      (op.kind == Kind::Barrier && static_cast<ptx::BarrierMode>(op.mode) != ptx::BarrierMode::Warp);
  if (in_block && lanes != 0 && load_store_.orders_tracked(slot))
    return sleep(warp, slot, IssueSlot::TrackedOrder);
  const Cycle free = units_.next_issue(Pipe::Sp);
  if (free > cycle_) return sleep_until(warp, slot, free, IssueSlot::UnitBusy);
  const std::uint16_t* entries = warp.entries + timed.first_entry;
  const Cycle start = units_.start(Pipe::Sp, units_.collect(cycle_, slot, entries, timed.register_reads),
                                   timed.interval_cycles);
  consumed(warp, slot, timed);
  if (warp.parts_left == 0) warp.parts_left = std::max<unsigned>(timed.parts, 1);
  if (--warp.parts_left != 0) {
    if (blocking_) [[unlikely]]
      part_issued(warp, slot, timed);
    return true;
  }
  const Cycle ready = start + timed.latency_cycles;
  entries += timed.read_entries;
  for (unsigned i = 0; i < timed.write_entries; ++i) warp.ready[entries[i]] = ready;
  if (warp.counts != nullptr) count_divergence(warp, op, lanes);
  if (waits && op.kind == Kind::Fence && ordered_ && lanes != 0) invalidate_l1_(now_);
  if (in_block && op.kind == Kind::Barrier && lanes != 0) {
    barrier_ready_ = arrival_ends();
    execute_program(warp, op, lanes);
    barrier_ready_ = 0;
  } else {
    execute_program(warp, op, lanes);
  }
  const bool branch = op.kind == Kind::Branch || op.kind == Kind::BranchIndexed || op.kind == Kind::Call ||
                      op.kind == Kind::Return;
  if (branch && warp.reason == IssueSlot::Issued && ready > cycle_ + 1)
    sleep_until(warp, slot, ready, IssueSlot::Dependency);
  if (timed.ends_clock_loop) [[unlikely]]
    skip_.went_round();
  if (op.opcode == ptx::Opcode::Nanosleep && lanes != 0 && warp.reason == IssueSlot::Issued) [[unlikely]]
    skip_.nap(warp, op, lanes);
  return true;
}

// Whether a branch, or a return, is about to part the lanes of its warp.
template <unsigned W>
[[gnu::noinline]] void SmCoreOf<W>::count_divergence(const Warp& warp, const MicroOp& op,
                                                     std::uint64_t lanes) {
  if (lanes == 0 || (op.kind != Kind::Branch && op.kind != Kind::BranchIndexed && op.kind != Kind::Return))
    return;
  bool parts = lanes != warp.active;
  if (op.kind != Kind::Branch && !parts)
    parts =
        indexed_paths<W>(warp.lanes, op, *warp.block->grid->kernel, lanes, warp.active, warp.pc + 1).count >
        1;
  if (parts) ++count_of(warp.counts[warp.pc], InstructionCount::DivergentBranches);
}

// The running path goes on at `pc`.
template <unsigned W>
void SmCoreOf<W>::advance(Warp& warp, unsigned slot, std::uint32_t pc) {
  warp.pc = pc;
  warp.operands_ready = false;
  if (pc == warp.path_end || pc >= warp.code_size) {
    if (pc != warp.path_end)
      Program::exit_lanes(warp, warp.active);  // running off the end is an exit
    else
      warp.stack.move_to(pc);
    path_changed(warp, slot);
  } else if (warp.timed[pc].machine_index != warp.machine_pc) {
    fetch_.flush(warp, slot, cycle_, warp.timed[warp.pc].machine_index);
  }
}

// Takes the stack's top as the running path; ends the warp when there is none.
template <unsigned W>
void SmCoreOf<W>::path_changed(Warp& warp, unsigned slot) {
  if (!Program::next_path(warp)) return;
  warp.operands_ready = false;
  if (warp.timed[warp.pc].machine_index != warp.machine_pc)
    fetch_.flush(warp, slot, cycle_, warp.timed[warp.pc].machine_index);
}

template class SmCoreOf<32>;
template class SmCoreOf<64>;

}  // namespace duet::gpu
