// Arithmetic on the byte masks of a line: positions in a request are moved to positions in its line, and
// bytes are copied under a mask, a word at a time.
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

// Bit i of a byte as byte i of a word: all ones or all zeros.
inline std::uint64_t spread_to_bytes(std::uint64_t bits) {
  const std::uint64_t one_each = (bits * 0x0101010101010101) & 0x8040201008040201;
  return ((one_each + 0x7f7f7f7f7f7f7f7f) >> 7 & 0x0101010101010101) * 0xff;
}

// Bytes i with mask bit i go from `from + i` to `to + i`. Bytes after the last such byte are not touched and
// may not exist; others between are rewritten as they are.
inline void copy_masked(std::byte* to, const std::byte* from, const ByteMask& mask) {
  if ((mask.bits[0] & mask.bits[1]) == ~std::uint64_t{0}) {
    std::memcpy(to, from, 128);
    return;
  }
  constexpr unsigned kStep = sizeof(std::uint64_t);
  if (!any(mask)) return;
  const unsigned end = last_byte(mask) + 1;
  unsigned at = first_byte(mask) / kStep * kStep;
  for (; at + kStep <= end; at += kStep) {
    const std::uint64_t bits = mask.bits[at / 64] >> (at % 64) & 0xff;
    if (bits == 0) continue;
    std::uint64_t old_bytes, new_bytes;
    std::memcpy(&old_bytes, to + at, kStep);
    std::memcpy(&new_bytes, from + at, kStep);
    const std::uint64_t chosen = spread_to_bytes(bits);
    old_bytes = (old_bytes & ~chosen) | (new_bytes & chosen);
    std::memcpy(to + at, &old_bytes, kStep);
  }
  for (; at < end; ++at)
    if (mask.test(at)) to[at] = from[at];
}

}  // namespace duet::memory
