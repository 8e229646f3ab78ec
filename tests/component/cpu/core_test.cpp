// A core with a directory and a memory: values of loads that meet stores, accesses over lines and pages,
// atomics, faults, code that changes, and time that does not depend on how the core is simulated.
#include "core_rig.h"

namespace duet::test {
namespace {

using namespace rv;

constexpr std::uint64_t kData = CoreRig::kData;

TEST(Core, ALoadTakesWhatAStoreBeforeItHasLeft) {
  CoreRig rig;
  rig.x(a1) = kData;
  rig.x(a0) = 0x1122334455667788;
  rig.program(0, {sd(a0, 0, a1), ld(a2, 0, a1), load(2, a3, 4, a1), load(0, a4, 1, a1), kEcall});
  rig.run();
  EXPECT_EQ(rig.x(a2), 0x1122334455667788u);
  EXPECT_EQ(rig.x(a3), 0x11223344u);
  EXPECT_EQ(rig.x(a4), 0x77u);
  EXPECT_EQ(rig.cores[0].statistics().forwarded, 3u);
  EXPECT_EQ(rig.read(kData), 0x1122334455667788u);
}

// From one store's data to the next one's: a cycle of the store, and a load's latency.
TEST(Core, AForwardedValueIsThereWhenTheStoresDataIs) {
  const auto cycles = [](unsigned links) {
    CoreRig rig;
    rig.x(a1) = kData;
    rig.x(s0) = links;
    rig.program(0, loop(s0, {sd(a0, 0, a1), ld(a0, 0, a1)}) + Words{kEcall});
    return rig.run();
  };
  CoreRig rig;
  EXPECT_EQ(cycles(400) - cycles(300), 100 * (1 + rig.config().l1.latency_cycles));
}

// The younger of two stores counts, and bytes of memory show through beside it.
TEST(Core, APartialOverlapTakesBytesOfStoresAndOfMemory) {
  CoreRig rig;
  rig.write(kData, 0x0101010101010101);
  rig.x(a1) = kData;
  rig.x(a0) = 0x22;
  rig.x(a2) = 0x3333;
  rig.program(0, {store(0, a0, 2, a1), store(1, a2, 3, a1), store(0, a0, 4, a1), ld(a3, 0, a1),
                  load(2, a4, 6, a1), kEcall});
  rig.run();
  EXPECT_EQ(rig.x(a3), 0x0101012233220101u);
  EXPECT_EQ(rig.x(a4), 0x0101u);
  EXPECT_EQ(rig.cores[0].statistics().forwarded, 0u);
}

TEST(Core, AnAccessMayLieOnTwoLinesAndTwoPages) {
  for (const std::uint64_t end : {std::uint64_t{64}, std::uint64_t{4096}})
    for (int before = 1; before < 8; ++before) {
      CoreRig rig;
      rig.x(a1) = kData + end;
      rig.x(a0) = 0x0807060504030201;
      rig.write(kData + end - 8, ~0ull);
      rig.write(kData + end, ~0ull);
      rig.program(0, {sd(a0, -before, a1), ld(a2, -before, a1), kFence, ld(a3, -before, a1), kEcall});
      rig.run();
      EXPECT_EQ(rig.x(a2), 0x0807060504030201u);
      EXPECT_EQ(rig.x(a3), 0x0807060504030201u);
      const unsigned shift = 8 * static_cast<unsigned>(before);
      EXPECT_EQ(rig.read(kData + end - 8), ~0ull >> shift | 0x0807060504030201u << (64 - shift));
      EXPECT_EQ(rig.read(kData + end), ~0ull << (64 - shift) | 0x0807060504030201u >> shift);
    }
}

TEST(Core, AFaultIsPreciseBehindWhatTakesLong) {
  CoreRig rig;
  const std::uint64_t end = kData + CoreRig::kDataBytes;
  rig.x(a0) = 100;
  rig.x(a1) = 7;
  rig.x(a2) = end - 4;
  rig.x(a4) = kData;
  rig.program(0, {div(a3, a0, a1), sd(a3, 0, a4), addi(a5, zero, 1), sd(a0, 0, a2), addi(a5, zero, 2),
                  sd(a5, 8, a4), kEcall});
  rig.run();
  const rv64::Trap& trap = *rig.traps[0];
  EXPECT_EQ(trap.cause, rv64::TrapCause::AccessFault);
  EXPECT_EQ(trap.fault.address, end);
  EXPECT_EQ(trap.fault.access, rv64::Access::Store);
  EXPECT_EQ(trap.instruction, sd(a0, 0, a2));
  EXPECT_EQ(rig.registers[0].pc, CoreRig::kCode + 12);
  EXPECT_EQ(rig.x(a3), 14u);
  EXPECT_EQ(rig.x(a5), 1u);
  EXPECT_EQ(rig.read(kData), 14u);
  EXPECT_EQ(rig.read(kData + 8), 0u);
  EXPECT_EQ(rig.read(end - 8), 0u);  // of the store that faults nothing is done
  EXPECT_EQ(rig.cores[0].statistics().instructions, 3u);
}

TEST(Core, MisalignedAtomicsFaultAndReservedInstructionsTrap) {
  CoreRig rig;
  rig.x(a1) = kData + 4;
  rig.program(0, {amoadd(a0, a2, a1), kEcall});
  rig.run();
  EXPECT_TRUE(rig.traps[0]->fault.misaligned);
  EXPECT_EQ(rig.traps[0]->fault.address, kData + 4);
  CoreRig other;
  other.program(0, {addi(a0, zero, 3), 0xffffffff});
  other.run();
  EXPECT_EQ(other.traps[0]->cause, rv64::TrapCause::IllegalInstruction);
  EXPECT_EQ(other.registers[0].pc, CoreRig::kCode + 4);
  EXPECT_EQ(other.x(a0), 3u);
}

TEST(Core, CodeThatWritesItselfRunsItsNewWordsAfterFenceI) {
  CoreRig rig;
  rig.x(a1) = CoreRig::kCode;
  rig.x(a2) = addi(a0, a0, 7);
  rig.x(s0) = 2;
  // Word 1 is executed, overwritten, and executed again.
  const Words body{kNop, addi(a0, a0, 1), store(2, a2, 4, a1), kFenceI};
  rig.program(0, loop(s0, body) + Words{kEcall});
  rig.run();
  EXPECT_EQ(rig.x(a0), 8u);
}

// The store begins on a page without code.
TEST(Core, CodeIsWrittenByAStoreOverTheEndOfThePageBefore) {
  CoreRig rig;
  const std::uint64_t code = CoreRig::kCode + 4096;
  rig.x(a1) = code;
  rig.x(a2) = std::uint64_t{addi(a0, a0, 7)} << 32;
  rig.x(a3) = std::uint64_t{1} << (32 + 20);  // of the immediate
  rig.x(s0) = 3;
  rig.put(code, loop(s0, {addi(a0, a0, 1), sd(a2, -4, a1), add(a2, a2, a3), kFenceI}) + Words{kEcall});
  rig.registers[0].pc = code;
  rig.run();
  EXPECT_EQ(rig.x(a0), 1u + 7 + 8);
}

// ---- several cores ----

// Core 1 counts in memory; what core 0 reads never goes back, and what follows from a value is its.
TEST(Core, ReadersOfACounterSeeItGrow) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    CoreRig rig({}, 2, seed);
    rig.x(a1) = rig.x(a1, 1) = kData;
    rig.x(s0) = 2000;
    rig.x(s0, 1) = 4000;
    rig.program(0, loop(s0, {ld(a2, 0, a1), ld(a3, 0, a1), sltu(a4, a3, a2), add(a0, a0, a4), addi(a5, a2, 1),
                             sub(a5, a5, a2), addi(a5, a5, -1), add(a0, a0, a5), sltu(a4, a2, a6),
                             add(a0, a0, a4), addi(a6, a3, 0)}) +
                       Words{kEcall});
    rig.program(1, loop(s0, {ld(a2, 0, a1), addi(a2, a2, 1), sd(a2, 0, a1)}) + Words{kEcall});
    rig.run();
    EXPECT_EQ(rig.x(a0), 0u);
    EXPECT_EQ(rig.read(kData), 4000u);
    EXPECT_GT(rig.cores[0].statistics().squashes_value, 0u);
  }
}

