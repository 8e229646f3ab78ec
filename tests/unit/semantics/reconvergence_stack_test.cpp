// Do diverged lanes run every path once and meet where they should?
#include "gpu/reconvergence_stack.h"

#include <gtest/gtest.h>

namespace duet::gpu {
namespace {

TEST(ReconvergenceStack, BothSidesRunThenMeet) {
  ReconvergenceStack stack;
  stack.start(0xff);
  stack.diverge(0x0f, 10, 1, 20);
  EXPECT_EQ(stack.top().pc, 10u);
  EXPECT_EQ(stack.top().lanes, 0x0fu);
  stack.move_to(20);
  EXPECT_EQ(stack.top().pc, 1u);
  EXPECT_EQ(stack.top().lanes, 0xf0u);
  stack.move_to(20);
  EXPECT_EQ(stack.top().pc, 20u);
  EXPECT_EQ(stack.top().lanes, 0xffu);
  EXPECT_EQ(stack.depth(), 1u);
}

TEST(ReconvergenceStack, BranchToTheMeetingPointRunsTheOthersOnly) {
  ReconvergenceStack stack;
  stack.start(0xff);
  stack.diverge(0x0f, 20, 1, 20);
  EXPECT_EQ(stack.top().lanes, 0xf0u);
  stack.move_to(20);
  EXPECT_EQ(stack.top().lanes, 0xffu);
}

TEST(ReconvergenceStack, NestedBranches) {
  ReconvergenceStack stack;
  stack.start(0xf);
  stack.diverge(0x3, 10, 1, 30);
  stack.diverge(0x1, 15, 11, 20);
  EXPECT_EQ(stack.top().lanes, 0x1u);
  stack.move_to(20);
  EXPECT_EQ(stack.top().lanes, 0x2u);
  stack.move_to(20);
  EXPECT_EQ(stack.top().lanes, 0x3u);
  EXPECT_EQ(stack.top().pc, 20u);
  stack.move_to(30);
  EXPECT_EQ(stack.top().lanes, 0xcu);
  stack.move_to(30);
  EXPECT_EQ(stack.top().lanes, 0xfu);
}

TEST(ReconvergenceStack, LoopThatLanesLeaveOneByOneStaysShallow) {
  ReconvergenceStack stack;
  stack.start(~0ull);
  for (unsigned lane = 0; lane < 63; ++lane) {  // the branch at 5 leaves to 6, the loop starts at 2
    stack.diverge(1ull << lane, 6, 2, 6);
    ASSERT_EQ(stack.top().pc, 2u);
    ASSERT_LE(stack.depth(), 2u);
  }
  stack.move_to(6);
  EXPECT_EQ(stack.top().lanes, ~0ull);
}

TEST(ReconvergenceStack, ExitInsideDivergence) {
  ReconvergenceStack stack;
  stack.start(0xff);
  stack.diverge(0x0f, 10, 1, 20);
  stack.move_to(12);
  stack.exit(0x0f);
  EXPECT_EQ(stack.top().pc, 1u);
  EXPECT_EQ(stack.top().lanes, 0xf0u);
  stack.move_to(20);
  EXPECT_EQ(stack.top().lanes, 0xf0u);
  stack.exit(0xf0);
  EXPECT_TRUE(stack.empty());
}

TEST(ReconvergenceStack, PathsThatMeetOnlyAtTheEnd) {
  constexpr std::uint32_t kEnd = 100;
  ReconvergenceStack stack;
  stack.start(0x3);
  stack.diverge(0x1, 10, 1, kEnd);
  stack.exit(0x1);
  EXPECT_EQ(stack.top().lanes, 0x2u);
  EXPECT_EQ(stack.top().pc, 1u);
  stack.exit(0x2);
  EXPECT_TRUE(stack.empty());
}

TEST(ReconvergenceStack, ManyTargets) {
  ReconvergenceStack stack;
  stack.start(0xf);
  const ReconvergenceStack::Path paths[] = {{4, 0, 0x1}, {9, 0, 0x2}, {20, 0, 0xc}};
  stack.diverge(paths, 3, 20);
  EXPECT_EQ(stack.top().pc, 4u);
  stack.move_to(20);
  EXPECT_EQ(stack.top().pc, 9u);
  stack.move_to(20);
  EXPECT_EQ(stack.top().lanes, 0xfu);
}

TEST(ReconvergenceStack, LanesInACallMeetNobodyOutside) {
  using Path = ReconvergenceStack::Path;
  ReconvergenceStack stack;
  stack.start(0xf);
  stack.diverge(0x3, 10, 1, 30);  // lanes 0 and 1 at 10, the others at 1, all to meet at 30
  stack.call(100, 11);
  EXPECT_EQ(stack.top().pc, 100u);
  EXPECT_EQ(stack.top().lanes, 0x3u);
  stack.diverge(0x1, 110, 101, 120);
  stack.call(100, 111);  // lane 0, one deeper
  stack.move_to(120);    // where lane 1 of the outer call is to meet it: no end of this path
  EXPECT_EQ(stack.top().pc, 120u);
  EXPECT_EQ(stack.top().lanes, 0x1u);
  const Path inner{111, 0, 0x1};
  stack.leave(&inner, 1);
  EXPECT_EQ(stack.top().pc, 111u);
  stack.move_to(120);
  EXPECT_EQ(stack.top().pc, 101u);
  EXPECT_EQ(stack.top().lanes, 0x2u);
  stack.move_to(120);
  EXPECT_EQ(stack.top().lanes, 0x3u);
  const Path outer{11, 0, 0x3};
  stack.leave(&outer, 1);
  EXPECT_EQ(stack.top().pc, 11u);
  EXPECT_EQ(stack.top().lanes, 0x3u);
  stack.move_to(30);
  stack.move_to(30);
  EXPECT_EQ(stack.top().lanes, 0xfu);
  EXPECT_EQ(stack.depth(), 1u);
}

TEST(ReconvergenceStack, LanesThatReturnApartWaitForEachOther) {
  using Path = ReconvergenceStack::Path;
  ReconvergenceStack stack;
  stack.start(0x7);
  stack.call(100, 5);
  stack.diverge(0x1, 110, 101, ReconvergenceStack::kNowhere);
  const Path first{5, 0, 0x1}, others{5, 0, 0x6};
  stack.leave(&first, 1);
  EXPECT_EQ(stack.top().pc, 101u);
  EXPECT_EQ(stack.top().lanes, 0x6u);
  stack.leave(&others, 1);
  EXPECT_EQ(stack.top().pc, 5u);
  EXPECT_EQ(stack.top().lanes, 0x7u);
  EXPECT_EQ(stack.depth(), 1u);
}

}  // namespace
}  // namespace duet::gpu
