// The orders of blocks: each block once, and scattered ones far from each other.
#include "gpu/block_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/error.h"

namespace duet::gpu {
namespace {

std::vector<std::uint64_t> all_of(const std::string& name, std::uint64_t blocks) {
  const BlockOrder order(name, blocks);
  std::vector<std::uint64_t> ids(blocks);
  for (std::uint64_t n = 0; n < blocks; ++n) ids[n] = order.block(n);
  return ids;
}

TEST(BlockOrder, TheHeadersExample) {
  using Ids = std::vector<std::uint64_t>;
  EXPECT_EQ(all_of("in_order", 10), (Ids{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(all_of("reversed", 10), (Ids{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(all_of("scattered", 10), (Ids{0, 7, 4, 1, 8, 5, 2, 9, 6, 3}));
}

TEST(BlockOrder, EachBlockOnce) {
  for (const char* const name : {"in_order", "reversed", "scattered"})
    for (std::uint64_t blocks = 1; blocks < 400; ++blocks) {
      std::vector<std::uint64_t> ids = all_of(name, blocks), expected(blocks);
      std::iota(expected.begin(), expected.end(), 0);
      std::sort(ids.begin(), ids.end());
      EXPECT_EQ(ids, expected) << name << " " << blocks;
    }
}

TEST(BlockOrder, ScatteredBlocksAreNoNeighbours) {
  for (const std::uint64_t blocks : {16, 100, 128, 1000, 8192}) {
    const auto ids = all_of("scattered", blocks);
    for (std::uint64_t n = 1; n < blocks; ++n)
      EXPECT_GT(std::max(ids[n], ids[n - 1]) - std::min(ids[n], ids[n - 1]), blocks / 4)
          << blocks << " " << n;
  }
}

TEST(BlockOrder, ManyBlocksDoNotOverflow) {
  const std::uint64_t blocks = std::uint64_t{1} << 62;
  const BlockOrder order("scattered", blocks);
  EXPECT_LT(order.block(blocks - 1), blocks);
  EXPECT_NE(order.block(blocks - 1), order.block(blocks - 2));
}

TEST(BlockOrder, AnUnknownNameIsRefused) { EXPECT_THROW(BlockOrder("random", 10), Error); }

}  // namespace
}  // namespace duet::gpu
