// Lane arrays for all blocks of a grid: immediates, parameters, and each warp's thread indices, broadcast
// once per launch by the first SM that needs them; and lane arrays for one block.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "gpu/grid.h"
#include "ptx/semantics/warp.h"

namespace duet::gpu {

// Bytes aligned for whole-warp vector accesses: zero at first, later the values of their last user.
class LaneArrays {
 public:
  void resize(std::size_t bytes) {
    if (storage_.size() >= bytes + 64) return;
    storage_.assign(bytes + 64, std::byte{0});
    data_ = storage_.data() + (64 - reinterpret_cast<std::uintptr_t>(storage_.data()) % 64) % 64;
  }
  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }

 private:
  std::vector<std::byte> storage_;
  std::byte* data_ = nullptr;
};

struct GridArrays {
  LaneArrays immediates, parameters, warps;
  std::size_t warp_stride = 0;  // bytes of one warp's slots
};

// `lanes` is the width of the lane arrays (32 or 64), `width` the machine's warp width. Made at the first
// call.
const std::shared_ptr<const GridArrays>& grid_arrays(Grid& grid, unsigned lanes, unsigned width);

// The Bank::Block slots: the common values of all blocks of the grid, and the index of one.
void fill_grid_slots(LaneArrays& block_slots, const Grid& grid, unsigned lanes, unsigned width);
void fill_block_index(LaneArrays& block_slots, const Dim3& index, unsigned lanes);

}  // namespace duet::gpu
