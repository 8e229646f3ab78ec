#include "gpu/work_space.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/error.h"

namespace duet::gpu {

namespace {

std::uint32_t or_else(std::uint32_t said, std::uint32_t otherwise) { return said != 0 ? said : otherwise; }

}  // namespace

void set_work_space(Grid& grid, const WorkSpace& space) {
  const ptx::Kernel& kernel = *grid.kernel;
  if (kernel.environment_words == 0) return;
  if (grid.parameters.size() < kernel.parameter_bytes)
    throw Error("kernel '" + kernel.name + "': no room for its work space among the parameters");
  const std::array<std::uint32_t, 3> blocks{grid.grid.x, grid.grid.y, grid.grid.z},
      threads{grid.block.x, grid.block.y, grid.block.z};
  std::array<std::uint32_t, ptx::kEnvironmentRegisters> words{};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::uint32_t full_group = or_else(space.full_group[i], threads[i]);
    words[i] = space.offset[i] + space.groups_before[i] * full_group;
    words[4 + i] = space.groups_before[i];
    words[7 + i] = or_else(space.groups[i], blocks[i]);
    words[10 + i] = full_group;
    words[13 + i] = or_else(space.size[i], blocks[i] * threads[i]);
  }
  words[3] = or_else(space.dimensions, std::max(grid.grid.dimensions(), grid.block.dimensions()));
  std::memcpy(grid.parameters.data() + kernel.environment_offset, words.data(),
              std::size_t{4} * kernel.environment_words);
}

}  // namespace duet::gpu
