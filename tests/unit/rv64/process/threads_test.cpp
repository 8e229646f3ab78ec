// Threads in turns: whose it is, waiting, waking, deadlines, and ends.
#include "rv64/process/threads.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace duet::rv64 {
namespace {

struct RvThreads : ::testing::Test {
  std::uint64_t now_at(std::int64_t now) {
    EXPECT_TRUE(threads.choose(now));
    return threads.current().id;
  }
  PagedMemory memory;
  Threads threads{memory};
};

TEST_F(RvThreads, TurnsGoInTheOrderOfCreation) {
  threads.current().hart.x[5] = 77;
  threads.current().mask = 6;
  Thread* second = threads.create();
  Thread* third = threads.create();
  ASSERT_NE(third, nullptr);
  EXPECT_EQ(second->hart.x[5], 77u);
  EXPECT_EQ(second->mask, 6u);
  EXPECT_EQ(third->id, 1002u);
  EXPECT_EQ(now_at(0), 1000u);
  threads.executed(Threads::kTurn - 1);
  EXPECT_EQ(threads.turn_left(), 1u);
  EXPECT_EQ(now_at(0), 1000u);
  threads.executed(1);
  EXPECT_EQ(now_at(0), 1001u);
  EXPECT_EQ(threads.current().hart.retired, Threads::kTurn);  // the counters are the core's
  threads.yield();
  EXPECT_EQ(now_at(0), 1002u);
  threads.yield();
  EXPECT_EQ(now_at(0), 1000u);
  EXPECT_EQ(threads.current().executed, Threads::kTurn);
}

TEST_F(RvThreads, WhoWaitsLongestIsWokenFirst) {
  Thread* second = threads.create();
  Thread* third = threads.create();
  const auto wait_for = [&](std::uint64_t futex, std::uint32_t bits) {
    threads.choose(0);
    Thread::Wait wait;
    wait.futex = futex;
    wait.bits = bits;
    threads.wait(wait);
  };
  wait_for(0x100, 1);
  wait_for(0x100, 3);
  EXPECT_TRUE(threads.choose(0));
  EXPECT_EQ(&threads.current(), third);
  EXPECT_FALSE(threads.another_can_run());
  EXPECT_EQ(threads.wake(0x200, 9, 1), 0);
  EXPECT_EQ(threads.wake(0x100, 9, 4), 0);
  second->hart.x[kArgument0] = 5;
  EXPECT_EQ(threads.wake(0x100, 1, 2), 1);  // only the second waits for that bit
  EXPECT_EQ(second->hart.x[kArgument0], 0u);
  EXPECT_TRUE(threads.another_can_run());
  wait_for(0x100, 1);
  EXPECT_EQ(threads.wake(0x100, 1, 1), 1);
  EXPECT_FALSE(threads.find(1000)->wait);  // it has waited longer than the third
  EXPECT_TRUE(third->wait);
}

TEST_F(RvThreads, ADeadlineWakesWithItsResult) {
  Thread::Wait wait;
  wait.deadline = 100;
  wait.result_at_deadline = -ETIMEDOUT;
  threads.wait(wait);
  Thread* second = threads.create();
  EXPECT_EQ(now_at(0), second->id);
  wait.deadline = 50;
  wait.repeats = true;
  second->hart.x[kArgument0] = 9;
  threads.wait(wait);
  EXPECT_FALSE(threads.choose(49));
  EXPECT_EQ(threads.earliest_deadline(), 50);
  EXPECT_EQ(now_at(50), second->id);
  EXPECT_EQ(second->hart.x[kArgument0], 9u);  // its call is made again
  threads.yield();
  EXPECT_EQ(now_at(100), 1000u);
  EXPECT_EQ(static_cast<std::int64_t>(threads.current().hart.x[kArgument0]), -ETIMEDOUT);
  EXPECT_FALSE(threads.earliest_deadline());
}

TEST_F(RvThreads, TheTurnOfOneThatEndsGoesToTheNext) {
  threads.create();
  threads.create();
  threads.yield();
  EXPECT_EQ(now_at(0), 1001u);
  threads.exit_current();
  EXPECT_EQ(now_at(0), 1002u);
  threads.yield();
  EXPECT_EQ(now_at(0), 1000u);
  threads.exit_current();
  EXPECT_EQ(now_at(0), 1002u);
  EXPECT_EQ(threads.find(1000), nullptr);
  EXPECT_EQ(threads.create()->id, 1003u);  // numbers are not used twice
}

TEST_F(RvThreads, ThereIsAnEndToTheirNumber) {
  for (std::size_t i = 1; i < Threads::kMost; ++i) ASSERT_NE(threads.create(), nullptr);
  EXPECT_EQ(threads.create(), nullptr);
  EXPECT_EQ(threads.all().size(), Threads::kMost);
}

}  // namespace
}  // namespace duet::rv64
