#include "gpu/sm/sm_core.h"
#include "gpu/warp/checked_access.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/error.h"
#include "gpu/occupancy.h"
#include "sim/event_sink.h"

namespace duet::gpu {

template <unsigned W>
SmCoreOf<W>::SmCoreOf(std::uint32_t number, const config::Gpu& config, memory::RequestPool& pool,
                      memory::AddressSpace& address_space, const DeviceServices& services)
    : SmCore(config.core_clock_khz * 1000),
      number_(number),
      config_(config),
      width_(static_cast<unsigned>(config.sm.warp_width)),
      ordered_(config.compute_capability_major >= 7),
      cross_level_(config.front_end.dispatch == "cross_level"),
      blocking_(config.sm.blocking_issue),
      address_space_(address_space),
      services_(services),
      load_store_(config_, static_cast<std::uint16_t>(number), pool, address_space),
      textures_(address_space, static_cast<unsigned>(config.sm.max_warps)),
      units_(config.sm),
      fetch_(config, static_cast<std::uint16_t>(number), pool),
      skip_(*this) {
  const auto warps = static_cast<unsigned>(config.sm.max_warps);
  free_slots_ = LaneMask::first(warps).bits();
  for (unsigned i = 0; i < warps; ++i) {
    warps_.push_back(std::make_unique<Warp>());
    warps_.back()->slot = i;
  }
  const auto schedulers = static_cast<unsigned>(config.sm.schedulers);
  for (unsigned s = 0; s < schedulers; ++s) {
    std::uint64_t owned = 0;
    for (unsigned i = s; i < warps; i += schedulers) owned |= 1ull << i;
    schedulers_.emplace_back(owned, config.sm.scheduler);
  }
}

template <unsigned W>
void SmCoreOf<W>::connect(const TimedSm::Ports& ports) {
  skip_.allow(ports.skip_clock_loops);
  blocks_.count_lines(ports.count_lines);
  launches_ = ports.launches;
  reports_.connect(*ports.done);
  invalidate_caches_ = ports.invalidate_caches;
  invalidate_l1_ = ports.invalidate_l1;
  kernel_failed_ = ports.kernel_failed;
  load_store_.connect({ports.to_l1, ports.from_l1, ports.to_constant_cache, ports.from_constant_cache,
                       ports.races, services_.outside});
  fetch_.cache().connect(ports.instructions);
}

template <unsigned W>
Picoseconds SmCoreOf<W>::tick(Picoseconds now) {
  const Cycle previous = cycle_;
  now_ = now;
  cycle_ = clock_.advance_to(now);
  if (cycle_ != previous + 1 && !blocks_.empty()) {
    if (!skip_.skipping())
      account(cycle_ - previous - 1);
    else if (!skip_.end(previous))
      return clock_.first_edge_after(now);
  }
  work();
  if (skip_.may_begin()) [[unlikely]]
    if (const Picoseconds end = skip_.begin(); end != 0) return end;
  return next_tick();
}

// The work of a core cycle. Most host time of the SMs goes into it: parts without work are not called.
template <unsigned W>
[[gnu::always_inline]] inline void SmCoreOf<W>::work() {
  end_failed_blocks();
  wake_warps();
  if (cycle_ >= load_store_next_ || load_store_.wants_tick()) {
    load_store_next_ = load_store_.tick(now_, cycle_);
    if (!load_store_.completions().empty() || !textures_.quiet()) take_completions();
  }
  fetch_.receive(now_);
  while (launches_->can_pop(now_)) launch(launches_->pop(now_));

  issued_memory_ = false;
  if (!blocks_.empty()) issue_and_fetch();
  if (blocks_ending_ && drain_changed_) finish_blocks();
}

// The time of the next work; an arrival from outside wakes the SM before.
template <unsigned W>
[[gnu::always_inline]] inline Picoseconds SmCoreOf<W>::next_tick() {
  const InstructionCache& instructions = fetch_.cache();
  if (states_.ready() != 0 || issued_memory_ || fetch_.has_work() || waiting_for_load_store() != 0 ||
      instructions.prefetching())
    return clock_.first_edge_after(now_);
  const Cycle next = std::min(wheel_.next(cycle_), load_store_next_);
  const Picoseconds line = instructions.waiting() ? instructions.next_arrival(now_) : kNever;
  const Picoseconds line_edge = line == kNever ? kNever : clock_.first_edge_after(line);
  return next == ~Cycle{0} ? line_edge : std::min(line_edge, clock_.edge_after(now_, next - cycle_));
}

// Another SM may have found a kernel's fault.
template <unsigned W>
[[gnu::always_inline]] inline void SmCoreOf<W>::end_failed_blocks() {
  for (const auto& tally : blocks_.tallies())
    if (tally->grid->failed_ps.load(std::memory_order_relaxed) < now_)
      for (auto& block : blocks_.all())
        if (block->tally == tally.get()) kill(*block);
}

// Accounts for cycles in which this SM slept: nothing changed, so each scheduler's slots have one reason.
template <unsigned W>
void SmCoreOf<W>::account(Cycle cycles) {
  for (const WarpScheduler& scheduler : schedulers_) charge(scheduler, cycles);
}

// The kernel to charge an empty slot to, among several: the kernel of a warp that waits for the slot's
// reason; without such a warp, the kernel of the oldest block with live warps. Where lines are counted the
// warp's next instruction has the slot; for a warp at a barrier, the barrier.
template <unsigned W>
[[gnu::noinline]] GridTally& SmCoreOf<W>::idle_tally(const WarpStates::Wait& wait, Cycle cycles) {
  if (wait.warps != 0) {
    const Warp& warp = *warps_[static_cast<unsigned>(std::countr_zero(wait.warps))];
    if (warp.counts != nullptr) {
      const auto pc = wait.reason == static_cast<unsigned>(IssueSlot::Barrier)
                          ? static_cast<std::size_t>(warp.barrier_op - warp.code)
                          : warp.pc;
      warp.counts[pc][wait.reason] += cycles;
    }
    return *warp.block->tally;
  }
  const auto& blocks = blocks_.all();
  const auto live =
      std::find_if(blocks.begin(), blocks.end(), [](const auto& block) { return block->live_warps != 0; });
  GridTally& tally = *(live != blocks.end() ? *live : blocks.front())->tally;
  if (tally.lines != nullptr) tally.lines->no_warp_slots += cycles;
  return tally;
}

template <unsigned W>
void SmCoreOf<W>::wake_slots(std::uint64_t slots) {
  for (std::uint64_t rest = slots; rest != 0; rest &= rest - 1) {
    const auto slot = static_cast<unsigned>(std::countr_zero(rest));
    Warp& warp = *warps_[slot];
    // A warp asleep for another reason is woken by the other reason.
    if (warp.reason == IssueSlot::Issued || warp.wake_cycle == kPending) continue;
    if (warp.wake_cycle <= cycle_)
      set_ready(warp, slot);
    else
      wheel_.sleep(cycle_, warp.wake_cycle, slot);
  }
}

// The results of `op` may be used from `ready` on.
template <unsigned W>
[[gnu::always_inline]] inline void SmCoreOf<W>::complete(std::uint32_t slot, const ptx::MicroOp& op,
                                                         Cycle ready) {
  Warp& warp = *warps_[slot];
  const TimedOp& timed = warp.timed[&op - warp.code];
  const std::uint16_t* written = warp.entries + timed.first_entry + timed.read_entries;
  for (unsigned i = 0; i < timed.write_entries; ++i) warp.ready[written[i]] = ready;
  if (warp.reason == IssueSlot::Memory) {
    if (ready > cycle_)
      sleep_until(warp, slot, ready, IssueSlot::Memory);
    else
      set_ready(warp, slot);
  } else if (warp.reason == IssueSlot::Fence && drained(slot)) {
    if (warp.acquires) acquired(warp);
    set_ready(warp, slot);
  }
}

template <unsigned W>
void SmCoreOf<W>::take_completions() {
  drain_changed_ |= !load_store_.completions().empty();
  const bool images = !textures_.idle();
  for (const auto& completion : load_store_.completions())
    if (completion.op == nullptr) [[unlikely]]
      store_sent(completion.warp, completion.ready);
    else if (!images || !textures_.take(completion, cycle_))
      complete(completion.warp, *completion.op, completion.ready);
  if (!load_store_.completions().empty())
    for (std::uint64_t rest = states_.waiting_for(IssueSlot::TrackedOrder); rest != 0; rest &= rest - 1) {
      const auto slot = static_cast<unsigned>(std::countr_zero(rest));
      set_ready(*warps_[slot], slot);
    }
  load_store_.clear_completions();
  if (!textures_.quiet()) tick_textures();
}

template <unsigned W>
[[gnu::noinline]] void SmCoreOf<W>::tick_textures() {
  // The load-store unit looks at a tap in the cycle after its hand-over.
  if (textures_.sends())
    load_store_next_ = std::min({load_store_next_, textures_.tick(cycle_, load_store_), cycle_ + 1});
  for (const auto& failed : textures_.faults())
    Program::fault_of_access(*warps_[failed.warp], failed.op, failed.access);
  textures_.faults().clear();
  if (textures_.completions().empty()) return;
  drain_changed_ = true;
  for (const auto& completion : textures_.completions())
    complete(completion.warp, *completion.op, completion.ready);
  textures_.clear_completions();
  for (std::uint64_t rest = waits_for_textures_; rest != 0; rest &= rest - 1) {
    const auto slot = static_cast<unsigned>(std::countr_zero(rest));
    if (warps_[slot]->reason == IssueSlot::UnitBusy) set_ready(*warps_[slot], slot);
  }
  waits_for_textures_ = 0;
}

template <unsigned W>
void SmCoreOf<W>::launch(const BlockLaunch& launch) {
  ++statistics_.blocks;
  Grid& grid = *launch.grid;
  Block& block = blocks_.add();
  block.start(grid, launch.block);
  block.warps = 0;
  block.told_threads = 0;
  block.tally = &blocks_.tally_of(grid);
  blocks_ending_ = drain_changed_ = true;  // until it has warps
  if (grid.failed_ps.load(std::memory_order_relaxed) < now_) return;
  if (const std::string reason = refusal(*grid.kernel, width_, W); !reason.empty()) {
    fault(block, FaultKind::IllegalInstruction, reason);
    return;
  }
  if (grid.launch_id != last_launch_id_) {
    last_launch_id_ = grid.launch_id;
    invalidate_caches_(now_);
  }
  block.arrays = grid_arrays(grid, W, width_);
  grid.timed_kernel_made.call([&] { grid.timed_kernel = make_timed_kernel(*grid.kernel, config_.sm); });
  block.timed = grid.timed_kernel;
  const std::uint64_t threads = grid.block.count();
  block.warp_count = block.live_warps = (threads + width_ - 1) / width_;
  block.shared.assign(
      occupancy(config_.sm, *grid.kernel, threads, grid.dynamic_shared_bytes).shared_per_block, std::byte{0});
  fill_grid_slots(block.block_slots, grid, W, width_);
  fill_block_index(block.block_slots, block.index, W);
  for (std::uint32_t i = 0; i < block.warp_count; ++i) {
    if (free_slots_ == 0)
      throw Error("SM " + std::to_string(number_) + ": a block arrived without room for it");
    const auto slot = static_cast<unsigned>(std::countr_zero(free_slots_));
    free_slots_ &= free_slots_ - 1;
    block.warps |= 1ull << slot;
    start_warp(block, i, slot);
  }
  block_check(block, grid, services_.checker, width_);
}

template <unsigned W>
GridCounts SmCoreOf<W>::counts_to_tell(const Grid& grid) const {
  GridCounts counts = reports_.on_the_way(grid);
  counts += blocks_.counts_of(grid);
  for (const auto& block : blocks_.all())
    for (std::uint64_t rest = block->grid == &grid ? block->warps : 0; rest != 0; rest &= rest - 1) {
      const Warp& warp = *warps_[static_cast<unsigned>(std::countr_zero(rest))];
      if (warp.reason != IssueSlot::NoWarp && cycle_ > warp.counted_until)
        counts.warp_cycles[static_cast<unsigned>(warp.reason)] += cycle_ - warp.counted_until;
    }
  return counts;
}

// The counts of a clock loop up to then are no longer remembered.
template <unsigned W>
void SmCoreOf<W>::take_lines(const ptx::Kernel& kernel, LineCounts& total) {
  if (blocks_.take_lines(kernel, total)) skip_.forget_counts();
}

template <unsigned W>
void SmCoreOf<W>::start_warp(Block& block, std::uint32_t index, unsigned slot) {
  const Grid& grid = *block.grid;
  const ptx::Kernel& kernel = *grid.kernel;
  Warp& warp = *warps_[slot];
  warp.registers.resize(std::size_t{kernel.register_slots} * W * 4);
  warp.predicates.assign(kernel.predicates, 0);
  warp.scoreboard.assign(block.timed->scoreboard_entries, 0);
  warp.ready = warp.scoreboard.data();
  warp.bind(block, index, warp.registers.data(), warp.predicates.data(), width_);
  warp.start(grid.block.count());
  warp.timed = block.timed->ops.data();
  warp.entries = block.timed->entries.data();
  const Bytes local_bytes = round_up<Bytes>(grid.local_bytes(), 4);
  warp.memory = {block.shared.data(),
                 block.shared.size(),
                 grid.local_physical + (number_ * config_.sm.max_warps + slot) * width_ * local_bytes,
                 grid.local_bytes(),
                 grid.parameters.data(),
                 grid.parameters.size(),
                 &grid};
  warp.counts = block.tally->lines != nullptr ? block.tally->lines->by_pc.data() : nullptr;
  warp.parts_left = 0;
  warp.operands_ready = warp.acquires = false;
  warp.machine_pc = warp.buffered_end = warp.fetched_end = 0;
  schedulers_[slot % schedulers_.size()].launched(slot);
  warp.counted_until = cycle_;
  set_ready(warp, slot);
  path_changed(warp, slot);
  if (!warp.stack.empty()) fetch_.want(warp, slot, cycle_);
  tell(warp, TaskEventPhase::Begin);
}

template <unsigned W>
void SmCoreOf<W>::tell(const Warp& warp, TaskEventPhase phase) const {
  sim::Engine& engine = sm_->engine();
  sim::EventSink* const sink = engine.event_sink(TaskEventKind::Warp);
  if (sink == nullptr) [[likely]]
    return;
  const sim::Event event{.kind = TaskEventKind::Warp,
                         .phase = phase,
                         .stream = warp.slot,
                         .unit = number_,
                         .time_ps = now_,
                         .id = warp.index,
                         .parent = warp.block->grid->number(),
                         .argument = warp.block->number,
                         .component = sm_};
  engine.between_ticks([sink, event] { sink->take(event); });
}

// One warp's instructions are fetched in a cycle, warps in turn.
template <unsigned W>
void SmCoreOf<W>::fetch() {
  const unsigned slot = fetch_.pick();
  Warp& warp = *warps_[slot];
  if (fetch_.fetch(now_, cycle_, warp, slot) && warp.reason == IssueSlot::Fetch)
    sleep_until(warp, slot, warp.fetched_ready, IssueSlot::Fetch);
}

// Reports the ended warps of a running block: false while some have accesses on their way, or where the
// message has no room.
template <unsigned W>
bool SmCoreOf<W>::release_warps(Block& block) {
  bool all = true;
  std::uint64_t ended = 0;
  std::uint16_t threads = 0;
  for (std::uint64_t rest = block.warps; rest != 0; rest &= rest - 1) {
    const auto slot = static_cast<unsigned>(std::countr_zero(rest));
    const Warp& warp = *warps_[slot];
    if (warp.reason != IssueSlot::NoWarp) continue;
    if (!drained(slot)) {
      all = false;
      continue;
    }
    ended |= 1ull << slot;
    threads = static_cast<std::uint16_t>(
        threads +
        std::min<std::uint64_t>(width_, block.grid->block.count() - std::uint64_t{warp.index} * width_));
  }
  if (ended == 0) return all;
  if (!reports_.can_send(now_)) {
    drain_changed_ = true;
    return false;
  }
  static_cast<void>(reports_.next(*block.grid));
  reports_.send(now_, {block.grid, block.number, number_, false, true, threads});
  block.told_threads = static_cast<std::uint16_t>(block.told_threads + threads);
  block.warps &= ~ended;
  free_slots_ |= ended;
  return all;
}

template <unsigned W>
void SmCoreOf<W>::finish_blocks() {
  blocks_ending_ = drain_changed_ = false;
  const bool ended = blocks_.remove_if(
      [&](Block& block) { return (block.live_warps == 0 || cross_level_) && finish(block); });
  if (ended && blocks_.empty()) blocks_ending_ = false;
}

// Whether the block has ended, and is reported.
template <unsigned W>
bool SmCoreOf<W>::finish(Block& block) {
  if (block.live_warps != 0) {
    blocks_ending_ |= !release_warps(block);
    return false;
  }
  blocks_ending_ = true;
  for (std::uint64_t rest = block.warps; rest != 0; rest &= rest - 1)
    if (!drained(static_cast<unsigned>(std::countr_zero(rest)))) return false;
  if (!reports_.can_send(now_)) {
    drain_changed_ = true;
    return false;
  }
  const bool failed = block.grid->failed_ps.load(std::memory_order_relaxed) <= now_;
  BlockReport& report = reports_.next(*block.grid);
  report.counts = std::exchange(block.tally->counts, {});
  if (block.tally->fault.kind != FaultKind::None) report.fault = std::exchange(block.tally->fault, {});
  reports_.send(now_, {block.grid, block.number, number_, failed, false, block.told_threads});
  free_slots_ |= block.warps;
  block.arrays.reset();
  block.timed.reset();
  return true;
}

// The warp issues nothing any more. In a killed block some warps have stopped before.
template <unsigned W>
void SmCoreOf<W>::stop(Warp& warp) {
  if (warp.reason != IssueSlot::NoWarp) tell(warp, TaskEventPhase::End);
  set_reason(warp, warp.slot, IssueSlot::NoWarp);
  warp.wake_cycle = kPending;
  fetch_.forget(warp.slot);
}

template <unsigned W>
void SmCoreOf<W>::kill(Block& block) {
  for_each_warp(block, [this](Warp& warp) { stop(warp); });
  block.live_warps = 0;
  blocks_ending_ = drain_changed_ = true;
}

template <unsigned W>
void SmCoreOf<W>::fault(Block& block, FaultKind kind, const std::string& text) {
  Fault& kept = block.tally->fault;
  if (kept.kind == FaultKind::None) kept = {kind, text, now_, number_};
  block.grid->fail(now_);
  kernel_failed_(now_);
  kill(block);
}

template <unsigned W>
std::vector<sim::StatisticGroup*> SmCoreOf<W>::statistics() {
  return {&statistics_, &units_.statistics(), &fetch_.cache().statistics(), &load_store_.statistics()};
}

template class SmCoreOf<32>;
template class SmCoreOf<64>;

}  // namespace duet::gpu
