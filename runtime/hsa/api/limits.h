// Sizes that queries tell and calls check.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "config/machine.h"

namespace duet::hsa::api {

// Packets of a queue: as AMD's runtime has them.
inline constexpr std::uint32_t kLeastPackets = 64, kMostPackets = 131072;
// Barriers of a work-group with names: the specification's least, because PTX has none of the kind.
inline constexpr std::uint32_t kMostFbarriers = 32;
// Work-items of a grid, and in each of its dimensions.
inline constexpr std::uint32_t kMostWorkItems = std::numeric_limits<std::uint32_t>::max();

// Work-items of a group in each dimension.
inline std::array<std::uint16_t, 3> most_in_group(const config::Gpu& gpu) {
  std::array<std::uint16_t, 3> most{};
  const std::array<std::uint64_t, 3> all{gpu.max_block_x, gpu.max_block_y, gpu.max_block_z};
  std::transform(all.begin(), all.end(), most.begin(), [](std::uint64_t one) {
    return static_cast<std::uint16_t>(
        std::min<std::uint64_t>(one, std::numeric_limits<std::uint16_t>::max()));
  });
  return most;
}

}  // namespace duet::hsa::api
