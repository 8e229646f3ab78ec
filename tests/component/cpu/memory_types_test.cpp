// Pages that no cache holds: how long their accesses take, how many requests they make, what stays in caches,
// and which values they have.
#include "core_rig.h"

namespace duet::test {
namespace {

using namespace rv;
using rv64::MemoryType;

constexpr std::uint64_t kPages = CoreRig::kData, kPage = rv64::kPageBytes;
constexpr Word kFenceStores = 0x0110000f, kFenceLoads = 0x0220000f;

// Without L3, at 2 GHz, and with a memory of 100 cycles and no limit that counts: of an access one cycle
// more, because the directory looks at its edges.
const std::vector<std::string> kPlain{"cpu.clock_khz=2000000", "cpu.l3.sets=0", "host.dram_latency_ns=50",
                                      "host.dram_bandwidth_mb_per_s=1000000", "cpu.l2.prefetcher=none"};
Cycle way_to_memory(const config::Cpu& cpu) {
  return cpu.to_directory_cycles + 101 + cpu.from_directory_cycles;
}

// A chain of loads of an address that holds itself.
Cycle chain(MemoryType type, unsigned links, std::vector<std::string> sets = kPlain) {
  CoreRig rig(sets);
  rig.set_type(kPages, type);
  rig.write(kPages, kPages);
  rig.x(a1) = kPages;
  rig.x(s0) = links;
  rig.program(0, loop(s0, {ld(a1, 0, a1)}) + Words{kEcall});
  const Cycle cycles = rig.run();
  EXPECT_EQ(rig.x(a1), kPages);
  return cycles;
}

TEST(MemoryTypes, AnUncachedLoadTakesTheMemorysTimeAtEveryAccess) {
  const Cycle way = way_to_memory(CoreRig(kPlain).config());
  for (const unsigned n : {2u, 3u, 4u, 100u})
    EXPECT_EQ(chain(MemoryType::Uncached, n) - chain(MemoryType::Uncached, n - 1), way) << n;
  std::vector<std::string> slower = kPlain;
  slower[2] = "host.dram_latency_ns=51";
  EXPECT_EQ(chain(MemoryType::Uncached, 100, slower) - chain(MemoryType::Uncached, 99, slower), way + 2);
  EXPECT_LT(chain(MemoryType::WriteBack, 100) - chain(MemoryType::WriteBack, 99), 10u);
}

// So many loads that need nothing of each other.
Cycle side_by_side(MemoryType type, unsigned loads, const std::string& most) {
  std::vector<std::string> sets = kPlain;
  sets.push_back(most);
  CoreRig rig(sets);
  rig.set_type(kPages, type);
  rig.x(a1) = kPages;
  Words body;
  for (unsigned i = 0; i < loads; ++i) body.push_back(ld(a2, 8 * static_cast<int>(i), a1));
  rig.program(0, body + Words{kEcall});
  return rig.run();
}

TEST(MemoryTypes, SeveralUncachedLoadsAreOnTheirWayAtOnce) {
  const Cycle way = way_to_memory(CoreRig(kPlain).config());
  const auto more = [](MemoryType type, const std::string& most) {
    return side_by_side(type, 20, most) - side_by_side(type, 10, most);
  };
  EXPECT_LT(more(MemoryType::Uncached, "cpu.l1.misses=20"), way / 4);
  EXPECT_LT(more(MemoryType::Uncached, "cpu.l1.misses=10"), way + way / 4);
  EXPECT_GE(more(MemoryType::Uncached, "cpu.l1.misses=10"), way);
  EXPECT_EQ(more(MemoryType::Uncached, "cpu.l1.misses=1"), 10 * way);
  EXPECT_GE(more(MemoryType::Device, "cpu.l1.misses=20"), 10 * way);
}

TEST(MemoryTypes, NothingOfUncachedPagesStaysInCaches) {
  const auto fills = [](MemoryType type, unsigned rounds) {
    CoreRig rig({"cpu.l2.prefetcher=none"});
    rig.set_type(kPages, type);
    rig.x(s0) = rounds;
    rig.x(s1) = 32;
    rig.x(a1) = kPages;
    rig.program(0, loop(s0, {ld(a2, 0, a1), sd(a2, 8, a1), addi(a1, a1, 64)}) + Words{kFence, kEcall});
    rig.run();
    return std::array{rig.counted("l3.fills"), rig.counted("directory.fetches"), rig.counted("l3.passed")};
  };
  const auto few = fills(MemoryType::Uncached, 8), many = fills(MemoryType::Uncached, 40);
  EXPECT_EQ(few[0], many[0]);
  EXPECT_EQ(few[1], many[1]);
  EXPECT_EQ(many[2] - few[2], 2u * 32);  // a load and a write of each line
  EXPECT_EQ(fills(MemoryType::WriteBack, 40)[0] - fills(MemoryType::WriteBack, 8)[0], 32u);
}

// ---- stores ----

TEST(MemoryTypes, StoresToOneLineAreOneRequest) {
  const auto requests = [](unsigned stores) {
    CoreRig rig;
    rig.set_type(kPages, MemoryType::Uncached);
    rig.x(a1) = kPages;
    Words body;
    for (unsigned i = 0; i < stores; ++i) body.push_back(sd(a1, 8 * static_cast<int>(i), a1));
    rig.program(0, body + Words{kFence, kEcall});
    rig.run();
    for (unsigned i = 0; i < stores; ++i) EXPECT_EQ(rig.read(kPages + 8 * i), kPages);
    EXPECT_EQ(rig.read(kPages + 8 * stores), 0u);
    EXPECT_EQ(rig.counted("core.uncached_stores"), stores);
    EXPECT_EQ(rig.counted("host_memory.writes"), rig.counted("core.combined_writes"));
    return rig.counted("core.combined_writes");
  };
  EXPECT_EQ(requests(1), 1u);
  EXPECT_EQ(requests(7), 1u);
  EXPECT_EQ(requests(8), 1u);
  EXPECT_EQ(requests(9), 2u);
  EXPECT_EQ(requests(32), 4u);
}

TEST(MemoryTypes, ScatteredBytesOfALineAreOneRequestAndLeaveTheOthers) {
  CoreRig rig;
  rig.set_type(kPages, MemoryType::Uncached);
  for (unsigned i = 0; i < 64; i += 8) rig.write(kPages + i, 0x1111111111111111);
  rig.x(a1) = kPages;
  rig.x(a0) = 0xabcd;
  rig.program(0, {store(0, a0, 1, a1), store(0, a0, 63, a1), store(1, a0, 34, a1), store(1, a0, 34, a1),
                  kFence, ld(a2, 0, a1), ld(a3, 32, a1), ld(a4, 56, a1), kEcall});
  rig.run();
  EXPECT_EQ(rig.counted("core.combined_writes"), 1u);
  EXPECT_EQ(rig.x(a2), 0x111111111111cd11u);
  EXPECT_EQ(rig.x(a3), 0x11111111abcd1111u);
  EXPECT_EQ(rig.x(a4), 0xcd11111111111111u);
}

// With one buffer each other line needs it; with two they are kept.
TEST(MemoryTypes, ABufferIsWrittenWhenAnotherLineNeedsIt) {
  const auto requests = [](const char* buffers) {
    CoreRig rig({buffers, "cpu.write_combining.idle_cycles=100000"});
    rig.set_type(kPages, MemoryType::Uncached);
    rig.x(a1) = kPages;
    rig.x(a2) = 1;
    Words body;
    for (int i = 0; i < 4; ++i) body = body + Words{sd(a2, 8 * i, a1), sd(a2, 256 + 8 * i, a1)};
    rig.program(0, body + Words{kFence, kEcall});
    rig.run();
    for (unsigned i = 0; i < 4; ++i) {
      EXPECT_EQ(rig.read(kPages + 8 * i), 1u);
      EXPECT_EQ(rig.read(kPages + 256 + 8 * i), 1u);
    }
    return rig.counted("core.combined_writes");
  };
  EXPECT_EQ(requests("cpu.write_combining.buffers=1"), 8u);
  EXPECT_EQ(requests("cpu.write_combining.buffers=2"), 2u);
}

TEST(MemoryTypes, ASmallerBufferMakesMoreRequests) {
  CoreRig rig({"cpu.write_combining.bytes=16", "cpu.write_combining.buffers=1"});
  rig.set_type(kPages, MemoryType::Uncached);
  rig.x(a1) = kPages;
  rig.x(a0) = 0x0807060504030201;
  rig.program(0, {sd(a0, 12, a1), sd(a0, 60, a1), kFence, ld(a2, 12, a1), ld(a3, 60, a1), kEcall});
  rig.run();
  EXPECT_EQ(rig.counted("core.combined_writes"), 4u);
  EXPECT_EQ(rig.x(a2), rig.x(a0));
  EXPECT_EQ(rig.x(a3), rig.x(a0));
}

TEST(MemoryTypes, ALoadOfBytesInABufferHasThemWrittenFirst) {
  CoreRig rig;
  rig.set_type(kPages, MemoryType::Uncached);
  rig.write(kPages, 0x1111111111111111);
  rig.x(a1) = kPages;
  rig.x(a0) = 0x22;
  // The first load asks for none of its bytes.
  rig.program(
      0, {store(0, a0, 2, a1), ld(a4, 8, a1), ld(a2, 0, a1), store(0, a0, 3, a1), ld(a3, 0, a1), kEcall});
  rig.run();
  EXPECT_EQ(rig.x(a2), 0x1111111111221111u);
  EXPECT_EQ(rig.x(a3), 0x1111111122221111u);
  EXPECT_EQ(rig.x(a4), 0u);
  EXPECT_EQ(rig.counted("core.combined_writes"), 2u);
  EXPECT_EQ(rig.counted("core.squashes_value"), 0u);  // the value was known
  EXPECT_EQ(rig.counted("core.forwarded"), 0u);
}

// The other core never asks for the line to be written.
TEST(MemoryTypes, ABufferIsWrittenAtLastWithoutAFence) {
  const auto cycles = [](const char* idle) {
    CoreRig rig({idle}, 2);
    rig.set_type(kPages, MemoryType::Uncached);
    rig.x(a1) = rig.x(a1, 1) = kPages;
    rig.program(0, {sd(a1, 0, a1), ld(t0, 64, a1), branch(0, t0, zero, -4), kEcall});
    rig.program(1, {ld(t0, 0, a1), branch(0, t0, zero, -4), sd(a1, 64, a1), kFence, kEcall});
    const Cycle taken = rig.run();
    EXPECT_EQ(rig.x(t0, 1), kPages);
    return taken;
  };
  const Cycle soon = cycles("cpu.write_combining.idle_cycles=100");
  EXPECT_LT(soon, 3000u);
  EXPECT_GT(cycles("cpu.write_combining.idle_cycles=10000"), soon + 9000);
}

TEST(MemoryTypes, AnUncachedAccessMayLieOnTwoLinesAndTwoPages) {
  for (const std::uint64_t end : {std::uint64_t{64}, kPage})
    for (int before = 1; before < 8; ++before) {
      CoreRig rig;
      rig.set_type(kPages, MemoryType::Uncached, 2 * kPage);
      rig.x(a1) = kPages + end;
      rig.x(a0) = 0x0807060504030201;
      rig.write(kPages + end - 8, ~0ull);
      rig.write(kPages + end, ~0ull);
      rig.program(0, {sd(a0, -before, a1), ld(a2, -before, a1), kFence, ld(a3, -before, a1), kEcall});
      rig.run();
      EXPECT_EQ(rig.x(a2), 0x0807060504030201u);
      EXPECT_EQ(rig.x(a3), 0x0807060504030201u);
      const unsigned shift = 8 * static_cast<unsigned>(before);
      EXPECT_EQ(rig.read(kPages + end - 8), ~0ull >> shift | 0x0807060504030201u << (64 - shift));
      EXPECT_EQ(rig.read(kPages + end), ~0ull << (64 - shift) | 0x0807060504030201u >> shift);
    }
}

// ---- device pages ----

TEST(MemoryTypes, EveryDeviceAccessIsOneRequestOfItsSize) {
  CoreRig rig;
  rig.set_type(kPages, MemoryType::Device);
  rig.x(a1) = kPages;
  rig.x(a0) = 0x1122334455667788;
  const Words body{
      sd(a0, 0, a1), sd(a0, 0, a1),      store(0, a0, 9, a1), store(1, a0, 10, a1), ld(a2, 0, a1),
      ld(a3, 0, a1), load(4, a4, 9, a1), load(1, a5, 10, a1), store(2, a0, 12, a1), load(2, s2, 12, a1),
      kEcall};
  rig.program(0, body);
  rig.run();
  EXPECT_EQ(rig.x(a2), 0x1122334455667788u);
  EXPECT_EQ(rig.x(a3), 0x1122334455667788u);
  EXPECT_EQ(rig.x(a4), 0x88u);
  EXPECT_EQ(rig.x(a5), 0x7788u);
  EXPECT_EQ(rig.x(s2), 0x55667788u);
  EXPECT_EQ(rig.counted("core.device_accesses"), 10u);
  EXPECT_EQ(rig.counted("directory.uncached"), 10u);
  EXPECT_EQ(rig.counted("host_memory.writes"), 5u);
  EXPECT_EQ(rig.counted("host_memory.written_bytes"), 8u + 8 + 1 + 2 + 4);
  EXPECT_EQ(rig.counted("core.instructions"), 10u);
}

// Core 1 changes the index with which core 0 chooses a device word: of wrong values no access comes.
TEST(MemoryTypes, DeviceAccessesAreNeverMadeWithAWrongValue) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    constexpr unsigned kRounds = 300;
    CoreRig rig({}, 2, seed);
    rig.set_type(kPages, MemoryType::Device);
    for (unsigned core = 0; core < 2; ++core) rig.x(a1, core) = kPages + kPage;
    rig.x(a2) = kPages;
    rig.x(s0) = kRounds;
    rig.x(s0, 1) = 20000;
    rig.program(0, loop(s0, {ld(t0, 0, a1), slli(t0, t0, 3), add(t0, t0, a2), ld(t1, 0, t0), sd(s0, 0, t0)}) +
                       Words{sd(s0, 8, a1), kEcall});
    rig.program(1,
                loop(s0, {ld(t1, 8, a1), addi(t0, t0, 1), andi(t0, t0, 63), sd(t0, 0, a1)}) + Words{kEcall});
    rig.run();
    EXPECT_EQ(rig.counted("core.device_accesses"), 2 * kRounds);
    EXPECT_EQ(rig.counted("directory.uncached"), 2 * kRounds);
    EXPECT_GT(rig.counted("core.squashes_value"), 0u);
  }
}

