// What cores and a device at the root complex see of each other's accesses: their order, also of loads that
// are performed early, of a core that executes alone, and under the order of ticks, which nobody may see.
#include <random>

#include "root_rig.h"

namespace duet::test {
namespace {

using namespace rv;
using memory::ByteMask;

// The first of two writes takes longer: its line comes from memory, the other's from nowhere. The core that
// waits for the second has the first one's line, or not.
TEST(RootComplexOrder, WritesAreMadeInTheirOrder) {
  for (const bool held : {false, true}) {
    RootRig rig;
    const std::uint64_t slow = kRootData, fast = kRootData + 4096;
    rig.cpu.x(a1) = slow;
    rig.cpu.x(a2) = fast;
    rig.cpu.x(a3) = held ? slow : fast;
    rig.cpu.program(0, {ld(a5, 0, a3), ld(a0, 0, a2), branch(0, a0, zero, -4), ld(a4, 0, a1), kEcall});
    const std::size_t first = rig.write(2 * kMicrosecond, rig.at(slow), 7);
    const std::size_t second =
        rig.write(2 * kMicrosecond, rig.at(fast), bytes_of(64, 1), ByteMask::first(64));
    rig.cpu.run();
    rig.finish_device();
    EXPECT_EQ(rig.cpu.x(a4), 7u);
    EXPECT_LE(rig.device.answer(first).time, rig.device.answer(second).time);
  }
}

// A read behind a write answers when that is made; reads pass reads, and writes pass reads.
TEST(RootComplexOrder, ReadsPassReadsAndNoWrites) {
  const auto times = [](bool first_writes, bool second_writes) {
    RootRig rig({"cpu.l3.sets=0"});
    rig.cpu.x(a1) = kRootData + 4096;
    rig.cpu.program(0, {sd(a1, 0, a1), kEcall});
    rig.cpu.run();
    rig.rest();
    const Picoseconds at = rig.cpu.engine.now() + 1000;
    // The second one's line is with a core, which is nearer than memory.
    const auto send = [&](bool writes, std::uint64_t address) {
      return writes ? rig.write(at, rig.at(address), 1) : rig.read(at, rig.at(address));
    };
    const std::size_t first = send(first_writes, kRootData), second = send(second_writes, kRootData + 4096);
    rig.finish_device();
    return std::pair(rig.device.answer(first).time, rig.device.answer(second).time);
  };
  for (const bool second_writes : {false, true}) {
    const auto [write, behind] = times(true, second_writes);
    EXPECT_EQ(behind, write);
    const auto [read, passing] = times(false, second_writes);
    EXPECT_EQ(read, write);
    EXPECT_LT(passing + 20'000, read);
  }
}

// Message passing, at many times. What the reader needs second it has in its L1, and reads it while the first
// line is on its way.
TEST(RootComplexOrder, ACoreSeesADevicesWritesInTheirOrder) {
  std::uint64_t squashes = 0, both = 0;
  for (Picoseconds time = 0; time < 600'000; time += 2'900) {
    RootRig rig;
    const std::uint64_t data = kRootData, flag = kRootData + 4096;
    rig.cpu.x(a1) = data;
    rig.cpu.x(a2) = flag;
    rig.cpu.x(a5) = 1;
    rig.cpu.x(a4) = 100;
    rig.cpu.x(s0) = 10;
    // The flag's address is known late.
    rig.cpu.program(0, Words{ld(a0, 0, a1)} + loop(s0, {div(a4, a4, a5)}) +
                           Words{andi(a6, a4, 0), add(a2, a2, a6), ld(a3, 0, a2), ld(a0, 0, a1), kEcall});
    rig.write(time, rig.at(data), bytes_of(64, 1), ByteMask::first(64));
    rig.write(time, rig.at(flag), bytes_of(64, 1), ByteMask::first(64));
    rig.cpu.run();
    rig.finish_device();
    if (rig.cpu.x(a3) != 0) {
      ++both;
      EXPECT_NE(rig.cpu.x(a0), 0u) << "the flag was seen, what was written before it was not: at " << time;
    }
    squashes += rig.cpu.cores[0].statistics().squashes_order + rig.cpu.cores[0].statistics().squashes_value;
  }
  EXPECT_GT(squashes, 0u);
  EXPECT_GT(both, 10u);
}

TEST(RootComplexOrder, ADeviceSeesACoresWritesInTheirOrder) {
  unsigned first_only = 0, both = 0;
  for (Picoseconds time = 0; time < 600'000; time += 2'900) {
    RootRig rig;
    const std::uint64_t data = kRootData, flag = kRootData + 4096;
    rig.cpu.x(a1) = data;
    rig.cpu.x(a2) = flag;
    rig.cpu.x(a5) = 1;
    rig.cpu.program(0, {sd(a5, 0, a1), sd(a5, 0, a2), kEcall});
    // The second read when the first one has been answered.
    const std::size_t first = rig.read(time, rig.at(flag));
    const std::size_t second = rig.read(0, rig.at(data), 8, true);
    rig.cpu.run();
    rig.finish_device();
    const bool flag_seen = rig.device.answer(first).word() != 0,
               data_seen = rig.device.answer(second).word() != 0;
    EXPECT_TRUE(data_seen || !flag_seen) << time;
    first_only += data_seen && !flag_seen;
    both += flag_seen;
  }
  EXPECT_GT(first_only, 0u);
  EXPECT_GT(both, 0u);
}

// What a system call or a copy of the runtime writes costs no time and asks nobody for its lines. Still a
// load that was performed before an older one does not keep what was there before.
TEST(RootComplexOrder, ACoreSeesWhatIsWrittenOutsideOfTimeInItsOrder) {
  unsigned both = 0;
  std::uint64_t squashes = 0;
  for (Picoseconds time = 1'000; time < 400'000; time += 2'900) {
    CoreRig rig;
    const std::uint64_t data = kRootData, flag = kRootData + 4096;
    rig.x(a1) = data;
    rig.x(a2) = flag;
    rig.x(a5) = 1;
    rig.x(a4) = 100;
    rig.x(s0) = 10;
    rig.program(0, Words{ld(a0, 0, a1)} + loop(s0, {div(a4, a4, a5)}) +
                       Words{andi(a6, a4, 0), add(a2, a2, a6), ld(a3, 0, a2), ld(a0, 0, a1), kEcall});
    rig.cores[0].assign(&rig.registers[0], 0);
    rig.engine.run_until(time);
    rig.write(data, 1);
    rig.write(flag, 1);
    ASSERT_TRUE(rig.engine.run_while_not([&] { return rig.traps[0].has_value(); }, 10 * kMicrosecond));
    EXPECT_TRUE(rig.x(a3) == 0 || rig.x(a0) != 0) << time;
    both += rig.x(a3) != 0;
    squashes += rig.cores[0].statistics().squashes_order;
  }
  EXPECT_GT(both, 10u);
  EXPECT_GT(squashes, 0u);
}

// Which frame a page gets, and so where it lies in caches, does not depend on who is ticked first. The second
// core comes to its pages so many instructions later.
TEST(RootComplexOrder, FirstTouchesAtOneTimeGiveTheSameFrames) {
  const auto places = [](std::uint64_t seed, unsigned later) {
    RootRig rig({}, 2, seed);
    for (unsigned core = 0; core < 2; ++core) {
      rig.cpu.x(a1, core) = kRootData + 8 * 4096 * core;
      rig.cpu.x(a2, core) = 4096;
      rig.cpu.x(a3, core) = 8;
      rig.cpu.x(a4, core) = 1;
      rig.cpu.x(s0, core) = 6;
      // First until the device lets them go.
      Words words{ld(a0, 8, a1), branch(0, a0, zero, -4)};
      for (unsigned i = 0; core == 1 && i < later; ++i) words.push_back(addi(a5, a5, 1));
      rig.cpu.program(core, words + loop(s0, {sd(a2, 0, a1), add(a1, a1, a2)}) + Words{kEcall});
      rig.write(3 * kMicrosecond, rig.at(kRootData + 8 * 4096 * core + 8), 1);
    }
    rig.cpu.run();
    rig.finish_device();
    std::vector<std::uint64_t> found;
    for (unsigned page = 0; page < 14; ++page)
      found.push_back(rig.cpu.memory.place_of(VirtualAddress(kRootData + 4096 * page)).value());
    return found;
  };
  for (unsigned later = 0; later < 64; later += 3) {
    const auto expected = places(0, later);
    for (std::uint64_t seed = 1; seed < 5; ++seed) {
      EXPECT_EQ(places(seed, later), expected) << seed;
    }
  }
}

// Each core has bytes of its own in lines that all write, and so has the device; they go from one to the
// other all the time, crossing probes on their way. Everybody finds in its bytes what it has put there last.
TEST(RootComplexOrder, LinesThatAllWriteLoseNothing) {
  const std::vector<std::vector<std::string>> kinds{
      {},
      {"cpu.l1.sets=1", "cpu.l1.ways=2", "cpu.l2.sets=1", "cpu.l2.ways=2", "cpu.l3.sets=2", "cpu.l3.ways=2"},
      {"cpu.l1.sets=2", "cpu.l1.ways=1", "cpu.l2.sets=0", "cpu.l3.sets=0"},
      {"cpu.to_directory_cycles=30", "cpu.from_directory_cycles=70", "cpu.l2.sets=2", "cpu.l2.ways=1",
       "cpu.l1.sets=1", "cpu.l1.ways=1"}};
  constexpr unsigned kCores = 2, kLines = 4, kRounds = 300;
  for (const auto& sets : kinds) {
    std::vector<std::uint64_t> expected;
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      RootRig rig(sets, kCores, seed);
      for (unsigned core = 0; core < kCores; ++core) {
        rig.cpu.x(a1, core) = kRootData + 16 * core;
        rig.cpu.x(s0, core) = kRounds;
        // Counts in each line, and adds what it found to a sum that has to be 0 + 1 + 2 ...
        Words body;
        for (unsigned line = 0; line < kLines; ++line) {
          const int at = static_cast<int>(64 * ((line + core) % kLines));
          for (const Word word :
               {ld(a0, at, a1), add(a2, a2, a0), addi(a0, a0, 1), sd(a0, at, a1), sd(a0, at + 8, a1)})
            body.push_back(word);
        }
        rig.cpu.program(core, loop(s0, body) + Words{kEcall});
      }
      std::minstd_rand random(7);
      std::array<std::uint64_t, kLines> last{};
      std::vector<std::pair<std::size_t, std::uint64_t>> reads;
      Picoseconds time = 0;
      for (unsigned i = 0; i < 600; ++i) {
        time += random() % 60'000;
        const unsigned line = random() % kLines;
        const PhysicalAddress at = rig.at(kRootData + 64 * line + 32);
        if (random() % 3 == 0)
          reads.emplace_back(rig.read(time, at), last[line]);
        else
          rig.write(time, at, last[line] = i + 1);
      }
      rig.cpu.run();
      rig.finish_device();
      std::vector<std::uint64_t> found;
      for (const auto& [number, value] : reads) {
        EXPECT_EQ(rig.device.answer(number).word(), value);
        found.push_back(rig.device.answer(number).time);
      }
      for (unsigned line = 0; line < kLines; ++line) {
        EXPECT_EQ(rig.cpu.read(kRootData + 64 * line + 32), last[line]);
        for (unsigned core = 0; core < kCores; ++core)
          for (const unsigned at : {0u, 8u}) {
            EXPECT_EQ(rig.cpu.read(kRootData + 64 * line + 16 * core + at), kRounds);
          }
      }
      for (unsigned core = 0; core < kCores; ++core) {
        EXPECT_EQ(rig.cpu.x(a2, core), kLines * kRounds * (kRounds - 1) / 2);
        for (const std::uint64_t value : rig.cpu.statistics(core)) found.push_back(value);
        found.push_back(rig.cpu.ended_at[core]);
      }
      for (const char* const name :
           {"directory.invalidations", "directory.downgrades", "directory.write_backs", "host_memory.reads",
            "root_complex.lines", "root_complex.from_domain"})
        found.push_back(rig.count(name));
      if (seed == 0) expected = found;
      EXPECT_EQ(found, expected) << "seed " << seed;
      if (HasFailure()) return;
    }
  }
}

// A core that executes alone goes far ahead as long as nobody can ask for its lines. It writes one word of a
// line, the device others.
TEST(RootComplexOrder, ACoreThatExecutesAloneDoesNothingTwice) {
  for (unsigned variant = 0; variant < 2; ++variant) {
    RootRig rig;
    rig.cpu.x(a1) = kRootData;
    rig.cpu.x(s0) = 20'000;
    rig.cpu.program(0,
                    loop(s0, {ld(a2, 8, a1), ld(a0, 0, a1), addi(a0, a0, 1), sd(a0, 0, a1)}) + Words{kEcall});
    rig.cpu.cores[0].set_alone(true);
    // Now and then, and often.
    for (unsigned i = 0; i < 60; ++i)
      rig.write(kMicrosecond + i * (variant == 0 ? 400'000 : 20'000), rig.at(kRootData + 8), i);
    rig.cpu.run();
    rig.finish_device();
    EXPECT_EQ(rig.cpu.x(a0), 20'000u);
    EXPECT_EQ(rig.cpu.read(kRootData), 20'000u);
    EXPECT_EQ(rig.cpu.read(kRootData + 8), 59u);
  }
}

// How far a core goes at once is not to be seen: the same cycles and counts whether it is told that it is
// alone.
TEST(RootComplexOrder, GoingAheadChangesNoStatistics) {
  const auto run = [](bool alone, std::uint64_t seed) {
    RootRig rig({}, 1, seed);
    rig.cpu.x(a1) = kRootData;
    rig.cpu.x(s0) = 4000;
    rig.cpu.program(
        0, loop(s0, {ld(a2, 8, a1), add(a4, a4, a2), ld(a0, 0, a1), addi(a0, a0, 1), sd(a0, 0, a1)}) +
               Words{kEcall});
    rig.cpu.cores[0].set_alone(alone);
    for (unsigned i = 0; i < 40; ++i) {
      rig.write(kMicrosecond + i * 130'000, rig.at(kRootData + 8), i);
      rig.read(kMicrosecond + i * 170'000 + 77'000, rig.at(kRootData));
    }
    rig.cpu.run();
    rig.finish_device();
    std::vector<std::uint64_t> found = rig.cpu.statistics();
    found.push_back(rig.cpu.x(a4));
    found.push_back(rig.cpu.ended_at[0]);
    for (const Device::Answer& answer : rig.device.answers) {
      found.push_back(answer.time);
      found.push_back(answer.number % 2 == 1 ? answer.word() : 0);
    }
    return found;
  };
  const auto expected = run(false, 0);
  EXPECT_EQ(run(true, 0), expected);
  EXPECT_EQ(run(true, 1), expected);
  EXPECT_EQ(run(false, 2), expected);
}

}  // namespace
}  // namespace duet::test