// Message passing, round after round: core 1 writes the data before the flag. Core 0 needs long for the
// flag's address and has the data early.
TEST(Core, LoadsThatWerePerformedTooEarlyAreDoneAgain) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    CoreRig rig({}, 2, seed);
    constexpr int kFlag = 512;
    rig.x(a1) = rig.x(a1, 1) = kData;
    rig.x(s1) = 1;
    rig.x(s0) = 1500;
    rig.x(s0, 1) = 6000;
    rig.program(0, loop(s0, {div(t0, a1, s1), div(t0, t0, s1), ld(a2, kFlag, t0), ld(a3, 0, a1),
                             sltu(a4, a3, a2), add(a0, a0, a4)}) +
                       Words{kEcall});
    rig.program(1, loop(s0, {addi(a2, a2, 1), sd(a2, 0, a1), sd(a2, kFlag, a1)}) + Words{kEcall});
    rig.run();
    EXPECT_EQ(rig.x(a0), 0u);
    EXPECT_GT(rig.cores[0].statistics().squashes_order, 0u);
  }
}

// What was squashed had taken places of the window that older ones are looked up in.
TEST(Core, ACoreGoesOnBehindALongSquash) {
  CoreRig rig({"cpu.from_directory_cycles=60"}, 2);
  rig.x(a1) = rig.x(a1, 1) = kData;
  rig.x(s0, 1) = 800;
  rig.program(0, {ld(t0, 0, a1), kNop, kNop, kNop, branch(0, t0, zero, -16), kEcall});
  rig.program(1, loop(s0, {kNop}) + Words{sd(a1, 0, a1), kEcall});
  EXPECT_LT(rig.run(), 4000u);
  EXPECT_GT(rig.cores[0].statistics().squashed, 88u);
}

