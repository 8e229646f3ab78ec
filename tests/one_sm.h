// A GPU of one SM for tests of what kernels compute: time does not matter there.
#pragma once

#include "base/units.h"
#include "config/machine.h"

namespace duet::test {

inline config::Gpu one_sm() {
  config::Gpu gpu;
  gpu.name = "test";
  gpu.core_clock_khz = 1'000'000;
  gpu.sm.count = 1;
  gpu.sm.warp_width = 32;
  gpu.sm.max_warps = 64;
  gpu.sm.max_blocks = 16;
  gpu.sm.max_threads = 2048;
  gpu.sm.max_threads_per_block = 1024;
  gpu.sm.registers = 65536;
  gpu.sm.max_registers_per_thread = 255;
  gpu.sm.register_allocation_unit = 256;
  gpu.sm.warp_allocation_unit = 4;
  gpu.sm.shared_bytes = gpu.sm.max_shared_bytes_per_block = 96_KiB;
  gpu.sm.shared_allocation_unit = 256;
  gpu.functional = {100, 1000, 1000};
  return gpu;
}

}  // namespace duet::test
