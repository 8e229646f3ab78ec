// How far a core goes on in a tick: as far as nothing can arrive that is not there yet.
//
//   ahead.begin(now);         // a tick in cycle 100; an answer from the directory takes 12 cycles
//   ahead.set_limit(111);     // no message sent from now on arrives before cycle 112
//   ahead.stop_at(105);       // a message sent in this tick may be answered in cycle 106
//   ahead.wake_for(130);      // something is to be done in cycle 130: a tick in cycle 119 reaches it
//
// Guarantee: work in a cycle after limit() is left to a later tick, which is asked for. In
// distributed simulation this span is called the lookahead (Fujimoto, "Parallel Discrete Event Simulation",
// CACM 1990).
#pragma once

#include <algorithm>

#include "config/machine.h"
#include "sim/clock_cursor.h"

namespace duet::cpu {

inline constexpr Cycle kUnknown = ~Cycle{0};  // later than every cycle

class Lookahead {
 public:
  explicit Lookahead(const config::Cpu& config)
      : clock_(config.clock_khz * 1000),
        domain_(config.clock_khz * 1000),
        there_(config.to_directory_cycles),
        back_(config.from_directory_cycles) {}

  // ---- one tick ----
  void begin(Picoseconds now) {
    now_ = clock_.advance_to(now);
    wake_ = kUnknown;
    limit_ = now_;
  }
  Cycle now() const { return now_; }
  // The last cycle of this tick: no message not yet on its way arrives at or before it.
  Cycle limit() const { return limit_; }
  void set_limit(Cycle cycle) { limit_ = cycle; }
  void stop_at(Cycle cycle) { limit_ = std::min(limit_, cycle); }
  // Asks for a tick there.
  void wake_at(Cycle cycle) { wake_ = std::min(wake_, std::max(cycle, now_ + 1)); }
  // Asks for a tick that goes on so far.
  void wake_for(Cycle cycle) { wake_at(cycle < back_ ? 0 : cycle + 1 - back_); }
  // The time of the next tick, as far as this core knows; kNever: there is none.
  Picoseconds end(Picoseconds now) {
    reached_ = std::max(reached_, limit_);
    return wake_ == kUnknown ? kNever : clock_.edge_after(now, wake_ - now_);
  }
  // The core has gone so far in ticks before.
  Cycle reached() const { return reached_; }

  // ---- messages ----
  // The last cycle without a possible answer to a message sent in `at`.
  Cycle answer_after(Cycle at) const { return at + there_ + back_ - 1; }
  // The last cycle before a message sent in cycle `sent` may arrive.
  Cycle before_arrival(Cycle sent) const { return sent + back_ - 1; }
  // When a message sent in `at` arrives at the directory.
  Picoseconds arrival(Picoseconds now, Cycle at) const {
    return clock_.edge_after(now, at - now_ + there_ - 1);
  }

  // ---- time ----
  Cycle cycle_at(Picoseconds time) const { return domain_.cycle_at(time); }
  Picoseconds edge(Cycle cycle) const { return domain_.edge(cycle); }
  Picoseconds first_edge_after(Picoseconds time) const { return clock_.first_edge_after(time); }
  Picoseconds next_edge(Picoseconds now) const { return clock_.edge_after(now, 1); }

 private:
  sim::ClockCursor clock_;
  sim::ClockDomain domain_;
  const Cycle there_, back_;  // of messages
  Cycle now_ = 0, limit_ = 0, wake_ = 0, reached_ = 0;
};

}  // namespace duet::cpu
