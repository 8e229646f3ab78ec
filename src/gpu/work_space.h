// Where a grid lies in the work of an OpenCL kernel: the work begins at an offset, and with partial
// work-groups (OpenCL C 2.0) it is more than one grid, of which each computes a part.
//
//   1000 work-items from 5 on, in groups of 64: 15 full groups, and 40 work-items beyond. In both grids
//   .offset = {5}, .dimensions = 1, .groups = {16, 1, 1}, .full_group = {64, 1, 1}, .size = {1000, 1, 1}:
//     grid 15 x 64:  .groups_before = {0}
//     grid 1 x 40:   .groups_before = {15}
//
// A kernel reads it from the environment registers, as NVIDIA's own compiler does for the first four:
//
//   %envreg3..5    what is added to ctaid * ntid + tid: the offset, and the work-items before this grid
//   %envreg6       dimensions of the work
//   %envreg7..9    groups_before
//   %envreg10..12  groups
//   %envreg13..15  full_group
//   %envreg16..18  size
//
// Their words lie behind the kernel's parameters, up to the last that it reads: one that reads none has none.
#pragma once

#include <array>
#include <cstdint>

#include "gpu/grid.h"

namespace duet::gpu {

struct WorkSpace {
  std::array<std::uint32_t, 3> offset{};
  std::uint32_t dimensions = 0;  // 0: the grid's, without the last ones of extent 1
  std::array<std::uint32_t, 3> groups_before{};
  // 0: the grid's.
  std::array<std::uint32_t, 3> groups{}, full_group{}, size{};
};

// Into the grid's parameters.
void set_work_space(Grid& grid, const WorkSpace& space);

}  // namespace duet::gpu
