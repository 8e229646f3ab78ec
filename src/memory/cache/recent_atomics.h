// The words of recent atomics, for atomic_conflict_cycles: the next atomic of a word waits that long.
//
//   const Picoseconds start = std::max(now, recent.free_at(now, line, words, clock));
//   recent.performed(line, words, clock.edge_after(now, cycles - 1));
#pragma once

#include <algorithm>
#include <vector>

#include "memory/cache/byte_masks.h"
#include "sim/clock_cursor.h"

namespace duet::memory {

class RecentAtomics {
 public:
  // The first edge at which no earlier atomic has the words; 0: they are free.
  Picoseconds free_at(Picoseconds now, PhysicalAddress line, const ByteMask& words,
                      const sim::ClockCursor& clock) {
    std::erase_if(atomics_, [&](const Atomic& recent) { return recent.busy_until < now; });
    Picoseconds free = 0;
    for (const Atomic& recent : atomics_)
      if (recent.line == line && any(recent.words & words))
        free = std::max(free, clock.first_edge_after(recent.busy_until));
    return free;
  }
  void performed(PhysicalAddress line, const ByteMask& words, Picoseconds busy_until) {
    atomics_.push_back({line, words, busy_until});
  }

 private:
  struct Atomic {
    PhysicalAddress line;
    ByteMask words;
    Picoseconds busy_until;
  };
  std::vector<Atomic> atomics_;
};

}  // namespace duet::memory