// ---- what is refused ----

TEST(MemoryTypes, AtomicsMisalignedDeviceAccessesAndPagesOfTwoTypesFault) {
  struct Case {
    MemoryType type;
    std::uint64_t address;
    Word word;
    bool faults, misaligned;
  };
  const Case cases[]{
      {MemoryType::Uncached, kPages, amoadd(a0, a2, a1), true, false},
      {MemoryType::Device, kPages, amoadd(a0, a2, a1), true, false},
      {MemoryType::Uncached, kPages, lr(a0, a1), true, false},
      {MemoryType::Device, kPages, sc(a0, a2, a1), true, false},
      {MemoryType::Device, kPages + 4, ld(a0, 0, a1), true, true},
      {MemoryType::Device, kPages + 1, store(1, a0, 0, a1), true, true},
      {MemoryType::Uncached, kPages + 4, ld(a0, 0, a1), false, false},
      {MemoryType::Uncached, kPages + kPage - 4, ld(a0, 0, a1), true, false},
      {MemoryType::Uncached, kPages + kPage - 4, sd(a0, 0, a1), true, false},
      {MemoryType::Device, kPages + kPage - 8, sd(a0, 0, a1), false, false},
      {MemoryType::WriteBack, kPages, amoadd(a0, a2, a1), false, false},
  };
  for (const Case& one : cases) {
    CoreRig rig;
    rig.set_type(kPages, one.type);
    rig.x(a1) = one.address;
    rig.program(0, {one.word, kEcall});
    rig.run();
    EXPECT_EQ(rig.traps[0]->cause, one.faults ? rv64::TrapCause::AccessFault : rv64::TrapCause::SystemCall);
    if (!one.faults) continue;
    EXPECT_EQ(rig.traps[0]->fault.misaligned, one.misaligned);
    EXPECT_EQ(rig.registers[0].pc, CoreRig::kCode);
  }
}

