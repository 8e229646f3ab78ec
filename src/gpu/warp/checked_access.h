// Passes a warp's access to memory to the block's check before it happens. Lanes that the check keeps out
// read zero and write nothing.
//   block_check(block, grid, services.checker, width);  lanes = checked_lanes(*block.check, warp, op, ...);
#pragma once

#include "check/block_check.h"
#include "gpu/warp/image_access.h"
#include "gpu/warp/warp_state.h"
#include "ptx/semantics/semantics.h"

namespace duet::gpu {

// A block comes.
inline void block_check(BlockState& block, const Grid& grid, check::Checker* checker, unsigned width) {
  if (checker == nullptr) return;
  if (block.check == nullptr) block.check = std::make_unique<check::BlockCheck>(*checker);
  const ptx::Kernel& kernel = *grid.kernel;
  check::Launch launch;
  launch.kernel = &kernel;
  launch.command = static_cast<check::CommandNumber>(grid.command);
  launch.number = static_cast<std::uint32_t>(grid.launch_id);
  launch.grid[0] = grid.grid.x, launch.grid[1] = grid.grid.y, launch.grid[2] = grid.grid.z;
  launch.block[0] = grid.block.x, launch.block[1] = grid.block.y, launch.block[2] = grid.block.z;
  launch.width = width;
  launch.shared_bytes = grid.dynamic_shared_bytes == 0
                            ? kernel.static_shared_bytes
                            : kernel.dynamic_shared_offset + grid.dynamic_shared_bytes;
  launch.local_bytes = grid.local_bytes();
  block.check->start(launch, block.number);
}

// The permitted lanes of a Load, Store or Atomic.
template <unsigned W>
[[gnu::noinline]] std::uint64_t checked_lanes(check::BlockCheck& check, ptx::Warp<W>& warp,
                                              const ptx::MicroOp& op, std::uint32_t pc, unsigned index,
                                              std::uint64_t lanes) {
  constexpr unsigned kMostBytes = 32;
  alignas(64) std::uint64_t addresses[W];
  alignas(64) std::byte values[W * kMostBytes];
  ptx::generate_addresses(warp, op, lanes, addresses);
  check::Access access;
  access.op = &op;
  access.pc = pc;
  access.warp = index;
  access.lanes = lanes;
  access.addresses = addresses;
  const bool atomic = op.kind == ptx::Kind::Atomic;
  access.bytes = access.alignment =
      (atomic ? atomic_type_bytes(op.atomic_type) : ptx::type_bytes(op.type)) * op.vector_elements;
  if (check.wants_values(op)) {
    ptx::read_store_values(warp, op, lanes, values, access.bytes);
    access.values = values;
  }
  const std::uint64_t allowed = check.access(access);
  const bool returns = op.kind == ptx::Kind::Load ||
                       (atomic && op.destination_count != 0 && op.destinations[0] != ptx::kNoRegister);
  if (allowed != lanes && returns) {
    std::fill(std::begin(values), std::end(values), std::byte{0});
    ptx::write_back(warp, op, lanes & ~allowed, values, access.bytes);
  }
  return allowed;
}

// A texture or surface instruction that has read its operands.
template <unsigned W>
[[gnu::noinline]] void tell_image_stores(check::BlockCheck& check, ImageAccess<W>& image) {
  for (const auto& tap : image.taps()) {
    if (tap.op.kind != ptx::Kind::Store) continue;
    alignas(64) std::uint64_t addresses[W];
    ptx::generate_addresses(image.scratch(), tap.op, tap.lanes, addresses);
    check.image_stored(tap.lanes, addresses, ptx::access_bytes(tap.op));
  }
}

}  // namespace duet::gpu
