// Joins lanes of a warp into requests: lanes with bytes in one line or segment share one. Lanes are compared
// all at once. Source: CUDA C programming guide, compute capability 2.x: one transaction per 128-byte line of
// the warp in L1, one per 32-byte segment of loads that bypass L1. Compute capability 1.x joins half a warp
// (guide 3.1, G.3.2.2; of_one_group). Left out: requests for lanes of several instructions, segments of 64
// bytes.
#pragma once

#include <emmintrin.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/lane_mask.h"
#include "memory/request.h"

namespace duet::gpu {

// Lanes with ((offsets[lane] + add) & mask) == value.
template <unsigned W>
inline std::uint64_t lanes_where(const std::uint32_t* offsets, std::uint32_t add, std::uint32_t mask,
                                 std::uint32_t value) {
  const __m128i a = _mm_set1_epi32(static_cast<int>(add));
  const __m128i m = _mm_set1_epi32(static_cast<int>(mask));
  const __m128i v = _mm_set1_epi32(static_cast<int>(value));
  std::uint64_t lanes = 0;
  for (unsigned i = 0; i < W; i += 16) {
    const auto equal = [&](unsigned j) {
      const __m128i o = _mm_loadu_si128(reinterpret_cast<const __m128i*>(offsets + i + j));
      return _mm_cmpeq_epi32(_mm_and_si128(_mm_add_epi32(o, a), m), v);
    };
    const __m128i bytes =
        _mm_packs_epi16(_mm_packs_epi32(equal(0), equal(4)), _mm_packs_epi32(equal(8), equal(12)));
    lanes |= std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(bytes))} << i;
  }
  return lanes;
}

// Of these lanes the ones in the lowest one's group of so many, a power of two.
inline std::uint64_t of_one_group(std::uint64_t lanes, unsigned threads) {
  const unsigned first = static_cast<unsigned>(std::countr_zero(lanes)) & ~(threads - 1);
  return lanes & (LaneMask::first(threads).bits() << first);
}

// Offsets from `segment`, of lanes outside it some offset within `limit`: all lanes can be read.
template <unsigned W>
inline void relative_offsets(const std::uint32_t* offsets, std::uint32_t segment, std::uint32_t limit,
                             std::uint32_t* out) {
  for (unsigned i = 0; i < W; ++i) out[i] = std::min(offsets[i] - segment, limit);
}

// Whether lane i lies at offsets[0] + 4 * i, for all lanes.
template <unsigned W>
inline bool words_are_consecutive(const std::uint32_t* offsets) {
  std::uint32_t different = 0;
  for (unsigned i = 0; i < W; ++i) different |= offsets[i] ^ (offsets[0] + 4 * i);
  return different == 0;
}

inline memory::ByteMask byte_range(unsigned from, unsigned bytes) {
  const memory::ByteMask below = memory::ByteMask::first(from);
  memory::ByteMask mask = memory::ByteMask::first(from + bytes);
  for (unsigned i = 0; i < mask.bits.size(); ++i) mask.bits[i] &= ~below.bits[i];
  return mask;
}

// The bytes that lanes at these offsets from the line's start touch; accesses are aligned, of at most 32
// bytes.
inline memory::ByteMask touched_bytes(const std::uint32_t* offsets, std::uint32_t add, std::uint64_t lanes,
                                      unsigned bytes) {
  static_assert(memory::kLineBytes == 128);
  alignas(16) std::uint8_t touched[memory::kLineBytes] = {};
  const auto mark = [&](auto element) {
    for (; lanes != 0; lanes &= lanes - 1)
      std::memcpy(touched + (offsets[std::countr_zero(lanes)] + add), &element, sizeof(element));
  };
  switch (bytes) {
    case 1:
      mark(std::uint8_t{0xff});
      break;
    case 2:
      mark(std::uint16_t{0xffff});
      break;
    case 4:
      mark(~std::uint32_t{0});
      break;
    case 8:
      mark(~std::uint64_t{0});
      break;
    default:
      for (; lanes != 0; lanes &= lanes - 1)
        std::memset(touched + (offsets[std::countr_zero(lanes)] + add), 0xff, bytes);
  }
  memory::ByteMask mask;
  for (unsigned i = 0; i < memory::kLineBytes; i += 16) {
    const __m128i sixteen = _mm_load_si128(reinterpret_cast<const __m128i*>(touched + i));
    mask.bits[i / 64] |= std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(sixteen))} << i % 64;
  }
  return mask;
}

// Of lanes within one line the first at each address, in ascending order: the lanes of one atomic request.
// The others follow in later requests.
inline std::uint64_t distinct_lanes(const std::uint32_t* offsets, std::uint32_t line, std::uint64_t lanes) {
  memory::ByteMask taken;
  std::uint64_t distinct = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    const int lane = std::countr_zero(lanes);
    const std::uint32_t at = offsets[lane] - line;
    if (taken.test(at)) continue;
    taken.bits[at / 64] |= 1ull << at % 64;
    distinct |= 1ull << lane;
  }
  return distinct;
}

}  // namespace duet::gpu
