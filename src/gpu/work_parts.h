// The grids of a kernel whose work is given in work-items (OpenCL, HSA): one, or more where the border of the
// work cuts groups off, or where there are more groups than a grid may have.
//
//   1000 work-items in groups of 64: {.grid = {15}, .block = {64}, ..}, {.grid = {1}, .block = {40}, ..}
//
// Each says by its work space (work_space.h) where in the work it lies.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gpu/work_space.h"

namespace duet::gpu {

struct WorkPart {
  Dim3 grid, block;
  WorkSpace space;
};

struct Work {
  unsigned dimensions = 1;
  std::array<std::size_t, 3> first{}, size{1, 1, 1}, group{1, 1, 1};  // work-items; sizes below 2^32
};

// At most this many groups a grid, by dimension. Empty where a size is 0.
std::vector<WorkPart> work_parts(const Work& work, const std::array<std::uint64_t, 3>& most_groups);

}  // namespace duet::gpu
