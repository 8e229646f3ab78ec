// Back-pressure does not depend on whether the producer or the consumer is ticked first.
#include "sim/queue.h"

#include <gtest/gtest.h>

#include <vector>

namespace duet::test {
namespace {

class Producer : public sim::Component {
 public:
  explicit Producer(sim::Engine& engine) : Component(engine, "producer", nullptr, 0, sim::Role::None) {}
  Picoseconds tick(Picoseconds now) override {
    while (left != 0 && queue->can_push(now)) {
      queue->push(now, left--);
      times.push_back(now);
    }
    return kNever;
  }
  sim::Queue<int>* queue = nullptr;
  int left = 20;
  std::vector<Picoseconds> times;
};

class Consumer : public sim::Component {
 public:
  explicit Consumer(sim::Engine& engine) : Component(engine, "consumer", nullptr, 0, sim::Role::None) {}
  Picoseconds tick(Picoseconds now) override {
    if (queue->can_pop(now)) queue->pop(now);
    return !queue->empty() ? now + 1 : kNever;
  }
  sim::Queue<int>* queue = nullptr;
};

std::vector<Picoseconds> push_times(bool producer_first, std::uint64_t seed, std::size_t capacity,
                                    bool two_threads = false) {
  sim::Engine engine(seed, two_threads);
  Producer producer(engine);
  Consumer consumer(engine);
  sim::Queue<int> queue(capacity, &producer, &consumer);
  producer.queue = consumer.queue = &queue;
  // Both are due at the same times, in the order in which they were woken.
  for (Picoseconds time = 10; time < 14; ++time) {
    engine.run_until(time - 1);
    sim::Component& first = producer_first ? static_cast<sim::Component&>(producer) : consumer;
    sim::Component& second = producer_first ? static_cast<sim::Component&>(consumer) : producer;
    engine.wake(first, time);
    engine.wake(second, time);
  }
  engine.run_until(1000);
  return producer.times;
}

TEST(Queue, AProducerThatAsksAfterThePopIsWokenToo) {
  for (const std::size_t capacity : {1, 2, 3}) {
    const auto expected = push_times(true, 0, capacity);
    EXPECT_EQ(expected.size(), 20u);
    EXPECT_EQ(push_times(false, 0, capacity), expected) << capacity;
    for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
      EXPECT_EQ(push_times(true, seed, capacity), expected);
      EXPECT_EQ(push_times(true, seed, capacity, true), expected);
    }
  }
}

TEST(Queue, WhatTakesTimeToArriveIsSeenStrictlyAfterwards) {
  sim::Engine engine;
  sim::Queue<int> queue(2, nullptr, nullptr);
  queue.push(5, 1, 100);
  EXPECT_FALSE(queue.can_pop(100));
  EXPECT_TRUE(queue.can_pop(101));
  EXPECT_EQ(queue.next_arrival(50), 100u);
  EXPECT_EQ(queue.next_arrival(101), kNever);
}

}  // namespace
}  // namespace duet::test
