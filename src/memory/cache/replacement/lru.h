// The least recently used line goes.
#pragma once

#include "memory/cache/line_array.h"

namespace duet::memory {

struct LeastRecentlyUsed {
  static std::uint32_t victim(const Ways& ways) {
    // Lines are far apart in the host's memory, times of use are not: mostly one line is looked at.
    std::uint32_t victim = 0;
    for (std::uint32_t i = 1; i < ways.count; ++i)
      if (ways.last_use[i] < ways.last_use[victim]) victim = i;
    return ways.waits(victim) ? oldest_without_fetch(ways) : victim;
  }

 private:
  static std::uint32_t oldest_without_fetch(const Ways& ways) {
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
