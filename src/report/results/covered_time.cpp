#include "report/results/covered_time.h"

#include <algorithm>
#include <iterator>

namespace duet::report {

void CoveredTime::add(Picoseconds start, Picoseconds end) {
  if (end <= start) return;
  auto after = intervals_.upper_bound(start);
  if (after != intervals_.begin() && std::prev(after)->second >= start) {
    --after;
    start = after->first;
  }
  while (after != intervals_.end() && after->first <= end) {
    end = std::max(end, after->second);
    after = intervals_.erase(after);
  }
  intervals_.emplace_hint(after, start, end);
}

void CoveredTime::none_before(Picoseconds time) {
  while (!intervals_.empty() && intervals_.begin()->second < time) {
    before_ += intervals_.begin()->second - intervals_.begin()->first;
    intervals_.erase(intervals_.begin());
  }
}

Picoseconds CoveredTime::total() const {
  Picoseconds total = before_;
  for (const auto& [start, end] : intervals_) total += end - start;
  return total;
}

}  // namespace duet::report
