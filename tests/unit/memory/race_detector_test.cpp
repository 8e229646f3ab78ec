// Which reads and writes of which commands make a race, byte by byte, against the rules in race_detector.h.
#include "memory/race_detector.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace duet::memory {
namespace {

constexpr RaceAgent kernel(std::uint64_t command, std::uint32_t sm = 0, std::uint32_t line = 1) {
  return {command, true, sm, line};
}
constexpr RaceAgent copy(std::uint64_t command) { return {command, false, 0, 0}; }
bool never(std::uint64_t, std::uint64_t) { return false; }
ByteMask bytes(unsigned first, unsigned count) { return moved_up(ByteMask::first(count), first); }

TEST(RaceDetector, CountsTheBytesReadEarlier) {
  RaceDetector detector(never);
  detector.read(kernel(1, 5, 40), PhysicalAddress(256 + 32), bytes(4, 8), 100);
  detector.read(kernel(1, 3, 50), PhysicalAddress(384), bytes(0, 4), 90);
  detector.write(copy(2), PhysicalAddress(256), bytes(0, 128), 200);
  detector.write(copy(2), PhysicalAddress(384), bytes(2, 8), 210);
  const std::vector<Race> races = detector.take(2);
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].reader, 1u);
  EXPECT_EQ(races[0].writer, 2u);
  EXPECT_EQ(races[0].bytes, 8u + 2u);
  EXPECT_EQ(races[0].first, PhysicalAddress(256 + 36));
  EXPECT_EQ(races[0].last, PhysicalAddress(384 + 3));
  EXPECT_EQ(races[0].read_ps, 90u);
  EXPECT_EQ(races[0].written_ps, 200u);
  EXPECT_EQ(races[0].first_of_kernel.unit, 3u);
  EXPECT_EQ(races[0].first_of_kernel.ptx_line, 50u);
  EXPECT_TRUE(detector.take_all().empty());
}

TEST(RaceDetector, AtOneTimeNothingIsEarlier) {
  for (const bool read_first : {false, true}) {
    RaceDetector detector(never);
    if (read_first) detector.read(kernel(1), PhysicalAddress(0), bytes(0, 4), 100);
    detector.write(copy(2), PhysicalAddress(0), bytes(0, 8), 100);
    if (!read_first) detector.read(kernel(1), PhysicalAddress(0), bytes(0, 4), 100);
    detector.read(kernel(1), PhysicalAddress(0), bytes(4, 4), 99 + 2);
    detector.write(copy(3), PhysicalAddress(0), bytes(0, 8), 101);
    EXPECT_TRUE(detector.take(2).empty());
    const auto races = detector.take(3);
    ASSERT_EQ(races.size(), 1u);
    EXPECT_EQ(races[0].bytes, 4u);
  }
}

TEST(RaceDetector, TwoKernelsAndOneCommandAreNoPair) {
  RaceDetector detector(never);
  detector.read(kernel(1), PhysicalAddress(0), bytes(0, 4), 100);
  detector.write(kernel(2), PhysicalAddress(0), bytes(0, 4), 200);
  detector.read(copy(3), PhysicalAddress(0), bytes(8, 4), 100);
  detector.write(copy(3), PhysicalAddress(0), bytes(8, 4), 200);
  EXPECT_TRUE(detector.take_all().empty());
}

TEST(RaceDetector, EmptiedWordsAreForgotten) {
  RaceDetector detector(never);
  detector.read(kernel(1), PhysicalAddress(0), bytes(0, 8), 100);
  detector.empty(PhysicalAddress(0), bytes(0, 4), 150);
  detector.read(kernel(1), PhysicalAddress(0), bytes(12, 4), 150);
  detector.empty(PhysicalAddress(0), bytes(12, 4), 150);
  detector.write(copy(2), PhysicalAddress(0), bytes(0, 16), 200);
  const auto races = detector.take(2);
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].bytes, 8u);
  EXPECT_EQ(races[0].first, PhysicalAddress(4));
}

// Random accesses of commands in four streams against sets of bytes.
TEST(RaceDetector, AgreesWithSetsOfBytes) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    // Command c lies in stream c % 4; odd streams are also ordered among themselves.
    const auto before = [](std::uint64_t a, std::uint64_t b) {
      return a < b && (a % 4 == b % 4 || (a % 2 && b % 2));
    };
    const auto agent = [](std::uint64_t command) {
      return command % 3 == 0 ? kernel(command) : copy(command);
    };
    RaceDetector detector(before);
    std::map<std::uint64_t, std::set<Address>> read;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::set<Address>> expected;
    for (unsigned step = 0; step < 200; ++step) {
      // Commands come roughly in order, as they do in time.
      const std::uint64_t command = 1 + step / 20 + random() % 4;
      const Address line = random() % 3 * kLineBytes;
      const unsigned first = random() % 100, count = 1 + random() % 28;
      const Picoseconds now = step + 1;
      if (random() % 2 == 0) {
        detector.read(agent(command), PhysicalAddress(line), bytes(first, count), now);
        // A later reader stands for those that are ordered before it.
        for (auto& [other, set] : read)
          if (other != command && before(other, command))
            std::erase_if(set, [&](Address a) { return a / kLineBytes == line / kLineBytes; });
        for (unsigned i = 0; i < count; ++i) read[command].insert(line + first + i);
      } else {
        detector.write(agent(command), PhysicalAddress(line), bytes(first, count), now);
        for (auto& [reader, set] : read) {
          if (reader == command || before(reader, command) || (agent(reader).kernel && agent(command).kernel))
            continue;
          for (unsigned i = 0; i < count; ++i)
            if (set.erase(line + first + i) != 0) expected[{command, reader}].insert(line + first + i);
        }
      }
    }
    // A byte that is read again after its race counts again.
    const auto races = detector.take_all();
    ASSERT_EQ(races.size(), expected.size()) << seed;
    for (const Race& race : races) {
      const auto& set = expected[{race.writer, race.reader}];
      EXPECT_GE(race.bytes, set.size());
      EXPECT_EQ(race.first, PhysicalAddress(*set.begin()));
      EXPECT_EQ(race.last, PhysicalAddress(*set.rbegin()));
    }
  }
}

}  // namespace
}  // namespace duet::memory
