// Tree pseudo-LRU: a bit at each node of a binary tree over the ways points away from the half used last; the
// victim lies where the bits lead. The bits need not be kept: the half used last holds the way of the latest
// use. A half without a candidate is passed by.
#pragma once

#include "memory/cache/line_array.h"

namespace duet::memory {

struct TreePseudoLru {
  static std::uint32_t victim(const Ways& ways) {
    std::uint32_t begin = 0, end = ways.count;
    if (look(ways, begin, end).candidates == 0) return Ways::kNone;
    while (end - begin > 1) {
      const std::uint32_t middle = begin + (end - begin) / 2;
      const Half low = look(ways, begin, middle), high = look(ways, middle, end);
      // A free way was used last at 0, and takes its half along.
      const bool to_low = high.candidates == 0 || (low.candidates != 0 && low.order() < high.order());
      (to_low ? end : begin) = middle;
    }
    return begin;
  }

 private:
  struct Half {
    std::uint32_t candidates = 0;
    bool has_free = false;
    std::uint64_t latest = 0;
    std::uint64_t order() const { return has_free ? 0 : latest; }
  };
  static Half look(const Ways& ways, std::uint32_t begin, std::uint32_t end) {
    Half half;
    for (std::uint32_t i = begin; i < end; ++i) {
      half.candidates += !ways.waits(i);
      half.has_free |= ways.last_use[i] == 0;
      half.latest = std::max(half.latest, ways.last_use[i]);
    }
    return half;
  }
};

}  // namespace duet::memory
