// Statistics of a small tree: declared in its parts, summed over components, compared with an earlier moment.
#include "sim/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

#include "sim/engine.h"

namespace duet::sim {
namespace {

struct BufferStatistics : StatisticGroup {
  using StatisticGroup::StatisticGroup;
  Counter hits{*this, "hits", "requests", "requests that were answered"};
  Counter misses{*this, "misses", "requests", "requests that were not"};
  Maximum longest{*this, "longest", "requests", "most requests at once"};
  Counter stalls{*this, "stalls", "cycles", "cycles without an answer"};
};

// Something that counts under `prefix`, and holds `held`.
class Buffer : public Component {
 public:
  Buffer(Engine& engine, std::string name, const std::string& prefix, const Component* parent = nullptr)
      : Component(engine, std::move(name), parent, 1, Role::Memory), statistics(*this, prefix) {}
  Picoseconds tick(Picoseconds) override { return kNever; }
  bool settle_statistics() override {
    statistics.stalls += unsettled, unsettled = 0;
    return true;
  }

  std::uint64_t held = 0, unsettled = 0;
  BufferStatistics statistics;

 private:
  State held_{statistics, "held", "requests", "requests inside", [this] { return held; }};
};

std::uint64_t value_of(const Statistics& statistics, const Statistics::Values& values,
                       const std::string& name) {
  const auto& declared = statistics.declared();
  const auto found =
      std::find_if(declared.begin(), declared.end(), [&](const Statistic& one) { return one.name == name; });
  if (found == declared.end()) throw std::out_of_range(name);
  return values[static_cast<std::size_t>(found - declared.begin())];
}

class StatisticsTest : public testing::Test {
 protected:
  Engine engine;
  Buffer a{engine, "a 0", "a."}, b{engine, "b", "b."}, a2{engine, "a 1", "a.", &b};
  Statistics statistics{engine};
  Statistics::Values of_components() {
    statistics.totals();
    Statistics::Values values(statistics.statistic_of_value().size());
    statistics.of_components(values.data());
    return values;
  }
  std::uint64_t total(const std::string& name, bool with_states = false) {
    return value_of(statistics, statistics.totals(with_states), name);
  }
};

TEST_F(StatisticsTest, AStatisticIsKnownByItsDeclarationAlone) {
  ASSERT_EQ(statistics.declared().size(), 10u);  // five of each kind of component
  const Statistic& first = statistics.declared()[0];
  EXPECT_EQ(first.name, "a.hits");
  EXPECT_STREQ(first.unit, "requests");
  EXPECT_STREQ(first.description, "requests that were answered");
  EXPECT_EQ(first.kind, StatisticKind::Count);
  EXPECT_EQ(statistics.declared()[5].name, "b.hits");
}

TEST_F(StatisticsTest, CountsOfOneKindAreSummed) {
  ++a.statistics.hits;
  a2.statistics.hits += 4;
  b.statistics.hits += 100;
  a2.statistics.misses += 7;
  EXPECT_EQ(total("a.hits"), 5u);
  EXPECT_EQ(total("a.misses"), 7u);
  EXPECT_EQ(total("b.hits"), 100u);
}

TEST_F(StatisticsTest, OfMostTheLargestCounts) {
  a.statistics.longest.at_least(5);
  a.statistics.longest.at_least(3);
  a2.statistics.longest.at_least(9);
  EXPECT_EQ(a.statistics.longest, 5u);
  EXPECT_EQ(total("a.longest"), 9u);
}

TEST_F(StatisticsTest, StatesAreAskedForAndSummed) {
  a.held = 2, a2.held = 3;
  EXPECT_EQ(total("a.held", true), 5u);
  EXPECT_EQ(total("a.held"), 0u);
  a.held = 0;
  EXPECT_EQ(total("a.held", true), 3u);
}

// Components that are ticked, and count nothing outside of it, beside one that settles.
TEST(TickedStatistics, WhatHasNotBeenTickedIsNotReadAgain) {
  struct Ticked : Component {
    Ticked(Engine& engine, const char* name) : Component(engine, name, nullptr, 1, Role::Memory) {}
    Picoseconds tick(Picoseconds) override {
      ++statistics.hits;
      statistics.longest.at_least(statistics.hits * 3);
      return kNever;
    }
    BufferStatistics statistics{*this, "t."};
  };
  Engine engine;
  Ticked a(engine, "a"), b(engine, "b");
  Buffer owing(engine, "owing", "o.");
  a.statistics.misses += 5;
  Statistics statistics(engine);
  const auto of = [&](const char* name) { return value_of(statistics, statistics.totals(), name); };
  EXPECT_EQ(of("t.misses"), 5u);
  for (std::uint64_t round = 1; round <= 3; ++round) {
    engine.wake(b, 10 * round);
    engine.run_until(10 * round);
    owing.unsettled = 1;
    const std::uint64_t before = statistics.reads();
    EXPECT_EQ(of("t.hits"), round);
    EXPECT_EQ(of("t.longest"), 3 * round);
    EXPECT_EQ(of("o.stalls"), round);
    std::vector<std::uint64_t> values(statistics.statistic_of_value().size(), 77);
    statistics.of_components(values.data(), before);
    EXPECT_EQ(values[0], 77u) << "a has not changed";
    EXPECT_EQ(values[4], round);
    statistics.of_components(values.data());
    EXPECT_EQ(values[1], 5u);
  }
}

TEST_F(StatisticsTest, WhatIsOwedIsCountedWhenSomebodyReads) {
  a.unsettled = 6;
  EXPECT_EQ(total("a.stalls"), 6u);
  a2.unsettled = 1;
  EXPECT_EQ(total("a.stalls"), 7u);
  const auto values = of_components();
  EXPECT_EQ(values[3] + values[11], 7u);
}

TEST_F(StatisticsTest, SinceAMarkOnlyCountsGrow) {
  a.statistics.hits += 10;
  a.statistics.longest.at_least(4);
  a.held = 3;
  const auto before = statistics.totals(true);
  a.statistics.hits += 2;
  a2.statistics.hits += 3;
  a.statistics.longest.at_least(8);
  a.held = 1;
  const auto increase = statistics.since(before, statistics.totals(true));
  EXPECT_EQ(value_of(statistics, increase, "a.hits"), 5u);
  EXPECT_EQ(value_of(statistics, increase, "a.misses"), 0u);
  EXPECT_EQ(value_of(statistics, increase, "a.longest"), 0u);
  EXPECT_EQ(value_of(statistics, increase, "a.held"), 0u);
}

TEST_F(StatisticsTest, EachComponentHasItsOwnValues) {
  a.statistics.hits += 1;
  b.statistics.hits += 2;
  a2.statistics.hits += 4;
  const auto values = of_components();
  ASSERT_EQ(statistics.parts().size(), 3u);
  ASSERT_EQ(values.size(), 12u);  // without states
  std::map<std::string, std::uint64_t> sums;
  for (const Statistics::Part& part : statistics.parts()) {
    EXPECT_EQ(part.count, 4u);
    for (std::size_t i = part.first; i < part.first + part.count; ++i)
      sums[statistics.declared()[statistics.statistic_of_value()[i]].name] += values[i];
  }
  EXPECT_EQ(statistics.parts()[2].component, &a2);
  EXPECT_EQ(values[statistics.parts()[2].first], 4u);
  EXPECT_EQ(sums["a.hits"], total("a.hits"));
  EXPECT_EQ(sums["b.hits"], 2u);
}

// A part of a component that is none itself, and two groups that continue one name.
TEST(Statistics, PartsCountForTheirComponent) {
  Engine engine;
  BufferStatistics part("a."), up("wire.up_"), down("wire.down_");
  Buffer a(engine, "a 0", "a.");
  a.declare(part);
  a.declare(up);
  a.declare(down);
  Statistics statistics(engine);
  a.statistics.hits += 1, part.hits += 2, up.hits += 4, down.hits += 8;
  const auto totals = statistics.totals();
  EXPECT_EQ(value_of(statistics, totals, "a.hits"), 3u);
  EXPECT_EQ(value_of(statistics, totals, "wire.up_hits"), 4u);
  EXPECT_EQ(value_of(statistics, totals, "wire.down_hits"), 8u);
}

// What looks at others does so when they have all been ticked.
TEST(Statistics, AfterTicksEverybodyHasBeenTicked) {
  class Ticked : public Component {
   public:
    Ticked(Engine& engine, std::string name, std::function<void()> then)
        : Component(engine, std::move(name), nullptr, 0, Role::None), then_(std::move(then)) {}
    Picoseconds tick(Picoseconds) override {
      ++ticks;
      then_();
      return kNever;
    }
    unsigned ticks = 0;

   private:
    std::function<void()> then_;
  };
  for (const std::uint64_t seed : {0, 1, 2, 3, 4, 5}) {
    Engine engine(seed);
    unsigned seen = 0, times = 0;
    std::vector<std::unique_ptr<Ticked>> all;
    for (unsigned i = 0; i < 3; ++i)
      all.push_back(std::make_unique<Ticked>(engine, "t", [&, i] {
        if (i != 1) return;
        engine.after_ticks([&] {
          ++times;
          for (const auto& one : all) seen += one->ticks;
        });
      }));
    for (const auto& one : all) engine.wake(*one, 5);
    engine.run_until(10);
    EXPECT_EQ(seen, 3u);
    EXPECT_EQ(times, 1u);
  }
}

}  // namespace
}  // namespace duet::sim
