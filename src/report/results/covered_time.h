// How much time lies in at least one of the intervals so far. Intervals may come in any order. Intervals
// beyond any later change are kept as one sum.
#pragma once

#include <map>

#include "base/units.h"

namespace duet::report {

class CoveredTime {
 public:
  void add(Picoseconds start, Picoseconds end);
  // No interval told from now on begins before `time`.
  void none_before(Picoseconds time);
  Picoseconds total() const;
  std::size_t kept() const { return intervals_.size(); }

 private:
  std::map<Picoseconds, Picoseconds> intervals_;  // ends by starts; no two touch
  Picoseconds before_ = 0;                        // of intervals no longer kept
};

}  // namespace duet::report
