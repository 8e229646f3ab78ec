// The scheduler of a core: when an entry is free.
#include "cpu/scheduler.h"

#include <gtest/gtest.h>

namespace duet::cpu {
namespace {

TEST(Scheduler, AnEntryIsFreeWhenTheFirstInstructionHasStarted) {
  Scheduler scheduler(2);
  for (int i = 0; i < 2; ++i) scheduler.enter();
  scheduler.leave(20);
  scheduler.leave(10);
  Cycle cycle = 5;
  ASSERT_TRUE(scheduler.find_room(cycle));
  EXPECT_EQ(cycle, 11u);
  scheduler.enter();
  ASSERT_TRUE(scheduler.find_room(cycle));
  EXPECT_EQ(cycle, 21u);
}

TEST(Scheduler, RoomIsUnknownWhileNoStartIsKnown) {
  Scheduler scheduler(1);
  scheduler.enter();
  Cycle cycle = 5;
  EXPECT_FALSE(scheduler.find_room(cycle));
  scheduler.leave(3);  // before dispatch
  ASSERT_TRUE(scheduler.find_room(cycle));
  EXPECT_EQ(cycle, 5u);
}

TEST(Scheduler, AStartBeyondItsReachIsTakenForItsReach) {
  Scheduler scheduler(1);
  scheduler.enter();
  scheduler.leave(10 * Scheduler::kReach);
  Cycle cycle = 0;
  ASSERT_TRUE(scheduler.find_room(cycle));
  EXPECT_EQ(cycle, Scheduler::kReach);
}

TEST(Scheduler, NothingIsInItAfterASquash) {
  Scheduler scheduler(1);
  scheduler.enter();
  scheduler.leave(30);
  Cycle cycle = 5;
  ASSERT_TRUE(scheduler.find_room(cycle));
  EXPECT_EQ(cycle, 31u);
  scheduler.enter();
  EXPECT_TRUE(scheduler.holds(30));
  EXPECT_FALSE(scheduler.holds(29));
  scheduler.clear();
  cycle = 31;
  ASSERT_TRUE(scheduler.find_room(cycle));
  EXPECT_EQ(cycle, 31u);
}

}  // namespace
}  // namespace duet::cpu
