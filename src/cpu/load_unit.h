// The load unit of a core: when a load is performed, and whether the bytes it was executed with were right.
//
//   loads.perform(17, 120);         // its address is there in cycle 120: it looks its lines up
//   loads.line_lost(0x1040, 130);   // another agent writes the line: loads performed out of order are
//   squashed
//
// Guarantees: no program can see loads performed out of order. A load whose bytes differ from its execution's
// is executed again, with all later instructions. A load behind a store of a part of its bytes waits until
// the store is in L1.
#pragma once

#include "cpu/core_state.h"

namespace duet::cpu {

class BackEnd;
class EarlyExecution;
class LinePrefetcher;
class UncachedUnit;

class LoadUnit {
 public:
  LoadUnit(CoreState& state, EarlyExecution& execution, BackEnd& back_end, UncachedUnit& uncached,
           LinePrefetcher& prefetcher)
      : state_(state),
        execution_(execution),
        back_end_(back_end),
        uncached_(uncached),
        prefetcher_(prefetcher) {}

  // A load is dispatched: takes its access, and finds the bytes from stores that are not in L1 yet.
  void dispatched(std::uint64_t sequence, WindowEntry& made);
  // It starts its lookup.
  void perform(std::uint64_t sequence, Cycle cycle);
  // A line has come for loads, in their order; a wrong one squashes the ones behind it.
  void line_came(const std::vector<std::uint64_t>& loads, Cycle cycle);
  // There is room for another miss.
  void retry_waiting(Cycle cycle);
  // A store has left the store buffer: loads with some of its bytes can be performed.
  void store_drained(Cycle cycle) {
    if (state_.loads.waiting_for_stores() != 0) perform_behind_stores(cycle);
  }
  // Its bytes are `value`, and not the ones it was executed with.
  void correct(std::uint64_t sequence, std::uint64_t value, Cycle cycle);
  // Loads with bytes of the line taken too early, or before an older load, are executed again.
  void line_lost(std::uint64_t line, Cycle cycle);

 private:
  void perform_behind_stores(Cycle cycle);
  bool lines_can_be_had(const Access& access);
  Cycle reach_line(std::uint64_t sequence, std::uint64_t line, Cycle cycle, Level& level);
  void performed(std::uint64_t sequence, Cycle cycle);
  void count_held(std::uint64_t sequence, const PrivateLine& held);

  CoreState& state_;
  EarlyExecution& execution_;
  BackEnd& back_end_;
  UncachedUnit& uncached_;
  LinePrefetcher& prefetcher_;
};

}  // namespace duet::cpu