TEST(MemoryTypes, CodeIsNotFetchedFromUncachedPages) {
  CoreRig rig;
  rig.set_type(CoreRig::kCode, MemoryType::Uncached);
  rig.program(0, {kNop, kEcall});
  rig.run();
  EXPECT_EQ(rig.traps[0]->cause, rv64::TrapCause::AccessFault);
  EXPECT_EQ(rig.traps[0]->fault.access, rv64::Access::Fetch);
}

// ---- several cores ----

// Core 1 has written the line while its page was cached, and holds it.
TEST(MemoryTypes, ALineThatACoreHoldsOfAPageThatWasCachedIsGivenUp) {
  for (const MemoryType type : {MemoryType::Uncached, MemoryType::Device}) {
    CoreRig rig({}, 2);
    rig.x(a1) = rig.x(a1, 1) = kPages;
    rig.x(a2, 1) = 77;
    rig.program(0, {kEcall});
    rig.program(1, {sd(a2, 0, a1), kFence, kEcall});
    rig.run();
    EXPECT_EQ(rig.counted("directory.write_backs"), 0u);
    rig.set_type(kPages, type);
    for (unsigned core = 0; core < 2; ++core) {
      rig.traps[core].reset();
      rig.registers[core].pc = CoreRig::kCode + core * CoreRig::kCodeStep;
    }
    rig.program(0, {ld(a3, 0, a1), sd(a1, 8, a1), kFence, kEcall});
    rig.program(1, {kEcall});
    rig.run();
    EXPECT_EQ(rig.x(a3), 77u);
    EXPECT_EQ(rig.counted("directory.invalidations"), 1u);
    EXPECT_EQ(rig.counted("directory.write_backs"), 1u);
    EXPECT_EQ(rig.read(kPages), 77u);
    EXPECT_EQ(rig.read(kPages + 8), kPages);
  }
}

