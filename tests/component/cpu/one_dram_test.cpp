// Cores and a GPU with one DRAM and no cache in common (machines/tk1.toml): nothing is coherent, and the
// driver has caches write back: what that takes, and what each side then finds.
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <span>

#include "machine/host/cpu_maintenance.h"
#include "process_core_rig.h"

namespace duet::test {
namespace {

using namespace rv;

// `bump` adds one to a word of each of `lines` lines of 64 bytes.
constexpr const char* kBump = R"(
.version 7.0
.target sm_30
.address_size 64
.visible .entry bump(.param .u64 first, .param .u64 lines) {
  .reg .u64 %d<6>;
  .reg .pred %p;
  ld.param.u64 %d1, [first];
  ld.param.u64 %d2, [lines];
L:
  ld.global.cg.u64 %d3, [%d1];
  add.u64 %d3, %d3, 1;
  st.global.u64 [%d1], %d3;
  add.u64 %d1, %d1, 64;
  sub.u64 %d2, %d2, 1;
  setp.ne.u64 %p, %d2, 0;
  @%p bra L;
  ret;
}
)";

struct Tk1 final : OneDramRig {
  static constexpr Bytes kLine = 64;
  explicit Tk1(const std::vector<std::string>& sets = {}, std::uint64_t shuffle = 0)
      : OneDramRig("tk1", kBump, sets, shuffle) {}
  // A word of each of so many lines of the data, from the first on.
  void write_lines(std::uint64_t lines, std::uint64_t value) {
    registers.x[a0] = Tk1::kData;
    registers.x[a1] = value;
    registers.x[s0] = lines;
    run(loop(s0, {sd(a1, 0, a0), addi(a0, a0, Tk1::kLine)}) + Words{kEcall});
  }
  std::uint64_t read(std::uint64_t line) { return read_word(line * Tk1::kLine); }
  PhysicalAddress frame(std::uint64_t line) {
    return memory.place_of(VirtualAddress(Tk1::kData + line * Tk1::kLine));
  }
  // In DRAM itself.
  std::uint64_t in_memory(std::uint64_t line) {
    std::uint64_t value = 0;
    std::memcpy(&value, process.system().address_space().memory().bytes(frame(line)), sizeof value);
    return value;
  }
  // The kernel reaches the data under the program's addresses, with these attributes.
  void map_for_gpu(const memory::PageAttributes& pages) {
    process.system().address_space().map_frames(
        VirtualAddress(Tk1::kData), Tk1::kDataBytes, memory::AllocationKind::Pinned, pages, 0,
        [this](VirtualAddress page) { return process.frame_of(page); });
  }
  void launch(std::uint64_t lines, std::vector<driver::CacheJob> after = {}) {
    driver::Command command = launch_of(*module.find_kernel("bump"), 1, 1, {kData, lines});
    command.caches_after = std::move(after);
    finish(thread->submit(std::move(command)));
  }
  // Returns its time.
  Picoseconds maintain(std::uint64_t lines, machine::CacheOperations operations) {
    machine::CpuMaintenance::Job job;
    for (std::uint64_t at = 0; at < lines; at += 4096 / Tk1::kLine)
      job.ranges.push_back({frame(at), std::min<Bytes>(4096, (lines - at) * Tk1::kLine)});
    job.operations = operations;
    return maintain(std::move(job));
  }
  Picoseconds maintain(machine::CpuMaintenance::Job job) {
    const Picoseconds before = process.engine().now();
    machine::CpuMaintenance& cores = *process.system().cpu_maintenance();
    const std::uint64_t id = cores.begin(std::move(job));
    EXPECT_TRUE(process.engine().run_while_not([&] { return cores.complete(id); }));
    return process.engine().now() - before;
  }
};

memory::PageAttributes cached_by_gpu() {
  memory::PageAttributes pages;
  pages.cacheability = {false, false, true};
  pages.home = memory::Home::OneDram;
  return pages;
}

TEST(OneDram, WhatCoresWriteIsInMemoryWhenItIsCleaned) {
  for (const std::uint64_t lines : {1u, 2u, 64u, 65u}) {
    Tk1 machine;
    machine.write_lines(lines, 4711);
    EXPECT_NE(machine.in_memory(lines - 1), 4711u) << "caches have it";
    const std::uint64_t writes = machine.statistic("dram.writes");
    machine.maintain(lines, {true, false});
    for (std::uint64_t i = 0; i < lines; ++i) EXPECT_EQ(machine.in_memory(i), 4711u) << i;
    EXPECT_EQ(machine.statistic("dram.writes"), writes + lines);
    EXPECT_EQ(machine.statistic("cpu_maintenance.lines"), lines);
    EXPECT_EQ(machine.statistic("cpu_maintenance.held"), lines);
    machine.maintain(lines, {true, false});
    EXPECT_EQ(machine.statistic("dram.writes"), writes + lines) << "it was clean";
  }
}

// A line that is not held costs the loop's cycles; n and n + 1.
TEST(OneDram, ALineOfARangeCostsItsCycles) {
  constexpr double kCycle = 1e9 / 2320000;  // ps
  for (const std::uint64_t cycles : {8u, 50u}) {
    const std::vector<std::string> sets{"memory_fabric.maintenance.cpu_line_cycles=" +
                                        std::to_string(cycles)};
    const auto time = [&](std::uint64_t lines) {
      Tk1 machine(sets);
      return static_cast<double>(machine.maintain(lines, {true, true}));
    };
    EXPECT_NEAR(time(1001) - time(1000), static_cast<double>(cycles) * kCycle, 2 * kCycle) << cycles;
    EXPECT_NEAR(time(2000) - time(1000), 1000 * static_cast<double>(cycles) * kCycle, 20 * kCycle) << cycles;
  }
}

TEST(OneDram, WholeCachesCostEachSetAndWay) {
  const auto time = [](const char* cycles) {
    Tk1 machine({std::string("memory_fabric.maintenance.cpu_set_way_cycles=") + cycles});
    machine.write_lines(3, 7);
    machine::CpuMaintenance::Job job;
    job.operations = {true, true};
    const Picoseconds taken = machine.maintain(std::move(job));
    EXPECT_EQ(machine.in_memory(2), 7u);
    // 2,048 x 16 lines of L3 and 256 x 2 of each core's L1.
    EXPECT_EQ(machine.statistic("cpu_maintenance.lines"), 2048u * 16 + 4 * 512);
    return static_cast<double>(taken);
  };
  EXPECT_NEAR(time("9") - time("8"), (2048.0 * 16 + 4 * 512) * 1e9 / 2320000, 1e5);
}

// A line that cores hold stays as it was, whatever the GPU writes below.
TEST(OneDram, CoresFindWhatTheGpuWroteWhenBothSidesAreMaintained) {
  const auto read_after = [](bool gpu, bool cores) {
    Tk1 machine;
    machine.map_for_gpu(cached_by_gpu());
    machine.write_lines(100, 5);
    machine.maintain(100, {true, false});
    EXPECT_EQ(machine.read(99), 5u);  // held again
    machine.launch(
        100, gpu ? std::vector<driver::CacheJob>{{VirtualAddress(Tk1::kData), 100 * Tk1::kLine, true, false}}
                 : std::vector<driver::CacheJob>());
    if (cores) machine.maintain(100, {false, true});
    return machine.read(99);
  };
  EXPECT_EQ(read_after(true, true), 6u);
  EXPECT_EQ(read_after(true, false), 5u) << "the core's line is old";
  EXPECT_EQ(read_after(false, true), 5u) << "L2 has it";
}

// The line has left the cores' own caches, and L3 has it: clean bytes that memory has newer ones of.
TEST(OneDram, TheCacheBelowTheDirectoryGivesUpCleanLinesToo) {
  for (const bool invalidates : {false, true}) {
    Tk1 machine;
    machine.map_for_gpu(cached_by_gpu());
    machine.write_lines(4096, 5);  // 256 KB: of the first lines L1 has none
    machine.maintain(4096, {true, false});
    for (std::uint64_t line = 0; line < 2; ++line) EXPECT_EQ(machine.read(line), 5u);
    machine.write_lines(0x1000, 5);
    machine.maintain(4096, {true, false});
    machine.launch(2, {{VirtualAddress(Tk1::kData), 2 * Tk1::kLine, true, false}});
    if (invalidates) machine.maintain(2, {false, true});
    EXPECT_EQ(machine.read(1), invalidates ? 6u : 5u);
  }
}

TEST(OneDram, L2WritesBackRangesOrAll) {
  for (const bool whole : {false, true}) {
    Tk1 machine;
    machine.map_for_gpu(cached_by_gpu());
    machine.launch(10);
    EXPECT_EQ(machine.in_memory(9), 0u);
    driver::Command command;
    command.kind = driver::CommandKind::CacheMaintenance;
    command.cost = &machine.process.config().driver.memset;
    command.stream = machine.stream;
    command.caches_before = {
        {VirtualAddress(Tk1::kData), whole ? memory::CacheCommand::kWhole : 5 * Tk1::kLine, true, true}};
    machine.finish(machine.thread->submit(std::move(command)));
    for (std::uint64_t line = 0; line < 10; ++line)
      EXPECT_EQ(machine.in_memory(line), whole || line < 5 ? 1u : 0u) << line;
  }
}

// Past its caches the GPU meets nobody: bytes are in memory at once.
TEST(OneDram, WhatTheGpuDoesNotCacheIsInMemory) {
  Tk1 machine;
  memory::PageAttributes pages = cached_by_gpu();
  pages.cacheability.gpu_l2 = false;
  machine.map_for_gpu(pages);
  machine.launch(10);
  EXPECT_EQ(machine.in_memory(9), 1u);
  EXPECT_EQ(machine.read(9), 1u) << "no core has held it";
}

TEST(OneDram, TheOrderOfTicksDoesNotShow) {
  const auto outcome = [](std::uint64_t seed) {
    Tk1 machine({}, seed);
    machine.map_for_gpu(cached_by_gpu());
    machine.write_lines(500, 3);
    const Picoseconds first = machine.maintain(500, {true, true});
    machine.launch(500, {{VirtualAddress(Tk1::kData), 500 * Tk1::kLine, true, true}});
    return std::tuple(first, machine.read(499), machine.process.engine().now(),
                      machine.statistic("dram.reads"), machine.statistic("dram.row_hits"),
                      machine.statistic("memory_fabric.request_waiting_ps"));
  };
  for (const std::uint64_t seed : {1u, 2u, 3u}) EXPECT_EQ(outcome(seed), outcome(0)) << seed;
}

}  // namespace
}  // namespace duet::test
