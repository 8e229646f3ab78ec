// What fences, flags and barriers order, inside a block and between the blocks of a grid.
#include <gtest/gtest.h>

#include "check/block_order.h"
#include "check/grid_order.h"

namespace duet::check {
namespace {

constexpr StrongAccess kRead{.reads = true}, kWrite{.writes = true};
constexpr StrongAccess kAcquire{.reads = true, .acquires = true}, kRelease{.writes = true, .releases = true};
constexpr std::uint64_t kFlag = 64;

struct TwoWarps {
  BlockOrder order;
  BlockOrder::Stamp data = 0;
  TwoWarps() {
    order.start(2, false);
    data = order.time(0);
  }
  bool ordered(bool strong = false) const { return order.ordered(data, 0, 1, strong); }
};

TEST(BlockOrder, AFlagAloneOrdersNothing) {
  TwoWarps block;
  block.order.pass(0, kFlag, kWrite);
  block.order.pass(1, kFlag, kRead);
  block.order.fence(1);
  EXPECT_FALSE(block.ordered());
  EXPECT_FALSE(block.ordered(true));
}

TEST(BlockOrder, FencesAndAFlagOrder) {
  TwoWarps block;
  block.order.fence(0);
  block.order.pass(0, kFlag, kWrite);
  const BlockOrder::Stamp behind = block.order.time(0);
  block.order.pass(1, kFlag, kRead);
  EXPECT_FALSE(block.ordered()) << "the reader has no fence";
  EXPECT_TRUE(block.ordered(true)) << "a strong read needs none";
  block.order.fence(1);
  EXPECT_TRUE(block.ordered());
  EXPECT_FALSE(block.order.ordered(behind, 0, 1)) << "behind the fence";
}

TEST(BlockOrder, ReleaseAndAcquireOrderWithoutFences) {
  TwoWarps block;
  block.order.pass(0, kFlag, kRelease);
  block.order.pass(1, kFlag, kAcquire);
  EXPECT_TRUE(block.ordered());
}

TEST(BlockOrder, ABarrierOfTheReaderIsAsGoodAsItsFence) {
  TwoWarps block;
  block.order.fence(0);
  block.order.pass(0, kFlag, kWrite);
  block.order.pass(1, kFlag, kRead);
  block.order.arrive(1, 1, true);
  EXPECT_TRUE(block.ordered());
}

TEST(BlockOrder, StepIsTold) {
  BlockOrder order;
  order.start(1, true);
  EXPECT_TRUE(order.ordered(order.time(0), 0, 0));
  EXPECT_TRUE(order.take_by_step());
  EXPECT_FALSE(order.take_by_step());
  const BlockOrder::Stamp before = order.time(0);
  order.warp_met(0);
  EXPECT_TRUE(order.ordered(before, 0, 0));
  EXPECT_FALSE(order.take_by_step());
}

// Two blocks of two warps each. Each has an order of its own.
struct TwoBlocks {
  GridOrder grid;
  BlockOrder order[2];
  GridOrder::Block block[2];
  BlockOrder::Stamp data = 0;
  explicit TwoBlocks(std::uint64_t blocks = 2) : grid(blocks) {
    for (unsigned i = 0; i < 2; ++i) {
      order[i].start(2, false);
      block[i].start(grid, i, 2);
    }
    data = order[0].time(0);
  }
  void fence(unsigned i, unsigned warp) {
    order[i].fence(warp);
    block[i].fence(warp, order[i]);
  }
  void pass(unsigned i, unsigned warp, const StrongAccess& access) {
    block[i].pass(warp, kFlag, access, order[i]);
    order[i].pass(warp, kFlag, access);
  }
  void barrier(unsigned i) {
    for (unsigned warp = 0; warp < 2; ++warp) order[i].arrive(0, warp, true);
    order[i].completed(0);
    order[i].share_fences({0, 1});
    block[i].met({0, 1});
  }
  bool ordered(unsigned warp, bool strong = false) const {
    return block[1].ordered(0, 0, data, warp, strong);
  }
};

TEST(GridOrder, NothingIsOrderedByItself) {
  TwoBlocks grid;
  grid.pass(0, 0, kWrite);
  grid.pass(1, 0, kRead);
  grid.fence(1, 0);
  EXPECT_FALSE(grid.ordered(0, true));
}

TEST(GridOrder, FencesAndAFlagOrderTheReadersWarp) {
  TwoBlocks grid;
  grid.fence(0, 0);
  grid.pass(0, 0, kWrite);
  grid.pass(1, 0, kRead);
  grid.fence(1, 0);
  EXPECT_TRUE(grid.ordered(0));
  EXPECT_FALSE(grid.ordered(1)) << "the other warp has not waited";
  grid.barrier(1);
  EXPECT_TRUE(grid.ordered(1));
}

TEST(GridOrder, AFenceOfOneWarpDoesNotReachAnothersAccesses) {
  TwoBlocks grid;
  grid.fence(0, 1);
  grid.pass(0, 1, kWrite);
  grid.pass(1, 0, kAcquire);
  EXPECT_FALSE(grid.ordered(0)) << "nothing orders warp 0 before the fence of warp 1";
}

TEST(GridOrder, ABarrierTakesFencesOn) {
  TwoBlocks grid;
  grid.fence(0, 0);
  grid.barrier(0);
  grid.pass(0, 1, kWrite);  // by another warp
  grid.pass(1, 0, kAcquire);
  EXPECT_TRUE(grid.ordered(0));
}

TEST(GridOrder, LargeGridsOrderAll) {
  TwoBlocks grid(GridOrder::kMostBlocks + 1);
  grid.fence(0, 1);
  grid.pass(0, 1, kWrite);
  grid.pass(1, 0, kAcquire);
  EXPECT_TRUE(grid.ordered(0));
}

}  // namespace
}  // namespace duet::check