// Message passing, round after round: core 1 writes data to an uncached page and then a flag, which is cached
// or is not. Returns how often core 0 saw an older data than flag.
unsigned stale(bool flag_cached, const Words& writer_between, const Words& reader_between,
               std::uint64_t seed) {
  CoreRig rig({}, 2, seed);
  rig.set_type(kPages, MemoryType::Uncached);
  if (!flag_cached) rig.set_type(kPages + kPage, MemoryType::Uncached);
  for (unsigned core = 0; core < 2; ++core) {
    rig.x(a1, core) = kPages;
    rig.x(a5, core) = kPages + kPage;
  }
  rig.x(s0) = 400;
  rig.x(s0, 1) = 3000;
  rig.program(0, loop(s0, Words{ld(a2, 0, a5)} + reader_between +
                              Words{ld(a3, 0, a1), sltu(a4, a3, a2), add(a0, a0, a4)}) +
                     Words{kEcall});
  rig.program(1, loop(s0, Words{addi(a2, a2, 1), sd(a2, 0, a1)} + writer_between + Words{sd(a2, 0, a5)}) +
                     Words{kEcall});
  rig.run();
  return static_cast<unsigned>(rig.x(a0));
}

TEST(MemoryTypes, FencesOrderUncachedStoresAndLoads) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    EXPECT_GT(stale(true, {}, {kFenceLoads}, seed), 0u);
    for (const bool flag_cached : {true, false}) {
      EXPECT_EQ(stale(flag_cached, {kFenceStores}, {kFenceLoads}, seed), 0u);
      EXPECT_EQ(stale(flag_cached, {kFence}, {kFence}, seed), 0u);
    }
  }
}

