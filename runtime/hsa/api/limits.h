// Sizes that queries tell and calls check.
#pragma once

#include <cstdint>

namespace duet::hsa::api {

// Packets of a queue: as AMD's runtime has them.
inline constexpr std::uint32_t kLeastPackets = 64, kMostPackets = 131072;

}  // namespace duet::hsa::api
