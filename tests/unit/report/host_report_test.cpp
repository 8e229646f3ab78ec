// From the statistics of a simulated host's components to its table and its stats.json.
#include "report/host_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "report/terminal/table_text.h"

namespace duet::report {
namespace {

ComponentResult core(unsigned number, std::uint64_t instructions, std::uint64_t cycles) {
  ComponentResult made;
  made.name = "core " + std::to_string(number);
  made.kind = "core";
  made.counters = {{"core.instructions", instructions},
                   {"core.cycles", cycles},
                   {"core.slots_used", instructions + 10},
                   {"core.squashed", 10},
                   {"core.slots_bad_speculation", 5},
                   {"core.slots_memory_below", 4 * cycles - instructions - 15},
                   {"core.l1_misses", 40},
                   {"core.instruction_misses", 2},
                   {"core.l3_hits", 7},
                   {"core.lines_from_memory", 20},
                   {"core.lines_from_cores", 3},
                   {"core.mispredictions", 8}};
  return made;
}

HostReport report_of(unsigned cores, unsigned threads) {
  HostReport report;
  report.machine = "some-machine";
  report.command = "./app";
  report.processor.clock_khz = 1'000'000;
  report.wall_seconds = 2;
  report.simulated_ps = 2'000'000;  // 2000 cycles
  report.processor.has_l2 = report.processor.has_l3 = true;
  for (unsigned i = 0; i < cores; ++i) report.components.push_back(core(i, 1000 + i, i == 1 ? 0 : 2000));
  ComponentResult memory;
  memory.kind = "host_memory";
  memory.counters = {{"host_memory.read_bytes", 4000}, {"host_memory.written_bytes", 1000}};
  report.components.push_back(memory);
  add_components(report.processor, report.components);
  for (unsigned i = 0; i < threads; ++i)
    report.processor.threads.push_back({1000 + i, "a name of its own", 1'000'000, 500});
  return report;
}

TEST(HostReport, WhatWasDoneAgainIsLost) {
  const HostReport report = report_of(1, 1);
  ASSERT_EQ(report.processor.cores.size(), 1u);
  const CoreResult& only = report.processor.cores[0];
  EXPECT_EQ(only.slots.slots[0], 1000u);
  EXPECT_EQ(only.slots.slots[1], 15u);
  EXPECT_EQ(std::accumulate(only.slots.slots.begin(), only.slots.slots.end(), std::uint64_t{0}), 8000u);
  EXPECT_EQ(only.l1_misses, 42u);
  EXPECT_EQ(only.l2_misses, 30u);
  EXPECT_EQ(only.l3_misses, 20u);
  EXPECT_EQ(report.processor.dram_read_bytes, 4000u);
  EXPECT_EQ(report.processor.dram_written_bytes, 1000u);
}

// Of one that was killed: its last slots have not been counted, but that they were squashed has.
TEST(HostReport, NoMoreIsLostThanWasUsed) {
  const CoreResult core = core_result(
      "core 0", {{"core.cycles", 2}, {"core.slots_used", 3}, {"core.squashed", 10}, {"core.slots_core", 5}});
  EXPECT_EQ(core.slots.slots[0], 0u);
  EXPECT_EQ(std::accumulate(core.slots.slots.begin(), core.slots.slots.end(), std::uint64_t{0}), 8u);
}

TEST(HostReport, TheTableHasARowForEachCoreThatHadAThread) {
  const std::string table = host_table(report_of(3, 2));
  EXPECT_NE(table.find("duet: some-machine: 2.000 us simulated, 2.00 s wall, 3003 instructions"),
            std::string::npos);
  EXPECT_NE(table.find("    core 0 "), std::string::npos);
  EXPECT_EQ(table.find("    core 1 "), std::string::npos);
  EXPECT_NE(table.find("    all "), std::string::npos);
  // 5000 bytes in 2 us; 42 misses in 1000 instructions; 0.50 instructions a cycle; the whole run.
  EXPECT_NE(table.find(" 2500.0 MB/s\n"), std::string::npos);
  EXPECT_NE(table.find(" 0.50  100.0              42.00  30.00  20.00       8.00\n"), std::string::npos);
  EXPECT_EQ(table.find("not complete"), std::string::npos);
}

TEST(HostReport, ManyCoresAndThreadsAreOneRow) {
  const std::string table = host_table(report_of(20, 30));
  EXPECT_NE(table.find("    11 others "), std::string::npos);
  EXPECT_NE(table.find("    22 others                    11000      22.000 us\n"), std::string::npos);
}

TEST(HostReport, ALevelThatIsNotThereHasNoMisses) {
  HostReport report = report_of(1, 1);
  report.processor.has_l3 = false;
  report.failure = "every thread waits for another\n  thread 1000";
  const std::string table = host_table(report);
  EXPECT_NE(table.find("  30.00      -       8.00\n"), std::string::npos);
  EXPECT_NE(table.find("  not complete: every thread waits for another\n"), std::string::npos);
  EXPECT_EQ(table.find("thread 1000\n"), std::string::npos);
}

TEST(HostReport, StatsJsonSaysHowItEnded) {
  HostReport report = report_of(2, 1);
  report.status = 139;
  report.signal = 11;
  report.failure = "ended by signal 11";
  std::ostringstream text;
  write_host_stats_json(text, report);
  const auto json = nlohmann::json::parse(text.str());
  EXPECT_EQ(json["schema"], "duet.host_stats/1");
  EXPECT_EQ(json["complete"], false);
  EXPECT_EQ(json["status"], 139);
  EXPECT_EQ(json["signal"], 11);
  EXPECT_EQ(json["failure"], "ended by signal 11");
  EXPECT_EQ(json["cores"].size(), 2u);
  EXPECT_EQ(json["cores"][0]["slots"]["bad_speculation"], 15);
  EXPECT_EQ(json["threads"][0]["name"], "a name of its own");
  EXPECT_EQ(json["totals"]["instructions_per_second"], 1000.5);
}

// A processor of one core of whose slots each use has so many.
ProcessorResult processor_of(const std::array<std::uint64_t, CoreSlots::kUses>& slots, std::uint64_t cycles,
                             std::size_t cores = 1) {
  ProcessorResult processor;
  processor.clock_khz = 1'000'000;
  processor.cores.resize(cores);
  processor.cores[0].slots.slots = slots;
  processor.cores[0].cycles = cycles;
  processor.cores[0].instructions = 2000;
  processor.cores[0].mispredictions = 30;
  processor.cores[0].l2_misses = 8;
  processor.cores[0].l3_misses = 6;
  return processor;
}

TEST(HostReport, TheHeadlineNamesWhatDominates) {
  const char* const words[] = {
      "did the program's work",
      "were lost to wrong predictions (15.00 mispredictions per 1000 instructions)",
      "were lost as fetch had nothing more",
      "waited for instructions that the caches lacked",
      "waited for loads from L2",
      "waited for loads from below L2 (75.0 % of the lines that it lacked came from DRAM)",
      "waited for room in the store buffer",
      "waited for slow or dependent instructions",
      "waited at system calls, atomics and fences"};
  for (std::size_t use = 0; use < CoreSlots::kUses; ++use) {
    std::array<std::uint64_t, CoreSlots::kUses> slots{};
    slots[0] = 30;
    slots[use] = 970;
    const std::string headline = processor_headline(processor_of(slots, 250), 250'000);
    EXPECT_EQ(headline, use == 0 ? std::string("100.0 % of the dispatch slots did the program's work.")
                                 : std::string("97.0 % of the dispatch slots ") + words[use] +
                                       ", 3.0 % did the program's work.");
    EXPECT_NE(host_table(report_of(1, 1)).find("of the dispatch slots waited for loads from below"),
              std::string::npos);
  }
}

TEST(HostReport, TheHeadlineHasThreePartsAtMostAndTheWork) {
  EXPECT_EQ(
      processor_headline(processor_of({10, 0, 200, 0, 0, 0, 300, 400, 90}, 250), 250'000),
      "40.0 % of the dispatch slots waited for slow or dependent instructions, 30.0 % waited for room in "
      "the store buffer, 20.0 % were lost as fetch had nothing more, 1.0 % did the program's work.");
  EXPECT_EQ(processor_headline(processor_of({960, 0, 0, 0, 0, 0, 0, 0, 40}, 250), 250'000),
            "96.0 % of the dispatch slots did the program's work.");
}

TEST(HostReport, TheHeadlineSaysThatCoresWereIdle) {
  EXPECT_EQ(
      processor_headline(processor_of({1000}, 250, 4), 2'500'000),
      "No thread was on a core for at least 90.0 % of the time: the program waited. 100.0 % of the dispatch "
      "slots did the program's work.");
  EXPECT_EQ(
      processor_headline(processor_of({1000}, 250, 4), 250'000),
      "1.00 of 4 cores had a thread, on average. 100.0 % of the dispatch slots did the program's work.");
  EXPECT_EQ(processor_headline(processor_of({}, 0), 250'000), "");
  EXPECT_EQ(processor_headline(processor_of({1}, 1), 0), "");
}

TEST(HostReport, SharesAddUp) {
  const auto sum = [](const std::vector<std::uint64_t>& parts) {
    const auto shares = tenths_of_percent(parts);
    return std::accumulate(shares.begin(), shares.end(), std::uint64_t{0});
  };
  EXPECT_EQ(sum({1, 1, 1}), 1000u);
  EXPECT_EQ(sum({7, 0, 13, 29, 31}), 1000u);
  EXPECT_EQ(sum({~0ull / 4, ~0ull / 4, 5}), 1000u);
  EXPECT_EQ(sum({0, 0}), 0u);
}

}  // namespace
}  // namespace duet::report
