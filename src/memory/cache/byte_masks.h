// Arithmetic on the byte masks of a line: positions in a request are moved to positions in its line, and
// bytes are copied under a mask, run by run.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>

#include "memory/request.h"

namespace duet::memory {

static_assert(kLineBytes == 128, "a mask is two words");

inline ByteMask operator&(const ByteMask& a, const ByteMask& b) {
  return {{a.bits[0] & b.bits[0], a.bits[1] & b.bits[1]}};
}
inline ByteMask operator|(const ByteMask& a, const ByteMask& b) {
  return {{a.bits[0] | b.bits[0], a.bits[1] | b.bits[1]}};
}
inline ByteMask operator~(const ByteMask& a) { return {{~a.bits[0], ~a.bits[1]}}; }
inline bool any(const ByteMask& a) { return (a.bits[0] | a.bits[1]) != 0; }
inline bool within(const ByteMask& a, const ByteMask& b) { return !any(a & ~b); }
inline unsigned count(const ByteMask& a) {
  return static_cast<unsigned>(std::popcount(a.bits[0]) + std::popcount(a.bits[1]));
}
inline unsigned first_byte(const ByteMask& a) {
  return static_cast<unsigned>(a.bits[0] != 0 ? std::countr_zero(a.bits[0])
                                              : 64 + std::countr_zero(a.bits[1]));
}
inline unsigned last_byte(const ByteMask& a) {
  return static_cast<unsigned>(a.bits[1] != 0 ? 127 - std::countl_zero(a.bits[1])
                                              : 63 - std::countl_zero(a.bits[0]));
}
// Byte i becomes byte i + offset.
inline ByteMask moved_up(const ByteMask& a, unsigned offset) {
  if (offset == 0) return a;
  if (offset >= 64) return {{0, a.bits[0] << (offset - 64)}};
  return {{a.bits[0] << offset, (a.bits[1] << offset) | (a.bits[0] >> (64 - offset))}};
}
inline ByteMask moved_down(const ByteMask& a, unsigned offset) {
  if (offset == 0) return a;
  if (offset >= 64) return {{a.bits[1] >> (offset - 64), 0}};
  return {{(a.bits[0] >> offset) | (a.bits[1] << (64 - offset)), a.bits[1] >> offset}};
}

// Calls f(first byte, bytes) for each run of ones of each word.
template <typename F>
void for_each_run(const ByteMask& mask, F f) {
  for (unsigned word = 0; word < 2; ++word) {
    std::uint64_t bits = mask.bits[word];
    unsigned position = 64 * word;
    while (bits != 0) {
      const unsigned zeros = static_cast<unsigned>(std::countr_zero(bits));
      bits >>= zeros;
      const unsigned ones = static_cast<unsigned>(std::countr_one(bits));
      f(position + zeros, ones);
      position += zeros + ones;
      bits = ones == 64 ? 0 : bits >> ones;
    }
  }
}

// Bytes i with mask bit i go from `from + i` to `to + i`. Whole words of a mask are the usual case.
inline void copy_masked(std::byte* to, const std::byte* from, const ByteMask& mask) {
  if ((mask.bits[0] & mask.bits[1]) == ~std::uint64_t{0}) {
    std::memcpy(to, from, 128);
    return;
  }
  for_each_run(mask, [&](unsigned first, unsigned bytes) { std::memcpy(to + first, from + first, bytes); });
}

}  // namespace duet::memory
