// Clock edges, wake-ups and the visibility rule of queues.
#include "sim/engine.h"

#include <gtest/gtest.h>

#include "sim/clock_domain.h"
#include "sim/queue.h"

namespace duet::sim {
namespace {

TEST(ClockDomain, EdgesFollowFromTheirNumber) {
  const ClockDomain clock(772'000'000);  // 1295.33.. ps
  for (Cycle k : {Cycle{0}, Cycle{1}, Cycle{772}, Cycle{772'000'000}, Cycle{7'720'000'000'001}}) {
    const auto expected =
        static_cast<Picoseconds>(static_cast<unsigned __int128>(k) * 1'000'000'000'000 / 772'000'000);
    EXPECT_EQ(clock.edge(k), expected);
    EXPECT_EQ(clock.cycle_at(expected), k);
    EXPECT_EQ(clock.first_edge_at_or_after(expected), expected);
    EXPECT_EQ(clock.first_edge_after(expected), clock.edge(k + 1));
    if (k > 0) {
      EXPECT_EQ(clock.cycle_at(expected - 1), k - 1);
    }
  }
  EXPECT_EQ(clock.edge(772), 1'000'000u);
}

class Counter : public Component {
 public:
  Counter(Engine& engine, std::string name) : Component(engine, std::move(name), nullptr, 0, Role::None) {}
  Picoseconds tick(Picoseconds now) override {
    times.push_back(now);
    return period != 0 && times.size() < 3 ? now + period : kNever;
  }
  Picoseconds period = 0;
  std::vector<Picoseconds> times;
};

TEST(Engine, TicksAtTheEarliestWakeUpOnly) {
  Engine engine;
  Counter counter(engine, "c");
  engine.wake(counter, 50);
  engine.wake(counter, 20);
  engine.wake(counter, 30);
  engine.run_until(100);
  EXPECT_EQ(counter.times, (std::vector<Picoseconds>{20}));
  EXPECT_EQ(engine.now(), 100u);
  EXPECT_EQ(engine.next_time(), kNever);
}

TEST(Engine, RunWhileNotStopsAtTheLimit) {
  Engine engine;
  Counter counter(engine, "c");
  counter.period = 10;
  engine.wake(counter, 10);
  EXPECT_FALSE(engine.run_while_not([&] { return counter.times.size() == 3; }, 29));
  EXPECT_EQ(engine.now(), 20u);
  EXPECT_TRUE(engine.run_while_not([&] { return counter.times.size() == 3; }, 30));
  EXPECT_FALSE(engine.run_while_not([] { return false; }));
}

TEST(Queue, EntryIsSeenStrictlyLaterAndSlotIsFreeStrictlyLater) {
  Engine engine;
  Counter producer(engine, "p"), consumer(engine, "q");
  Queue<int> queue(1, &producer, &consumer);
  ASSERT_TRUE(queue.can_push(10));
  queue.push(10, 7);
  EXPECT_FALSE(queue.can_pop(10));
  EXPECT_TRUE(queue.can_pop(11));
  EXPECT_FALSE(queue.can_push(11));
  engine.run_until(20);
  EXPECT_EQ(consumer.times, (std::vector<Picoseconds>{11}));
  EXPECT_EQ(queue.pop(20), 7);
  EXPECT_FALSE(queue.can_push(20));  // the slot was freed now
  EXPECT_TRUE(queue.can_push(21));
  engine.run_until(30);
  EXPECT_EQ(producer.times, (std::vector<Picoseconds>{21}));  // it had found the queue full
}

}  // namespace
}  // namespace duet::sim
