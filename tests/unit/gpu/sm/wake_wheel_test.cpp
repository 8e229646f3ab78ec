// Does a sleeping warp wake at its cycle, not before, however far away it is?
#include "gpu/sm/wake_wheel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace duet::gpu {
namespace {

TEST(WakeWheel, AWarpWakesAtItsCycleAndOnce) {
  WakeWheel wheel;
  wheel.sleep(100, 105, 7);
  EXPECT_EQ(wheel.next(100), 105u);
  for (Cycle cycle = 101; cycle < 105; ++cycle) EXPECT_EQ(wheel.wake(cycle), 0u) << cycle;
  EXPECT_EQ(wheel.wake(105), 1ull << 7);
  EXPECT_EQ(wheel.wake(105), 0u);
  EXPECT_EQ(wheel.next(105), ~Cycle{0});
}

TEST(WakeWheel, WarpsOfOneCycleWakeTogether) {
  WakeWheel wheel;
  wheel.sleep(0, 3, 0);
  wheel.sleep(1, 3, 63);
  EXPECT_EQ(wheel.wake(3), 1ull | 1ull << 63);
}

TEST(WakeWheel, TheLastCycleOfTheWheelIsKept) {
  WakeWheel wheel;
  wheel.sleep(10, 10 + WakeWheel::kSlots - 1, 1);
  EXPECT_EQ(wheel.next(10), 10 + WakeWheel::kSlots - 1);
}

TEST(WakeWheel, BeyondTheWheelAWarpIsLookedAtOnTheWay) {
  WakeWheel wheel;
  wheel.sleep(10, 10 + WakeWheel::kSlots, 1);
  EXPECT_EQ(wheel.next(10), 10 + WakeWheel::kSlots - 1);
}

// Against a map, with sleepers put back as the SM does.
TEST(WakeWheel, NextIsTheFirstOfAllSleepers) {
  WakeWheel wheel;
  std::mt19937 random(3);
  std::multimap<Cycle, unsigned> sleepers;  // by the cycle at which they are looked at
  Cycle now = 1000;
  std::uint64_t asleep = 0;
  for (unsigned i = 0; i < 5000; ++i) {
    const unsigned warp = random() % 64;
    if ((asleep >> warp & 1) == 0) {
      const Cycle cycle = now + 1 + random() % (i % 3 == 0 ? 600 : 20);
      wheel.sleep(now, cycle, warp);
      sleepers.emplace(std::min<Cycle>(cycle, now + WakeWheel::kSlots - 1), warp);
      asleep |= 1ull << warp;
    }
    if (i % 4 != 0) continue;
    ASSERT_EQ(wheel.next(now), sleepers.begin()->first);
    now = sleepers.begin()->first;
    std::uint64_t expected = 0;
    for (auto it = sleepers.begin(); it != sleepers.end() && it->first == now; it = sleepers.erase(it))
      expected |= 1ull << it->second;
    ASSERT_EQ(wheel.wake(now), expected);
    asleep &= ~expected;
    if (sleepers.empty()) {
      ASSERT_EQ(wheel.next(now), ~Cycle{0});
    }
  }
}

}  // namespace
}  // namespace duet::gpu
