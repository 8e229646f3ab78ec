// From records in a journal to statistics.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.h"
#include "report/journal/journal.h"
#include "report/results/covered_time.h"
#include "report/results/groups.h"
#include "report/run_report.h"
#include "unit/own_folder.h"

namespace duet::report {
namespace {

class Journal : public test::OwnFolder {};

nlohmann::json stats_of(const RunReport& report) {
  std::ostringstream text;
  write_stats_json(text, report);
  return nlohmann::json::parse(text.str());
}

KernelRecord kernel(Picoseconds start, Picoseconds end) {
  KernelRecord record{};
  record.start_ps = start;
  record.end_ps = end;
  record.warp_instructions = 5;
  record.thread_instructions = 100;
  return record;
}

TEST_F(Journal, ProcessesGetNumbersInOrder) {
  JournalWriter first(folder_), second(folder_);
  EXPECT_EQ(first.header().process_index, 0u);
  EXPECT_EQ(second.header().process_index, 1u);
  EXPECT_EQ(journals_in(folder_).size(), 2u);
}

TEST_F(Journal, RecordsComeBackWithoutClosing) {
  JournalWriter writer(folder_);
  writer.header().core_clock_khz = 1'000'000;  // 1 GHz: a cycle is 1000 ps
  writer.append(RecordType::Kernel, kernel(1000, 5000), "first");
  writer.append(static_cast<RecordType>(999), kernel(1, 2), "of a later version");  // is skipped
  writer.append(RecordType::Kernel, kernel(3000, 6000), "second");
  writer.append(RecordType::Kernel, kernel(8000, 9000), "third");
  writer.append(RecordType::Kernel, kernel(2000, 4000), "back in time");
  writer.set_counter(0, "dram.reads", 7);
  writer.set_counter(1, "l1.held_up", 3, true);
  writer.mark(42, "here");
  writer.set_counter(0, "dram.reads", 9);
  ApiCount& count = writer.api("cudaMalloc");
  count.calls += 2;
  count.total_ps += 30;
  EXPECT_EQ(&writer.api("cudaMalloc"), &count);

  const JournalReader journal(journals_in(folder_)[0]);
  const RunReport report = read_report(journal, "m", 0.5, false);
  EXPECT_EQ(report.kernels, 4u);
  EXPECT_EQ(report.gpu_cycles, 5u + 1u);  // 1000..6000 together, then 8000..9000
  EXPECT_EQ(report.warp_instructions, 20u);
  std::ostringstream text;
  write_stats_json(text, report);
  const auto json = nlohmann::ordered_json::parse(text.str());
  EXPECT_EQ(text.str(), json.dump(1) + "\n");  // as if it were written at once
  EXPECT_EQ(json["kernels"][1]["name"], "second");
  EXPECT_EQ(json["kernels"][3]["name"], "back in time");
  EXPECT_EQ(json["schema"], "duet.stats/1");
  EXPECT_EQ(json["totals"]["warp_instructions_per_second"], 40.0);
  EXPECT_EQ(json["marks"][0]["time_ps"], 42);
  EXPECT_EQ(json["marks"][0]["counters"], nlohmann::ordered_json({{"dram.reads", 7}}));
  EXPECT_EQ(json["marks"][0]["state"], nlohmann::ordered_json({{"l1.held_up", 3}}));
  EXPECT_EQ(json["counters"]["dram.reads"], 9);
  EXPECT_FALSE(json["counters"].contains("l1.held_up"));
  EXPECT_EQ(json["api"][0]["calls"], 2);
  for (const char* key : {"machine", "host", "deterministic", "wall_seconds", "simulated_seconds", "kernels",
                          "copies", "counters"})
    EXPECT_TRUE(json.contains(key)) << key;
}

// What rose during a kernel stands with it; what is 0 is left out.
TEST_F(Journal, KernelsHaveTheirStatistics) {
  JournalWriter writer(folder_);
  writer.set_counter(0, "dram.reads", 100);
  writer.set_counter(1, "dram.writes", 200);
  writer.set_counter(2, "l1.held_up", 0, true);
  writer.append(RecordType::Kernel, kernel(1000, 5000), "first");
  writer.append(RecordType::Kernel, kernel(3000, 6000), "second");
  writer.kernel_statistics(1, {7, 0, 0});
  writer.kernel_statistics(0, {5, 6, 0});
  writer.append(RecordType::Kernel, kernel(6000, 6500), "skipped");
  writer.append(RecordType::Kernel, kernel(7000, 8000), "last");
  writer.kernel_statistics(3, {0, 1, 0});
  const JournalReader journal(journals_in(folder_)[0]);
  const auto json = stats_of(read_report(journal, "m", 0.5, false));
  EXPECT_EQ(json["kernels"][0]["counters"], nlohmann::json({{"dram.reads", 5}, {"dram.writes", 6}}));
  EXPECT_EQ(json["kernels"][1]["counters"], nlohmann::json({{"dram.reads", 7}}));
  EXPECT_EQ(json["kernels"][2]["name"], "skipped");
  EXPECT_TRUE(json["kernels"][2]["counters"].empty());
  EXPECT_EQ(json["kernels"][3]["counters"], nlohmann::json({{"dram.writes", 1}}));
  EXPECT_EQ(json["counters"]["dram.reads"], 100);
}

// Beyond the first ones, kernels of the same name, grid and block stand together.
TEST_F(Journal, EqualKernelsAreGrouped) {
  JournalWriter writer(folder_);
  writer.set_counter(0, "dram.reads", 0);
  writer.set_counter(1, "dram.writes", 0);
  for (std::uint64_t i = 0; i < 10; ++i) {
    KernelRecord record = kernel(1000 * i, 1000 * i + 100 + i);
    record.queued_ps = record.driver_start_ps = record.start_ps - std::min<Picoseconds>(record.start_ps, 50);
    record.cycles = 10 + i;
    record.grid[0] = record.grid[1] = record.grid[2] = 1;
    record.block[0] = 32, record.block[1] = record.block[2] = 1;
    record.issue_slots[0] = 3;
    record.complete = 1;
    if (i == 6) record.block[0] = 64;
    writer.append(RecordType::Kernel, record, i % 2 == 0 ? "even" : "odd");
    writer.kernel_statistics(i, {i, i == 8 ? 1000u : 0u});
  }
  const JournalReader journal(journals_in(folder_)[0]);
  RunReport report = read_report(journal, "m", 0.5, false);
  EXPECT_TRUE(stats_of(report)["kernel_groups"].empty());
  report.records = 2;
  const auto json = stats_of(report);
  ASSERT_EQ(json["kernels"].size(), 2u);
  ASSERT_EQ(json["kernel_groups"].size(), 3u);
  const auto& even = json["kernel_groups"][0];  // 2, 4, 8
  EXPECT_EQ(even["name"], "even");
  EXPECT_EQ(even["grid"], nlohmann::json({1, 1, 1}));
  EXPECT_EQ(even["block"], nlohmann::json({32, 1, 1}));
  EXPECT_EQ(even["launches"], 3);
  EXPECT_EQ(even["first_start_ps"], 2000);
  EXPECT_EQ(even["last_end_ps"], 8108);
  EXPECT_EQ(even["driver_ps"], nlohmann::json({{"sum", 150}, {"min", 50}, {"max", 50}}));
  EXPECT_EQ(even["executed_ps"], nlohmann::json({{"sum", 314}, {"min", 102}, {"max", 108}}));
  EXPECT_EQ(even["cycles"], nlohmann::json({{"sum", 44}, {"min", 12}, {"max", 18}}));
  EXPECT_EQ(even["warp_instructions"]["sum"], 15);
  EXPECT_EQ(even["stalls"]["issued"], 9);
  EXPECT_EQ(even["counters"]["dram.reads"], nlohmann::json({{"sum", 14}, {"min", 2}, {"max", 8}}));
  EXPECT_EQ(even["counters"]["dram.writes"], nlohmann::json({{"sum", 1000}, {"min", 0}, {"max", 1000}}));
  EXPECT_EQ(json["kernel_groups"][1]["block"], nlohmann::json({64, 1, 1}));
  EXPECT_EQ(json["kernel_groups"][2]["name"], "odd");
  EXPECT_EQ(json["kernel_groups"][2]["launches"], 4);
  EXPECT_EQ(json["totals"], stats_of(read_report(journal, "m", 0.5, false))["totals"]);
}

TEST_F(Journal, EqualCopiesAreGrouped) {
  JournalWriter writer(folder_);
  for (std::uint64_t i = 0; i < 6; ++i) {
    CopyRecord record{};
    record.kind = i == 5 ? CopyKind::DeviceToHost : CopyKind::HostToDevice;
    record.bytes = i == 4 ? 8 : 4;
    record.start_ps = 10 * i;
    record.end_ps = 10 * i + i;
    writer.append(RecordType::Copy, record);
  }
  const JournalReader journal(journals_in(folder_)[0]);
  RunReport report = read_report(journal, "m", 0.5, false);
  report.records = 0;
  const auto json = stats_of(report);
  EXPECT_TRUE(json["copies"].empty());
  ASSERT_EQ(json["copy_groups"].size(), 3u);
  EXPECT_EQ(json["copy_groups"][0]["kind"], "host_to_device");
  EXPECT_EQ(json["copy_groups"][0]["copies"], 4);
  EXPECT_EQ(json["copy_groups"][0]["bytes"], nlohmann::json({{"sum", 16}, {"min", 4}, {"max", 4}}));
  EXPECT_EQ(json["copy_groups"][1]["bytes"]["sum"], 8);
  EXPECT_EQ(json["copy_groups"][2]["kind"], "device_to_host");
}

// A run in which no two are alike has no more groups than others.
TEST_F(Journal, GroupsHaveALimit) {
  JournalWriter writer(folder_);
  for (std::uint32_t i = 1; i <= kMostGroups + 100; ++i) {
    KernelRecord record = kernel(1, 2);
    record.grid[0] = i;
    record.complete = 1;
    writer.append(RecordType::Kernel, record, "k");
  }
  const JournalReader journal(journals_in(folder_)[0]);
  RunReport report = read_report(journal, "m", 0.5, false);
  report.records = 0;
  const auto groups = stats_of(report)["kernel_groups"];
  EXPECT_EQ(groups.size(), kMostGroups + 1);
  EXPECT_EQ(groups[0]["grid"], nullptr);
  EXPECT_EQ(groups[0]["launches"], 100);
}

TEST(KernelStatistics, ComeBackFromTheirShortForm) {
  const std::vector<std::uint64_t> values = {0, 1, 127, 128, 0, 0, 1ull << 63, ~0ull, 0};
  std::vector<std::byte> bytes;
  add_increases(bytes, values);
  std::vector<std::uint64_t> found(values.size());
  const auto read = [&](std::size_t size) {
    for_each_increase(bytes.data(), size,
                      [&](std::uint32_t counter, std::uint64_t value) { found.at(counter) = value; });
  };
  read(bytes.size());
  EXPECT_EQ(found, values);
  EXPECT_THROW(read(bytes.size() - 1), Error);
  bytes.clear();
  std::vector<std::uint64_t> far(JournalHeader::kMaxCounters + 1);
  far.back() = 1;
  add_increases(bytes, far);
  EXPECT_THROW(read(bytes.size()), Error);
}

TEST(Covered, TimeIsCountedOnce) {
  CoveredTime covered;
  covered.add(10, 20);
  covered.add(30, 40);
  covered.add(15, 30);  // joins the two
  covered.add(50, 60);
  covered.add(52, 55);
  covered.add(5, 5);
  EXPECT_EQ(covered.total(), 40u);
  EXPECT_EQ(covered.kept(), 2u);
  covered.none_before(45);
  EXPECT_EQ(covered.kept(), 1u);
  covered.add(45, 70);
  EXPECT_EQ(covered.total(), 30u + 25u);
  covered.none_before(70);
  covered.add(70, 80);  // touches what is not over
  EXPECT_EQ(covered.total(), 65u);
}

ComponentDescription described(const char* name, const char* role, std::uint32_t parent, std::uint32_t first,
                               std::uint32_t count) {
  ComponentDescription result{};
  std::strcpy(result.name, name);
  std::strcpy(result.role, role);
  result.parent = parent;
  result.level = 1;
  result.first_value = first;
  result.value_count = count;
  return result;
}

// The values that were published last count, also when the writer is ended while it writes the next ones.
TEST_F(Journal, ComponentsHaveTheirStatistics) {
  JournalWriter writer(folder_);
  writer.set_counter(0, "l2.read_hits", 0);
  writer.set_counter(1, "l2.fills", 0);
  writer.describe_components(
      {described("GPU", "none", ComponentDescription::kNoParent, 0, 0),
       described("L2 slice 0", "memory", 0, 0, 2), described("L2 slice 1", "memory", 0, 2, 1)},
      {0, 1, 0});
  const JournalReader journal(journals_in(folder_)[0]);
  const auto report = [&] { return read_report(journal, "m", 0.5, false); };
  EXPECT_TRUE(report().components.empty());  // nothing has been published
  for (std::uint64_t round = 1; round <= 3; ++round) {
    std::uint64_t* const values = writer.next_component_values();
    values[0] = 10 * round;
    values[1] = 0;
    values[2] = 7 * round;
    EXPECT_EQ(report().components_ps, 1000 * (round - 1));
    writer.publish_component_values(1000 * round);
  }
  // Their place stays where it is when the journal goes on to other chunks.
  const std::vector<std::byte> filling(JournalChunk::kBytes);
  for (int i = 0; i < 3; ++i) writer.append(static_cast<RecordType>(999), filling.data(), filling.size());
  writer.append(RecordType::Kernel, kernel(1000, 5000), "behind it");
  writer.next_component_values()[0] = 98;
  writer.publish_component_values(4000);
  EXPECT_EQ(report().components[1].counters[0].second, 98u);
  writer.next_component_values()[0] = 30;
  writer.publish_component_values(3000);
  writer.next_component_values()[0] = 99;
  const RunReport found = report();
  EXPECT_EQ(found.kernels, 1u);
  const auto json = stats_of(found);
  EXPECT_EQ(json["components_ps"], 3000);
  ASSERT_EQ(json["components"].size(), 3u);
  EXPECT_EQ(json["components"][0]["parent"], "");
  const auto& slice = json["components"][1];
  EXPECT_EQ(slice["name"], "L2 slice 0");
  EXPECT_EQ(slice["parent"], "GPU");
  EXPECT_EQ(slice["kind"], "l2");
  EXPECT_EQ(slice["role"], "memory");
  EXPECT_EQ(slice["level"], 1);
  EXPECT_EQ(slice["counters"], nlohmann::json({{"l2.read_hits", 30}}));
  EXPECT_EQ(json["components"][2]["counters"], nlohmann::json({{"l2.read_hits", 21}}));
}

// One entry a function, error and kernel; what has no room is in the last.
TEST_F(Journal, FailedCallsAreCounted) {
  JournalWriter writer(folder_);
  writer.failed_call("cudaFree", "cudaErrorInvalidValue", nullptr, 10);
  writer.failed_call("cudaLaunchKernel", "cudaErrorInvalidValue", "one", 20);
  writer.asked_for_error("cudaErrorInvalidValue");
  writer.failed_call("cudaLaunchKernel", "cudaErrorInvalidValue", "one", 30);
  writer.failed_call("cudaLaunchKernel", "cudaErrorInvalidValue", "other", 40);
  for (std::size_t i = 0; i < JournalHeader::kMaxFailedCalls; ++i)
    writer.failed_call(("call" + std::to_string(i)).c_str(), "e", nullptr, 50 + i);
  const JournalReader journal(journals_in(folder_)[0]);
  const RunReport report = read_report(journal, "m", 0.5, false);
  ASSERT_EQ(report.failures.size(), JournalHeader::kMaxFailedCalls);
  EXPECT_EQ(report.failures[0].unasked, 0u);
  EXPECT_EQ(report.failures[1].calls, 2u);
  EXPECT_EQ(report.failures[1].unasked, 1u);
  EXPECT_EQ(report.failures[1].first_ps, 20u);
  EXPECT_EQ(report.failures[2].kernel, "other");
  EXPECT_TRUE(report.failures[2].launch);
  EXPECT_EQ(report.failures.back().call, "other calls");
  EXPECT_EQ(report.failures.back().calls, 4u);
  EXPECT_EQ(failure_text(report, true),
            "duet: do not trust this run's results: 2 launches failed, and the program did not ask why; "
            "64 other calls failed\n");
}

}  // namespace
}  // namespace duet::report
