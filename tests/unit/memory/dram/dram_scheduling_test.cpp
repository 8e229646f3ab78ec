// Scheduling: a checker of its own for everything that the channel issues, bandwidth, FR-FCFS and FCFS,
// starvation, turnaround, refresh.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "dram_rig.h"
#include "legal_commands.h"

namespace duet::test {
namespace {

using namespace memory;

std::size_t count(const DramRig& rig, DramCommand command) {
  return std::count_if(rig.commands.begin(), rig.commands.end(),
                       [command](const IssuedCommand& c) { return c.command == command; });
}

TEST(DramScheduling, EveryCommandOfRandomTrafficIsLegal) {
  for (const char* scheduler : {"fr-fcfs", "fcfs", "fifo"})
    for (const unsigned rows : {2u, 200u}) {
      config::Gpu gpu = gtx580_dram();
      gpu.dram.refresh = true;
      gpu.dram.scheduler = scheduler;
      DramRig rig(gpu, 2);
      Random random{rows};
      for (unsigned i = 0; i < 6000; ++i)
        rig.send(random(3) ? Operation::Read : Operation::Write,
                 DramRig::at(random(16), random(rows), 128 * random(32)), 64 << random(2), i % 2);
      rig.run();
      EXPECT_EQ(rig.client(0).answers.size() + rig.client(1).answers.size(), 6000u);
      expect_legal(rig.commands);
      const DramStatistics& statistics = rig.unit.statistics();
      EXPECT_EQ(statistics.activates, count(rig, DramCommand::Activate));
      EXPECT_EQ(statistics.precharges, count(rig, DramCommand::Precharge));
      EXPECT_EQ(statistics.refreshes, count(rig, DramCommand::Refresh));
      EXPECT_EQ(statistics.data_bus_busy_cycles,
                2 * (count(rig, DramCommand::Read) + count(rig, DramCommand::Write)));
      EXPECT_EQ(statistics.row_hits + statistics.row_misses + statistics.row_conflicts, 6000u);
      EXPECT_EQ(statistics.reads + statistics.writes, 6000u);
    }
}

// Cycles from the first column command to the end of the last one's burst.
Cycle streaming_cycles(DramRig& rig, unsigned lines, const std::function<void(unsigned)>& send) {
  for (unsigned i = 0; i < lines; ++i) send(i);
  rig.run();
  const auto column = [](const IssuedCommand& c) {
    return c.command == DramCommand::Read || c.command == DramCommand::Write;
  };
  const auto first = std::find_if(rig.commands.begin(), rig.commands.end(), column);
  const auto last = std::find_if(rig.commands.rbegin(), rig.commands.rend(), column);
  expect_legal(rig.commands);
  return last->cycle - first->cycle + 2;
}

TEST(DramScheduling, StreamingReadsUseTheBus) {
  for (const bool refresh : {false, true}) {
    config::Gpu gpu = gtx580_dram();
    gpu.dram.refresh = refresh;
    DramRig rig(gpu, 2);
    const unsigned lines = 20'000;
    const Cycle cycles = streaming_cycles(rig, lines, [&](unsigned i) { rig.read(128 * i, 128, i % 2); });
    const double busy = 4.0 * lines / static_cast<double>(cycles);
    RecordProperty("busy_per_mille", static_cast<int>(1000 * busy));
    // A refresh takes tRFC, and around it the bus idles from the last RD's tRTP over tRP, and from ACT over
    // tRCD: 91 cycles and up to 16 PREs of 1904.
    EXPECT_GE(busy, refresh ? 0.90 : 0.97);
    EXPECT_LE(busy, refresh ? 1.0 - 91.0 / 1904 : 1.0);
    EXPECT_EQ(rig.unit.statistics().data_bus_busy_cycles, 4u * lines);
  }
}

TEST(DramScheduling, StreamingWritesUseTheBus) {
  DramRig rig(gtx580_dram(), 2);
  const unsigned lines = 20'000;
  EXPECT_GE(4.0 * lines /
                static_cast<double>(
                    streaming_cycles(rig, lines, [&](unsigned i) { rig.write(128 * i, 128, i % 2); })),
            0.97);
}

TEST(DramScheduling, TurnaroundLeavesMostOfTheBandwidth) {
  DramRig rig(gtx580_dram(), 2);
  const unsigned lines = 20'000;
  // Two streams in rows of their own, one read, one written, strictly alternating.
  const Cycle cycles = streaming_cycles(rig, lines, [&](unsigned i) {
    const Address address = 128 * (i / 2);
    i % 2 == 0 ? rig.read(address, 128, i / 2 % 2) : rig.write(8_MiB + 32_KiB + address, 128, i / 2 % 2);
  });
  unsigned turns = 0;
  std::optional<DramCommand> last;
  for (const IssuedCommand& c : rig.commands) {
    if (c.command != DramCommand::Read && c.command != DramCommand::Write) continue;
    turns += last.has_value() && *last != c.command;
    last = c.command;
  }
  const double busy = 4.0 * lines / static_cast<double>(cycles);
  RecordProperty("busy_per_mille", static_cast<int>(1000 * busy));
  RecordProperty("turns", static_cast<int>(turns));
  EXPECT_GE(busy, 0.75);
  EXPECT_LE(turns, lines / 8);  // taking them as they come would turn `lines` times
}

TEST(DramScheduling, FirstReadyTakesRowHitsFirst) {
  for (const bool first_ready : {true, false}) {
    config::Gpu gpu = gtx580_dram();
    gpu.dram.scheduler = first_ready ? "fr-fcfs" : "fcfs";
    DramRig rig(gpu);
    std::vector<RequestHandle> rows[2], sent;
    for (unsigned i = 0; i < 12; ++i) {
      sent.push_back(rig.read(DramRig::at(0, i % 2, 128 * i)));
      rows[i % 2].push_back(sent.back());
    }
    rig.run();
    std::vector<RequestHandle> grouped = rows[0];
    grouped.insert(grouped.end(), rows[1].begin(), rows[1].end());
    EXPECT_EQ(rig.order(), first_ready ? grouped : sent);
    const DramStatistics& statistics = rig.unit.statistics();
    EXPECT_EQ(statistics.row_hits, first_ready ? 10u : 0u);
    EXPECT_EQ(statistics.row_conflicts, first_ready ? 1u : 11u);
    EXPECT_EQ(statistics.row_misses, 1u);
  }
}

TEST(DramScheduling, BanksWorkSideBySide) {
  // Four banks of four groups, closed: ACTs tRRD apart. The first bank's RD, 12 cycles after its ACT, takes
  // the cycle of the third ACT, which comes one later, and so does the fourth.
  DramRig rig;
  for (unsigned bank = 0; bank < 4; ++bank) rig.read(DramRig::at(bank, 0));
  rig.run();
  EXPECT_EQ(rig.client().answers.back().time, rig.clock.edge(1 + 18 + 1 + 12 + 3 + 12 + 2 + 100) + 1);
}

// One request for another row of a bank whose open row is in demand forever.
TEST(DramScheduling, RowHitsDoNotStarveAnotherRow) {
  for (const std::uint64_t entries : {4, 16, 64}) {
    config::Gpu gpu = gtx580_dram();
    gpu.dram.queue_entries = entries;
    DramRig rig(gpu);
    for (unsigned i = 0; i < 4; ++i) rig.read(DramRig::at(0, 1, 128 * i));
    const RequestHandle victim = rig.read(DramRig::at(0, 2));
    for (unsigned i = 0; i < 400; ++i) rig.read(DramRig::at(0, 1, 128 * (4 + i % 28)));
    rig.run();
    const auto order = rig.order();
    const auto position = std::find(order.begin(), order.end(), victim) - order.begin();
    EXPECT_GE(position, 4 + static_cast<std::ptrdiff_t>(entries) / 2) << entries;  // it is overtaken
    EXPECT_LE(position, 4 + static_cast<std::ptrdiff_t>(entries)) << entries;      // by no more than that
  }
}

TEST(DramScheduling, OneDirectionDoesNotStarveTheOther) {
  DramRig rig;
  rig.read(DramRig::at(0, 0));
  const RequestHandle victim = rig.write(DramRig::at(1, 0));
  for (unsigned i = 0; i < 1000; ++i) rig.read(DramRig::at(i / 2 % 4, 0, 256 * (i / 8 % 16) + 128 * (i % 2)));
  rig.run();
  const auto order = rig.order();
  const auto position = std::find(order.begin(), order.end(), victim) - order.begin();
  EXPECT_LE(position, 64 + 2);
  EXPECT_GE(position, 32);
}

TEST(DramScheduling, RefreshesComeAtTheirRateUnderLoad) {
  config::Gpu gpu = gtx580_dram();
  gpu.dram.refresh = true;
  DramRig rig(gpu, 2);
  for (unsigned i = 0; i < 20'000; ++i) rig.read(128 * i, 128, i % 2);
  rig.run();
  unsigned number = 0;
  for (const IssuedCommand& c : rig.commands) {
    if (c.command != DramCommand::Refresh) continue;
    ++number;
    EXPECT_GE(c.cycle, number * 1904u);
    // Every row may have been opened just before: tRAS, a PRE a cycle, tRP.
    EXPECT_LE(c.cycle, number * 1904u + 28 + 16 + 12);
  }
  EXPECT_EQ(number, rig.commands.back().cycle / 1904);
  EXPECT_GT(number, 40u);
}

TEST(DramScheduling, AnIdleChannelSleepsAndItsRefreshesAreCounted) {
  config::Gpu gpu = gtx580_dram();
  gpu.dram.refresh = true;
  DramRig rig(gpu);
  EXPECT_EQ(rig.engine.next_time(), kNever);
  rig.read(DramRig::at(0, 0));
  rig.run();
  EXPECT_EQ(rig.engine.next_time(), kNever);  // the row is open; nothing is left to do
  EXPECT_EQ(rig.unit.statistics().refreshes, 0u);
  // A long idle time: a refresh every 1904 cycles, and the row is closed.
  const Cycle later = 1'000'000'000;
  rig.engine.run_until(rig.clock.edge(later) - 2);
  EXPECT_EQ(rig.unit.statistics().refreshes, (later - 1) / 1904);
  rig.read(DramRig::at(0, 0));
  rig.run();
  EXPECT_EQ(rig.client().answers.back().time, rig.clock.edge(later + 12 + 3 + 12 + 2 + 100) + 1);
  EXPECT_EQ(rig.unit.statistics().row_misses, 2u);
  EXPECT_EQ(rig.unit.statistics().precharges, 1u);
  expect_legal(rig.commands);
}

// A request that arrives in the middle of a refresh that nobody was awake for waits for its rest.
TEST(DramScheduling, ARequestFindsARefreshUnderWay) {
  for (Cycle seen = 1904 - 3; seen < 1904 + 12 + 65 + 4; ++seen) {
    config::Gpu gpu = gtx580_dram();
    gpu.dram.refresh = true;
    DramRig rig(gpu);
    rig.read(DramRig::at(0, 0));
    rig.run();
    rig.engine.run_until(rig.clock.edge(seen) - 2);
    rig.read(DramRig::at(0, 0), 64);
    rig.run();
    // PRE when the refresh is due, REF tRP later, ACT tRFC later; before that the row is still open.
    const Cycle read_at = seen < 1904 ? seen : std::max<Cycle>(seen, 1904 + 12 + 65) + 12;
    EXPECT_EQ(rig.client().answers.back().time, rig.clock.edge(read_at + 12 + 2 + 100) + 1) << seen;
    EXPECT_EQ(rig.unit.statistics().refreshes, 1u) << seen;
    expect_legal(rig.commands);
  }
}

TEST(DramScheduling, AnswersThatNobodyTakesDoNotKeepTheChannelAwake) {
  config::Gpu gpu = gtx580_dram();
  gpu.dram.refresh = true;
  DramRig rig(gpu, 1, 2);
  rig.client().takes_answers = false;
  for (unsigned i = 0; i < 6; ++i) rig.read(DramRig::at(i, 0));
  rig.run();
  EXPECT_EQ(rig.engine.next_time(), kNever);
  rig.engine.run_until(rig.clock.edge(100 * 1904 + 500) + 7);
  rig.client().takes_answers = true;
  rig.engine.wake(rig.client(), rig.engine.now() + 1);
  rig.run();
  EXPECT_EQ(rig.client().answers.size(), 6u);
  EXPECT_EQ(rig.unit.statistics().refreshes, 100u);
  expect_legal(rig.commands);
}

// Units of refresh take turns, and requests to others go on meanwhile.
config::Gpu with_turns(const char* unit, unsigned ranks) {
  config::Gpu gpu = gtx580_dram();
  gpu.dram.standard = "HBM3";
  gpu.dram.ranks = ranks;
  gpu.dram.refresh = true;
  gpu.dram.refresh_unit = unit;
  auto& t = gpu.dram.timing;
  t.rrd_l = t.rrd;
  t.wtr_l = t.wtr;
  t.rtrs = 1;
  t.rfc_pb = 40;
  t.rrefd = 8;
  return gpu;
}

TEST(DramScheduling, RanksAndBanksAreRefreshedInTurn) {
  const struct {
    const char* scheduler;
    const char* unit;
    unsigned ranks, units;
    Cycle refresh;
    DramCommand command;
  } kinds[] = {{"fr-fcfs", "bank", 1, 16, 40, DramCommand::RefreshBank},
               {"fr-fcfs", "bank", 2, 16, 40, DramCommand::RefreshBank},
               {"fr-fcfs", "rank", 4, 4, 65, DramCommand::Refresh},
               {"fifo", "bank", 1, 16, 40, DramCommand::RefreshBank},
               {"fifo", "rank", 4, 4, 65, DramCommand::Refresh}};
  for (const auto& kind : kinds) {
    const auto unit_of = [&](std::uint32_t bank) {
      return kind.command == DramCommand::RefreshBank ? bank : bank / 4 % kind.ranks;
    };
    config::Gpu gpu = with_turns(kind.unit, kind.ranks);
    gpu.dram.scheduler = kind.scheduler;
    DramRig rig(gpu, 2);
    Random random;
    for (unsigned i = 0; i < 20'000; ++i)
      rig.read(DramRig::at(random(16), random(2), 128 * random(32)), 128, i % 2);
    rig.run();
    std::array<std::optional<std::uint32_t>, 16> rows;
    std::array<Cycle, 16> usable{};
    const Cycle interval = 1904 / kind.units;
    unsigned number = 0, beside = 0;
    for (const IssuedCommand& c : rig.commands) {
      if (c.command == kind.command) {
        EXPECT_EQ(unit_of(c.bank), number % kind.units);
        ++number;
        EXPECT_GE(c.cycle, number * interval);
        EXPECT_LE(c.cycle, number * interval + 28 + 16 / kind.units + 12 + kind.refresh);
        for (unsigned bank = 0; bank < 16; ++bank)
          if (unit_of(bank) == unit_of(c.bank)) {
            EXPECT_FALSE(rows[bank]) << "refreshed with an open row";
            usable[bank] = c.cycle + kind.refresh;
          }
        continue;
      }
      ASSERT_NE(c.command == DramCommand::Refresh || c.command == DramCommand::RefreshBank, true);
      ASSERT_GE(c.cycle, usable[c.bank]);
      beside += c.command == DramCommand::Read &&
                std::any_of(usable.begin(), usable.end(), [&](Cycle until) { return c.cycle < until; });
      if (c.command == DramCommand::Activate) rows[c.bank] = c.row;
      if (c.command == DramCommand::Precharge) rows[c.bank].reset();
    }
    EXPECT_EQ(rig.client(0).answers.size() + rig.client(1).answers.size(), 20'000u);
    EXPECT_NEAR(number, rig.commands.back().cycle / interval, 1);
    EXPECT_GT(number, 40u);
    EXPECT_GT(beside, 1000u);
  }
}

TEST(DramScheduling, AnIdleChannelIsRefreshedInTurnToo) {
  DramRig rig(with_turns("bank", 1));
  for (unsigned bank = 0; bank < 16; ++bank) rig.read(DramRig::at(bank, 0));
  rig.run();
  EXPECT_EQ(rig.engine.next_time(), kNever);
  const Cycle interval = 1904 / 16, later = 1000 * interval + 5;
  rig.engine.run_until(rig.clock.edge(later) - 2);
  const DramStatistics& statistics = rig.unit.statistics();
  EXPECT_NEAR(statistics.refreshes, 1000, 1);
  EXPECT_EQ(statistics.precharges, 16u);
  // The bank whose turn it just was is busy, another is not.
  const unsigned busy = (1000 - 1) % 16;
  rig.read(DramRig::at((busy + 1) % 16, 0), 64);
  rig.run();
  EXPECT_EQ(rig.client().answers.back().time, rig.clock.edge(later + (8 - 5) + 12 + 12 + 2 + 100) + 1);
  rig.read(DramRig::at(busy, 0), 64);
  rig.run();
  EXPECT_EQ(rig.unit.statistics().row_misses, 16u + 2);
}

TEST(DramScheduling, RequestsThatWaitForTheirBanksRefreshOnlyAreServed) {
  for (const char* scheduler : {"fr-fcfs", "fcfs", "fifo"}) {
    config::Gpu gpu = with_turns("bank", 1);
    gpu.dram.scheduler = scheduler;
    DramRig rig(gpu);
    // All to one bank, all the time: across many of its turns.
    for (unsigned i = 0; i < 3000; ++i) rig.read(DramRig::at(3, i % 7, 128 * (i % 32)));
    rig.run();
    EXPECT_EQ(rig.client().answers.size(), 3000u);
    EXPECT_GT(rig.unit.statistics().refreshes, 100u);
  }
}

TEST(DramScheduling, ClosedRowsAreClosedWhenNobodyWaitsForThem) {
  for (const char* scheduler : {"fr-fcfs", "fcfs", "fifo"}) {
    config::Gpu gpu = gtx580_dram();
    gpu.dram.scheduler = scheduler;
    gpu.dram.row_policy = "closed";
    DramRig rig(gpu);
    for (unsigned i = 0; i < 4; ++i) rig.read(DramRig::at(i / 2, 0, 128 * i));
    rig.run();
    EXPECT_EQ(rig.unit.statistics().row_hits, 2u);  // who waits is served first
    EXPECT_EQ(rig.unit.statistics().precharges, 2u);
    EXPECT_EQ(rig.engine.next_time(), kNever);
    rig.read(DramRig::at(0, 1));
    rig.run();
    EXPECT_EQ(rig.unit.statistics().row_conflicts, 0u);
    EXPECT_EQ(rig.unit.statistics().row_misses, 3u);
    expect_legal(rig.commands);
    Random random;
    for (unsigned i = 0; i < 3000; ++i)
      rig.send(random(3) ? Operation::Read : Operation::Write,
               DramRig::at(random(16), random(20), 128 * random(32)));
    rig.run();
    EXPECT_EQ(rig.client().answers.size(), 3005u);
    EXPECT_EQ(rig.unit.statistics().activates, rig.unit.statistics().precharges);
    expect_legal(rig.commands);
  }
}

}  // namespace
}  // namespace duet::test
