// A free way, or any line without a fetch. The choice follows from the number of uses of the cache so far, so
// a repeated run replaces the same lines.
#pragma once

#include "memory/cache/line_array.h"

namespace duet::memory {

struct RandomReplacement {
  static std::uint32_t victim(const Ways& ways) {
    std::uint32_t candidates = 0;
    for (std::uint32_t i = 0; i < ways.count; ++i) {
      if (ways.last_use[i] == 0) return i;
      candidates += !ways.waits(i);
    }
    if (candidates == 0) return Ways::kNone;
    std::uint64_t hash = ways.uses * 0x9e37'79b9'7f4a'7c15;
    hash = (hash ^ hash >> 32) * 0xff51'afd7'ed55'8ccd;
    auto left = static_cast<std::uint32_t>((hash >> 32) * candidates >> 32);
    for (std::uint32_t i = 0;; ++i)
      if (!ways.waits(i) && left-- == 0) return i;
  }
};

}  // namespace duet::memory
