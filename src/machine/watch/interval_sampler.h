// Samples the machine's counts in intervals of simulated time (`duet run --interval`): the differences of its
// statistics from one interval's end to the next, into the journal. All statistics together, and of chosen
// ones each component's own. It observes the engine and is no component: the simulation does not depend on
// it.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/system.h"
#include "report/journal/journal.h"
#include "sim/clock_domain.h"

namespace duet::machine {

class IntervalSampler : public sim::Observer {
 public:
  // Intervals last so many picoseconds or, where that is 0, core cycles.
  IntervalSampler(System& system, report::JournalWriter& journal, Picoseconds interval_ps, Cycle cycles);

  // Intervals in which nothing happens at all are told together.
  Picoseconds look(Picoseconds next) override;

 private:
  struct Value {
    sim::StatisticKind kind;
    const void* at;  // as sim::StatisticGroup::Declared has it
  };
  Picoseconds end_of(std::uint64_t interval) const;
  std::uint64_t last_before(Picoseconds time) const;
  void describe();

  System& system_;
  report::JournalWriter& journal_;
  const Picoseconds interval_ps_;
  const Cycle interval_cycles_;
  const sim::ClockDomain core_;
  std::vector<Value> of_components_;
  std::vector<std::uint64_t> before_, increase_;  // by value: totals, then those of components
  std::vector<std::byte> record_;                 // being put together
  std::uint64_t next_ = 1;                        // the interval whose end comes next, from 1
  Picoseconds start_ps_ = 0;
};

}  // namespace duet::machine
