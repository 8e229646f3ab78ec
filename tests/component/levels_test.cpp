// Levels of cache between L2 and DRAM that a machine file lists: a whole machine with two of them, of which
// the upper one's slices do not follow the channels. L2 leaves atomics to the level below.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <numeric>

#include "config/loader.h"
#include "process_rig.h"

namespace duet::test {
namespace {

constexpr unsigned kThreads = 256, kBlocks = 64;
constexpr Bytes kBytes = Bytes{kThreads} * kBlocks * 4;

// Every thread adds 1 to its own word, and its word to one of eight counters, atomically.
constexpr const char* kKernel = R"(
.version 7.0
.target sm_20
.address_size 64
.visible .entry count(.param .u64 p, .param .u64 counters) {
  .reg .u32 %r<8>;
  .reg .u64 %d<8>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  ld.param.u64 %d1, [p];
  ld.param.u64 %d2, [counters];
  mul.wide.u32 %d3, %r4, 4;
  add.u64 %d4, %d1, %d3;
  ld.global.u32 %r5, [%d4];
  add.u32 %r5, %r5, 1;
  st.global.u32 [%d4], %r5;
  and.b32 %r6, %r4, 7;
  mul.wide.u32 %d5, %r6, 4;
  add.u64 %d6, %d2, %d5;
  red.global.add.u32 [%d6], %r5;
  ret;
}
)";

std::string level(const std::string& name, unsigned slices, unsigned sets, unsigned latency) {
  return "[[level]]\nname = \"" + name + "\"\nslices = " + std::to_string(slices) +
         "\nsets = " + std::to_string(sets) + "\nlatency_cycles = " + std::to_string(latency) +
         "\nways = 8\nline_bytes = 128\nsector_bytes = 128\nmshrs = 64\nmshr_targets = 8\n"
         "queue_entries = 32\nwrite_back = true\nwrite_allocate = true\nwrite_evict = false\nfetch_on_write "
         "= false\n"
         "hash_sets = true\nreplacement = \"lru\"\natomic_words_per_cycle = 16\n"
         "atomic_conflict_cycles = 2\nwire_cycles = 0\nshared_with_processor = "
         "false\nperfect = false\npending_requests = 0\n[level.interconnect]\nclock_khz = 900000\nflit_bytes "
         "= 32\n"
         "header_bytes = 8\nlatency_cycles = 6\nqueue_packets = 16\n";
}

struct Levels : ProcessRig {
  explicit Levels(const std::string& levels, const std::vector<std::string>& sets = {},
                  std::uint64_t shuffle = 0)
      : ProcessRig(machine(levels, sets), shuffled(shuffle)),
        kernel(process.load_module(kKernel, "levels.ptx").module.find_kernel("count")) {
    memory::AddressSpace& space = process.system().address_space();
    words = space.allocate_device(kBytes, memory::AllocationKind::Device)->base;
    counters = space.allocate_device(32, memory::AllocationKind::Device)->base;
    std::vector<std::uint32_t> first(kBytes / 4);
    std::iota(first.begin(), first.end(), 0);
    space.write(words, first.data(), kBytes);
  }
  static std::string path() {
    return testing::TempDir() + "duet-levels-" + std::to_string(getpid()) + ".toml";
  }
  static config::Machine machine(const std::string& levels, const std::vector<std::string>& sets) {
    std::ofstream(path()) << "base = \"" DUET_SOURCE_DIRECTORY "/machines/gtx580.toml\"\nname = \"levels\"\n"
                          << levels;
    config::Machine machine = config::load_machine(path(), DUET_SOURCE_DIRECTORY "/machines", sets).machine;
    std::remove(path().c_str());
    return machine;
  }
  // Returns its time.
  Picoseconds launch() {
    const Picoseconds before = process.system().engine().now();
    finish(submit(*kernel, kBlocks, kThreads, {words.value(), counters.value()}));
    return process.system().engine().now() - before;
  }
  // After `launches` of them.
  void expect_right(std::uint32_t launches) {
    memory::AddressSpace& space = process.system().address_space();
    std::vector<std::uint32_t> seen(kBytes / 4), sums(8), expected(8);
    for (const VirtualAddress base : {words, counters})
      process.system().settle(base, base == words ? kBytes : 32);
    space.read(words, seen.data(), kBytes);
    space.read(counters, sums.data(), 32);
    for (std::uint32_t i = 0; i < seen.size(); ++i) {
      ASSERT_EQ(seen[i], i + launches) << i;
      for (std::uint32_t k = 1; k <= launches; ++k) expected[i % 8] += i + k;
    }
    EXPECT_EQ(sums, expected);
  }

