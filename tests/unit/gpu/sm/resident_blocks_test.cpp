#include "gpu/sm/resident_blocks.h"

#include <gtest/gtest.h>

namespace duet::gpu {
namespace {

struct TwoGrids {
  Grid first, second;
  ResidentBlocks blocks;
  TimedBlock& add(Grid& grid, unsigned live_warps) {
    TimedBlock& block = blocks.add();
    block.tally = &blocks.tally_of(grid);
    block.live_warps = live_warps;
    return block;
  }
};

TEST(ResidentBlocks, AGridIsTheOnlyOneUntilAnotherComes) {
  TwoGrids sm;
  GridTally* const first = sm.add(sm.first, 1).tally;
  EXPECT_EQ(sm.blocks.only_tally(), first);
  sm.add(sm.second, 1);
  EXPECT_EQ(sm.blocks.only_tally(), nullptr);
  sm.blocks.remove_if([&](TimedBlock& block) { return block.tally == first; });
  ASSERT_NE(sm.blocks.only_tally(), nullptr);
  EXPECT_EQ(sm.blocks.only_tally()->grid, &sm.second);
}

TEST(ResidentBlocks, ATallyStaysWhileABlockOfItsGridIsHere) {
  TwoGrids sm;
  sm.add(sm.first, 0).tally->counts.warp_instructions = 7;
  sm.add(sm.first, 2);
  const auto ended = [](TimedBlock& block) { return block.live_warps == 0; };
  EXPECT_TRUE(sm.blocks.remove_if(ended));
  EXPECT_FALSE(sm.blocks.remove_if(ended));
  EXPECT_EQ(sm.blocks.size(), 1u);
  EXPECT_EQ(sm.blocks.counts_of(sm.first).warp_instructions, 7u);
  EXPECT_EQ(sm.blocks.live_warps(), 2u);
  sm.blocks.remove_if([](TimedBlock&) { return true; });
  EXPECT_TRUE(sm.blocks.empty());
  EXPECT_EQ(sm.blocks.only_tally(), nullptr);
  EXPECT_EQ(sm.blocks.counts_of(sm.first).warp_instructions, 0u);
}

TEST(ResidentBlocks, NoGridIsTheOnlyOneWhereLinesAreCounted) {
  TwoGrids sm;
  const ptx::Kernel kernel;
  sm.first.kernel = &kernel;
  sm.blocks.count_lines(true);
  EXPECT_NE(sm.add(sm.first, 1).tally->lines, nullptr);
  EXPECT_EQ(sm.blocks.only_tally(), nullptr);
}

}  // namespace
}  // namespace duet::gpu
