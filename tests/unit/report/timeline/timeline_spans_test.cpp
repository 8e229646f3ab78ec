#include "report/timeline/timeline_spans.h"

#include <gtest/gtest.h>

namespace duet::report {
namespace {

TimelineSpan span(Picoseconds start, Picoseconds end, std::uint32_t name = 0, std::uint32_t kind = 0) {
  TimelineSpan result;
  result.name = name;
  result.kind = kind;
  result.start_ps = start;
  result.end_ps = end;
  return result;
}

std::size_t count(const TimelineSpans& spans) {
  std::size_t sum = 0;
  for (const auto& [track, list] : spans.tracks()) sum += list.size();
  return sum;
}

TEST(TimelineSpans, KeepsFewAsTheyAreInTheOrderOfTheirBegins) {
  TimelineSpans spans(4);
  spans.add(TrackGroup::Stream, 1, span(30, 40));
  spans.add(TrackGroup::Stream, 1, span(10, 20));
  spans.add(TrackGroup::Thread, 1, span(0, 50));
  spans.finish();
  EXPECT_EQ(spans.grain_ps(), 0u);
  ASSERT_EQ(count(spans), 3u);
  const auto& stream = spans.tracks().rbegin()->second;
  EXPECT_EQ(stream[0].start_ps, 10u);
  EXPECT_EQ(stream[1].start_ps, 30u);
  EXPECT_EQ(stream[1].busy_ps, 10u);
}

TEST(TimelineSpans, JoinsNeighboursAndLosesNoTime) {
  TimelineSpans spans(100);
  for (Picoseconds i = 0; i < 10'000; ++i)
    spans.add(TrackGroup::Stream, 7, span(100 * i, 100 * i + 30, i % 2));
  spans.finish();
  EXPECT_LE(count(spans), 100u);
  EXPECT_GE(count(spans), 25u);  // and no fewer than a grain of half the length would leave
  std::uint64_t joined = 0, busy = 0;
  Picoseconds reached = 0;
  for (const TimelineSpan& one : spans.tracks().begin()->second) {
    EXPECT_GE(one.start_ps, reached);
    EXPECT_LE(one.end_ps - one.start_ps, spans.grain_ps());
    reached = one.end_ps;
    joined += one.count;
    busy += one.busy_ps;
    EXPECT_EQ(one.name == TimelineSpan::kSeveral, one.count > 1);
  }
  EXPECT_EQ(joined, 10'000u);
  EXPECT_EQ(busy, 300'000u);
}

TEST(TimelineSpans, ALongSpanStaysAlone) {
  TimelineSpans spans(10);
  spans.add(TrackGroup::Stream, 0, span(0, 1'000'000, 5));
  for (Picoseconds i = 0; i < 200; ++i)
    spans.add(TrackGroup::Stream, 0, span(1'000'000 + 10 * i, 1'000'005 + 10 * i));
  spans.finish();
  const auto& list = spans.tracks().begin()->second;
  EXPECT_EQ(list.front().name, 5u);
  EXPECT_EQ(list.front().count, 1u);
}

TEST(TimelineSpans, KindsThatAlternateAreJoinedEachForItself) {
  TimelineSpans spans(20);
  for (Picoseconds i = 0; i < 1000; ++i)
    spans.add(TrackGroup::Driver, 0, span(10 * i, 10 * i + 10, 0, i % 2));
  spans.finish();
  EXPECT_LE(count(spans), 20u);
  EXPECT_EQ(spans.tracks().size(), 2u);
}

}  // namespace
}  // namespace duet::report
