// Do diverged lanes run every path once and meet where they should?
#include "gpu/warp/reconvergence_stack.h"

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

TEST(ReconvergenceStack, BlockedPathGivesItsTurnToItsSibling) {
  ReconvergenceStack stack;
  stack.start(0xff);
  stack.diverge(0x0f, 10, 1, 20);
  EXPECT_TRUE(stack.turn_to_other(0x0f));
  EXPECT_EQ(stack.top().lanes, 0xf0u);
  stack.park(5);
  EXPECT_FALSE(stack.turn_to_other(0xff));  // the other one is blocked
  stack.step(0x0f, 0);                      // and goes on while it is not on top
  EXPECT_EQ(stack.top().pc, 5u);
  EXPECT_TRUE(stack.turn_to_other(0));
  EXPECT_EQ(stack.top().pc, 11u);
  EXPECT_EQ(stack.top().lanes, 0x0fu);
}

TEST(ReconvergenceStack, NothingElseToRun) {
  ReconvergenceStack stack;
  stack.start(0xff);
  EXPECT_FALSE(stack.turn_to_other(0));
  EXPECT_FALSE(stack.turn_to_other(0xff));
}

TEST(ReconvergenceStack, LanesLeaveTheirMeetingPointWhenNothingElseCanRun) {
  ReconvergenceStack stack;
  stack.start(0xff);
  stack.diverge(0x01, 30, 10, 30);  // lane 0 waits at 30, the others loop at 10
  EXPECT_EQ(stack.top().lanes, 0xfeu);
  EXPECT_TRUE(stack.turn_to_other(0));
  EXPECT_EQ(stack.top().pc, 30u);
  EXPECT_EQ(stack.top().lanes, 0x01u);
  stack.exit(0x01);
  EXPECT_EQ(stack.top().lanes, 0xfeu);
  stack.diverge(0x02, 30, 10, 30);
  EXPECT_TRUE(stack.turn_to_other(0));
  EXPECT_EQ(stack.top().lanes, 0x02u);
  EXPECT_TRUE(stack.turn_to_other(0));
  EXPECT_EQ(stack.top().lanes, 0xfcu);
  stack.move_to(30);
  EXPECT_EQ(stack.top().lanes, 0xfcu);  // the rest meets there all the same
  EXPECT_EQ(stack.live(), 0xfeu);
}

TEST(ReconvergenceStack, EveryPathGetsItsTurn) {
  ReconvergenceStack stack;
  stack.start(0xff);
  stack.diverge(0x0f, 10, 50, 90);
  stack.diverge(0x03, 12, 40, 80);
  stack.diverge(0x01, 14, 30, 70);  // can run: 1 at 14, 2 at 30, c at 40, f0 at 50
  std::uint64_t seen = 0;
  for (int turn = 0; turn < 12; ++turn) {
    seen |= stack.top().lanes;
    ASSERT_TRUE(stack.turn_to_other(0));
  }
  EXPECT_EQ(seen, 0xffu);
  // What is nested still meets where it should.
  while (stack.top().lanes != 0x01u) ASSERT_TRUE(stack.turn_to_other(0));
  stack.move_to(70);
  while (stack.top().lanes != 0x02u) ASSERT_TRUE(stack.turn_to_other(0));
  stack.move_to(70);
  while (stack.top().lanes != 0x03u) ASSERT_TRUE(stack.turn_to_other(0));
  EXPECT_EQ(stack.top().pc, 70u);
  stack.move_to(80);
  while (stack.top().lanes != 0x0cu) ASSERT_TRUE(stack.turn_to_other(0));
  stack.move_to(80);
  while (stack.top().lanes != 0x0fu) ASSERT_TRUE(stack.turn_to_other(0));
  EXPECT_EQ(stack.top().pc, 80u);
  stack.move_to(90);
  EXPECT_EQ(stack.top().lanes, 0xf0u);
  stack.move_to(90);
  EXPECT_EQ(stack.top().lanes, 0xffu);
  EXPECT_EQ(stack.depth(), 1u);
}

TEST(ReconvergenceStack, PathsAtOnePlaceBecomeOne) {
  ReconvergenceStack stack;
  stack.start(0xff);
  stack.diverge(0x0f, 10, 11, 30);
  stack.park(20);
  EXPECT_TRUE(stack.turn_to_other(0x0f));
  stack.park(20);
  stack.step(0xff, 0);
  EXPECT_EQ(stack.top().pc, 21u);
  EXPECT_EQ(stack.top().lanes, 0xffu);
  stack.move_to(30);
  EXPECT_EQ(stack.depth(), 1u);
}

TEST(ReconvergenceStack, PathThatMeetsTheOthersWhileItIsNotOnTop) {
  ReconvergenceStack stack;
  stack.start(0xff);
  stack.diverge(0x0f, 10, 1, 20);
  stack.park(19);
  EXPECT_TRUE(stack.turn_to_other(0x0f));
  stack.step(0x0f, 0);  // to 20, where it ends
  EXPECT_EQ(stack.top().lanes, 0xf0u);
  stack.move_to(20);
  EXPECT_EQ(stack.top().lanes, 0xffu);
  EXPECT_EQ(stack.top().pc, 20u);
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
