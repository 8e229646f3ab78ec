// Two published models on the same counts, for comparison.
#pragma once

#include "config/machine.h"
#include "predict/recorder.h"

namespace duet::predict {

// Roofline: Williams, Waterman and Patterson, CACM 2009. The kernel takes the longer of two times: its
// instructions at one a scheduler and cycle, or the bytes of DRAM at its peak rate. `load`: of the recorded
// blocks; `computed_share` of their instructions were computed.
Picoseconds roofline(const KernelRecording& recording, const MemoryLoad& load, double computed_share,
                     const config::Machine& machine);

// Hong and Kim, "An analytical model for a GPU architecture with memory-level and thread-level parallelism
// awareness", ISCA 2009, equations 1 to 23: warps that can wait for memory at once against warps that can
// compute meanwhile. It has no caches: every access goes to DRAM. `blocks`: their counts are taken for all.
Picoseconds hong_kim(const KernelRecording& recording, const std::vector<Block*>& blocks,
                     const config::Machine& machine);

}  // namespace duet::predict
