// Values that make no machine are refused by a line that names the keys.
#include "machine/rules/value_rules.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"

namespace duet::machine {
namespace {

const std::string kMachines = DUET_SOURCE_DIRECTORY "/machines";

std::string refusal(const std::string& machine, const std::vector<std::string>& sets,
                    bool functional = false) {
  try {
    check_values(config::load_machine(machine, kMachines, sets), functional);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ValueRules, ShippedMachinesKeepThem) {
  for (const auto& machine : config::list_machines(kMachines)) {
    if (!config::load_topology(machine.name, kMachines).topology.gpu) continue;
    EXPECT_EQ(refusal(machine.name, {}), "");
    EXPECT_EQ(refusal(machine.name, {}, true), "");
  }
}

struct Wrong {
  std::vector<std::string> sets;
  const char* line;
};

TEST(ValueRules, NameTheKeysOfOneValue) {
  for (const Wrong& wrong : std::vector<Wrong>{
           {{"gpu.l1.sets=48"}, "--set: gpu.l1.sets = 48 is not a power of two: 32 or 64"},
           {{"gpu.sm.instruction_bytes=12"},
            "--set: gpu.sm.instruction_bytes = 12 is not a power of two: 8 or 16"},
           {{"gpu.dram.banks=12"}, "--set: gpu.dram.banks = 12 is not a power of two: 8 or 16"},
           {{"gpu.dram.banks=128"}, "--set: gpu.dram.banks = 128 is more than 64"},
           {{"gpu.sm.max_warps=65"},
            "--set: gpu.sm.max_warps = 65 is more than the 64 of a timed SM: use --functional"},
           {{"gpu.sm.coalesced_threads=4"},
            "--set: gpu.sm.coalesced_threads = 4 is neither 0 nor a power of two from 8 to gpu.sm.warp_width "
            "= 32"},
           {{"gpu.sm.coalesced_threads=24"},
            "--set: gpu.sm.coalesced_threads = 24 is neither 0 nor a power of two from 8 to "
            "gpu.sm.warp_width = 32"},
           {{"gpu.sm.coalesced_threads=64"},
            "--set: gpu.sm.coalesced_threads = 64 is neither 0 nor a power of two from 8 to "
            "gpu.sm.warp_width = 32"},
           {{"gpu.full_empty.granule_bytes=6"},
            "--set: gpu.full_empty.granule_bytes = 6 is neither 0 nor a power of two from 4"},
           {{"gpu.front_end.push_buffer_bytes=300"},
            "--set: gpu.front_end.push_buffer_bytes = 300 is not a multiple of 128"},
           {{"link.packet_payload_bytes=200"},
            "--set: link.packet_payload_bytes = 200 is above 128 and not a multiple of it"},
           {{"gpu.full_empty.granule_bytes=0", "gpu.l2.line_bytes=64", "gpu.l2.sector_bytes=32",
             "link.packet_payload_bytes=100"},
            "--set: link.packet_payload_bytes = 100 is above 64 and not a multiple of it"},
       })
    EXPECT_EQ(refusal("gtx580", wrong.sets), wrong.line);
}

TEST(ValueRules, NameTheKeysOfWhatDoesNotFitTogether) {
  for (const Wrong& wrong : std::vector<Wrong>{
           {{"gpu.l2.sector_bytes=96"},
            "--set: gpu.l2.sector_bytes = 96 does not divide gpu.l2.line_bytes = 128"},
           {{"gpu.l2.line_bytes=64", "gpu.l2.sector_bytes=64"},
            "--set: gpu.l2.line_bytes = 64 is not 128, which full/empty bits want: set "
            "gpu.full_empty.granule_bytes = 0"},
           {{"gpu.l2_slices=7"}, "--set: gpu.l2_slices = 7 is not a multiple of gpu.dram.channels = 6"},
           {{"gpu.sm.instruction_buffer=1"},
            "--set: gpu.sm.instruction_buffer = 1 has no room for gpu.sm.fetch_instructions = 2"},
           {{"gpu.l1.pass_cycles=18"},
            "--set: gpu.l1.pass_cycles = 18 is more than gpu.l1.latency_cycles = 17"},
           {{"gpu.l1.atomic_words_per_cycle=1"},
            "--set: gpu.l1.atomic_words_per_cycle = 1 wants gpu.l1.write_back = true: set it, or 0 atomics "
            "here"},
           {{"gpu.l1.replacement=tree", "gpu.l1.ways=3"},
            "--set: gpu.l1.ways = 3 is not a power of two, as gpu.l1.replacement = \"tree\" wants it"},
           {{"gpu.dram.read_bytes=65"},
            "--set: gpu.dram.read_bytes = 65 is more than gpu.dram.burst_bytes = 64"},
           {{"gpu.dram.page_bytes=1073741824", "gpu.dram.bytes=536870912"},
            "--set: gpu.dram.page_bytes = 1073741824 is more than gpu.dram.bytes = 536870912"},
           {{"gpu.copy_engines.outstanding_packets=3", "link.packet_payload_bytes=512"},
            "--set: gpu.copy_engines.outstanding_packets = 3 is less than the 4 lines of a packet of "
            "link.packet_payload_bytes = 512"},
           {{"gpu.sm.count=246"},
            "--set: gpu.sm.count = 246 gives the interconnect 257 ports with gpu.copy_engines.count = 2, "
            "gpu.copy_engines.ports = 8, gpu.copy_engines.bit_engines = 1 and the host's: 256 are possible"},
           {{"gpu.dram.address_fields=row bank:2 group:2 column:11"},
            "--set: gpu.dram.address_fields = \"row bank:2 group:2 column:11\": column has 11 bits in all: "
            "gpu.dram.row_bytes = 4096 must have 12 bits"},
           {{"gpu.dram.standard=DDR3"},
            "--set: gpu.dram.standard = \"DDR3\": it has no bank groups, so gpu.dram.bank_groups must be 1"},
       })
    EXPECT_EQ(refusal("gtx580", wrong.sets), wrong.line);
  EXPECT_EQ(refusal("gtx580", {"gpu.sm.count=245"}), "");
  EXPECT_EQ(refusal("gtx580", {"gpu.dram.address_fields=row bank:2 group:2 column:12"}), "");
  EXPECT_EQ(refusal("gtx580", {"gpu.dram.address_fields=row"}, true), "") << "the functional GPU has none";
  EXPECT_EQ(refusal("gtx580", {"gpu.dram.queue_entries=0", "gpu.dram.scheduler=fifo"}), "");
}

TEST(ValueRules, APrefetcherHasATableAndNoBits) {
  EXPECT_EQ(refusal("fused", {"gpu.l1.prefetcher=stride"}), "");
  EXPECT_EQ(refusal("gtx580", {"gpu.l1.prefetcher=stride"}),
            "--set: gpu.l1.prefetcher = \"stride\" wants gpu.full_empty.granule_bytes = 0");
  EXPECT_EQ(refusal("fused", {"gpu.l1.prefetch_sets=3"}),
            "--set: gpu.l1.prefetch_sets = 3 is not a power of two: 2 or 4");
}

TEST(ValueRules, AWriteFetchesIntoAWriteBackCacheWithoutBits) {
  EXPECT_EQ(refusal("fused", {"level[0].fetch_on_write=true"}), "");
  EXPECT_EQ(refusal("fused", {"gpu.l2.fetch_on_write=true", "gpu.l2.write_allocate=false"}),
            "--set: gpu.l2.fetch_on_write = true wants gpu.l2.write_back = true and gpu.l2.write_allocate = "
            "true");
  EXPECT_EQ(refusal("gtx580", {"gpu.l2.fetch_on_write=true"}),
            "--set: gpu.l2.fetch_on_write = true wants gpu.full_empty.granule_bytes = 0");
}

TEST(ValueRules, APerfectLevelHasNothingThatItCouldMiss) {
  const std::string perfect = "level[0].perfect=true";
  EXPECT_EQ(refusal("fused", {perfect}), "");
  EXPECT_EQ(refusal("fused", {perfect, "level[0].write_allocate=false"}),
            "--set: level[0].perfect = true wants level[0].write_back = true and level[0].write_allocate = "
            "true");
  EXPECT_EQ(refusal("fused", {perfect, "gpu.l2.fetch_on_write=false", "gpu.full_empty.granule_bytes=4"}),
            "--set: level[0].perfect = true wants gpu.full_empty.granule_bytes = 0");
}

// Each value is within its range.
TEST(ValueRules, LookAtProducts) {
  EXPECT_EQ(
      refusal("gtx580", {"gpu.l2.sets=65536", "gpu.l2.ways=1024"}),
      "--set: gpu.l2.sets = 65536 with gpu.l2.ways = 1024, gpu.l2.line_bytes = 128 and gpu.l2_slices = 12 "
      "makes 98304 MiB of cache: 4096 MiB in all are possible");
  EXPECT_EQ(refusal("gtx580", {"gpu.l2.sets=16384"}), "");
  EXPECT_EQ(refusal("h100", {"gpu.l1.queue_entries=65536"}),
            "--set: gpu.l1.queue_entries = 65536 with gpu.sm.count = 132 makes 8650752 entries: 4194304 are "
            "possible");
  EXPECT_NE(
      refusal("gtx580", {"gpu.front_end.push_buffer_bytes=1073741824", "gpu.front_end.hardware_channels=64"}),
      "");
}

TEST(ValueRules, RowsCanBeUsedBetweenRefreshes) {
  const std::string line = refusal("gtx580", {"gpu.dram.timing.rcd=2000"});
  EXPECT_TRUE(line.find("gpu.dram.timing.refi = 1904 leaves no time between refreshes") != line.npos) << line;
  EXPECT_TRUE(line.find("gpu.dram.timing.rcd = 2000") != line.npos) << line;
  EXPECT_NE(refusal("gtx580", {"gpu.dram.timing.ras=2000"}), "");
  EXPECT_EQ(refusal("gtx580", {"gpu.dram.timing.rcd=2000", "gpu.dram.refresh=false"}), "");
  EXPECT_EQ(refusal("gtx580", {"gpu.dram.timing.rcd=2000"}, true), "");
}

TEST(ValueRules, NameFileAndLine) {
  const std::string path = testing::TempDir() + "duet-values-" + std::to_string(getpid()) + ".toml";
  std::ofstream(path) << "base = \"gtx580\"\nname = \"own\"\n[gpu.l1]\nsets = 48\n";
  EXPECT_EQ(refusal(path, {}), path + ":4: gpu.l1.sets = 48 is not a power of two: 32 or 64");
  std::filesystem::remove(path);
}

TEST(MachineFile, IsAFileOfAMachinesSize) {
  EXPECT_EQ(
      refusal("/dev/zero", {}),
      "/dev/zero is no regular file: a machine is a .toml file (`duet machines` lists those there are)");
  EXPECT_EQ(refusal(kMachines + "/", {}), kMachines +
                                              "/ is a folder: a machine is a .toml file (`duet machines` "
                                              "lists those there are)");
  const std::string pipe = testing::TempDir() + "duet-pipe-" + std::to_string(getpid());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(refusal(pipe, {}).find("is no regular file"), std::string::npos);
  std::filesystem::remove(pipe);
  const std::string large = testing::TempDir() + "duet-large-" + std::to_string(getpid()) + ".toml";
  std::ofstream(large) << std::string((1 << 20) + 1, '#');
  EXPECT_EQ(refusal(large, {}), large + " is no machine: it has more than 1 MiB");
  std::filesystem::remove(large);
}

}  // namespace
}  // namespace duet::machine
