// Grid and block of a launch, in the journal's records.
#pragma once

#include "gpu/grid.h"

namespace duet::machine {

template <typename Record>
void set_shape(Record& record, const gpu::Grid& grid) {
  record.grid[0] = grid.grid.x, record.grid[1] = grid.grid.y, record.grid[2] = grid.grid.z;
  record.block[0] = grid.block.x, record.block[1] = grid.block.y, record.block[2] = grid.block.z;
}

}  // namespace duet::machine
