// The words of a line for a set of bytes, and the words that share a granule, the bytes of one full/empty bit
// (lustig2013 §4.2). A line has as many words as a mask has bits.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/address.h"
#include "memory/request.h"

namespace duet::memory {

inline constexpr unsigned kWordBytes = 4, kLineWords = kLineBytes / kWordBytes;

// The words of a line's bytes.
inline std::uint32_t words_of(const ByteMask& bytes) {
  std::uint32_t words = 0;
  for (unsigned half = 0; half < 2; ++half) {
    std::uint64_t bits = bytes.bits[half];
    bits |= bits >> 1;
    bits |= bits >> 2;
    bits &= 0x1111'1111'1111'1111;  // now one bit a word, four apart
    bits = (bits | bits >> 3) & 0x0303'0303'0303'0303;
    bits = (bits | bits >> 6) & 0x000f'000f'000f'000f;
    bits = (bits | bits >> 12) & 0x0000'00ff'0000'00ff;
    words |= static_cast<std::uint32_t>((bits | bits >> 24) & 0xffff) << (16 * half);
  }
  return words;
}

// All words of these words' granules, within the line.
inline std::uint32_t granules_of(std::uint32_t words, Bytes granule) {
  const auto width = static_cast<unsigned>(std::min<Bytes>(granule / kWordBytes, kLineWords));
  for (unsigned step = 1; step < width; step *= 2) {
    // The lower of each pair of `step` words takes the upper's, and gives its own.
    std::uint32_t low = 0;
    for (unsigned at = 0; at < kLineWords; at += 2 * step)
      low |= static_cast<std::uint32_t>(((std::uint64_t{1} << step) - 1) << at);
    words |= (words & low) << step | (words >> step & low);
  }
  return words;
}

}  // namespace duet::memory
