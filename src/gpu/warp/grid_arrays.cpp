#include "gpu/warp/grid_arrays.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace duet::gpu {

namespace {

void broadcast(LaneArrays& arrays, std::uint32_t slot, unsigned lanes, std::uint64_t value, unsigned bytes) {
  std::byte* to = arrays.data() + std::size_t{slot} * lanes * 4;
  const unsigned element = bytes == 8 ? 8 : 4;
  for (unsigned i = 0; i < lanes; ++i) std::memcpy(to + std::size_t{i} * element, &value, element);
}

std::uint64_t read_parameter(const Grid& grid, const ptx::ParameterSlot& slot) {
  const unsigned bytes = ptx::type_bytes(slot.type);
  if (slot.offset + bytes > grid.parameters.size())
    throw Error("kernel '" + grid.kernel->name + "': launched with " +
                std::to_string(grid.parameters.size()) + " bytes of parameters where it has " +
                std::to_string(grid.kernel->parameter_bytes));
  std::uint64_t value = 0;
  std::memcpy(&value, grid.parameters.data() + slot.offset, bytes);
  if (ptx::is_signed(slot.type) && bytes < 8) {
    const unsigned unused = 64 - 8 * bytes;
    value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
  }
  return value;
}

std::shared_ptr<const GridArrays> make_grid_arrays(const Grid& grid, unsigned lanes, unsigned width) {
  const ptx::Kernel& kernel = *grid.kernel;
  auto arrays = std::make_shared<GridArrays>();
  const std::size_t slot_bytes = std::size_t{lanes} * 4;
  arrays->immediates.resize(kernel.immediate_slots * slot_bytes);
  for (const ptx::Immediate& immediate : kernel.immediates)
    broadcast(arrays->immediates, immediate.slot, lanes, immediate.value, immediate.bytes);
  arrays->parameters.resize(kernel.parameter_slot_count * slot_bytes);
  for (const ptx::ParameterSlot& slot : kernel.parameter_slots)
    broadcast(arrays->parameters, slot.slot, lanes, read_parameter(grid, slot), ptx::type_bytes(slot.type));

  constexpr auto kSlots = static_cast<std::size_t>(ptx::WarpSlot::Count);
  const std::uint64_t threads = grid.block.count();
  const std::uint64_t warps = (threads + width - 1) / width;
  arrays->warp_stride = kSlots * slot_bytes;
  arrays->warps.resize(warps * arrays->warp_stride);
  for (std::uint64_t warp = 0; warp < warps; ++warp) {
    std::byte* base = arrays->warps.data() + warp * arrays->warp_stride;
    const auto set = [&](ptx::WarpSlot slot, unsigned lane, std::uint64_t value) {
      const auto word = static_cast<std::uint32_t>(value);
      std::memcpy(base + static_cast<std::size_t>(slot) * slot_bytes + std::size_t{lane} * 4, &word, 4);
    };
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const std::uint64_t thread = warp * width + lane;
      set(ptx::WarpSlot::TidX, lane, thread % grid.block.x);
      set(ptx::WarpSlot::TidY, lane, thread / grid.block.x % grid.block.y);
      set(ptx::WarpSlot::TidZ, lane, thread / grid.block.x / grid.block.y);
      set(ptx::WarpSlot::LaneId, lane, lane);
      set(ptx::WarpSlot::WarpId, lane, warp);
      const std::uint64_t own = 1ull << lane, below = own - 1;
      set(ptx::WarpSlot::LaneMaskEq, lane, own);
      set(ptx::WarpSlot::LaneMaskLt, lane, below);
      set(ptx::WarpSlot::LaneMaskLe, lane, below | own);
      set(ptx::WarpSlot::LaneMaskGt, lane, ~(below | own));
      set(ptx::WarpSlot::LaneMaskGe, lane, ~below);
    }
  }
  return arrays;
}

}  // namespace

const std::shared_ptr<const GridArrays>& grid_arrays(Grid& grid, unsigned lanes, unsigned width) {
  grid.lane_arrays_made.call([&] { grid.lane_arrays = make_grid_arrays(grid, lanes, width); });
  return grid.lane_arrays;
}

void fill_grid_slots(LaneArrays& block_slots, const Grid& grid, unsigned lanes, unsigned width) {
  block_slots.resize(static_cast<std::size_t>(ptx::BlockSlot::Count) * lanes * 4);
  const auto set = [&](ptx::BlockSlot slot, std::uint64_t value) {
    broadcast(block_slots, static_cast<std::uint32_t>(slot), lanes, value, 4);
  };
  set(ptx::BlockSlot::NTidX, grid.block.x);
  set(ptx::BlockSlot::NTidY, grid.block.y);
  set(ptx::BlockSlot::NTidZ, grid.block.z);
  set(ptx::BlockSlot::NCtaIdX, grid.grid.x);
  set(ptx::BlockSlot::NCtaIdY, grid.grid.y);
  set(ptx::BlockSlot::NCtaIdZ, grid.grid.z);
  set(ptx::BlockSlot::NWarpId, (grid.block.count() + width - 1) / width);
  set(ptx::BlockSlot::WarpSize, width);
  const std::uint64_t workspace = grid.workspace == nullptr ? 0 : grid.workspace->value();
  set(ptx::BlockSlot::GridWorkspaceHigh, workspace >> 32);
  set(ptx::BlockSlot::GridWorkspaceLow, workspace & 0xffff'ffff);
}

void fill_block_index(LaneArrays& block_slots, const Dim3& index, unsigned lanes) {
  const auto set = [&](ptx::BlockSlot slot, std::uint32_t value) {
    auto* to = reinterpret_cast<std::uint32_t*>(block_slots.data()) + static_cast<std::size_t>(slot) * lanes;
    std::fill_n(to, lanes, value);
  };
  set(ptx::BlockSlot::CtaIdX, index.x);
  set(ptx::BlockSlot::CtaIdY, index.y);
  set(ptx::BlockSlot::CtaIdZ, index.z);
}

}  // namespace duet::gpu
