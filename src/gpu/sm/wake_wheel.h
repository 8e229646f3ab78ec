// Warps that sleep until a known cycle. Each slot of the wheel holds the warps of one cycle as a mask; a warp
// with a later cycle is put into the last slot and looked at again.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "base/units.h"

namespace duet::gpu {

class WakeWheel {
 public:
  static constexpr unsigned kSlots = 256;

  // `cycle` lies after `now`.
  void sleep(Cycle now, Cycle cycle, unsigned warp) {
    if (cycle - now >= kSlots) cycle = now + kSlots - 1;
    const unsigned slot = cycle % kSlots;
    slots_[slot] |= 1ull << warp;
    used_[slot / 64] |= 1ull << (slot % 64);
  }
  // The warps of `cycle`; no earlier cycle may have been passed over.
  std::uint64_t wake(Cycle cycle) {
    const unsigned slot = cycle % kSlots;
    const std::uint64_t warps = slots_[slot];
    slots_[slot] = 0;
    used_[slot / 64] &= ~(1ull << (slot % 64));
    return warps;
  }
  // The first cycle after `now` with a warp; ~0 when there is none.
  Cycle next(Cycle now) const {
    const unsigned from = (now + 1) % kSlots;
    for (unsigned i = 0; i <= kSlots / 64; ++i) {
      const unsigned word = (from / 64 + i) % (kSlots / 64);
      std::uint64_t bits = used_[word];
      if (i == 0) bits &= ~0ull << (from % 64);
      if (i == kSlots / 64) bits &= ~(~0ull << (from % 64));
      if (bits == 0) continue;
      const unsigned slot = word * 64 + static_cast<unsigned>(std::countr_zero(bits));
      return now + 1 + (slot + kSlots - from) % kSlots;
    }
    return ~Cycle{0};
  }

 private:
  std::array<std::uint64_t, kSlots> slots_{};
  std::array<std::uint64_t, kSlots / 64> used_{};
};

}  // namespace duet::gpu
