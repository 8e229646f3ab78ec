#include "gpu/warp/special_registers.h"

namespace duet::gpu {

std::uint64_t special_value(ptx::Special special, const SpecialContext& context) {
  const std::uint64_t nanoseconds = context.now / kPicosecondsPerNanosecond;
  switch (special) {
    case ptx::Special::Clock:
      return static_cast<std::uint32_t>(context.cycle);
    case ptx::Special::Clock64:
      return context.cycle;
    case ptx::Special::ClockHi:
      return context.cycle >> 32;
    case ptx::Special::GlobalTimer:
      return nanoseconds;
    case ptx::Special::GlobalTimerLo:
      return static_cast<std::uint32_t>(nanoseconds);
    case ptx::Special::GlobalTimerHi:
      return nanoseconds >> 32;
    case ptx::Special::SmId:
      return context.sm;
    case ptx::Special::NumSm:
      return context.config.sm.count;
    case ptx::Special::WarpSlot:
      return context.warp;
    case ptx::Special::NumWarpSlot:
      return context.config.sm.max_warps;
    case ptx::Special::GridId:
      return context.grid.launch_id;
    case ptx::Special::DynamicSharedBytes:
      return context.grid.dynamic_shared_bytes;
    case ptx::Special::TotalSharedBytes:
      return context.shared_bytes;
  }
  return 0;
}

}  // namespace duet::gpu
