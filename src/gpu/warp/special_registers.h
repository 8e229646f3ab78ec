// Special registers whose value depends on when and where they are read. Constants of a block are lane arrays
// (grid_arrays.h). Source: PTX ISA 9.0, section 10.
#pragma once

#include <cstdint>

#include "config/machine.h"
#include "gpu/grid.h"
#include "ptx/opcode.h"

namespace duet::gpu {

struct SpecialContext {
  const config::Gpu& config;
  const Grid& grid;
  Picoseconds now = 0;
  Cycle cycle = 0;
  std::uint32_t sm = 0;
  std::uint64_t warp = 0;  // its slot
  Bytes shared_bytes = 0;  // of the block
};
std::uint64_t special_value(ptx::Special special, const SpecialContext& context);

}  // namespace duet::gpu
