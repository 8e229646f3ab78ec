// Which warp issues next: do the policies keep what they promise, and is a wrong name an error that helps?
#include "gpu/sm/warp_scheduler.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"

namespace duet::gpu {
namespace {

TEST(GreedyThenOldest, GoesOnWithTheWarpThatIssuedLast) {
  GreedyThenOldest scheduler;
  for (unsigned warp : {0u, 1u, 2u}) scheduler.launched(warp);
  scheduler.issued(2);
  EXPECT_EQ(scheduler.pick(0b111), 2u);
  EXPECT_EQ(scheduler.pick(0b011), 0u);
}

TEST(GreedyThenOldest, OldestIsTheOneThatCameFirstWhateverItsSlot) {
  GreedyThenOldest scheduler;
  for (unsigned warp : {5u, 63u, 1u}) scheduler.launched(warp);
  scheduler.issued(0);
  EXPECT_EQ(scheduler.pick(1ull << 63 | 1ull << 1 | 1ull << 5), 5u);
  EXPECT_EQ(scheduler.pick(1ull << 63 | 1ull << 1), 63u);
  // A slot that is given again is young again.
  scheduler.launched(63);
  EXPECT_EQ(scheduler.pick(1ull << 63 | 1ull << 1), 1u);
}

TEST(LooseRoundRobin, TakesTheNextAfterTheLastAndBeginsAnew) {
  LooseRoundRobin scheduler;
  scheduler.issued(3);
  EXPECT_EQ(scheduler.pick(0b1'1001), 4u);
  EXPECT_EQ(scheduler.pick(0b0'1001), 0u);
  EXPECT_EQ(scheduler.pick(0b0'1000), 3u);
  scheduler.issued(63);
  EXPECT_EQ(scheduler.pick(1ull << 63 | 1ull << 7), 7u);
}

TEST(WarpScheduler, EveryPolicyPicksAWarpThatIsReady) {
  for (const std::string& name : WarpScheduler::names()) {
    WarpScheduler scheduler(~0ull, name);
    std::mt19937_64 random(7);
    for (unsigned warp = 0; warp < 64; ++warp) scheduler.launched(warp);
    for (unsigned i = 0; i < 2000; ++i) {
      const std::uint64_t ready = (random() & random() & random()) | 1ull << random() % 64;
      const unsigned warp = scheduler.pick(ready);
      ASSERT_EQ(ready >> warp & 1, 1u) << name << " picks " << warp << " of " << std::hex << ready;
      scheduler.issued(warp);
      if (i % 50 == 0) scheduler.launched(static_cast<unsigned>(random() % 64));
    }
  }
}

TEST(WarpScheduler, NamesArePolicies) {
  WarpScheduler greedy(~0ull, "gto"), loose(~0ull, "lrr");
  for (WarpScheduler* scheduler : {&greedy, &loose}) {
    scheduler->launched(1);
    scheduler->launched(2);
    scheduler->issued(1);
  }
  EXPECT_EQ(greedy.pick(0b110), 1u);
  EXPECT_EQ(loose.pick(0b110), 2u);
}

TEST(WarpScheduler, AnUnknownNameNamesTheKeyAndTheLegalNames) {
  try {
    WarpScheduler scheduler(1, "foo");
    FAIL() << "taken";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("gpu.sm.scheduler is \"foo\": must be one of gto|lrr"), 0u)
        << error.what();
  }
}

}  // namespace
}  // namespace duet::gpu
