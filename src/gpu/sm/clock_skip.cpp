#include "gpu/sm/clock_skip.h"

#include <algorithm>
#include <utility>

#include "gpu/sm/sm_core.h"
#include "ptx/semantics/semantics.h"

namespace duet::gpu {

namespace {

constexpr Cycle kBetweenLooks = 64;        // while others than the spinning warps have something to do
constexpr Cycle kLeastPeriods = 4;         // worth a skip
constexpr std::int64_t kForgotten = 1024;  // the order of units' free times before that does not matter
// Clocks of 32 bits, in cycles or nanoseconds, do not come round meanwhile.
constexpr Cycle kMostCycles = Cycle{1} << 30;

// Relative to `cycle`; only the order of past times matters.
std::uint64_t relative(Cycle time, Cycle cycle) {
  const auto distance = static_cast<std::int64_t>(time - cycle);
  return static_cast<std::uint64_t>(std::max(distance, -kForgotten));
}

// A number with the unsigned order of the type's values.
std::uint64_t ordered(ptx::Type type, std::uint64_t value) {
  if (!ptx::is_signed(type)) return value;
  if (ptx::type_bytes(type) == 4)
    value = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(value)});
  return value ^ (1ull << 63);
}

}  // namespace

template <unsigned W>
[[gnu::noinline]] void ClockSkip<W>::nap(Warp& warp, const ptx::MicroOp& op, std::uint64_t lanes) {
  constexpr std::uint64_t kMostNanoseconds = 1'000'000;
  const std::uint32_t* values = warp.lanes.lanes32(op.sources[0]);
  std::uint64_t nanoseconds = 0;
  LaneMask(lanes).for_each(
      [&](unsigned lane) { nanoseconds = std::max<std::uint64_t>(nanoseconds, values[lane]); });
  const Cycle cycles = std::min(nanoseconds, kMostNanoseconds) * sm_.config_.core_clock_khz / 1'000'000;
  if (cycles != 0) sm_.sleep_until(warp, warp.slot, sm_.cycle_ + 1 + cycles, IssueSlot::Dependency);
}

template <unsigned W>
const ClockLoop* ClockSkip<W>::loop_of(const Warp& warp) const {
  for (const ClockLoop& loop : warp.block->timed->clock_loops)
    if (warp.pc >= loop.first && warp.pc <= loop.branch) {
      // Its paths take turns.
      if (warp.code[loop.branch].may_wait && warp.stack.depth() > 1) return nullptr;
      return &loop;
    }
  return nullptr;
}

// Nothing, when the SM has other work than clock loops; otherwise the first cycle of such work. An arrival
// from outside wakes the SM.
template <unsigned W>
std::optional<Cycle> ClockSkip<W>::only_spins(std::uint64_t& spinning) const {
  if (sm_.issued_memory_ || sm_.load_store_next_ != ~Cycle{0} || sm_.load_store_.wants_tick() ||
      !sm_.textures_.idle() || sm_.fetch_.cache().waiting() || sm_.fetch_.cache().prefetching() ||
      (sm_.blocks_ending_ && sm_.drain_changed_) || sm_.waiting_for_load_store() != 0)
    return std::nullopt;
  Cycle until = SmCoreOf<W>::kPending;
  spinning = 0;
  for (const auto& block : sm_.blocks_.all())
    for (std::uint64_t rest = block->warps; rest != 0; rest &= rest - 1) {
      const auto slot = static_cast<unsigned>(std::countr_zero(rest));
      const Warp& warp = *sm_.warps_[slot];
      if (warp.reason == IssueSlot::NoWarp) continue;
      if (loop_of(warp) != nullptr && warp.reason != IssueSlot::Memory) {
        spinning |= 1ull << slot;
        continue;
      }
      if (warp.reason == IssueSlot::Issued || warp.reason == IssueSlot::Fetch || sm_.fetch_.wants(slot))
        return std::nullopt;
      until = std::min(until, warp.wake_cycle);
    }
  return until;
}

template <unsigned W>
template <typename F>
void ClockSkip<W>::for_each_time(Warp& warp, const F& f) {
  for (std::uint32_t i = 0; i < warp.block->timed->scoreboard_entries; ++i)
    if (warp.ready[i] != SmCoreOf<W>::kPending) f(warp.ready[i]);
  if (warp.reason != IssueSlot::Issued && warp.wake_cycle != SmCoreOf<W>::kPending) f(warp.wake_cycle);
  f(warp.fetched_ready);
}

