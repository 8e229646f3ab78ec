#include "report/timeline/timeline_events.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace duet::report {
namespace {

struct Told {
  std::uint32_t engine;
  std::string engine_name, name;
  Picoseconds start_ps, end_ps;
  std::uint64_t command, bytes;
  bool operator==(const Told&) const = default;
};

EventRecord event(TaskEventKind kind, TaskEventPhase phase, std::uint32_t unit, Picoseconds time,
                  std::uint64_t id, std::uint64_t parent, std::uint64_t argument = 0) {
  return {kind, phase, unit, 0, unit, time, id, parent, argument};
}

class TimelineEventsTest : public testing::Test {
 protected:
  static constexpr Picoseconds kEnd = 1000 * TimelineEvents::kColumns;  // columns of 1000
  std::vector<Told> told;
  TimelineEvents events{kEnd, [this](const TimelineMove& m) {
                          told.push_back({m.engine, m.engine_name, std::string(m.name), m.start_ps, m.end_ps,
                                          m.command, m.bytes});
                        }};
  void SetUp() override {
    events.component(0, "part 0");
    events.component(1, "part 1");
  }
};

TEST_F(TimelineEventsTest, TellsMovesAndThoseCutOff) {
  using enum TaskEventKind;
  events.event(event(Move, TaskEventPhase::Begin, 1, 100, 0, 7, 64), "copy");
  events.event(event(Move, TaskEventPhase::Begin, 0, 150, 0, 8, 32), "fill");
  events.event(event(Warp, TaskEventPhase::End, 1, 170, 0, 7), "");
  events.event(event(Move, TaskEventPhase::End, 1, 200, 0, 7, 64), "");
  EXPECT_EQ(told, (std::vector<Told>{{1, "part 1", "copy", 100, 200, 7, 64}}));
  events.end();
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[1], (Told{0, "part 0", "fill", 150, kEnd, 8, 32}));
  EXPECT_TRUE(events.sms().empty());
}

TEST_F(TimelineEventsTest, AddsUpBlocksByColumn) {
  using enum TaskEventKind;
  events.event(event(Block, TaskEventPhase::Begin, 1, 500, 0, 7), "");
  events.event(event(Block, TaskEventPhase::Begin, 1, 1500, 1, 7), "");
  events.event(event(Block, TaskEventPhase::End, 1, 2250, 0, 7), "");
  events.event(event(Block, TaskEventPhase::End, 1, 2000, 1, 7), "");
  events.event(event(Block, TaskEventPhase::Begin, 0, kEnd - 10, 2, 7), "");  // until the run's end
  events.end();
  ASSERT_EQ(events.sms().size(), 2u);
  const TimelineEvents::Sm& sm = events.sms().at(1);
  EXPECT_EQ(sm.name, "part 1");
  EXPECT_EQ((std::vector<Picoseconds>{sm.of.begin(), sm.of.begin() + 4}),
            (std::vector<Picoseconds>{500, 1500, 250, 0}));
  EXPECT_EQ(std::accumulate(sm.of.begin(), sm.of.end(), Picoseconds{0}), 1750u + 500u);
  EXPECT_EQ(events.sms().at(0).of.back(), 10u);
  EXPECT_TRUE(told.empty());
}

}  // namespace
}  // namespace duet::report
