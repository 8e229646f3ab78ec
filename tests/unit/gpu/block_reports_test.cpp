// Does what an SM tells of its blocks reach the grid, whole and once, and which fault is kept?
#include "gpu/block_reports.h"

#include <gtest/gtest.h>

namespace duet::gpu {
namespace {

void send(BlockReports& reports, Picoseconds now, Grid& grid, std::uint64_t instructions) {
  reports.next(grid).counts = {instructions, 32 * instructions, {}};
  reports.send(now, {&grid, 0, 3});
}

TEST(BlockReports, AReportStaysUntilItsMessageIsTaken) {
  sim::Queue<BlockDone> queue(2, nullptr, nullptr);
  BlockReports reports;
  reports.connect(queue);
  Grid grid;
  send(reports, 1, grid, 100);
  send(reports, 1, grid, 10);
  EXPECT_FALSE(reports.can_send(1));
  take_report(queue.pop(2));
  EXPECT_EQ(grid.counts.warp_instructions, 100u);
  EXPECT_FALSE(reports.can_send(2));  // its place is free strictly later
  ASSERT_TRUE(reports.can_send(3));
  send(reports, 3, grid, 1);
  take_report(queue.pop(4));
  take_report(queue.pop(4));
  EXPECT_EQ(grid.counts.warp_instructions, 111u);
  EXPECT_EQ(grid.counts.thread_instructions, 32u * 111);
}

TEST(BlockReports, OnTheWayIsWhatNobodyHasTaken) {
  sim::Queue<BlockDone> queue(3, nullptr, nullptr);
  BlockReports reports;
  reports.connect(queue);
  Grid grid, other;
  EXPECT_EQ(reports.on_the_way(grid).warp_instructions, 0u);
  for (Picoseconds now = 1; now < 20; now += 2) {
    send(reports, now, grid, 5);
    send(reports, now, other, 7);
    EXPECT_EQ(reports.on_the_way(grid).warp_instructions, 5u);
    EXPECT_EQ(reports.on_the_way(other).warp_instructions, 7u);
    take_report(queue.pop(now + 1));
    EXPECT_EQ(reports.on_the_way(grid).warp_instructions, 0u);
    EXPECT_EQ(reports.on_the_way(other).warp_instructions, 7u);
    take_report(queue.pop(now + 1));
  }
}

TEST(BlockReports, TheEarliestFaultIsKeptThenThatOfTheLowestSm) {
  Grid grid;
  const auto told = [&](Picoseconds time, std::uint32_t sm, const char* text) {
    const BlockReport report{&grid, {}, {FaultKind::Trap, text, time, sm}};
    take_report({&grid, 0, sm, true, false, 0, &report});
    return grid.fault.text;
  };
  EXPECT_EQ(told(50, 4, "a"), "a");
  EXPECT_EQ(told(51, 0, "later"), "a");
  EXPECT_EQ(told(50, 5, "higher"), "a");
  EXPECT_EQ(told(50, 3, "lower"), "lower");
  EXPECT_EQ(told(49, 9, "earlier"), "earlier");
  const BlockReport none{&grid, {}, {}};
  take_report({&grid, 0, 0, true, false, 0, &none});
  EXPECT_EQ(grid.fault.text, "earlier");
}

TEST(Grid, FailsAtTheEarliestTimeThatIsTold) {
  Grid grid;
  EXPECT_EQ(grid.failed_ps.load(), kNever);
  for (const Picoseconds now : {70, 60, 65}) grid.fail(now);
  EXPECT_EQ(grid.failed_ps.load(), 60u);
}

}  // namespace
}  // namespace duet::gpu
