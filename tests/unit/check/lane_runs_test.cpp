#include "check/lane_runs.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace duet::check {
namespace {

std::vector<LaneRun> runs_of(std::uint64_t lanes, const std::vector<std::uint64_t>& addresses,
                             unsigned bytes) {
  LaneRun runs[kMostRuns];
  return {runs, runs + split(lanes, addresses.data(), bytes, runs)};
}

TEST(LaneRuns, ALaneAloneHasOneAddress) {
  for (const unsigned lane : {0u, 5u, 63u}) {
    const auto runs = runs_of(std::uint64_t{1} << lane, std::vector<std::uint64_t>(64, 8), 4);
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].first, lane);
    EXPECT_EQ(runs[0].lanes, 1u);
    EXPECT_TRUE(runs[0].one_address);
  }
}

TEST(LaneRuns, TwoRowsOfATile) {
  std::vector<std::uint64_t> addresses;
  for (unsigned lane = 0; lane < 32; ++lane) addresses.push_back(1000 * (lane / 16) + 4 * (lane % 16));
  const auto runs = runs_of(0xffffffff, addresses, 4);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[1].first, 16u);
  EXPECT_EQ(runs[1].lanes, 16u);
  EXPECT_FALSE(runs[1].one_address);
}

// Every lane is in one run, in order, and where its run says that it is; and no run could be longer.
TEST(LaneRuns, AnyAccess) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20000; ++round) {
    const unsigned bytes = 1u << random() % 5;
    std::vector<std::uint64_t> addresses(64);
    std::uint64_t at = random() % 100 * bytes;
    for (std::uint64_t& address : addresses) {
      address = at;
      at += random() % 8 == 0 ? random() % 3 * 64 : round % 2 * bytes;
    }
    const std::uint64_t lanes = round % 3 == 0 ? ~std::uint64_t{0} : random() | random();
    std::uint64_t seen = 0;
    for (const LaneRun& run : runs_of(lanes, addresses, bytes)) {
      const std::uint64_t step = run.one_address ? 0 : bytes;
      for (unsigned i = 0; i < run.lanes; ++i) {
        const unsigned lane = run.first + i;
        ASSERT_EQ(addresses[lane], addresses[run.first] + i * step);
        ASSERT_EQ(seen >> lane, 0u);
        seen |= std::uint64_t{1} << lane;
      }
      const unsigned next = run.first + run.lanes;
      if (run.lanes > 1 && next < 64 && (lanes >> next & 1) != 0) {
        ASSERT_NE(addresses[next], addresses[run.first] + run.lanes * step);
      }
    }
    ASSERT_EQ(seen, lanes);
  }
}

}  // namespace
}  // namespace duet::check
