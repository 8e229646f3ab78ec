// Which way a policy gives up, beside models of its own: a list for LRU, bits for the tree.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "config/names.h"
#include "memory/cache/line_array.h"

namespace duet::test {
namespace {

using namespace memory;

config::Cache one_set(const std::string& replacement, std::uint64_t ways) {
  config::Cache config;
  config.sets = 1;
  config.ways = ways;
  config.line_bytes = config.sector_bytes = 128;
  config.replacement = replacement;
  return config;
}
PhysicalAddress line(std::uint64_t number) { return PhysicalAddress(128 * (number + 1)); }

struct Random {
  std::uint64_t state = 1;
  std::uint64_t operator()(std::uint64_t range) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (state >> 33) % range;
  }
};

// The line is used, and brought first where it is not held; `touched` hears of its way.
template <typename F>
void use(LineArray& lines, PhysicalAddress address, F&& touched) {
  std::uint32_t way = lines.find(address);
  if (way == LineArray::kNone) {
    way = lines.victim(address);
    ASSERT_NE(way, LineArray::kNone);
    lines.reserve(way, address);
  } else {
    lines.touch(way);
  }
  touched(way);
}

TEST(Replacement, LruGivesUpWhatWasUsedLongestAgo) {
  LineArray lines(one_set("lru", 6), {}, 1, "cache");
  std::vector<std::uint32_t> order;
  Random random;
  const auto touched = [&](std::uint32_t way) {
    std::erase(order, way);
    order.push_back(way);
  };
  for (unsigned i = 0; i < 6; ++i) use(lines, line(i), touched);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5}));  // free ways come first
  for (unsigned i = 0; i < 1000; ++i) {
    ASSERT_EQ(lines.victim(line(99)), order.front());
    use(lines, line(random(9)), touched);
  }
}

TEST(Replacement, TheTreeIsThatOfBits) {
  for (const std::uint64_t ways : {1, 2, 8, 16}) {
    LineArray lines(one_set("tree", ways), {}, 1, "cache");
    std::vector<bool> to_high(2 * ways);  // of node n, whose children are 2n and 2n + 1
    const auto touched = [&](std::uint32_t way) {
      for (std::uint32_t node = static_cast<std::uint32_t>(ways) + way; node > 1; node /= 2)
        to_high[node / 2] = node % 2 == 0;
    };
    for (unsigned i = 0; i < ways; ++i) use(lines, line(i), touched);
    Random random;
    for (unsigned i = 0; i < 2000; ++i) {
      if (random(20) == 0) lines.free_way(static_cast<std::uint32_t>(random(ways)));
      std::uint32_t expected = 1;
      while (expected < ways) expected = 2 * expected + to_high[expected];
      expected -= static_cast<std::uint32_t>(ways);
      bool free = false;
      for (std::uint32_t way = 0; way < ways; ++way) free |= lines.tag(way) == LineArray::kNoTag;
      const std::uint32_t victim = lines.victim(line(99));
      if (free)
        ASSERT_EQ(lines.tag(victim), LineArray::kNoTag) << ways;
      else
        ASSERT_EQ(victim, expected) << ways;
      use(lines, line(random(3 * ways)), touched);
    }
  }
}

TEST(Replacement, AnyLineAtRandomAndTheSameOneAgain) {
  LineArray lines(one_set("random", 4), {}, 1, "cache"), again(one_set("random", 4), {}, 1, "cache");
  std::vector<unsigned> victims(4);
  Random random;
  for (unsigned i = 0; i < 4000; ++i) {
    const PhysicalAddress address = line(random(40));
    if (i >= 4 && lines.find(address) == LineArray::kNone) ++victims[lines.victim(address)];
    EXPECT_EQ(lines.victim(address), again.victim(address));
    for (LineArray* array : {&lines, &again}) use(*array, address, [](std::uint32_t) {});
  }
  for (const unsigned number : victims) {
    EXPECT_GT(number, 750u);
    EXPECT_LT(number, 1050u);
  }
}

TEST(Replacement, WhatWaitsForAFetchStays) {
  for (const std::string_view name : config::kReplacements) {
    LineArray lines(one_set(std::string(name), 4), {}, 1, "cache");
    for (unsigned i = 0; i < 4; ++i) use(lines, line(i), [](std::uint32_t) {});
    Random random;
    for (unsigned set = 0; set < 16; ++set) {
      for (std::uint32_t way = 0; way < 4; ++way) lines[way].mshr = set >> way & 1 ? 7 : LineArray::kNone;
      for (unsigned i = 0; i < 20; ++i) {
        lines.touch(static_cast<std::uint32_t>(random(4)));
        const std::uint32_t victim = lines.victim(line(99));
        if (set == 15)
          EXPECT_EQ(victim, LineArray::kNone) << name;
        else
          ASSERT_TRUE(victim < 4 && !(set >> victim & 1)) << name;
      }
    }
  }
}

TEST(Replacement, WhatCannotBeBuiltIsRefused) {
  EXPECT_THROW(LineArray(one_set("tree", 6), {}, 1, "cache"), Error);
  try {
    LineArray(one_set("clock", 4), {}, 1, "L1 0");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "L1 0: replacement = \"clock\" is not known: known are lru, tree, random");
  }
}

}  // namespace
}  // namespace duet::test
