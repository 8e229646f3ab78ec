// The least recently used line goes.
#pragma once

#include "memory/cache/line_array.h"

namespace duet::memory {

struct LeastRecentlyUsed {
  static std::uint32_t victim(const Ways& ways) {
    std::uint32_t victim = Ways::kNone;
    std::uint64_t oldest = ~std::uint64_t{0};
    for (std::uint32_t i = 0; i < ways.count; ++i) {
      if (ways.last_use[i] >= oldest || ways.waits(i)) continue;
      oldest = ways.last_use[i];
      victim = i;
    }
    return victim;
  }
};

}  // namespace duet::memory
