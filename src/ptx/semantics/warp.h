// The architectural state of a warp for the instruction semantics: lane arrays for registers, masks for
// predicates. The running lanes, and their place, are in the GPU's reconvergence stack
// (gpu/warp/reconvergence_stack.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/lane_mask.h"
#include "ptx/micro_op.h"

namespace duet::ptx {

// W is the width of the lane arrays, 32 or 64; warps of other widths use the first lanes of the next larger.
template <unsigned W>
struct Warp {
  static constexpr unsigned kSlotBytes = W * 4;

  // Start of each bank's slot 0, aligned to 64 bytes. banks[Register] is written, the others are read only.
  const std::byte* banks[kLaneArrayBanks] = {};
  std::byte* registers = nullptr;
  std::uint64_t* predicates = nullptr;  // lane masks
  std::uint64_t carry = 0;              // CC.CF
  unsigned width = W;                   // existing lanes

  const std::uint32_t* lanes32(const Operand& o) const {
    return reinterpret_cast<const std::uint32_t*>(banks[static_cast<unsigned>(o.bank)] +
                                                  std::size_t{o.slot} * kSlotBytes);
  }
  const std::uint64_t* lanes64(const Operand& o) const {
    return reinterpret_cast<const std::uint64_t*>(banks[static_cast<unsigned>(o.bank)] +
                                                  std::size_t{o.slot} * kSlotBytes);
  }
  std::uint32_t* destination32(std::uint16_t slot) {
    return reinterpret_cast<std::uint32_t*>(registers + std::size_t{slot} * kSlotBytes);
  }
  std::uint64_t* destination64(std::uint16_t slot) {
    return reinterpret_cast<std::uint64_t*>(registers + std::size_t{slot} * kSlotBytes);
  }
};

}  // namespace duet::ptx
