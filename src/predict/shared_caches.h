// Which of a kernel's requests the caches below L1 have, and what DRAM does, in the order in which one SM was
// computed to send its own: all SMs are taken to go on alike, each with its own blocks.
//   const MemoryLoad load = play(recording, {.sm = 0, .accesses = order}, machine, memory);
// Sets Request::depth of the blocks of that SM.
#pragma once

#include <vector>

#include "config/machine.h"
#include "predict/memory_model.h"
#include "predict/recorder.h"

namespace duet::predict {

// The accesses of an SM, as they issue.
struct AccessOrder {
  struct Entry {
    std::uint32_t block;  // among those of the SM
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
