// Values of [cpu] that make no processor are refused by a line that names the keys; keys that do nothing are
// told.
#include "machine/rules/cpu_rules.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace duet::machine {
namespace {

const std::string kCpuMachines = DUET_SOURCE_DIRECTORY "/machines";

std::string cpu_refusal(const std::vector<std::string>& sets, const std::string& machine = "xeon-e3-1245") {
  try {
    check_cpu_values(config::load_topology(machine, kCpuMachines, sets));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(CpuRules, ShippedMachinesKeepThem) {
  unsigned processors = 0;
  for (const auto& machine : config::list_machines(kCpuMachines)) {
    if (!config::load_topology(machine.name, kCpuMachines).topology.cpu) continue;
    ++processors;
    EXPECT_EQ(cpu_refusal({}, machine.name), "");
  }
  EXPECT_GE(processors, 4u);
}

TEST(CpuRules, NameTheKeys) {
  EXPECT_EQ(cpu_refusal({"cpu.l1.sets=48"}), "--set: cpu.l1.sets = 48 is not a power of two: 32 or 64");
  EXPECT_EQ(cpu_refusal({"cpu.l3.sets=1000"}),
            "--set: cpu.l3.sets = 1000 is not a power of two: 512 or 1024");
  EXPECT_EQ(cpu_refusal({"cpu.line_bytes=96"}),
            "--set: cpu.line_bytes = 96 is not a power of two: 64 or 128");
  EXPECT_EQ(cpu_refusal({"cpu.load_entries=169"}),
            "--set: cpu.load_entries = 169 is more than cpu.rob_entries = 168");
  EXPECT_EQ(cpu_refusal({"cpu.load_entries=168"}), "");
  EXPECT_EQ(cpu_refusal({"cpu.l2.sets=65536", "cpu.l2.ways=64"}),
            "--set: cpu.l2.sets = 65536 with cpu.l2.ways = 64, cpu.line_bytes = 64 and cpu.cores = 4 makes "
            "1024 MiB of "
            "cache: 1024 MiB in all are possible");
  EXPECT_EQ(cpu_refusal({"cpu.l2.sets=0", "cpu.l3.sets=0"}), "");
}

TEST(CpuRules, KeysThatDoNothingAreTold) {
  const auto idle = [](const std::vector<std::string>& sets) {
    std::string text;
    for (const std::string& line :
         idle_cpu_settings(config::load_topology("xeon-e3-1245", kCpuMachines, sets)))
      text += line + "\n";
    return text;
  };
  EXPECT_EQ(idle({"cpu.l2.ways=4"}), "");
  EXPECT_EQ(idle({"cpu.l2.sets=0"}), "");
  EXPECT_EQ(idle({"cpu.l2.sets=0", "cpu.l2.ways=4"}),
            "--set: cpu.l2.ways = 4 does nothing: cpu.l2.sets is 0: there is no L2\n");
  EXPECT_EQ(idle({"cpu.l3.sets=0", "cpu.l3.mshrs=4"}),
            "--set: cpu.l3.mshrs = 4 does nothing: cpu.l3.sets is 0: there is no L3\n");
  EXPECT_EQ(idle({"cpu.l2.prefetcher=none", "cpu.l2.prefetch_lines=4"}),
            "--set: cpu.l2.prefetch_lines = 4 does nothing: cpu.l2.prefetcher is \"none\"\n");
  EXPECT_EQ(idle({"cpu.l2.sets=0", "cpu.l1.prefetcher=next-line", "cpu.l1.prefetch_lines=4"}), "");
}

}  // namespace
}  // namespace duet::machine