// Two equal states go on equally, as long as comparisons end equally.
template <unsigned W>
auto ClockSkip<W>::relative_state(std::uint64_t spinning) -> State {
  State state{spinning, sm_.statistics_.blocks, sm_.blocks_.size()};
  const auto word = [&](std::uint64_t number) { state.push_back(number); };
  sm_.states_.for_each_word(word);
  sm_.fetch_.for_each_word(word);
  for (const WarpScheduler& scheduler : sm_.schedulers_) state.push_back(scheduler.state());
  sm_.units_.for_each_time([&](Cycle time) { state.push_back(relative(time, sm_.cycle_)); },
                           [&](std::uint64_t number) { state.push_back(number); });
  LaneMask(spinning).for_each([&](unsigned slot) {
    Warp& warp = *sm_.warps_[slot];
    for (const std::uint64_t number :
         {std::uint64_t{warp.pc}, std::uint64_t{warp.path_end}, std::uint64_t{warp.machine_pc},
          std::uint64_t{warp.buffered_end}, std::uint64_t{warp.fetched_end}, std::uint64_t{warp.parts_left},
          std::uint64_t{warp.operands_ready}, static_cast<std::uint64_t>(warp.reason), warp.active,
          sm_.cycle_ + 1 - warp.counted_until, std::uint64_t{warp.stack.depth()}})
      state.push_back(number);
    for_each_time(warp, [&](Cycle time) { state.push_back(time > sm_.cycle_ ? time - sm_.cycle_ : 0); });
  });
  return state;
}

// A state is remembered for twice as long each time, to find periods of every length.
template <unsigned W>
void ClockSkip<W>::remember(State state) {
  if (!spin_.state.empty() && ++spin_.looks < spin_.next_state) return;
  spin_.looks = 0;
  spin_.next_state *= 2;
  spin_.state = std::move(state);
  spin_.cycle = sm_.cycle_;
  spin_.now = sm_.now_;
  spin_.counts.clear();
  for (const sim::StatisticGroup* group : sm_.statistics()) spin_.counts.push_back(group->counts());
  spin_.grids.clear();
  spin_.lines.clear();
  for (const auto& tally : sm_.blocks_.tallies()) {
    spin_.grids.push_back(tally->counts);
    if (tally->lines != nullptr &&
        std::none_of(spin_.lines.begin(), spin_.lines.end(),
                     [&](const auto& known) { return known.first == tally->lines; }))
      spin_.lines.emplace_back(tally->lines, *tally->lines);
  }
}

// A warp's round through a clock loop, executed apart from the warp as if all its clocks were read at
// `cycle`.
template <unsigned W>
struct ClockSkip<W>::Round {
  Round(const SmCoreOf<W>& sm, const Warp& warp, const ClockLoop& loop)
      : sm_(sm), warp_(warp), loop_(loop), lanes_(warp.lanes), predicates_(warp.predicates) {
    const std::size_t bytes = std::size_t{warp.block->grid->kernel->register_slots} * W * 4;
    registers_.resize(bytes);
    std::copy_n(warp.lanes.registers, bytes, registers_.data());
    lanes_.registers = registers_.data();
    lanes_.banks[static_cast<unsigned>(ptx::Bank::Register)] = registers_.data();
    lanes_.predicates = predicates_.data();
  }

  struct Outcome {
    std::uint64_t taken = 0;            // lanes of another round
    std::vector<std::uint64_t> ends;    // of each comparison, a mask of lanes
    std::vector<std::uint64_t> values;  // of each comparison's clock in each lane, ordered
  };

