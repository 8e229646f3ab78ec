// How many blocks of a kernel fit on one SM (CUDA occupancy rules; limits and allocation units are the
// machine's).
#pragma once

#include "config/machine.h"
#include "gpu/grid.h"

namespace duet::gpu {

// What keeps another block from the SM, or every block.
enum class OccupancyLimit : std::uint8_t { Blocks, Warps, Registers, SharedMemory, ThreadsPerBlock };
const char* name_of(OccupancyLimit limit);  // "shared memory"

struct Occupancy {
  unsigned blocks_per_sm = 0;  // 0: the kernel cannot run with this shape
  unsigned warps_per_block = 0;
  unsigned registers_per_block = 0;
  Bytes shared_per_block = 0;
  OccupancyLimit limit = OccupancyLimit::Blocks;
};
Occupancy occupancy(const config::Sm& sm, const ptx::Kernel& kernel, std::uint64_t threads_per_block,
                    Bytes dynamic_shared_bytes);

}  // namespace duet::gpu
