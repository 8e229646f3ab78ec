#include "machine/watch/moment_history.h"

#include <gtest/gtest.h>

namespace duet::machine {
namespace {

using report::MomentStretch;

TEST(MomentHistory, KeepsStretchesAsTheyWere) {
  MomentHistory history;
  history.add(8, 0, 100);
  history.add(8, 100, 150);  // the same moment goes on
  history.add(12, 150, 170);
  history.add(1, 170, 300);
  const std::vector<MomentStretch> list = history.take();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].moment, 8u);
  EXPECT_EQ(list[0].start_ps, 0u);
  EXPECT_EQ(list[0].end_ps, 150u);
  EXPECT_EQ(list[0].of_ps, 150u);
  EXPECT_EQ(list[1].moment, 12u);
  EXPECT_EQ(history.open_start_ps(), 170u);
  EXPECT_EQ(history.open()[1], 130u);
  EXPECT_TRUE(history.take().empty());
}

TEST(MomentHistory, AVeryLongRunHasFewStretchesAndLosesNoTime) {
  MomentHistory history;
  std::array<Picoseconds, report::kMomentKinds> want{}, got{};
  std::vector<MomentStretch> list;
  Picoseconds now = 0;
  for (std::uint64_t i = 0; i < 2'000'000; ++i) {
    const std::size_t moment = i % 3 == 0 ? 8 : i % 3 == 1 ? 12 : 9;
    const Picoseconds length = 10 + i % 7;
    history.add(moment, now, now + length);
    want[moment] += length;
    now += length;
    if (i % 1000 == 0)
      for (const MomentStretch& one : history.take()) list.push_back(one);
  }
  for (const MomentStretch& one : history.take()) list.push_back(one);
  EXPECT_LT(list.size(), 80'000u);
  Picoseconds reached = 0;
  for (const MomentStretch& one : list) {
    EXPECT_TRUE(one.start_ps == reached || one.end_ps == reached);  // several moments of one stretch
    reached = one.end_ps;
    got[one.moment] += one.of_ps;
  }
  for (std::size_t moment = 0; moment < got.size(); ++moment) got[moment] += history.open()[moment];
  EXPECT_EQ(got, want);
  EXPECT_EQ(history.open_start_ps(), reached);
}

}  // namespace
}  // namespace duet::machine
