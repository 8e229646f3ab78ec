// An SM whose warps all wait for a clock (clock_loops.h) or for something outside repeats its states: its
// next cycle depends on its state alone, relative to the cycle, and on the results of the loops' comparisons.
// In a state that it has been in before, the SM sleeps for as many whole periods as all comparisons keep
// their results, and the counts of one period are added for each. When it is woken before, or its counts are
// read, it makes up for the rest of the period: it has touched nothing outside.
//
//   while (clock64() < end) {}      // 10,000 cycles, a round of 20: a few rounds, a sleep, a few rounds
//
// Guarantee: all counts are the same as cycle by cycle (tests/front_door/clock_loops_test.py).
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/sm/clock_loops.h"
#include "gpu/sm/timed_warp.h"

namespace duet::gpu {

template <unsigned W>
class SmCoreOf;

template <unsigned W>
class ClockSkip {
 public:
  explicit ClockSkip(SmCoreOf<W>& sm) : sm_(sm) {}
  void allow(bool on) { allowed_ = on; }

  // A warp has gone round a clock loop in this cycle.
  void went_round() { spin_.round = allowed_; }
  bool may_begin() const { return spin_.round; }
  bool skipping() const { return spin_.period != 0; }
  // A thread sleeps for about as long as it says, a millisecond at most (PTX ISA, nanosleep); here exactly
  // so.
  void nap(TimedWarp<W>& warp, const ptx::MicroOp& op, std::uint64_t lanes);

  // At the end of a cycle in which a warp has gone round. Returns the time of the SM's next tick, or 0 when
  // cycle follows cycle.
  Picoseconds begin();
  // The SM is ticked, in its state at the end of cycle `previous`. False: `previous` is the cycle of this
  // tick.
  bool end(Cycle previous);
  // All components due at `now` have been ticked.
  bool settle_statistics(Picoseconds now);
  // Counts by line have been taken away: the remembered ones are of no use.
  void forget_counts() {
    if (!skipping()) spin_.state.clear();
  }

 private:
  using State = std::vector<std::uint64_t>;
  using Warp = TimedWarp<W>;
  struct Round;
  struct Spin {
    bool round = false;    // a warp has gone round a clock loop in this cycle, or cycles are skipped
    Cycle look_again = 0;  // not before
    // The SM at an earlier cycle: its next actions depend on nothing else. Its counts then.
    State state;
    Cycle cycle = 0;
    Picoseconds now = 0;  // then; while cycles are skipped: of the SM's cycle
    std::vector<State> counts;
    std::vector<GridCounts> grids;
    std::vector<std::pair<LineCounts*, LineCounts>> lines;  // of their kernels, where they are counted
    unsigned looks = 0, next_state = 1;
    // The SM is in the same state again after so many cycles, with the same counts each time; 0: not known,
    // and nothing is skipped.
    Cycle period = 0;
    std::uint64_t warps = 0;
  };

  void skip_periods(Cycle end);
  void catch_up(Cycle end);
  std::optional<Cycle> only_spins(std::uint64_t& spinning) const;
  const ClockLoop* loop_of(const Warp& warp) const;
  template <typename F>
  void for_each_time(Warp& warp, const F& f);
  State relative_state(std::uint64_t spinning);
  void remember(State state);
  Cycle unchanged_until(const Warp& warp, const ClockLoop& loop, Cycle limit);

  SmCoreOf<W>& sm_;
  bool allowed_ = true;
  Spin spin_;
};

}  // namespace duet::gpu
