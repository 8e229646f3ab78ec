// Plays a kernel's requests through the caches below L1 and DRAM, in the computed order of one SM's requests:
// all SMs are taken to go on alike, each with its own blocks.
//   const MemoryLoad load = play(recording, {.sm = 0, .accesses = order}, machine, memory);
// Sets Request::depth of the blocks of this SM.
#pragma once

#include <vector>

#include "config/machine.h"
#include "predict/memory_model.h"
#include "predict/recorder.h"

namespace duet::predict {

// The accesses of an SM, as they issue.
struct AccessOrder {
  struct Entry {
    std::uint32_t block;  // among the SM's blocks
    std::uint32_t warp;
    std::uint32_t access;  // of the warp
  };
  std::uint64_t sm = 0;
  std::vector<Block*> blocks;  // of the SM
  std::vector<Entry> entries;
};

MemoryLoad play(KernelRecording& recording, const AccessOrder& order, const config::Machine& machine,
                MemoryModel& memory);

}  // namespace duet::predict
