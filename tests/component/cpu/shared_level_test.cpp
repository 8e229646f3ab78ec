// A core and a GPU with a shared L3 and one DRAM (machines/fused.toml): what a hit costs either side, that
// each finds there what the other has brought, and that nobody can tell in which order the two are ticked.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>

#include "process_core_rig.h"

namespace duet::test {
namespace {

using namespace rv;

// `chase` follows `steps` pointers, past L1; `fill` writes a word of each of `lines` lines of 128 bytes.
constexpr const char* kKernels = R"(
.version 7.0
.target sm_20
.address_size 64
.visible .entry chase(.param .u64 first, .param .u64 steps) {
  .reg .u64 %d<4>;
  .reg .pred %p;
  ld.param.u64 %d1, [first];
  mov.u64 %d3, %d1;
  ld.param.u64 %d2, [steps];
L:
  ld.global.cg.u64 %d1, [%d1];
  sub.u64 %d2, %d2, 1;
  setp.ne.u64 %p, %d2, 0;
  @%p bra L;
  st.global.u64 [%d3 + 8], %d1;
  ret;
}
.visible .entry fill(.param .u64 first, .param .u64 lines) {
  .reg .u64 %d<6>;
  .reg .pred %p;
  ld.param.u64 %d1, [first];
  ld.param.u64 %d2, [lines];
L:
  st.global.u64 [%d1], %d2;
  add.u64 %d1, %d1, 128;
  sub.u64 %d2, %d2, 1;
  setp.ne.u64 %p, %d2, 0;
  @%p bra L;
  ret;
}
)";

constexpr Bytes kLine = 64;

struct Fused final : ProcessCoreRig {
  explicit Fused(std::uint64_t shuffle = 0, const std::vector<std::string>& sets = {},
                 const std::string& name = "fused")
      : ProcessCoreRig(machine(name, sets), shuffled(shuffle)),
        module(process.load_module(kKernels, "shared.ptx").module) {
    processor.memory().show_programs(0, true);
    processor.memory().programs().map(VirtualAddress(kCode), 0x1000, {true, true, true});
  }
  // Prefetching is off too.
  static config::Machine machine(const std::string& name, const std::vector<std::string>& sets) {
    std::vector<std::string> all{"cpu.l2.prefetcher=none"};
    all.insert(all.end(), sets.begin(), sets.end());
    return machine_without_tlb(name, all);
  }
  void stands(cpu::Core& core) override { machine::ProcessorClient::stands(core); }
  // A ring of pointers, `step` bytes apart.
  VirtualAddress ring(Bytes bytes, Bytes step) {
    memory::AddressSpace& space = process.system().address_space();
    const VirtualAddress first = space.allocate_device(bytes, memory::AllocationKind::Device)->base;
    for (Bytes at = 0; at < bytes; at += step) {
      const std::uint64_t next = (first + (at + step) % bytes).value();
      space.write(first + at, &next, sizeof next);
    }
    return first;
  }
  driver::CommandId submit(const char* kernel, VirtualAddress first, std::uint64_t count) {
    return ProcessRig::submit(*module.find_kernel(kernel), 1, 1, {first.value(), count});
  }
  // Returns its time.
  Picoseconds launch(const char* kernel, VirtualAddress first, std::uint64_t count) {
    const Picoseconds before = process.engine().now();
    finish(submit(kernel, first, count));
    return process.engine().now() - before;
  }
  void put(const Words& program) {
    EXPECT_FALSE(
        processor.memory().programs().write(VirtualAddress(kCode), std::as_bytes(std::span(program))));
  }
  void begin(const Words& program) {
    put(program);
    ProcessCoreRig::begin();
  }
  Picoseconds run(const Words& program) {
    put(program);
    return run_to_end();
  }
  Picoseconds chase_on_core(VirtualAddress first, std::uint64_t steps) {
    registers.x[a0] = first.value();
    registers.x[s0] = steps;
    return run(loop(s0, {ld(a0, 0, a0)}) + Words{kEcall});
  }

