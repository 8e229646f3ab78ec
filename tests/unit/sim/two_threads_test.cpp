// Components that are dealt to two threads: nothing of what they do can be told from one thread's doing it.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "sim/engine.h"
#include "sim/queue.h"

namespace duet::sim {
namespace {

// Passes numbers on around a ring of queues, and notes what came when.
class Station : public Component {
 public:
  struct Seen {
    Picoseconds time;
    unsigned value;
    friend bool operator==(const Seen&, const Seen&) = default;
  };
  Station(Engine& engine, unsigned number)
      : Component(engine, "station " + std::to_string(number), nullptr, 0, Role::None), number_(number) {}
  Picoseconds next_opportunity(Picoseconds time) const override { return time + 1 + number_ % 3; }
  Picoseconds tick(Picoseconds now) override {
    threads.push_back(std::this_thread::get_id());
    if (marks != 0 && in->can_pop(now) && out->can_push(now)) {
      seen.push_back({now, in->front()});
      out->push(now, in->pop(now) + 1);
    }
    if (in->empty()) marks = 0;
    while (to_send != 0 && out->can_push(now)) out->push(now, 1000 * to_send--);
    const Picoseconds arrival = in->next_arrival(now);
    if (arrival != kNever) return next_opportunity(arrival);
    return in->can_pop(now) && out->can_push(now) ? now + 1 : kNever;
  }
  Queue<unsigned>*in = nullptr, *out = nullptr;
  std::uint64_t marks = 0;
  unsigned to_send = 0;
  std::vector<Seen> seen;
  std::vector<std::thread::id> threads;

 private:
  unsigned number_;
};

struct Ring {
  static constexpr unsigned kStations = 7;
  Ring(std::uint64_t seed, bool two_threads, std::size_t capacity) : engine(seed, two_threads) {
    for (unsigned i = 0; i < kStations; ++i) stations.push_back(std::make_unique<Station>(engine, i));
    for (unsigned i = 0; i < kStations; ++i) {
      Station &from = *stations[i], &to = *stations[(i + 1) % kStations];
      queues.push_back(std::make_unique<Queue<unsigned>>(capacity, &from, &to));
      queues.back()->mark_pushes(&to.marks, 1);
      from.out = to.in = queues.back().get();
    }
    for (unsigned i = 0; i < 3; ++i) {
      stations[2 * i]->to_send = 2;
      engine.wake(*stations[2 * i], 10);
    }
    engine.run_until(2000);
  }
  std::vector<std::vector<Station::Seen>> seen() const {
    std::vector<std::vector<Station::Seen>> all;
    for (const auto& station : stations) all.push_back(station->seen);
    return all;
  }
  Engine engine;
  std::vector<std::unique_ptr<Station>> stations;
  std::vector<std::unique_ptr<Queue<unsigned>>> queues;
};

TEST(TwoThreads, EverythingHappensAsWithOne) {
  for (const std::size_t capacity : {1, 2, 5}) {
    const Ring one(0, false, capacity);
    const auto expected = one.seen();
    std::size_t count = 0;
    for (const auto& station : expected) count += station.size();
    EXPECT_GT(count, 1000u);
    for (const std::uint64_t seed : {1, 2, 3}) {
      EXPECT_EQ(Ring(seed, false, capacity).seen(), expected);
      EXPECT_EQ(Ring(seed, true, capacity).seen(), expected) << capacity << ", seed " << seed;
    }
  }
}

TEST(TwoThreads, BothAreUsedByEveryComponent) {
  const Ring ring(1, true, 2);
  for (const auto& station : ring.stations)
    EXPECT_NE(std::count(station->threads.begin(), station->threads.end(), station->threads.front()),
              static_cast<std::ptrdiff_t>(station->threads.size()));
}

// Ticked at all times from 1 to 100.
class Asking : public Component {
 public:
  explicit Asking(Engine& engine) : Component(engine, "asking", nullptr, 0, Role::None) {
    engine.wake(*this, 1);
  }
  Picoseconds tick(Picoseconds now) override {
    threads.push_back(std::this_thread::get_id());
    if (action) action();
    return now < 100 ? now + 1 : kNever;
  }
  std::function<void()> action;
  std::vector<std::thread::id> threads;
};

TEST(TwoThreads, PartsOfOneThingAreNeverTickedAtOnce) {
  Engine engine(5, true);
  Asking first(engine), second(engine), alone(engine);
  second.tick_on_thread_of(first);
  engine.run_until(200);
  EXPECT_EQ(first.threads.size(), 100u);
  EXPECT_EQ(first.threads, second.threads);
  EXPECT_NE(first.threads, alone.threads);
}

TEST(TwoThreads, WhatComesAfterTicksComesInTheOrderOfComponents) {
  Engine engine(5, true);
  std::vector<int> order;
  std::vector<std::unique_ptr<Asking>> all;
  int between = 0;
  for (int i = 0; i < 5; ++i) {
    all.push_back(std::make_unique<Asking>(engine));
    all.back()->action = [&, i] {
      engine.after_ticks([&, i] {
        order.push_back(i);
        EXPECT_EQ(between % 5, 0);  // all of this time
      });
      engine.between_ticks([&] { ++between; });
    };
  }
  engine.run_until(200);
  ASSERT_EQ(order.size(), 500u);
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], static_cast<int>(i % 5));
  EXPECT_EQ(between, 500);
}

TEST(TwoThreads, AnErrorOfATickReachesTheCaller) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    Engine engine(seed, true);
    Asking first(engine), second(engine);
    (seed % 2 == 0 ? first : second).action = [] { throw std::runtime_error("thrown"); };
    try {
      engine.run_until(200);
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "thrown");
    }
  }
}

}  // namespace
}  // namespace duet::sim