// Three cores write other words of the line until core 0 has read it often enough. Each grant has the next
// core's probe right behind it.
TEST(Core, AReaderGetsOnBesideThreeWritersOfItsLine) {
  CoreRig rig({}, 4);
  constexpr int kFlag = 512;
  rig.x(s0) = 300;
  rig.x(a2) = 1;
  for (unsigned core = 0; core < 4; ++core) {
    rig.x(a1, core) = kData;
    const int own = 8 * static_cast<int>(core);
    if (core != 0)
      rig.program(core,
                  {addi(a3, a3, 1), sd(a3, own, a1), ld(a4, kFlag, a1), branch(0, a4, zero, -12), kEcall});
  }
  rig.program(0, loop(s0, {ld(a3, 8, a1), ld(a4, 16, a1), div(a3, a3, a2), add(a5, a5, a3)}) +
                     Words{sd(a2, kFlag, a1), kEcall});
  rig.run();
  EXPECT_EQ(rig.x(s0), 0u);
}

TEST(Core, AtomicsOfFourCoresLoseNothing) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    CoreRig rig({}, 4, seed);
    for (unsigned core = 0; core < 4; ++core) {
      rig.x(a1, core) = kData;
      rig.x(a2, core) = kData + 8;
      rig.x(s1, core) = core + 1;
      rig.x(s0, core) = 200;
      rig.program(core, loop(s0, {amoadd(zero, s1, a1), lr(t0, a2), add(t0, t0, s1), sc(t1, t0, a2),
                                  bne(t1, zero, -12)}) +
                            Words{kEcall});
    }
    rig.run();
    EXPECT_EQ(rig.read(kData), 200u * (1 + 2 + 3 + 4));
    EXPECT_EQ(rig.read(kData + 8), 200u * (1 + 2 + 3 + 4));
  }
}

// LR in a loop, as locks wait: the other core's store gets through.
TEST(Core, AReservationThatIsMadeAgainAndAgainLetsOthersWrite) {
  CoreRig rig({}, 2);
  rig.x(a1) = rig.x(a1, 1) = kData;
  rig.x(s0, 1) = 300;
  rig.program(0, {lr(t0, a1), branch(0, t0, zero, -4), kEcall});
  rig.program(1, loop(s0, {kNop}) + Words{sd(a1, 0, a1), kEcall});
  EXPECT_LT(rig.run(), 3000u);
  EXPECT_EQ(rig.x(t0), kData);
}