  const ptx::Module& module;
};

// Of a load of the GPU, in a ring of this length that has been gone through.
Picoseconds time_of_a_load(Fused& machine, Bytes bytes) {
  const VirtualAddress ring = machine.ring(bytes, 128);
  machine.launch("chase", ring, bytes / 128);
  const Picoseconds once = machine.launch("chase", ring, bytes / 128);
  return (machine.launch("chase", ring, 2 * bytes / 128) - once) / (bytes / 128);
}

double cycles_from_l2_to_l3(std::uint64_t khz, std::uint64_t wire_cycles, const std::string& name = "fused") {
  const std::string clock = std::to_string(khz);
  Fused machine(0,
                {"gpu.core_clock_khz=" + clock, "gpu.interconnect.clock_khz=" + clock,
                 "level[0].wire_cycles=" + std::to_string(wire_cycles)},
                name);
  const std::uint64_t reads = machine.statistic("dram.reads");
  const Picoseconds l2 = time_of_a_load(machine, 64_KiB), l3 = time_of_a_load(machine, 1_MiB);
  EXPECT_GE(machine.statistic("dram.reads"), reads + (64_KiB + 1_MiB) / kLine);
  return static_cast<double>(l3 - l2) * static_cast<double>(khz) / 1e9;
}

// yang2012 section 3: 20 GPU cycles from L2's miss. A line of L2 is two of L3, which come one after the
// other.
TEST(SharedLevel, AHitCostsTheGpuTwentyOfItsCycles) {
  for (const char* name : {"fused", "fused-2012"})
    EXPECT_NEAR(cycles_from_l2_to_l3(480000, 39, name), 20.0, 0.5) << name;
}

// L3 and the wire run at the core's clock, so at other clocks of the GPU the way stays as long in time.
// level[0].wire_cycles makes it 20 cycles again.
TEST(SharedLevel, TheWireKeepsTwentyCyclesAtOtherClocksOfTheGpu) {
  EXPECT_NEAR(cycles_from_l2_to_l3(800000, 39), 20.0 * 800 / 480, 0.5);
  EXPECT_NEAR(cycles_from_l2_to_l3(267000, 39), 20.0 * 267 / 480, 0.5);
  EXPECT_NEAR(cycles_from_l2_to_l3(800000, 19), 20.0, 0.5);
  EXPECT_NEAR(cycles_from_l2_to_l3(267000, 78), 20.0, 0.5);
}

// At another memory clock all timings of DRAM keep their cycles: t = a + n / f.
TEST(SharedLevel, TimingsOfDramAreCyclesOfItsClock) {
  const auto at = [](std::uint64_t khz) {
    Fused machine(0, {"gpu.dram.command_clock_khz=" + std::to_string(khz)});
    return static_cast<double>(time_of_a_load(machine, 8_MiB));
  };
  const double slow = at(300000), usual = at(600000), fast = at(1200000);
  EXPECT_NEAR((slow - usual) / (usual - fast), 2.0, 0.05);
}

// The same section: 40 of the core's cycles.
TEST(SharedLevel, AHitCostsTheCoreFortyOfItsCycles) {
  for (const char* name : {"fused", "fused-2012"}) {
    Fused machine(0, {}, name);
    const VirtualAddress ring = machine.ring(1_MiB, kLine);
    const std::uint64_t steps = 1_MiB / kLine;
    machine.chase_on_core(ring, steps);
    const cpu::CoreStatistics& counted = machine.processor.cores()[0]->statistics();
    const std::uint64_t hits = counted.l3_hits;
    const Picoseconds once = machine.chase_on_core(ring, steps);
    EXPECT_GE(counted.l3_hits, hits + steps);
    const Picoseconds both = machine.chase_on_core(ring, 2 * steps);
    EXPECT_NEAR(static_cast<double>((both - once) / steps) * 2.4e9 / 1e12, 40.0, 0.5) << name;
  }
}

TEST(SharedLevel, EachFindsWhatTheOtherHasBrought) {
  Fused machine;
  const VirtualAddress by_gpu = machine.ring(1_MiB, 128), by_core = machine.ring(1_MiB, kLine);
  machine.launch("chase", by_gpu, 1_MiB / 128);
  const cpu::CoreStatistics& counted = machine.processor.cores()[0]->statistics();
  const std::uint64_t from_memory = counted.lines_from_memory;
  machine.chase_on_core(by_gpu, 1_MiB / 128);
  EXPECT_LE(counted.lines_from_memory, from_memory + 4) << "its own program's lines alone";
  EXPECT_GE(counted.l3_hits, 1_MiB / 128);

  machine.chase_on_core(by_core, 1_MiB / kLine);
  const std::uint64_t reads = machine.statistic("dram.reads");
  machine.launch("chase", by_core, 1_MiB / kLine);
  EXPECT_LE(machine.statistic("dram.reads"), reads + 16) << "the kernel's code alone";
}

// Nothing keeps the core's own caches coherent: a line that it holds stays as it was; one that it does not
// hold comes from L3 as the GPU has written it back.
TEST(SharedLevel, ACoreReadsWhatTheGpuHasWrittenBack) {
  Fused machine;
  const VirtualAddress words = machine.ring(1_MiB, 128), other = machine.ring(1_MiB, 128);
  const std::uint64_t lines = 1_MiB / 128;
  const auto read = [&](VirtualAddress address) {
    machine.registers.x[a0] = address.value();
    machine.run({ld(a1, 0, a0), kEcall});
    return machine.registers.x[a1];
  };
  const std::uint64_t old = read(words);
  machine.launch("fill", words, lines);
  machine.launch("chase", other, lines);  // L2 has room for neither
  EXPECT_EQ(read(words), old);
  EXPECT_EQ(read(words + 128), lines - 1);
}

// What a load that is a guess finds in the core's own caches. L2 of the GPU has room for no ring here, so all
// that it writes gets to L3.
struct Guesses {
  Fused machine;
  const Bytes bytes = 256_KiB;
  const std::uint64_t lines = bytes / 128;
  const VirtualAddress words = machine.ring(bytes, 128), other = machine.ring(1_MiB, 128);
  cpu::Core& core = *machine.processor.cores()[0];

