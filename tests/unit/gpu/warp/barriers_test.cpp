// When is a barrier of a block complete, and what does it leave for its next phase?
#include "gpu/warp/barriers.h"

#include <gtest/gtest.h>

namespace duet::gpu {
namespace {

TEST(Barrier, TheWholeBlockIsAllWarpsThatLive) {
  Barrier barrier;
  EXPECT_FALSE(barrier.satisfied(0));  // nobody has come
  barrier.arrive(32, 0);
  barrier.arrive(32, 0);
  EXPECT_FALSE(barrier.satisfied(3));
  EXPECT_TRUE(barrier.satisfied(2));  // the third has ended
  EXPECT_EQ(barrier.arrivals(3), "2 of 3 warps");
}

TEST(Barrier, ACountIsOfThreadsAndTakesPartsOfWarps) {
  Barrier barrier;
  barrier.arrive(32, 64);
  barrier.arrive_apart(31, 64);
  EXPECT_FALSE(barrier.satisfied(1));
  EXPECT_EQ(barrier.arrivals(1), "63 of 64 threads");
  barrier.arrive_apart(1, 64);
  EXPECT_TRUE(barrier.satisfied(100));
}

TEST(Barrier, TheNextPhaseBeginsEmptyAndTheResultStays) {
  Barrier barrier;
  barrier.arrive(32, 0);
  barrier.running = {7, false, true};
  barrier.next_phase();
  EXPECT_FALSE(barrier.in_use());
  EXPECT_FALSE(barrier.satisfied(0));
  EXPECT_EQ(barrier.complete.count, 7u);
  EXPECT_FALSE(barrier.complete.all);
  EXPECT_TRUE(barrier.complete.any);
  EXPECT_EQ(barrier.running.count, 0u);
  EXPECT_TRUE(barrier.running.all);
  EXPECT_FALSE(barrier.running.any);
}

}  // namespace
}  // namespace duet::gpu
