// The counts of intervals of simulated time (`duet run --interval`), read from the journal:
//
//   for_each_interval(report, most, [&](const IntervalColumns& columns, const Interval& interval) { ... });
//
// Neighbours are taken together, always equally many, to at most `most`. The run's last one ends with the
// run. It has counts as of the last completion of a command, as `counters` and `components` of stats.json do,
// and no states.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "report/run_report.h"

namespace duet::report {

struct IntervalColumn {
  enum class Kind : std::uint8_t { Count, Most, State };
  std::string statistic, component;  // no component: all together
  Kind kind;
};
using IntervalColumns = std::vector<IntervalColumn>;

struct Interval {
  Picoseconds start_ps = 0, end_ps = 0;
  std::uint64_t samples = 0;  // intervals taken together
  bool has_states = true;
  std::vector<std::uint64_t> values;  // by column: counts of the interval, states at its end; of a Most 0
};

void for_each_interval(const RunReport& report, std::uint64_t most,
                       const std::function<void(const IntervalColumns&, const Interval&)>& f);

}  // namespace duet::report