  const ptx::Kernel* kernel;
  VirtualAddress words, counters;
};

// A small L2, so that much is evicted into the levels below.
const std::vector<std::string> kSmallL2{"gpu.l2.sets=1", "gpu.l2.atomic_words_per_cycle=0"};

TEST(Levels, TwoMoreLevelsKeepEveryByteAndPerformAtomics) {
  const std::string two = level("L3", 5, 16, 20) + level("L4", 6, 256, 30);
  std::vector<Picoseconds> times;
  for (const std::uint64_t seed : {0, 7}) {
    Levels machine(two, kSmallL2, seed);
    for (int i = 0; i < 3; ++i) times.push_back(machine.launch());
    EXPECT_GT(machine.statistic("l2.write_backs"), 0u);
    EXPECT_GT(machine.statistic("l3.read_hits") + machine.statistic("l3.write_hits"), 0u);
    EXPECT_GT(machine.statistic("l4.read_misses"), 0u);
    EXPECT_GT(machine.statistic("l3_interconnect.request_packets"), 0u);
    EXPECT_EQ(machine.statistic("l2.atomics"), 0u);
    // One request for each of the words of a warp's lines: a warp's lanes share the eight counters' line.
    EXPECT_EQ(machine.statistic("l3.atomics"), 3u * kBlocks * kThreads / 32 * 4);
    EXPECT_EQ(machine.statistic("l4.atomics"), 0u);
    machine.expect_right(3);
  }
  for (int i = 0; i < 3; ++i) EXPECT_EQ(times[i], times[i + 3]) << "the order of ticks must not show";
}

// Two lines of L3 for one of L2, in different slices, and a wire between: a request is answered when all of
// its parts are.
TEST(Levels, ALevelWithShorterLinesFarAwayKeepsEveryByte) {
  std::string far = level("L3", 6, 32, 20);
  far.replace(far.find("line_bytes = 128\nsector_bytes = 128"), 35, "line_bytes = 64\nsector_bytes = 64");
  far.replace(far.find("atomic_words_per_cycle = 16"), 27, "atomic_words_per_cycle = 0");
  const std::vector<std::string> small{"gpu.l2.sets=1", "gpu.full_empty.granule_bytes=0"};
  const auto time = [&](std::uint64_t wire, std::uint64_t seed) {
    std::vector<std::string> sets = small;
    sets.push_back("level[0].wire_cycles=" + std::to_string(wire));
    Levels machine(far, sets, seed);
    Picoseconds all = 0;
    for (int i = 0; i < 3; ++i) all += machine.launch();
    EXPECT_GT(machine.statistic("l2.write_backs"), 0u);
    // A fetch of L2 is two of L3; a write-back has as many parts as halves of its line are dirty.
    const std::uint64_t fills = machine.statistic("l2.fills"), back = machine.statistic("l2.write_backs");
    EXPECT_GE(machine.statistic("l3_interconnect.response_packets"), 2 * fills + back);
    EXPECT_LE(machine.statistic("l3_interconnect.response_packets"), 2 * (fills + back));
    machine.expect_right(3);
    return all;
  };
  const Picoseconds near = time(0, 0), far_away = time(300, 0);
  EXPECT_EQ(near, time(0, 5)) << "the order of ticks must not show";
  // Every launch has a chain of some misses: code, a word, a counter.
  EXPECT_GT(far_away, near + Picoseconds{3 * 3 * 2 * 300} * 1000 * 10 / 9);
}

TEST(Levels, MemoryPerformsTheAtomicsThatNoLevelPerforms) {
  Levels machine("", {"gpu.l2.atomic_words_per_cycle=0"});
  machine.launch();
  EXPECT_EQ(machine.statistic("l2.atomics"), 0u);
  machine.expect_right(1);
}

TEST(Levels, ALevelCostsItsLatencyAndSavesAccessesToDram) {
  Levels without("", {"gpu.l2.sets=1"}), fast(level("L3", 6, 256, 1), {"gpu.l2.sets=1"}),
      slow(level("L3", 6, 256, 400), {"gpu.l2.sets=1"});
  for (Levels* machine : {&without, &fast, &slow}) machine->launch();
  const auto reads = [](Levels& machine) { return machine.statistic("dram.reads"); };
  const std::uint64_t before = reads(without), before_fast = reads(fast);
  without.launch();
  const Picoseconds of_fast = fast.launch(), of_slow = slow.launch();
  EXPECT_GT(of_slow, of_fast + 400'000);
  EXPECT_GE(reads(without) - before, kBytes / 128);
  EXPECT_EQ(reads(fast), before_fast) << "all of it lies in L3";
  for (Levels* machine : {&without, &fast, &slow}) machine->expect_right(2);
}

// Everything hits, and DRAM is idle; the same level as it usually is, the control, does not and is slower.
TEST(Levels, APerfectLevelKeepsEveryByteWithoutDram) {
  for (const char* atomics : {"level[0].atomic_words_per_cycle=16", "level[0].atomic_words_per_cycle=0"}) {
    const bool performs = !std::string(atomics).ends_with("=0");
    const auto machine = [&](const char* perfect, std::uint64_t seed) {
      std::vector<std::string> sets = kSmallL2;
      for (const char* set : {atomics, perfect, "gpu.full_empty.granule_bytes=0"}) sets.push_back(set);
      return std::make_unique<Levels>(level("L3", 6, 4, 20), sets, seed);
    };
    const auto usual = machine("level[0].perfect=false", 0), own = machine("level[0].perfect=true", 0),
               shuffled = machine("level[0].perfect=true", 7);
    Picoseconds of_usual = 0, of_own = 0, of_shuffled = 0;
    for (int i = 0; i < 3; ++i) {
      of_usual += usual->launch();
      of_own += own->launch();
      of_shuffled += shuffled->launch();
    }
    for (const auto* one : {&usual, &own, &shuffled}) (*one)->expect_right(3);
    EXPECT_EQ(of_own, of_shuffled) << "the order of ticks must not show";
    // Otherwise what takes long is DRAM's turns at one row.
    if (performs) {
      EXPECT_LT(of_own, of_usual);
    }
    EXPECT_GT(usual->statistic("l3.read_misses"), 0u);
    EXPECT_GT(usual->statistic("l3.evictions"), 0u);
    EXPECT_GT(own->statistic("l3.read_hits"), 0u);
    EXPECT_GT(own->statistic("l3.write_hits"), 0u);
    for (const char* none : {"l3.read_misses", "l3.read_merges", "l3.write_misses", "l3.evictions",
                             "l3.write_backs", "l3.fills"})
      EXPECT_EQ(own->statistic(none), 0u) << none;
    EXPECT_EQ(own->statistic("l3.atomics"), performs ? usual->statistic("l3.atomics") : 0u);
    // Atomics that it does not perform go to DRAM.
    EXPECT_EQ(own->statistic("dram.reads") + own->statistic("dram.writes") == 0, performs);
    EXPECT_EQ(own->statistic("l3.passed") == 0, performs);
  }
}

TEST(Levels, WhatDoesNotFitIsRefusedByName) {
  const auto error_of = [](const std::string& levels, const std::vector<std::string>& sets) -> std::string {
    try {
      Levels machine(levels, sets);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(error_of(level("L3", 5, 16, 20), {}),
            "L3: slices = 5 is not a multiple of gpu.dram.channels = 6, whose controllers it stands above");
  EXPECT_EQ(
      error_of(level("L3", 6, 16, 20), {"level[0].line_bytes=64", "level[0].sector_bytes=64"}),
      "L3: line_bytes = 64 is less than the 128 of L2 above it: gpu.full_empty.granule_bytes must be 0");
  EXPECT_EQ(error_of(level("L3", 6, 16, 20), {"level[0].line_bytes=16"}),
            "--set: level[0].line_bytes = 16 is outside 32 to 128");
  EXPECT_EQ(
      error_of(level("L2", 6, 16, 20), {}),
      Levels::path() +
          ":4: level[0].name = \"L2\" cannot be: a level's name is its own, of letters and digits, as L3");
}

}  // namespace
}  // namespace duet::test
