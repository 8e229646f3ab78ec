// The GPU's requests for memory of a program on simulated cores: bytes that cores hold, lines that they lose,
// writes of parts of a line and of whole ones, requests for one line, atomics, code, and their time.
#include <random>

#include "root_rig.h"

namespace duet::test {
namespace {

using namespace rv;
using memory::ByteMask;

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
    if (i % 3 == 0) {
      EXPECT_EQ(rig.device.answer(number).word(8 * i), 100u + i);
    }
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
    rig.cpu.program(
        1, loop(s0, {lr(a0, a1), addi(a0, a0, 1), sc(a3, a0, a1), bne(a3, zero, -12)}) + Words{kEcall});
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
    rig.cpu.program(
        0, Words{lr(a0, a1)} + loop(s0, {div(a4, a4, a5)}) + Words{add(a4, a4, a4), sc(a3, a4, a1), kEcall});
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

// The device writes code, and then, when that has been acknowledged, a word that a core waits for.
TEST(RootComplex, CodeThatTheDeviceWritesIsDecodedAgain) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    RootRig rig({}, 1, seed);
    rig.cpu.x(a1) = kRootData;
    rig.cpu.x(s0) = 2;
    // Word 0 is executed, overwritten, and executed again.
    rig.cpu.program(
        0, loop(s0, {addi(a0, a0, 1), ld(a2, 0, a1), branch(0, a2, zero, -4), kFenceI}) + Words{kEcall});
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

// ---- whole lines ----

// More lines than it has at a time, more messages than queues hold, and a link that takes few answers.
TEST(RootComplex, MoreRequestsThanThereIsRoomForAreAllAnswered) {
  RootRig rig({}, 1, 0, 2);
  constexpr unsigned kLines = RootRig::kLines, kWords = 8;
  const auto place = [&](unsigned line, unsigned word) { return rig.at(kRootData + line * 64 + word * 8); };
  std::vector<std::size_t> reads;
  for (unsigned word = 0; word < kWords; ++word)
    for (unsigned line = 0; line < kLines; ++line) rig.write(0, place(line, word), line * kWords + word);
  for (unsigned line = 0; line < kLines; ++line) reads.push_back(rig.read(0, place(line, line % kWords)));
  rig.finish_device();
  for (unsigned line = 0; line < kLines; ++line)
    ASSERT_EQ(rig.device.answer(reads[line]).word(), line * kWords + line % kWords);
}

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
    const std::vector<std::string> sets{"cpu.l3.sets=2", "cpu.l3.ways=2", "cpu.l2.sets=1",
                                        "cpu.l2.ways=2", "cpu.l1.sets=1", "cpu.l1.ways=1"};
    RootRig rig(sets);
    const std::uint64_t old = 0x0909090909090909, fresh = 0x0404040404040404;
    rig.cpu.x(a1) = kRootData;
    rig.cpu.x(a0) = old;
    Words words;
    for (int i = 0; i < 8; ++i) words.push_back(sd(a0, 8 * i, a1));
    // Other lines push it out of L2 into L3, and out of L3.
    rig.cpu.x(a2) = kRootData + 4096;
    for (unsigned i = 0; i < (where == 0 ? 0u : where == 1 ? 3u : 16u); ++i)
      words.push_back(ld(a3, static_cast<int>(64 * i), a2));
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
  Picoseconds ahead(Picoseconds edge, std::uint64_t cycles) const {
    return domain.edge(domain.cycle_at(edge) + cycles);
  }
  sim::ClockDomain domain;
};

TEST(RootComplex, TimesOfReadsAndWrites) {
  RootRig rig({"cpu.l3.sets=0"});
  const config::Cpu& cpu = rig.cpu.config();
  const Clock clock(cpu);
  const Picoseconds to_directory = cpu.to_directory_cycles * 1'000'000'000 / cpu.clock_khz;
  // When the directory sees a request that is sent at `sent`; when the answer to what it then decides is with
  // the link.
  const auto decided = [&](Picoseconds sent) {
    return clock.after(sent + Device::kLinkLatency + 1 + to_directory);
  };
  const auto answered = [&](Picoseconds edge) {
    return clock.ahead(edge, cpu.from_directory_cycles - 1) + 1;
  };
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
    const std::size_t number =
        writes != 0 ? rig.write(at, rig.at(kRootData + 192), bytes_of(64, 1), ByteMask::first(64))
                    : rig.read(at, rig.at(kRootData + 192), 64);
    rig.finish_device();
    const Picoseconds probed = clock.after(clock.ahead(decided(at), cpu.from_directory_cycles - 1));
    const Picoseconds back = clock.after(clock.ahead(probed, cpu.to_directory_cycles - 1));
    EXPECT_EQ(rig.device.answer(number).time, answered(back)) << writes;
  }
}

}  // namespace
}  // namespace duet::test