  Outcome at(Cycle cycle, Picoseconds now) {
    Outcome outcome;
    SpecialContext context = sm_.special_context(warp_);
    auto comparison = loop_.comparisons.begin();
    for (std::uint32_t pc = loop_.first; pc < loop_.branch; ++pc) {
      const ptx::MicroOp& op = warp_.code[pc];
      const bool compares = comparison != loop_.comparisons.end() && comparison->op == pc;
      if (compares) values(op, *comparison, outcome.values);
      if (op.kind == ptx::Kind::Arithmetic) ptx::execute(lanes_, op, warp_.active);
      if (op.kind == ptx::Kind::Special) {
        const SpecialContext then{context.config, context.grid,        now, cycle, context.sm,
                                  context.warp,   context.shared_bytes};
        write_lanes<W>(lanes_, op, warp_.active, special_value(static_cast<ptx::Special>(op.mode), then));
      }
      if (!compares) continue;
      for (const std::uint8_t predicate : {op.predicate_destination, op.predicate_destination_second})
        if (predicate != ptx::kNoPredicate)
          outcome.ends.push_back(lanes_.predicates[predicate] & warp_.active);
      ++comparison;
    }
    outcome.taken = ptx::guarded_lanes(lanes_, warp_.code[loop_.branch], warp_.active);
    return outcome;
  }

  // Whether every comparison ends so from `first` until `later`, as one does whose value only rises, or only
  // falls.
  bool same(const Outcome& first, const Outcome& later) const {
    if (first.taken != later.taken || first.ends != later.ends) return false;
    std::size_t at = 0;
    for (const ClockLoop::Comparison& comparison : loop_.comparisons)
      for (unsigned lane = 0; lane < lanes_.width; ++lane, ++at)
        if (comparison.falls ? later.values[at] > first.values[at] : later.values[at] < first.values[at])
          return false;
    return true;
  }

 private:
  void values(const ptx::MicroOp& op, const ClockLoop::Comparison& comparison,
              std::vector<std::uint64_t>& into) const {
    const ptx::Operand& source = op.sources[comparison.source];
    for (unsigned lane = 0; lane < lanes_.width; ++lane)
      into.push_back(((warp_.active >> lane) & 1) == 0 ? 0
                     : ptx::type_bytes(op.type) == 8   ? ordered(op.type, lanes_.lanes64(source)[lane])
                                                       : ordered(op.type, lanes_.lanes32(source)[lane]));
  }

  const SmCoreOf<W>& sm_;
  const Warp& warp_;
  const ClockLoop& loop_;
  ptx::Warp<W> lanes_;
  LaneArrays registers_;
  std::vector<std::uint64_t> predicates_;
};

// The last cycle, at most `limit`, at which the warp's comparisons have the results they had since the state
// was remembered; an earlier cycle than now when they differ now, or do not keep the warp in the loop.
template <unsigned W>
Cycle ClockSkip<W>::unchanged_until(const Warp& warp, const ClockLoop& loop, Cycle limit) {
  Round round(sm_, warp, loop);
  const auto before = round.at(spin_.cycle, spin_.now);
  if (before.taken != warp.active) return 0;
  const auto same_at = [&](Cycle cycle) {
    return round.same(before, round.at(cycle, sm_.clock_.edge_after(sm_.now_, cycle - sm_.cycle_)));
  };
  if (!same_at(sm_.cycle_)) return 0;
  if (same_at(limit)) return limit;
  Cycle same = sm_.cycle_, other = limit;
  while (other - same > 1) {
    const Cycle middle = same + (other - same) / 2;
    (same_at(middle) ? same : other) = middle;
  }
  return same;
}

// At the end of a cycle in which a warp has gone round a clock loop. Returns the time of the SM's next tick,
// or 0 when cycle follows cycle.
template <unsigned W>
[[gnu::noinline]] Picoseconds ClockSkip<W>::begin() {
  if (spin_.period != 0) spin_ = {};  // woken in the cycle after
  spin_.round = false;
  if (sm_.cycle_ < spin_.look_again) return 0;
  std::uint64_t spinning = 0;
  const std::optional<Cycle> alone_until = only_spins(spinning);
  if (!alone_until || spinning == 0) {
    spin_.state.clear();
    spin_.next_state = 1;
    spin_.look_again = sm_.cycle_ + kBetweenLooks;
    return 0;
  }
  State state = relative_state(spinning);
  if (state != spin_.state) {
    remember(std::move(state));
    return 0;
  }
  const Cycle period = sm_.cycle_ - spin_.cycle;
  Cycle limit =
      std::min(sm_.cycle_ + std::min(kMostCycles, sm_.config_.core_clock_khz * 1000), *alone_until - 1);
  LaneMask(spinning).for_each([&](unsigned slot) {
    const Warp& warp = *sm_.warps_[slot];
    if (limit > sm_.cycle_) limit = std::min(limit, unchanged_until(warp, *loop_of(warp), limit));
  });
  // In the last period the compared values are read again.
  const Cycle periods = limit > sm_.cycle_ ? (limit - sm_.cycle_) / period : 0;
  if (periods < kLeastPeriods + 1) {
    spin_.state.clear();
    spin_.look_again = std::max(limit, sm_.cycle_ + period);
    return 0;
  }
  spin_.round = true;
  spin_.now = sm_.now_;
  spin_.period = period;
  spin_.warps = spinning;
  for (std::size_t i = 0; i < spin_.counts.size(); ++i) {
    const State counts = sm_.statistics()[i]->counts();
    for (std::size_t k = 0; k < counts.size(); ++k) spin_.counts[i][k] = counts[k] - spin_.counts[i][k];
  }
  const ResidentBlocks::Tallies& tallies = sm_.blocks_.tallies();
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    GridCounts counts = tallies[i]->counts;
    spin_.grids[i] = counts -= spin_.grids[i];
  }
  for (auto& [lines, counted] : spin_.lines) {
    LineCounts now = *lines;
    counted = now -= counted;
  }
  return sm_.clock_.edge_after(sm_.now_, (periods - 1) * period + 1);
}