// Two cores add to words of one line and read each other's: only whole words may be seen, and the last ones
// must be there at the end.
std::vector<std::uint64_t> busy(std::uint64_t seed, const std::vector<std::string>& sets) {
  CoreRig rig(sets, 3, seed);
  rig.set_type(kPages, MemoryType::Uncached);
  rig.set_type(kPages + kPage, MemoryType::Device);
  for (unsigned core = 0; core < 3; ++core) {
    rig.x(a1, core) = kPages + 8 * core;
    rig.x(a2, core) = kPages + kPage + 8 * (core & 1);
    rig.x(a3, core) = kPages + 2 * kPage;
    rig.x(s0, core) = 200;
    rig.program(core, loop(s0, {addi(t0, t0, 3), sd(t0, 0, a1), ld(t1, 8, a1), add(s3, s3, t1),
                                sd(s3, 128, a1), ld(t2, 136, a1), add(s4, s4, t2), sd(t0, 0, a2),
                                ld(t1, 0, a2), add(s3, s3, t1), sd(s4, 0, a3), ld(t1, 8, a3)}) +
                          Words{kFence, kEcall});
  }
  const Cycle cycles = rig.run();
  std::vector<std::uint64_t> all{cycles};
  for (unsigned core = 0; core < 3; ++core) {
    EXPECT_EQ(rig.read(kPages + 8 * core), 600u);
    for (const std::uint64_t value : rig.statistics(core)) all.push_back(value);
    all.push_back(rig.x(s3, core));
    all.push_back(rig.x(s4, core));
  }
  return all;
}

