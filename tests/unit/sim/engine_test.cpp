// Clock edges, wake-ups and the visibility rule of queues.
#include "sim/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "sim/clock_domain.h"
#include "sim/event_sink.h"
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

class Metronome : public Component {
 public:
  Metronome(Engine& engine, std::string name) : Component(engine, std::move(name), nullptr, 0, Role::None) {}
  Picoseconds tick(Picoseconds now) override {
    times.push_back(now);
    return period != 0 && times.size() < 3 ? now + period : kNever;
  }
  Picoseconds period = 0;
  std::vector<Picoseconds> times;
};

TEST(Engine, EventsOfOtherKindsHaveNoSink) {
  struct Nowhere : EventSink {
    void take(const Event&) override {}
  } sink;
  Engine engine;
  for (std::size_t kind = 0; kind < kTaskEventKinds; ++kind)
    EXPECT_EQ(engine.event_sink(static_cast<TaskEventKind>(kind)), nullptr);
  engine.report_events(sink, mask_of(TaskEventKind::Block) | mask_of(TaskEventKind::Move));
  for (std::size_t i = 0; i < kTaskEventKinds; ++i) {
    const auto kind = static_cast<TaskEventKind>(i);
    const bool wanted = kind == TaskEventKind::Block || kind == TaskEventKind::Move;
    EXPECT_EQ(engine.event_sink(kind), wanted ? &sink : nullptr) << i;
  }
}

TEST(Engine, AllSinksOfAKindAreToldInTheirOrder) {
  struct Notes : EventSink {
    Notes(std::string& text_, char name_) : text(text_), name(name_) {}
    void take(const Event&) override { text += name; }
    std::string& text;
    char name;
  };
  std::string told;
  Notes a(told, 'a'), b(told, 'b'), c(told, 'c');
  Engine engine;
  engine.report_events(a, mask_of(TaskEventKind::Block));
  engine.report_events(b, mask_of(TaskEventKind::Block) | mask_of(TaskEventKind::Move));
  engine.report_events(c, mask_of(TaskEventKind::Block));
  engine.event_sink(TaskEventKind::Block)->take({});
  EXPECT_EQ(told, "abc");
  engine.event_sink(TaskEventKind::Move)->take({});
  EXPECT_EQ(told, "abcb");
}

TEST(Engine, ObserversLookEachAtItsTime) {
  struct Every : Observer {
    Every(Engine& engine_, Picoseconds period_) : engine(engine_), period(period_) {
      engine.observe(*this, period);
    }
    Picoseconds look(Picoseconds) override {
      times.push_back(engine.now());
      return engine.now() + period;
    }
    Engine& engine;
    Picoseconds period;
    std::vector<Picoseconds> times;
  };
  Engine engine;
  Every thirty(engine, 30), more(engine, 45);
  engine.run_until(100);
  EXPECT_EQ(thirty.times, (std::vector<Picoseconds>{30, 60, 90}));
  EXPECT_EQ(more.times, (std::vector<Picoseconds>{45, 90}));
}

TEST(Engine, TicksAtTheEarliestWakeUpOnly) {
  Engine engine;
  Metronome counter(engine, "c");
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
  Metronome counter(engine, "c");
  counter.period = 10;
  engine.wake(counter, 10);
  EXPECT_FALSE(engine.run_while_not([&] { return counter.times.size() == 3; }, 29));
  EXPECT_EQ(engine.now(), 20u);
  EXPECT_TRUE(engine.run_while_not([&] { return counter.times.size() == 3; }, 30));
  EXPECT_FALSE(engine.run_while_not([] { return false; }));
}

// Ticks must come in the order of time, each component at the earliest time it was asked for, whatever the
// distance: compared with a list of what was asked for.
TEST(Engine, TicksComeInOrderAtAnyDistance) {
  constexpr unsigned kComponents = 20;
  constexpr Picoseconds kDistances[] = {0,       1,       255,     256,       1431,          261'887,
                                        261'888, 262'144, 300'000, 5'000'000, 70'000'000'000};
  std::uint64_t state = 1;
  const auto random = [&](std::uint64_t below) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (state >> 33) % below;
  };
  Engine engine;
  std::vector<std::unique_ptr<Metronome>> counters;
  std::vector<Picoseconds> asked(kComponents, kNever);
  for (unsigned i = 0; i < kComponents; ++i) counters.push_back(std::make_unique<Metronome>(engine, "c"));
  for (unsigned round = 0; round < 20'000; ++round) {
    if (random(2) == 0) {
      const auto i = static_cast<unsigned>(random(kComponents));
      const Picoseconds time = engine.now() + kDistances[random(std::size(kDistances))] + random(300);
      engine.wake(*counters[i], time);
      asked[i] = std::min(asked[i], time);
      continue;
    }
    const Picoseconds next = *std::min_element(asked.begin(), asked.end());
    ASSERT_EQ(engine.next_time(), next);
    const Picoseconds until = random(4) == 0 ? engine.now() + random(1'000'000) : next;
    if (until == kNever) continue;
    engine.run_until(until);
    ASSERT_EQ(engine.now(), until);
    for (unsigned i = 0; i < kComponents; ++i) {
      if (asked[i] > until) {
        ASSERT_TRUE(counters[i]->times.empty());
        continue;
      }
      ASSERT_EQ(counters[i]->times, (std::vector<Picoseconds>{asked[i]}));
      counters[i]->times.clear();
      asked[i] = kNever;
    }
  }
}

class Waiter : public Component {
 public:
  Waiter(Engine& engine, std::string name, Role role, std::string text)
      : Component(engine, std::move(name), nullptr, 0, role), text_(std::move(text)) {}
  Picoseconds tick(Picoseconds) override { return kNever; }
  std::string waits_for() const override { return text_; }

 private:
  std::string text_;
};

TEST(Engine, TheReportNamesOnceWhatDiffersInNumbers) {
  Engine engine;
  const Role memory = Role::Memory, mover = Role::DataMovementElement;
  const Waiter components[] = {
      {engine, "cache 0", memory, "3 lines from 0x7f3a"},   {engine, "cache 1", memory, ""},
      {engine, "mover 0", mover, "full at 0x10"},           {engine, "cache 2", memory, "12 lines from 0x80"},
      {engine, "cache 3", memory, "room for 2 lines"},      {engine, "mover 1", mover, "full at 0x20"},
      {engine, "cache 14", memory, "3 lines from 0xabcdef"}};
  EXPECT_EQ(engine.waiting_report(),
            "cache 0 waits for 3 lines from 0x7f3a (and 2 more like it); mover 0 waits for full at 0x10; "
            "cache 3 waits for room for 2 lines; mover 1 waits for full at 0x20");
}

TEST(Queue, EntryIsSeenStrictlyLaterAndSlotIsFreeStrictlyLater) {
  Engine engine;
  Metronome producer(engine, "p"), consumer(engine, "q");
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
