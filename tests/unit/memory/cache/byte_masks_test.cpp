// Copies under a byte mask, against a byte by byte copy; what lies behind the last byte is not touched.
#include "memory/cache/byte_masks.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace duet::memory {
namespace {

void expect_copy(const ByteMask& mask, unsigned shift) {
  // Buffers that end with the last byte, so that a sanitizer sees an access behind it.
  const std::size_t bytes = any(mask) ? last_byte(mask) + 1 : 0;
  std::vector<std::byte> from(shift + bytes), to(shift + bytes);
  for (std::size_t i = 0; i < from.size(); ++i) {
    from[i] = static_cast<std::byte>(i * 7 + 1);
    to[i] = static_cast<std::byte>(i * 5 + 3);
  }
  std::vector<std::byte> expected = to;
  for (unsigned i = 0; i < bytes; ++i)
    if (mask.test(i)) expected[shift + i] = from[shift + i];
  copy_masked(to.data() + shift, from.data() + shift, mask);
  EXPECT_EQ(to, expected) << std::hex << mask.bits[0] << ' ' << mask.bits[1];
}

TEST(ByteMasks, CopyTakesTheNamedBytes) {
  expect_copy({}, 0);
  expect_copy(ByteMask::first(128), 0);
  for (unsigned i = 0; i < 128; ++i) {
    expect_copy(moved_up(ByteMask::first(1), i), 0);
    expect_copy(ByteMask::first(i + 1), i % 8);
  }
  std::mt19937_64 random(1);
  for (unsigned i = 0; i < 2000; ++i) {
    ByteMask mask{{random(), random()}};
    if (i % 2 != 0) mask = mask & ByteMask{{random() & random(), random() & random()}};
    expect_copy(moved_down(mask, i % 128), i % 8);
  }
}

TEST(ByteMasks, SpreadGivesAByteForEachBit) {
  for (unsigned bits = 0; bits < 256; ++bits)
    for (unsigned i = 0; i < 8; ++i)
      EXPECT_EQ(spread_to_bytes(bits) >> (8 * i) & 0xff, (bits >> i & 1) != 0 ? 0xffu : 0u);
}

}  // namespace
}  // namespace duet::memory