TEST(MemoryTypes, TheOrderOfTicksChangesNothing) {
  for (const std::vector<std::string>& sets :
       {std::vector<std::string>{},
        {"cpu.l3.sets=0"},
        {"cpu.write_combining.buffers=1"},
        {"cpu.from_directory_cycles=40", "cpu.write_combining.idle_cycles=7"}}) {
    const auto usual = busy(0, sets);
    for (std::uint64_t seed = 1; seed < 5; ++seed) EXPECT_EQ(busy(seed, sets), usual);
  }
}

// As of cached pages (core_test.cpp): with the way there and back of one length in all.
TEST(MemoryTypes, HowFarATickGoesChangesNothing) {
  const auto ways = [](unsigned to, unsigned from) {
    CoreRig rig({"cpu.clock_khz=2000000", "cpu.to_directory_cycles=" + std::to_string(to),
                 "cpu.from_directory_cycles=" + std::to_string(from), "cpu.write_combining.buffers=3"});
    rig.set_type(kPages, MemoryType::Uncached);
    rig.set_type(kPages + kPage, MemoryType::Device);
    rig.x(a1) = kPages;
    rig.x(a2) = kPages + kPage;
    rig.x(a3) = kPages + 2 * kPage;
    rig.x(s0) = 100;
    rig.x(s1) = 3;
    rig.program(0, loop(s0, {ld(t0, 0, a1), div(t0, t0, s1), sd(s0, 8, a1), ld(t1, 192, a1), sd(t1, 256, a1),
                             sd(s0, 0, a3), ld(t2, 64, a3), sd(s0, 520, a1), store(0, s0, 777, a1),
                             ld(t1, 8, a1), sd(s0, 0, a2), addi(a3, a3, 8), addi(a1, a1, 8)}) +
                       Words{kFence, kEcall});
    const Cycle cycles = rig.run();
    std::vector<std::uint64_t> all = rig.statistics();
    all.push_back(cycles);
    return all;
  };
  const auto usual = ways(5, 5);
  EXPECT_EQ(ways(9, 1), usual);
  EXPECT_EQ(ways(1, 9), usual);
}

}  // namespace
}  // namespace duet::test
