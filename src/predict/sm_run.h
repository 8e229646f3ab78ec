// The time of one SM for its share of a kernel, computed from a recording. Blocks come as the work
// distributor sends them, each scheduler issues by its policy, and everything else is a server with a latency
// and a rate: operand collection and units (gpu/sm/execution_units.h), the load-store unit, L1 with its
// registers, this SM's ports of the interconnect. The shared parts (slices of L2, levels below, DRAM, the
// link) are servers with many SMs alike: each request of this SM takes the time of all SMs' requests
// meanwhile. Source: hu2016 §2 for the elements; Karkhanis and Smith, "A first-order superscalar processor
// model", ISCA 2004, and Huang et al., "GPUMech", MICRO 2014, for computing time from a trace of warps
// instead of simulating the machine. Left out: other SMs' differences, accesses to tracked memory, other
// kernels at the same time.
#pragma once

#include <cstdint>
#include <vector>

#include "base/issue_slot.h"
#include "config/machine.h"
#include "gpu/sm/timed_kernel.h"
#include "predict/recorder.h"
#include "predict/shared_caches.h"

namespace duet::predict {

// Assumptions other than the machine's, to see their effect.
struct Changes {
  bool no_dependencies = false;  // results of arithmetic are there at once
  bool no_conflicts = false;     // shared memory takes one pass
  bool code_there = false;       // the instruction cache has all of it
  bool l1_hits = false, l2_hits = false;
  bool no_shared_limits = false;  // no waiting for other SMs' work
  bool no_atomic_conflicts = false;
  bool no_calls = false;        // of the device runtime: they take no time
  bool no_clock_waits = false;  // no warp waits until a clock shows so much
  double dram_rate = 1;
};

struct SmTimes {
  double cycles = 0;  // of the core clock, from the first block's start to the last one's end
  IssueSlots slots{};
  std::uint64_t warp_instructions = 0;
  std::uint64_t l1_requests = 0, l1_hits = 0;
  std::uint64_t requests_below = 0, dram_requests = 0;
  double load_store_busy = 0, port_busy = 0, l2_busy = 0, dram_busy = 0,
         atomics_busy = 0;    // share of the time
  double computed_share = 1;  // computed share of the instructions of this SM's blocks
  // Of partially computed warps: the time of the second half of the computed part, divided by the time of the
  // first.
  double late_by_early = 1;
  bool forced_barrier = false;  // a barrier was passed without all warps

  bool steady() const { return late_by_early > 0.6 && late_by_early < 1.5; }
};

// `mine`: the blocks of this SM. `load`: null where caches and DRAM are not known yet (memory_path.h).
// `code_tags`: its instruction cache before, and after. `order`: null, or gets the order of the accesses.
// `most_steps`: the most steps of a warp to compute.
SmTimes run_sm(const config::Machine& machine, const KernelRecording& recording,
               const gpu::TimedKernel& timed, const std::vector<Block*>& mine, const MemoryLoad* load,
               const Changes& changes, MemoryModel& memory, TagArray& code_tags, AccessOrder* order,
               std::size_t most_steps = ~std::size_t{0});

}  // namespace duet::predict