TEST(Core, AStoreConditionalWantsItsReservation) {
  CoreRig rig;
  rig.x(a1) = kData;
  rig.x(a2) = kData + 128;
  rig.x(a3) = 5;
  rig.program(
      0, {sc(t0, a3, a1), lr(t1, a1), sc(t1, a3, a2), lr(t2, a1), sc(t2, a3, a1), sc(s0, a3, a1), kEcall});
  rig.run();
  EXPECT_EQ(rig.x(t0), 1u);  // there is none
  EXPECT_EQ(rig.x(t1), 1u);  // of another line
  EXPECT_EQ(rig.x(t2), 0u);
  EXPECT_EQ(rig.x(s0), 1u);  // the one before has used it up
  EXPECT_EQ(rig.read(kData), 5u);
  EXPECT_EQ(rig.read(kData + 128), 0u);
}

// Store buffering: each writes its own word and reads the other's. Returns in how many rounds both read 0.
unsigned both_read_zero(const Words& between) {
  constexpr unsigned kRounds = 128;
  CoreRig rig({}, 2);
  for (unsigned core = 0; core < 2; ++core) {
    rig.x(a1, core) = kData + 4096 * core;         // written
    rig.x(a2, core) = kData + 4096 * (1 - core);   // read
    rig.x(a3, core) = kData + 8192 + 8192 * core;  // results
    rig.x(a4, core) = kData + 0xd000 + 8 * core;   // rounds that have been ended
    rig.x(a5, core) = kData + 0xd000 + 8 * (1 - core);
    rig.x(s0, core) = kRounds;
    rig.x(s1, core) = 1;
    rig.x(s2, core) = 0;
    // Both lines are there to be read; then both meet; then the two accesses.
    const Words meet{addi(s2, s2, 1), kFence, sd(s2, 0, a4), ld(t0, 0, a5), branch(6, t0, s2, -4)};
    // One of them waits for as long as the round says, so that in some they meet exactly.
    const Words wait{core == 0 ? andi(t0, s0, 63) : addi(t0, zero, 16), addi(t0, t0, -1),
                     branch(4, zero, t0, -4)};
    rig.program(
        core,
        loop(s0, Words{ld(t1, 0, a1), ld(t2, 0, a2)} + meet + wait + Words{sd(s1, 0, a1)} + between +
                     Words{ld(t1, 0, a2), sd(t1, 0, a3), addi(a3, a3, 8), addi(a1, a1, 8), addi(a2, a2, 8)} +
                     meet) +
            Words{kEcall});
  }
  rig.run();
  unsigned both = 0;
  for (unsigned round = 0; round < kRounds; ++round)
    both += rig.read(kData + 8192 + 8 * round) == 0 && rig.read(kData + 16384 + 8 * round) == 0;
  return both;
}

TEST(Core, AFenceKeepsStoresBeforeLoads) {
  EXPECT_GT(both_read_zero({}), 0u);
  EXPECT_EQ(both_read_zero({kFence}), 0u);
}

// Two cores store over the end of one line, and so want the same two lines at once.
TEST(Core, StoresOverTwoLinesOfTwoCoresBothGetDone) {
  for (const char* const way :
       {"cpu.from_directory_cycles=6", "cpu.from_directory_cycles=1", "cpu.from_directory_cycles=40"})
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      CoreRig rig({way}, 2, seed);
      for (unsigned core = 0; core < 2; ++core) {
        rig.x(a1, core) = kData + 64;
        rig.x(s0, core) = 100;
        rig.x(a0, core) = core == 0 ? 0x1111111111111111 : 0x2222222222222222;
        rig.program(core, loop(s0, {sd(a0, -4, a1)}) + Words{kEcall});
      }
      rig.run();
      // Either line has the last store to it, which need not be of the same core.
      for (const std::uint64_t half : {rig.read(kData + 60) & 0xffffffff, rig.read(kData + 60) >> 32})
        EXPECT_TRUE(half == 0x11111111 || half == 0x22222222) << std::hex << half;
    }
}

// ---- how it is simulated ----

