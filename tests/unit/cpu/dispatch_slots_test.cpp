// The slots of dispatch: each is counted once.
#include "cpu/dispatch_slots.h"

#include <gtest/gtest.h>

#include "sim/engine.h"

namespace duet::cpu {
namespace {

class Nothing : public sim::Component {
 public:
  explicit Nothing(sim::Engine& engine) : Component(engine, "nothing", nullptr, 0, sim::Role::None) {}
  Picoseconds tick(Picoseconds) override { return kNever; }
};

struct DispatchSlotsTest : testing::Test {
  sim::Engine engine;
  Nothing component{engine};
  CoreStatistics statistics{component, "core."};
  DispatchSlots slots{4, statistics};
};

TEST_F(DispatchSlotsTest, SlotsAddUpToTheWidth) {
  slots.begin(10);
  for (int i = 0; i < 4; ++i) slots.use();
  EXPECT_TRUE(slots.is_full());
  slots.move_to(11, Cause::FrontEnd);
  EXPECT_FALSE(slots.is_full());
  slots.use();
  slots.move_to(14, Cause::MemoryBelow);
  EXPECT_EQ(statistics.cycles, 4u);
  EXPECT_EQ(statistics.slots_used, 5u);
  EXPECT_EQ(statistics.slots_front_end, 0u);
  EXPECT_EQ(statistics.slots_memory_below, 11u);
}

TEST_F(DispatchSlotsTest, TheCycleOfTheLastDispatchIsCountedWithIt) {
  slots.begin(10);
  EXPECT_EQ(slots.end(), 10u);
  slots.use();
  EXPECT_EQ(slots.end(), 11u);
  slots.count(slots.end(), Cause::Serial);
  EXPECT_EQ(statistics.slots_used, 1u);
  EXPECT_EQ(statistics.slots_serial, 3u);
  slots.count(11, Cause::Serial);  // again: nothing is left
  EXPECT_EQ(statistics.cycles, 1u);
}

TEST_F(DispatchSlotsTest, CyclesWithoutAThreadAreNotCounted) {
  slots.begin(10);
  slots.move_to(12, Cause::Serial);
  slots.begin(100);
  slots.move_to(101, Cause::Core);
  EXPECT_EQ(statistics.cycles, 3u);
  EXPECT_EQ(statistics.slots_core, 4u);
}

}  // namespace
}  // namespace duet::cpu
