// The GPU's requests for memory of a program on simulated cores: bytes that cores hold, lines that they lose,
// writes of parts of a line and of whole ones, their order, atomics, code, and their time.
#include <random>

#include "root_rig.h"

namespace duet::test {
namespace {

using namespace rv;
using memory::ByteMask;

constexpr std::uint64_t kRootData = RootRig::kData;
constexpr Picoseconds kMicrosecond = 1'000'000;

std::vector<std::byte> bytes_of(unsigned count, unsigned value) {
  return std::vector<std::byte>(count, static_cast<std::byte>(value));
}

TEST(RootComplex, AReadFindsWhatACoreHasWrittenAndStillHolds) {
  RootRig rig;
  rig.cpu.x(a1) = kRootData;
  rig.cpu.x(a0) = 0x1122334455667788;
  rig.cpu.program(0, {sd(a0, 16, a1), kEcall});
  rig.cpu.run();
  const std::uint64_t written_back = rig.count("directory.write_backs");
  const std::size_t read = rig.read(0, rig.at(kRootData), 64);
  rig.finish_device();
  EXPECT_EQ(rig.device.answer(read).word(16), 0x1122334455667788u);
  EXPECT_EQ(rig.device.answer(read).word(8), 0u);
  EXPECT_EQ(rig.count("root_complex.from_domain"), 1u);
  EXPECT_EQ(rig.count("directory.downgrades"), 1u);
  EXPECT_EQ(rig.count("directory.write_backs"), written_back);  // the core still has it
}

TEST(RootComplex, AWriteTakesTheLineFromCoresAndTheySeeIt) {
  for (const unsigned cores : {1u, 2u}) {
    RootRig rig({}, cores);
    for (unsigned core = 0; core < cores; ++core) {
      rig.cpu.x(a1, core) = kRootData;
      // Until the word is not what it was.
      rig.cpu.program(core, {ld(a0, 0, a1), branch(0, a0, zero, -4), kEcall});
    }
    rig.write(3 * kMicrosecond, rig.at(kRootData), 77);
    rig.cpu.run();
    rig.finish_device();
    const Picoseconds written = rig.device.answers[0].time;
    for (unsigned core = 0; core < cores; ++core) {
      EXPECT_EQ(rig.cpu.x(a0, core), 77u);
      EXPECT_GT(rig.cpu.ended_at[core], written);
      EXPECT_LT(rig.cpu.ended_at[core], written + 100'000);  // a line's way, and a misprediction
    }
    EXPECT_EQ(rig.count("directory.invalidations"), cores);
  }
}

// Any bytes of a request, over the ends of lines and pages, and none beside them.
TEST(RootComplex, WritesAndReadsOfPartsOfLines) {
  std::minstd_rand random(5);
  RootRig rig;
  std::vector<std::byte> expected(CoreRig::kDataBytes);
  Picoseconds time = 0;
  for (unsigned i = 0; i < 400; ++i) {
    const unsigned count = 1 + random() % 128;
    // Many about the ends of lines and of the first page.
    const std::uint64_t offset = (i % 2 == 0 ? 4096 : 64 * (random() % 32 + 3)) - random() % count;
    std::vector<std::byte> bytes;
    ByteMask mask;
    for (unsigned k = 0; k < count; ++k) {
      bytes.push_back(static_cast<std::byte>(random()));
      if (i % 3 != 0 && random() % 4 == 0) continue;
      mask.bits[k / 64] |= 1ull << k % 64;
      expected[offset + k] = bytes[k];
    }
    rig.write(time += random() % 300'000, rig.at(kRootData + offset), bytes, mask);
  }
  rig.finish_device();
  std::vector<std::byte> found(CoreRig::kDataBytes);
  ASSERT_FALSE(rig.cpu.memory.read(VirtualAddress(kRootData), found));
  EXPECT_TRUE(found == expected);
  for (unsigned offset = 4096 - 128; offset < 4096 + 64; offset += 7) {
    const std::size_t number = rig.read(0, rig.at(kRootData + offset), 100);
    rig.finish_device();
    EXPECT_EQ(std::memcmp(rig.device.answer(number).data.data(), expected.data() + offset, 100), 0) << offset;
  }
}

TEST(RootComplex, RequestsForOneLineAreServedInTheirOrder) {
  for (const std::uint64_t held : {0, 1}) {
    RootRig rig;
    if (held != 0) {  // a core has it, and has to give it up first
      rig.cpu.x(a1) = kRootData;
      rig.cpu.program(0, {sd(a1, 8, a1), kEcall});
      rig.cpu.run();
    }
    const PhysicalAddress at = rig.at(kRootData);
    const std::size_t before = rig.read(0, at);
    rig.write(0, at, 5);
    const std::size_t first = rig.read(0, at);
    rig.add(0, at, 10);
    const std::size_t second = rig.read(0, at);
    rig.write(0, at, bytes_of(64, 3), ByteMask::first(64));
    const std::size_t third = rig.read(0, at);
    rig.write(0, at, 9);
    rig.finish_device();
    EXPECT_EQ(rig.device.answer(before).word(), 0u);
    EXPECT_EQ(rig.device.answer(first).word(), 5u);
    EXPECT_EQ(rig.device.answer(second).word(), 15u);
    EXPECT_EQ(rig.device.answer(third).word(), 0x0303030303030303u);
    EXPECT_EQ(rig.cpu.read(kRootData), 9u);
    EXPECT_EQ(rig.cpu.read(kRootData + 8), 0x0303030303030303u);
    for (std::size_t i = 0; i < rig.device.answers.size(); ++i) EXPECT_EQ(rig.device.answers[i].number, i);
    // One that reads, as nobody has the line, may write it too; otherwise it is asked for again.
    EXPECT_EQ(rig.count("root_complex.lines"), 1 + held);
  }
}

// Elements of two lines; each is as if alone.
TEST(RootComplex, AtomicsGiveTheOldValuesAndMayLieInTwoLines) {
  RootRig rig;
  for (unsigned i = 0; i < 16; ++i) rig.cpu.write(kRootData + 8 * i, 100 + i);
  const std::size_t number = rig.device.send(0, [&](memory::Request& request) {
    request.operation = memory::Operation::Atomic;
    request.atomic_operation = AtomicOperation::Add;
    request.atomic_type = AtomicType::U64;
    request.address = rig.at(kRootData);
    request.bytes = 128;
    for (unsigned i = 0; i < 16; i += 3) {
      for (unsigned k = 0; k < 8; ++k) request.mask.bits[i / 8] |= 1ull << (8 * i + k) % 64;
      const std::uint64_t operand = 1000 * i;
      std::memcpy(request.data.data() + 8 * i, &operand, sizeof operand);
    }
  });
  rig.finish_device();
  for (unsigned i = 0; i < 16; ++i) {
    EXPECT_EQ(rig.cpu.read(kRootData + 8 * i), 100 + i + (i % 3 == 0 ? 1000 * i : 0));
    if (i % 3 == 0) { EXPECT_EQ(rig.device.answer(number).word(8 * i), 100u + i); }
  }
}

// AMO, LR with SC, and the device's atomics, on one word: no addition is lost.
TEST(RootComplex, AtomicsOfCoresAndDeviceLoseNothing) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    RootRig rig({}, 2, seed);
    for (unsigned core = 0; core < 2; ++core) {
      rig.cpu.x(a1, core) = kRootData;
      rig.cpu.x(a2, core) = 1;
      rig.cpu.x(s0, core) = 500;
    }
    rig.cpu.program(0, loop(s0, {amoadd(a0, a2, a1)}) + Words{kEcall});
    rig.cpu.program(1, loop(s0, {lr(a0, a1), addi(a0, a0, 1), sc(a3, a0, a1), bne(a3, zero, -12)}) + Words{kEcall});
    constexpr unsigned kAdds = 300;
    for (unsigned i = 0; i < kAdds; ++i) rig.add(i * 60'000, rig.at(kRootData), 1);
    rig.cpu.run();
    const std::size_t meanwhile = rig.device.answers.size();
    rig.finish_device();
    EXPECT_GT(meanwhile, 50u);
    EXPECT_EQ(rig.cpu.read(kRootData), 1000u + kAdds);
  }
}

// SC fails if the device has written in between; or the device waits, and writes after SC.
TEST(RootComplex, AReservationEndsWithAWrite) {
  unsigned failed = 0, done = 0;
  for (Picoseconds time = 0; time < kMicrosecond; time += 13'000) {
    RootRig rig;
    rig.cpu.x(a1) = kRootData;
    rig.cpu.x(a4) = 7;
    rig.cpu.x(a5) = 1;
    rig.cpu.x(s0) = 10;
    rig.cpu.program(0, Words{lr(a0, a1)} + loop(s0, {div(a4, a4, a5)}) + Words{add(a4, a4, a4), sc(a3, a4, a1), kEcall});
    rig.write(time, rig.at(kRootData), 55);
    rig.cpu.run();
    rig.finish_device();
    if (rig.cpu.x(a3) != 0) {
      ++failed;
      EXPECT_EQ(rig.cpu.x(a0), 0u);
    } else {
      ++done;
    }
    // Where SC wrote, the device's write came before LR or after SC.
    EXPECT_EQ(rig.cpu.read(kRootData), rig.cpu.x(a3) != 0 || rig.cpu.x(a0) == 0 ? 55u : 14u);
  }
  EXPECT_GT(failed, 3u);
  EXPECT_GT(done, 3u);
}

// A core that executes alone goes far ahead as long as nobody can ask for its lines. It writes one word of a
// line, the device others.
TEST(RootComplex, ACoreThatExecutesAloneDoesNothingTwice) {
  for (unsigned variant = 0; variant < 2; ++variant) {
    RootRig rig;
    rig.cpu.x(a1) = kRootData;
    rig.cpu.x(s0) = 20'000;
    rig.cpu.program(0, loop(s0, {ld(a2, 8, a1), ld(a0, 0, a1), addi(a0, a0, 1), sd(a0, 0, a1)}) + Words{kEcall});
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

// How far a core goes at once is not to be seen: the same cycles and counts whether it is told that it is alone.
TEST(RootComplex, GoingAheadChangesNoStatistics) {
  const auto run = [](bool alone, std::uint64_t seed) {
    RootRig rig({}, 1, seed);
    rig.cpu.x(a1) = kRootData;
    rig.cpu.x(s0) = 4000;
    rig.cpu.program(0, loop(s0, {ld(a2, 8, a1), add(a4, a4, a2), ld(a0, 0, a1), addi(a0, a0, 1), sd(a0, 0, a1)}) +
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

// The device writes code, and then, when that has been acknowledged, a word that a core waits for.
TEST(RootComplex, CodeThatTheDeviceWritesIsDecodedAgain) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    RootRig rig({}, 1, seed);
    rig.cpu.x(a1) = kRootData;
    rig.cpu.x(s0) = 2;
    // Word 0 is executed, overwritten, and executed again.
    rig.cpu.program(0, loop(s0, {addi(a0, a0, 1), ld(a2, 0, a1), branch(0, a2, zero, -4), kFenceI}) + Words{kEcall});
    std::vector<std::byte> word(4);
    const Word instruction = addi(a0, a0, 7);
    std::memcpy(word.data(), &instruction, 4);
    rig.write(2 * kMicrosecond, rig.at(CoreRig::kCode), word, ByteMask::first(4));
    rig.write(0, rig.at(kRootData), 1, true);
    rig.cpu.run();
    EXPECT_EQ(rig.cpu.x(a0), 8u);
  }
}

TEST(RootComplex, TheDriversOwnMemoryIsNotTheCores) {
  RootRig rig;
  const Picoseconds sent = 1'000;
  const std::size_t write = rig.write(sent, rig.drivers + 8, 99);
  const std::size_t read = rig.read(sent, rig.drivers, 64);
  rig.finish_device();
  EXPECT_EQ(rig.device.answer(read).word(8), 99u);
  EXPECT_EQ(static_cast<unsigned>(rig.drivers_bytes[8]), 99u);
  EXPECT_EQ(rig.count("root_complex.lines"), 0u);
  EXPECT_EQ(rig.count("root_complex.writes"), 0u);
  // It goes on in the tick in which it arrives, both ways.
  EXPECT_EQ(rig.device.answer(write).time, sent + Device::kLinkLatency + 1 + 1 + RootRig::kOwnLatency + 1);
}

// ---- order ----

// The first of two writes takes longer: its line comes from memory, the other's from nowhere. The core that
// waits for the second has the first one's line, or not.
TEST(RootComplex, WritesAreMadeInTheirOrder) {
  for (const bool held : {false, true}) {
    RootRig rig;
    const std::uint64_t slow = kRootData, fast = kRootData + 4096;
    rig.cpu.x(a1) = slow;
    rig.cpu.x(a2) = fast;
    rig.cpu.x(a3) = held ? slow : fast;
    rig.cpu.program(0, {ld(a5, 0, a3), ld(a0, 0, a2), branch(0, a0, zero, -4), ld(a4, 0, a1), kEcall});
    const std::size_t first = rig.write(2 * kMicrosecond, rig.at(slow), 7);
    const std::size_t second = rig.write(2 * kMicrosecond, rig.at(fast), bytes_of(64, 1), ByteMask::first(64));
    rig.cpu.run();
    rig.finish_device();
    EXPECT_EQ(rig.cpu.x(a4), 7u);
    EXPECT_LE(rig.device.answer(first).time, rig.device.answer(second).time);
  }
}

// A read behind a write answers when that is made; reads pass reads, and writes pass reads.
TEST(RootComplex, ReadsPassReadsAndNoWrites) {
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
TEST(RootComplex, ACoreSeesADevicesWritesInTheirOrder) {
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

TEST(RootComplex, ADeviceSeesACoresWritesInTheirOrder) {
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
    const bool flag_seen = rig.device.answer(first).word() != 0, data_seen = rig.device.answer(second).word() != 0;
    EXPECT_TRUE(data_seen || !flag_seen) << time;
    first_only += data_seen && !flag_seen;
    both += flag_seen;
  }
  EXPECT_GT(first_only, 0u);
  EXPECT_GT(both, 0u);
}

// What a system call or a copy of the runtime writes costs no time and asks nobody for its lines. Still a load
// that was performed before an older one does not keep what was there before.
TEST(RootComplex, ACoreSeesWhatIsWrittenOutsideOfTimeInItsOrder) {
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

// Which frame a page gets, and so where it lies in caches, does not depend on who is ticked first.
TEST(RootComplex, FirstTouchesAtOneTimeGiveTheSameFrames) {
  const auto places = [](std::uint64_t seed) {
    RootRig rig({}, 2, seed);
    for (unsigned core = 0; core < 2; ++core) {
      rig.cpu.x(a1, core) = kRootData + 8 * 4096 * core;
      rig.cpu.x(a2, core) = 4096;
      rig.cpu.x(s0, core) = 6;
      rig.cpu.program(core, loop(s0, {sd(a2, 0, a1), add(a1, a1, a2)}) + Words{kEcall});
    }
    for (unsigned page = 6; page < 8; ++page) rig.write(0, rig.at(kRootData + 4096 * page), page);
    rig.cpu.run();
    rig.finish_device();
    std::vector<std::uint64_t> found;
    for (unsigned page = 0; page < 14; ++page)
      found.push_back(rig.cpu.memory.place_of(VirtualAddress(kRootData + 4096 * page)).value());
    return found;
  };
  const auto expected = places(0);
  for (std::uint64_t seed = 1; seed < 5; ++seed) { EXPECT_EQ(places(seed), expected) << seed; }
}

// Each core has bytes of its own in lines that all write, and so has the device; they go from one to the other
// all the time, crossing probes on their way. Everybody finds in its bytes what it has put there last.
TEST(RootComplex, LinesThatAllWriteLoseNothing) {
  const std::vector<std::vector<std::string>> kinds{
      {},
      {"cpu.l1.sets=1", "cpu.l1.ways=2", "cpu.l2.sets=1", "cpu.l2.ways=2", "cpu.l3.sets=2", "cpu.l3.ways=2"},
      {"cpu.l1.sets=2", "cpu.l1.ways=1", "cpu.l2.sets=0", "cpu.l3.sets=0"},
      {"cpu.to_directory_cycles=30", "cpu.from_directory_cycles=70", "cpu.l2.sets=2", "cpu.l2.ways=1", "cpu.l1.sets=1",
       "cpu.l1.ways=1"}};
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
          for (const Word word : {ld(a0, at, a1), add(a2, a2, a0), addi(a0, a0, 1), sd(a0, at, a1), sd(a0, at + 8, a1)})
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
          for (const unsigned at : {0u, 8u}) { EXPECT_EQ(rig.cpu.read(kRootData + 64 * line + 16 * core + at), kRounds); }
      }
      for (unsigned core = 0; core < kCores; ++core) {
        EXPECT_EQ(rig.cpu.x(a2, core), kLines * kRounds * (kRounds - 1) / 2);
        for (const std::uint64_t value : rig.cpu.statistics(core)) found.push_back(value);
        found.push_back(rig.cpu.ended_at[core]);
      }
      for (const char* const name : {"directory.invalidations", "directory.downgrades", "directory.write_backs",
                                     "host_memory.reads", "root_complex.lines", "root_complex.from_domain"})
        found.push_back(rig.count(name));
      if (seed == 0) expected = found;
      EXPECT_EQ(found, expected) << "seed " << seed;
      if (HasFailure()) return;
    }
  }
}

// ---- whole lines ----

TEST(RootComplex, AWriteOfAWholeLineDoesNotFetchIt) {
  const std::vector<std::string> no_l3{"cpu.l3.sets=0"};
  for (const unsigned masked : {64u, 63u}) {  // the control: one byte is not written
    RootRig rig(no_l3);
    std::vector<std::byte> old(64 * 16, std::byte{9});
    ASSERT_FALSE(rig.cpu.memory.write(VirtualAddress(kRootData), old));
    for (unsigned line = 0; line < 16; ++line)
      rig.write(line * 1000, rig.at(kRootData + 64 * line), bytes_of(64, line + 1), ByteMask::first(masked));
    rig.finish_device();
    EXPECT_EQ(rig.count("host_memory.read_bytes"), masked == 64 ? 0u : 64u * 16);
    EXPECT_EQ(rig.count("host_memory.written_bytes"), 64u * 16);
    EXPECT_EQ(rig.count("directory.unfetched"), masked == 64 ? 16u : 0u);
    EXPECT_EQ(rig.count("root_complex.whole_lines"), masked == 64 ? 16u : 0u);
    std::vector<std::byte> found(64 * 16);
    ASSERT_FALSE(rig.cpu.memory.read(VirtualAddress(kRootData), found));
    for (unsigned i = 0; i < found.size(); ++i)
      ASSERT_EQ(static_cast<unsigned>(found[i]), i % 64 < masked ? i / 64 + 1 : 9u) << i;
  }
}

// Lines of 128 bytes of the GPU's are two of the host's.
TEST(RootComplex, ARequestOfTwoLinesWritesBothWhole) {
  RootRig rig({"cpu.l3.sets=0"});
  rig.write(0, rig.at(kRootData), bytes_of(128, 4), ByteMask::first(128));
  rig.write(0, rig.at(kRootData + 4096 + 32), bytes_of(128, 5), ByteMask::first(128));  // one of three
  rig.finish_device();
  EXPECT_EQ(rig.count("directory.unfetched"), 3u);
  EXPECT_EQ(rig.count("host_memory.read_bytes"), 128u);
}

// Whoever looks from outside of simulated time sees the old bytes or the new ones, never others, and what was
// new stays: with the line at a core, in L3, and in DRAM.
TEST(RootComplex, BytesAreRightWhileAWholeLineIsWritten) {
  for (unsigned where = 0; where < 3; ++where) {
    const std::vector<std::string> sets{"cpu.l3.sets=2", "cpu.l3.ways=2", "cpu.l2.sets=1", "cpu.l2.ways=2", "cpu.l1.sets=1",
                                        "cpu.l1.ways=1"};
    RootRig rig(sets);
    const std::uint64_t old = 0x0909090909090909, fresh = 0x0404040404040404;
    rig.cpu.x(a1) = kRootData;
    rig.cpu.x(a0) = old;
    Words words;
    for (int i = 0; i < 8; ++i) words.push_back(sd(a0, 8 * i, a1));
    // Other lines push it out of L2 into L3, and out of L3.
    rig.cpu.x(a2) = kRootData + 4096;
    for (unsigned i = 0; i < (where == 0 ? 0u : where == 1 ? 3u : 16u); ++i) words.push_back(ld(a3, static_cast<int>(64 * i), a2));
    words.push_back(kEcall);
    rig.cpu.program(0, words);
    rig.cpu.run();
    rig.rest();
    rig.write(0, rig.at(kRootData), bytes_of(64, 4), ByteMask::first(64));
    bool seen_fresh = false;
    unsigned looks = 0;
    const Picoseconds end = rig.cpu.engine.now() + 500'000;
    while (rig.cpu.engine.now() < end) {
      rig.cpu.engine.run_until(rig.cpu.engine.now() + 101);
      std::array<std::byte, 64> bytes;
      const PhysicalAddress line = rig.cpu.memory.place_of(VirtualAddress(kRootData));
      rig.cpu.memory.peek(line, 64, bytes.data(), 63);
      std::uint64_t first;
      std::memcpy(&first, bytes.data(), sizeof first);
      for (unsigned i = 0; i < 64; i += 8) EXPECT_EQ(std::memcmp(bytes.data() + i, &first, 8), 0);
      EXPECT_TRUE(first == fresh || (first == old && !seen_fresh)) << std::hex << first << ", " << where;
      seen_fresh |= first == fresh;
      ++looks;
      if (HasFailure()) return;
    }
    EXPECT_TRUE(seen_fresh);
    EXPECT_TRUE(rig.device.done());
    EXPECT_EQ(rig.cpu.read(kRootData), fresh);
    EXPECT_EQ(rig.count("directory.unfetched"), where == 0 ? 0u : 1u);
  }
}

// ---- time ----

// Of nothing else under way. Where times are not whole cycles, the next edge counts.
struct Clock {
  explicit Clock(const config::Cpu& cpu) : domain(cpu.clock_khz * 1000) {}
  Picoseconds after(Picoseconds time) const { return domain.first_edge_after(time); }
  Picoseconds ahead(Picoseconds edge, std::uint64_t cycles) const { return domain.edge(domain.cycle_at(edge) + cycles); }
  sim::ClockDomain domain;
};

TEST(RootComplex, TimesOfReadsAndWrites) {
  RootRig rig({"cpu.l3.sets=0"});
  const config::Cpu& cpu = rig.cpu.config();
  const Clock clock(cpu);
  const Picoseconds to_directory = cpu.to_directory_cycles * 1'000'000'000 / cpu.clock_khz;
  // When the directory sees a request that is sent at `sent`; when the answer to what it then decides is with
  // the link.
  const auto decided = [&](Picoseconds sent) { return clock.after(sent + Device::kLinkLatency + 1 + to_directory); };
  const auto answered = [&](Picoseconds edge) { return clock.ahead(edge, cpu.from_directory_cycles - 1) + 1; };
  // A line's transfer and DRAM's latency: DRAM looks a picosecond after it was asked.
  const Picoseconds transfer = (64ull * 1'000'000 + 21299) / 21300;
  const auto fetched = [&](Picoseconds edge) { return clock.after(edge + 1 + transfer + 50'000); };

  const Picoseconds first = 5'000'000;
  const std::size_t from_memory = rig.read(first, rig.at(kRootData), 64);
  rig.finish_device();
  EXPECT_EQ(rig.device.answer(from_memory).time, answered(fetched(decided(first))));

  const Picoseconds second = rig.cpu.engine.now() + 1'234'567;
  const std::size_t part = rig.write(second, rig.at(kRootData + 64), 1);
  rig.finish_device();
  EXPECT_EQ(rig.device.answer(part).time, answered(fetched(decided(second))));

  // Nothing is fetched.
  const Picoseconds third = rig.cpu.engine.now() + 1'234'567;
  const std::size_t whole = rig.write(third, rig.at(kRootData + 128), bytes_of(64, 1), ByteMask::first(64));
  rig.finish_device();
  EXPECT_EQ(rig.device.answer(whole).time, answered(decided(third)));

  // A core has it: a probe, and its answer.
  rig.cpu.x(a1) = kRootData + 192;
  rig.cpu.program(0, {sd(a1, 0, a1), kEcall});
  rig.cpu.run();
  rig.rest();
  for (unsigned writes = 0; writes < 2; ++writes) {
    const Picoseconds at = rig.cpu.engine.now() + 1'234'567;
    const std::size_t number = writes != 0 ? rig.write(at, rig.at(kRootData + 192), bytes_of(64, 1), ByteMask::first(64))
                                           : rig.read(at, rig.at(kRootData + 192), 64);
    rig.finish_device();
    const Picoseconds probed = clock.after(clock.ahead(decided(at), cpu.from_directory_cycles - 1));
    const Picoseconds back = clock.after(clock.ahead(probed, cpu.to_directory_cycles - 1));
    EXPECT_EQ(rig.device.answer(number).time, answered(back)) << writes;
  }
}

}  // namespace
}  // namespace duet::test
