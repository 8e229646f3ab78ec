// Level 0 of the model: the time of one SM that executes its share of a kernel, computed from a recording.
// Blocks come as the work distributor sends them, each scheduler issues by its policy, and everything else is
// a server with a latency and a rate: operand collection and units (gpu/sm/execution_units.h), the load-store
// unit, L1 with its registers, this SM's ports of the interconnect. What all SMs share (slices of L2, levels
// below, DRAM, the link) is a server that this SM sees as one of many alike: each of its requests takes the
// time of as many as all SMs send meanwhile. Source: hu2016 §2 for the elements; Karkhanis and Smith, "A
// first-order superscalar processor model", ISCA 2004, and Huang et al., "GPUMech", MICRO 2014, for computing
// time from a trace of warps instead of simulating the machine.
//   SmModel model(machine, memory_model);
//   SmTimes times = model.run(recording, *timed_kernel);
// Left out: other SMs' differences, textures, accesses to tracked memory, other kernels at the same time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/issue_slot.h"
#include "config/machine.h"
#include "gpu/sm/timed_kernel.h"
#include "predict/recorder.h"
#include "predict/shared_caches.h"

namespace duet::predict {

// Assumptions that differ from the machine, to see what they would give.
struct Changes {
  bool no_dependencies = false;  // results of arithmetic are there at once
  bool no_conflicts = false;     // shared memory takes one pass
  bool code_there = false;       // the instruction cache has all of it
  bool l1_hits = false, l2_hits = false;
  bool no_shared_limits = false;  // nobody waits for what other SMs do
  bool no_atomic_conflicts = false;
  bool no_calls = false;  // of the device runtime: they take no time
  double dram_rate = 1;
};

struct SmTimes {
  double cycles = 0;  // of the core clock, from the first block's start to the last one's end
  IssueSlots slots{};
  std::uint64_t warp_instructions = 0;
  std::uint64_t l1_requests = 0, l1_hits = 0;
  std::uint64_t requests_below = 0, dram_requests = 0;
  double load_store_busy = 0, port_busy = 0, l2_busy = 0, dram_busy = 0,
         atomics_busy = 0;      // share of the time
  double computed_share = 1;    // of the instructions of this SM's blocks, those that were computed
  bool forced_barrier = false;  // a barrier was passed that not all warps reached
};

class SmModel {
 public:
  SmModel(const config::Machine& machine, MemoryModel& memory);
  ~SmModel();
  SmTimes run(KernelRecording& recording, const gpu::TimedKernel& timed);
  // Of the last kernel: what the caches below L1 and DRAM did, and its time with other assumptions.
  const MemoryLoad& load() const { return load_; }
  const std::vector<Block*>& blocks() const { return order_.blocks; }  // of the SM that was computed
  SmTimes again(const KernelRecording& recording, const gpu::TimedKernel& timed, const Changes& changes);

 private:
  std::shared_ptr<TagArray>& instructions_of(const KernelRecording& recording, std::uint64_t place);
  std::uint64_t slowest(const KernelRecording& recording);

  const config::Machine machine_;
  MemoryModel& memory_;
  std::vector<std::shared_ptr<TagArray>> instructions_;  // of each SM; those that execute the same share one
  std::shared_ptr<TagArray> instructions_before_;
  AccessOrder order_;
  MemoryLoad load_;
};

}  // namespace duet::predict