// Loads that miss, stores, branches and a chain.
Words mixture() {
  return loop(s0, {ld(a2, 0, a1), addi(a1, a1, 64), sd(a2, 8, a1), add(a3, a3, a2), muldiv(0, a3, a3, s1),
                   andi(t0, a3, 1), branch(0, t0, zero, 8), addi(a4, a4, 1), load(2, a5, 4, a1),
                   div(a5, a5, s1), add(a3, a3, a5)}) +
         Words{kFence, kEcall};
}

struct Outcome {
  Cycle cycles;
  std::vector<std::uint64_t> statistics;
  bool operator==(const Outcome&) const = default;
  friend void PrintTo(const Outcome& outcome, std::ostream* stream) {
    *stream << outcome.cycles << " cycles, " << ::testing::PrintToString(outcome.statistics);
  }
};

Outcome run_mixture(const std::vector<std::string>& sets, std::uint64_t seed) {
  CoreRig rig(sets, 1, seed);
  for (std::uint64_t i = 0; i < 512; ++i) rig.write(kData + 64 * i, i * 0x9e3779b97f4a7c15);
  rig.x(a1) = kData;
  rig.x(s0) = 500;
  rig.x(s1) = 3;
  rig.program(0, mixture());
  const Cycle cycles = rig.run();
  return {cycles, rig.statistics()};
}

// A core goes on by as many cycles as a message takes to it. With the way there and back of one length in
// all, a core by itself takes the same time.
TEST(Core, HowFarATickGoesChangesNothing) {
  const auto ways = [](unsigned to, unsigned from) {
    return run_mixture({"cpu.clock_khz=2000000", "cpu.to_directory_cycles=" + std::to_string(to),
                        "cpu.from_directory_cycles=" + std::to_string(from)},
                       0);
  };
  const Outcome usual = ways(5, 5);
  EXPECT_GT(usual.cycles, 1000u);
  EXPECT_EQ(ways(9, 1), usual);
  EXPECT_EQ(ways(1, 9), usual);
  EXPECT_NE(ways(1, 10).cycles, usual.cycles);
}

TEST(Core, TheOrderOfTicksChangesNothing) {
  const Outcome usual = run_mixture({}, 0);
  for (std::uint64_t seed = 1; seed < 4; ++seed) EXPECT_EQ(run_mixture({}, seed), usual);
}

TEST(Core, DispatchSlotsAreAllAccountedFor) {
  CoreRig rig;
  rig.x(a1) = kData;
  rig.x(s0) = 500;
  rig.x(s1) = 3;
  rig.program(0, mixture());
  rig.run();
  const cpu::CoreStatistics& counted = rig.cores[0].statistics();
  const std::uint64_t lost = counted.slots_front_end + counted.slots_instruction_cache +
                             counted.slots_bad_speculation + counted.slots_memory_l2 +
                             counted.slots_memory_below + counted.slots_stores + counted.slots_core +
                             counted.slots_serial;
  EXPECT_EQ(lost + counted.slots_used, counted.cycles * rig.config().dispatch_width);
  // The fence retires without a slot.
  EXPECT_EQ(counted.slots_used, counted.instructions - 1 + counted.squashed);
}

// Behind a chain of loads from memory everything waits, whichever buffer is full first.
TEST(Core, SlotsBehindAChainOfLoadsAreLostForMemory) {
  CoreRig rig({"cpu.l2.prefetcher=none"});
  constexpr std::uint64_t kSteps = 200;
  for (std::uint64_t i = 0; i < kSteps; ++i) rig.write(kData + 256 * i, kData + 256 * (i + 1));
  rig.x(a1) = kData;
  rig.x(s0) = kSteps;
  Words body{ld(a1, 0, a1)};
  for (int i = 0; i < 40; ++i) body.push_back(add(a2, a2, a1));
  rig.program(0, loop(s0, body) + Words{kEcall});
  rig.run();
  const cpu::CoreStatistics& counted = rig.cores[0].statistics();
  EXPECT_GT(counted.slots_memory_below, counted.cycles * rig.config().dispatch_width / 2);
  EXPECT_LT(counted.slots_core, counted.slots_memory_below / 4);  // the sums have a chain of their own
}

}  // namespace
}  // namespace duet::test
