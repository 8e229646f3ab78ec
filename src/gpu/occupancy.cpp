// Blocks per SM by CUDA's rules: each of registers, shared memory, warps, threads and block slots limits,
// after rounding to the machine's allocation units. Source: CUDA C++ Programming Guide, appendix on compute
// capabilities.
#include "gpu/occupancy.h"

#include <algorithm>

namespace duet::gpu {

const char* name_of(OccupancyLimit limit) {
  static constexpr const char* kNames[] = {"blocks", "warps", "registers", "shared memory",
                                           "threads per block"};
  return kNames[static_cast<std::size_t>(limit)];
}

Occupancy occupancy(const config::Sm& sm, const ptx::Kernel& kernel, std::uint64_t threads_per_block,
                    Bytes dynamic_shared_bytes) {
  const auto unit = [](std::uint64_t value) { return std::max<std::uint64_t>(value, 1); };
  Occupancy result;
  const std::uint64_t warps = (threads_per_block + sm.warp_width - 1) / sm.warp_width;
  const std::uint64_t allocated_warps = round_up(warps, unit(sm.warp_allocation_unit));
  const std::uint64_t registers_per_warp = round_up<std::uint64_t>(
      std::max<std::uint64_t>(kernel.registers, 1) * sm.warp_width, unit(sm.register_allocation_unit));
  const Bytes shared_used =
      dynamic_shared_bytes == 0
          ? kernel.static_shared_bytes
          : std::max(kernel.dynamic_shared_offset, kernel.static_shared_bytes) + dynamic_shared_bytes;
  result.warps_per_block = static_cast<unsigned>(warps);
  result.registers_per_block = static_cast<unsigned>(registers_per_warp * allocated_warps);
  result.shared_per_block = round_up(shared_used, unit(sm.shared_allocation_unit));

  const std::uint64_t bound = kernel.max_threads != 0
                                  ? std::min<std::uint64_t>(kernel.max_threads, sm.max_threads_per_block)
                                  : sm.max_threads_per_block;
  if (threads_per_block == 0 || threads_per_block > bound ||
      (kernel.required_threads != 0 && threads_per_block != kernel.required_threads)) {
    result.limit = OccupancyLimit::ThreadsPerBlock;
    return result;
  }
  if (kernel.registers > sm.max_registers_per_thread) {
    result.limit = OccupancyLimit::Registers;
    return result;
  }
  if (shared_used > sm.max_shared_bytes_per_block + kernel.reserved_shared_bytes) {
    result.limit = OccupancyLimit::SharedMemory;
    return result;
  }
  std::uint64_t blocks = sm.max_blocks;
  const auto limit = [&](std::uint64_t fitting, OccupancyLimit by) {
    if (fitting >= blocks) return;
    blocks = fitting;
    result.limit = by;
  };
  limit(std::min(sm.max_warps / warps, sm.max_threads / threads_per_block), OccupancyLimit::Warps);
  // Registers are given to whole warps; a block needs all of its warps' at once.
  limit(sm.registers / registers_per_warp / unit(sm.warp_allocation_unit) * unit(sm.warp_allocation_unit) /
            allocated_warps,
        OccupancyLimit::Registers);
  if (result.shared_per_block != 0)
    limit(sm.shared_bytes / result.shared_per_block, OccupancyLimit::SharedMemory);
  result.blocks_per_sm = static_cast<unsigned>(blocks);
  return result;
}

}  // namespace duet::gpu
