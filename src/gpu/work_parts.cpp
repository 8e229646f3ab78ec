#include "gpu/work_parts.h"

#include <algorithm>

namespace duet::gpu {

namespace {

// A grid has no more than `most` groups along each dimension: of a larger one there are several.
void add_parts(std::vector<WorkPart>& parts, WorkPart whole, const std::array<std::uint64_t, 3>& most) {
  const std::array<std::uint32_t, 3> grid{whole.grid.x, whole.grid.y, whole.grid.z},
      before = whole.space.groups_before;
  std::array<std::uint32_t, 3> at{};
  const auto extent = [&](unsigned d) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(most[d], grid[d] - at[d]));
  };
  for (at[2] = 0; at[2] < grid[2]; at[2] += extent(2))
    for (at[1] = 0; at[1] < grid[1]; at[1] += extent(1))
      for (at[0] = 0; at[0] < grid[0]; at[0] += extent(0)) {
        whole.grid = {extent(0), extent(1), extent(2)};
        for (unsigned d = 0; d < 3; ++d) whole.space.groups_before[d] = before[d] + at[d];
        parts.push_back(whole);
      }
}

}  // namespace

// Full groups, and with those that the border cuts off up to seven grids more.
std::vector<WorkPart> work_parts(const Work& work, const std::array<std::uint64_t, 3>& most_groups) {
  std::vector<WorkPart> parts;
  for (unsigned border = 0; border < 8; ++border) {
    WorkPart part;
    part.space.dimensions = work.dimensions;
    std::uint32_t* const grid[] = {&part.grid.x, &part.grid.y, &part.grid.z};
    std::uint32_t* const block[] = {&part.block.x, &part.block.y, &part.block.z};
    bool empty = false;
    for (unsigned d = 0; d < 3; ++d) {
      const std::size_t full = work.size[d] / work.group[d], rest = work.size[d] % work.group[d];
      const bool at_border = (border >> d & 1) != 0;
      *grid[d] = static_cast<std::uint32_t>(at_border ? 1 : full);
      *block[d] = static_cast<std::uint32_t>(at_border ? rest : work.group[d]);
      empty |= *grid[d] == 0 || *block[d] == 0;
      part.space.offset[d] = static_cast<std::uint32_t>(work.first[d]);
      part.space.groups_before[d] = static_cast<std::uint32_t>(at_border ? full : 0);
      part.space.groups[d] = static_cast<std::uint32_t>(full + (rest != 0));
      part.space.full_group[d] = static_cast<std::uint32_t>(work.group[d]);
      part.space.size[d] = static_cast<std::uint32_t>(work.size[d]);
    }
    if (!empty) add_parts(parts, part, most_groups);
  }
  return parts;
}

}  // namespace duet::gpu