// Goes on by as many periods as end at `end` or before.
template <unsigned W>
void ClockSkip<W>::skip_periods(Cycle end) {
  const std::uint64_t periods = end > sm_.cycle_ ? (end - sm_.cycle_) / spin_.period : 0;
  if (periods == 0) return;
  const Cycle cycles = periods * spin_.period, from = sm_.cycle_;
  const auto shift = [from, cycles](Cycle& time) {
    if (time > from) time += cycles;
  };
  sm_.units_.for_each_time(
      [&](Cycle& time) {
        if (time != ~Cycle{0}) shift(time);
      },
      [](std::uint64_t) {});
  LaneMask(spin_.warps).for_each([&](unsigned slot) {
    for_each_time(*sm_.warps_[slot], shift);
    sm_.warps_[slot]->counted_until += cycles;
  });
  for (std::size_t i = 0; i < spin_.counts.size(); ++i) sm_.statistics()[i]->add(spin_.counts[i], periods);
  const ResidentBlocks::Tallies& tallies = sm_.blocks_.tallies();
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    GridCounts counts = spin_.grids[i];
    tallies[i]->counts += counts *= periods;
  }
  for (const auto& [lines, counted] : spin_.lines) lines->add(counted, periods);
  sm_.now_ = sm_.clock_.edge_after(sm_.now_, cycles);
  sm_.cycle_ += cycles;
  sm_.wheel_ = {};
  for (const auto& warp : sm_.warps_)
    if (warp->reason != IssueSlot::Issued && warp->reason != IssueSlot::NoWarp &&
        warp->wake_cycle != SmCoreOf<W>::kPending)
      sm_.wheel_.sleep(sm_.cycle_, warp->wake_cycle, warp->slot);
}

// Goes on to the end of cycle `end`.
template <unsigned W>
[[gnu::noinline]] void ClockSkip<W>::catch_up(Cycle end) {
  skip_periods(end);
  while (sm_.cycle_ < end) {
    sm_.now_ = sm_.clock_.first_edge_after(sm_.now_);
    ++sm_.cycle_;
    sm_.wake_warps();
    sm_.issue_and_fetch();
  }
}

// The SM is ticked, in its state at the end of cycle `previous`. False: `previous` is the cycle of this tick.
template <unsigned W>
[[gnu::noinline]] bool ClockSkip<W>::end(Cycle previous) {
  if (sm_.cycle_ == previous) return false;
  const Cycle cycle = std::exchange(sm_.cycle_, previous);
  const Picoseconds now = std::exchange(sm_.now_, spin_.now);
  catch_up(cycle - 1);
  sm_.cycle_ = cycle;
  sm_.now_ = now;
  spin_ = {};
  return true;
}

// All components due at `now` have been ticked.
template <unsigned W>
bool ClockSkip<W>::settle_statistics(Picoseconds now) {
  if (spin_.period == 0) return false;
  catch_up(sm_.clock_.advance_to(now));
  spin_.now = sm_.now_;
  return true;
}

template class ClockSkip<32>;
template class ClockSkip<64>;

}  // namespace duet::gpu