  Guesses() {
    machine.processor.memory().remember_gpu_writes();
    core.suppress_load_faults(true);
  }
  // Hits, of these stale ones, of these wrong ones, of one load of each line.
  std::array<std::uint64_t, 3> read_all() {
    const cpu::CoreStatistics& counted = core.statistics();
    const std::uint64_t hits = counted.private_hits, stale = counted.stale_hits, wrong = counted.wrong_hits;
    machine.registers.x[a0] = words.value();
    machine.registers.x[s0] = lines;
    machine.run(loop(s0, {ld(a1, 0, a0), addi(a0, a0, 128)}) + Words{kEcall});
    return {counted.private_hits - hits, counted.stale_hits - stale, counted.wrong_hits - wrong};
  }
  void write_all() {
    machine.launch("fill", words, lines);
    machine.launch("chase", other, 1_MiB / 128);
  }
};

TEST(SharedLevel, PrivateHitsAreFreshStaleOrWrong) {
  Guesses guesses;
  const std::uint64_t lines = guesses.lines;
  using Counts = std::array<std::uint64_t, 3>;
  EXPECT_EQ(guesses.read_all(), (Counts{0, 0, 0})) << "they are not there yet";
  EXPECT_EQ(guesses.read_all(), (Counts{lines, 0, 0}));
  guesses.write_all();
  EXPECT_EQ(guesses.read_all(), (Counts{lines, lines, lines}));
  guesses.core.drop_lines(guesses.machine.process.engine().now());
  EXPECT_EQ(guesses.read_all(), (Counts{0, 0, 0}));
  EXPECT_EQ(guesses.read_all(), (Counts{lines, 0, 0})) << "they have come since";
  guesses.write_all();
  EXPECT_EQ(guesses.read_all(), (Counts{lines, lines, 0})) << "the same bytes as before";
  guesses.core.suppress_load_faults(false);
  EXPECT_EQ(guesses.read_all(), (Counts{0, 0, 0})) << "of other programs nothing is counted";
}

TEST(SharedLevel, ACoreThatDropsItsLinesLosesNothing) {
  Fused machine;
  cpu::Core& core = *machine.processor.cores()[0];
  const auto value_after = [&](const Words& program) {
    machine.registers.x[a0] = Fused::kCode + 0x800;
    machine.run(program + Words{kEcall});
    return machine.registers.x[a1];
  };
  machine.registers.x[a2] = 4711;
  value_after({sd(a2, 0, a0)});
  EXPECT_GE(core.drop_lines(machine.process.engine().now()), 2u) << "the word's line and the code's";
  EXPECT_EQ(value_after({ld(a1, 0, a0)}), 4711u);
  core.drop_lines(machine.process.engine().now());
  EXPECT_EQ(core.drop_lines(machine.process.engine().now()), 0u);
}

TEST(SharedLevel, TheOrderOfTicksDoesNotShow) {
  const auto outcome = [](std::uint64_t seed, const char* name) {
    Fused machine(seed, {}, name);
    machine.processor.memory().remember_gpu_writes();
    machine.processor.cores()[0]->suppress_load_faults(true);
    const VirtualAddress ring = machine.ring(256_KiB, 128);
    const auto id = machine.submit("fill", ring, 2048);
    // Sums up a word of each line, again and again, while they are written.
    machine.registers.x[s1] = 0;
    machine.registers.x[a2] = ring.value();
    machine.registers.x[a3] = 2048;
    machine.registers.x[s2] = 30;
    const Words pass = loop(s0, {ld(a1, 0, a0), add(s1, s1, a1), addi(a0, a0, 128)});
    machine.begin(loop(s2, Words{addi(a0, a2, 0), addi(s0, a3, 0)} + pass) + Words{kEcall});
    machine.thread->wait(machine.process.config().driver.device_synchronize,
                         [&] { return machine.process.driver().complete(id); });
    machine.process.engine().run_while_not([&] { return machine.ended_at.has_value(); });
    machine.launch("chase", machine.ring(1_MiB, 128), 8192);
    std::vector<std::uint64_t> values = machine.process.system().statistics().totals(false);
    EXPECT_GT(machine.processor.cores()[0]->statistics().stale_hits, 0u);
    values.push_back(machine.registers.x[s1]);
    values.push_back(*machine.ended_at);
    return values;
  };
  for (const char* name : {"fused", "fused-2012"}) {
    const auto first = outcome(0, name);
    for (const std::uint64_t seed : {1, 2, 3}) EXPECT_EQ(outcome(seed, name), first) << name << ' ' << seed;
  }
}

TEST(SharedLevel, AMachineThatCannotBeIsRefused) {
  const auto error_of = [](const std::vector<std::string>& sets) -> std::string {
    try {
      const auto machine = config::load_machine("fused", DUET_SOURCE_DIRECTORY "/machines", sets);
      PlainHost host;
      machine::Process process(machine.machine, nullptr, host, {}, {});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(error_of({"cpu.line_bytes=128"}), "L3: line_bytes = 64 is less than cpu.line_bytes = 128");
  EXPECT_EQ(
      error_of({"gpu.full_empty.granule_bytes=4"}),
      "L3: line_bytes = 64 is less than the 128 of L2 above it: gpu.full_empty.granule_bytes must be 0");
}

}  // namespace
}  // namespace duet::test
