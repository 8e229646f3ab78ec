// The result of `duet run --sample` for a program's kernels (src/sample): the time of all from the time of
// some.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"

namespace duet::report {

// Launches of a kernel with one grid, block and dynamic shared memory.
struct SampledGroup {
  std::string kernel;
  std::uint32_t grid[3] = {}, block[3] = {};
  Bytes dynamic_shared_bytes = 0;
  std::uint64_t launches = 0;
  std::uint64_t timed = 0;         // samples
  std::uint64_t warming = 0;       // in time too, before samples
  std::uint64_t partly = 0;        // of these and of samples: only the first blocks were in time
  std::uint64_t overlapped = 0;    // ran beside others
  std::uint64_t extrapolated = 0;  // untimed, with more or less work than all timed ones
  Picoseconds timed_ps = 0, estimated_ps = 0;
  Picoseconds bound_ps = 0;  // by how much the estimate may be off, at 95 % confidence
  // The time of untimed launches in this run, as estimated when each ran.
  Picoseconds taken_ps = 0;
};

struct SamplingResult {
  double error_percent = 0;  // the allowed error
  std::vector<SampledGroup> groups;

  // Groups' bounds are added, as if all were off in one direction.
  SampledGroup sum() const {
    SampledGroup sum;
    for (const SampledGroup& group : groups) {
      sum.launches += group.launches;
      sum.timed += group.timed;
      sum.warming += group.warming;
      sum.partly += group.partly;
      sum.overlapped += group.overlapped;
      sum.extrapolated += group.extrapolated;
      sum.timed_ps += group.timed_ps;
      sum.estimated_ps += group.estimated_ps;
      sum.bound_ps += group.bound_ps;
      sum.taken_ps += group.taken_ps;
    }
    return sum;
  }
  // The run's time by the estimates at its end. Kernels are not assumed to run beside anything else.
  Picoseconds run_ps(Picoseconds simulated_ps) const {
    const SampledGroup all = sum();
    return simulated_ps + all.estimated_ps - std::min(all.taken_ps, simulated_ps + all.estimated_ps);
  }
};

}  // namespace duet::report
