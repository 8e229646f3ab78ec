// Which accesses of which commands conflict, byte by byte, against the rules in conflict_detector.h.
#include "memory/conflict_detector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace duet::memory {
namespace {

namespace conflicts {

Conflict::Side kernel(std::uint64_t command, bool writes, std::uint32_t line = 1) {
  return {command, true, writes, line};
}
bool never(std::uint64_t, std::uint64_t) { return false; }
ByteMask bytes(unsigned first, unsigned count) { return moved_up(ByteMask::first(count), first); }

TEST(ConflictDetector, NamesThePairTheBytesAndTheFirstLines) {
  ConflictDetector detector(never);
  detector.access(kernel(2, false, 30), PhysicalAddress(256 + 32), bytes(4, 8), 100);
  detector.access(kernel(1, true, 50), PhysicalAddress(256), bytes(0, 128), 100);
  detector.access(kernel(1, true, 40), PhysicalAddress(384), bytes(0, 4), 100);
  detector.access(kernel(2, false, 20), PhysicalAddress(384), bytes(2, 4), 100);
  EXPECT_TRUE(detector.take(1).empty());  // the other is not complete
  const std::vector<Conflict> conflicts = detector.take(2);
  ASSERT_EQ(conflicts.size(), 1u);
  EXPECT_EQ(conflicts[0].first.command, 1u);
  EXPECT_EQ(conflicts[0].first.ptx_line, 40u);
  EXPECT_TRUE(conflicts[0].first.writes);
  EXPECT_EQ(conflicts[0].second.command, 2u);
  EXPECT_EQ(conflicts[0].second.ptx_line, 20u);
  EXPECT_FALSE(conflicts[0].second.writes);
  EXPECT_EQ(conflicts[0].bytes, 8u + 2u);
  EXPECT_EQ(conflicts[0].lowest, PhysicalAddress(256 + 36));
  EXPECT_EQ(conflicts[0].highest, PhysicalAddress(384 + 3));
  EXPECT_TRUE(detector.take_all().empty());
}

TEST(ConflictDetector, TwoReadersAndOneCommandAreNoPair) {
  ConflictDetector detector(never);
  detector.access(kernel(1, false), PhysicalAddress(0), bytes(0, 4), 100);
  detector.access(kernel(2, false), PhysicalAddress(0), bytes(0, 4), 100);
  detector.access(kernel(3, true), PhysicalAddress(0), bytes(4, 4), 100);
  detector.access(kernel(3, false), PhysicalAddress(0), bytes(4, 4), 100);
  EXPECT_TRUE(detector.take_all().empty());
}

TEST(ConflictDetector, WhatIsSynchronisedIsNoPair) {
  for (const bool same_word : {false, true})
    for (const bool reads : {false, true}) {
      ConflictDetector detector(never);
      detector.access(kernel(1, true), PhysicalAddress(0), bytes(0, 4), 100);
      detector.synchronise(1, PhysicalAddress(128), bytes(0, 4), false, true);
      detector.synchronise(2, PhysicalAddress(128), bytes(same_word ? 0 : 4, 4), reads, !reads);
      detector.access(kernel(2, false), PhysicalAddress(0), bytes(0, 4), 100);
      EXPECT_EQ(detector.take_all().size(), same_word && reads ? 0u : 1u);
    }
}

TEST(ConflictDetector, WhoHasWaitedForBytesComesAfterWhatWasDoneToThem) {
  for (const bool waits : {false, true}) {
    ConflictDetector detector(never);
    detector.access(kernel(1, true), PhysicalAddress(0), bytes(0, 8), 100);
    detector.access(kernel(2, false), PhysicalAddress(0), bytes(0, 4), 110, waits);
    detector.access(kernel(2, true), PhysicalAddress(0), bytes(0, 4), 120);
    EXPECT_EQ(detector.take_all().size(), waits ? 0u : 1u);
    detector.access(kernel(2, true), PhysicalAddress(0), bytes(4, 4), 130);  // for these it has not waited
    detector.access(kernel(3, true), PhysicalAddress(0), bytes(0, 4), 140);  // who has not waited
    EXPECT_EQ(detector.take_all().size(), 3u);
  }
}

TEST(ConflictDetector, WhoHasWaitedForAWriterComesAfterWhatIsBeforeIt) {
  for (const bool waits : {false, true}) {
    const auto before = [](std::uint64_t a, std::uint64_t b) {
      return (a == 1 && b == 2) || (a >= 3 && a < b);
    };
    ConflictDetector detector(before);
    detector.access(kernel(1, true), PhysicalAddress(0), bytes(0, 8), 100);
    detector.access(kernel(2, true), PhysicalAddress(128), bytes(0, 8), 110);
    detector.access(kernel(3, false), PhysicalAddress(128), bytes(0, 4), 120, waits);
    detector.access(kernel(3, true), PhysicalAddress(0), bytes(0, 4), 130);
    EXPECT_EQ(detector.take_all().size(), waits ? 0u : 2u);
    detector.access(kernel(4, true), PhysicalAddress(128), bytes(0, 4), 140);  // after the one that waited
    detector.access(kernel(5, true), PhysicalAddress(128), bytes(0, 4), 150);  // and after the one above
    EXPECT_EQ(detector.take_all().size(), waits ? 0u : 2u);
  }
}

TEST(ConflictDetector, APairOfWhichMoreIsKnownIsLeftOut) {
  ConflictDetector detector(never);
  detector.access(kernel(1, true), PhysicalAddress(0), bytes(0, 4), 100);
  detector.access(kernel(2, true), PhysicalAddress(0), bytes(0, 4), 100);
  detector.leave_out(2, 1);
  EXPECT_TRUE(detector.take_all().empty());
}

// Random accesses of commands in four streams, each command after those before it in its stream, in two
// orders, against every pair of accesses.
TEST(ConflictDetector, AgreesWithEveryPairInAnyOrder) {
  struct One {
    std::uint64_t command;
    bool writes;
    unsigned first, count;
  };
  using Pair = std::pair<std::uint64_t, std::uint64_t>;
  const auto before = [](std::uint64_t a, std::uint64_t b) { return a < b && a % 4 == b % 4; };
  for (unsigned seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    std::vector<One> accesses;
    for (std::uint64_t command = 1; command <= 12; ++command)
      for (unsigned i = 0; i < 3; ++i)
        accesses.push_back({command, random() % 3 == 0, static_cast<unsigned>(random() % 60),
                            static_cast<unsigned>(1 + random() % 8)});
    std::map<Pair, std::set<unsigned>> expected;
    for (const One& a : accesses)
      for (const One& b : accesses) {
        if (a.command >= b.command || before(a.command, b.command) || !(a.writes || b.writes)) continue;
        for (unsigned at = a.first; at < a.first + a.count; ++at)
          if (at >= b.first && at < b.first + b.count) expected[{a.command, b.command}].insert(at);
      }
    std::map<Pair, Bytes> told[3];
    for (int order = 0; order < 3; ++order) {
      // Streams as they are, all at one time and the other way round, or one stream after the other.
      if (order == 1) std::reverse(accesses.begin(), accesses.end());
      if (order == 2)
        std::stable_sort(accesses.begin(), accesses.end(), [](const One& a, const One& b) {
          return std::pair(a.command % 4, a.command) < std::pair(b.command % 4, b.command);
        });
      ConflictDetector detector(before);
      Picoseconds now = 100;
      for (const One& one : accesses)
        detector.access(kernel(one.command, one.writes), PhysicalAddress(128 * 7),
                        bytes(one.first, one.count), order == 1 ? now : ++now);
      std::map<Pair, Bytes> found;
      for (const Conflict& conflict : detector.take_all())
        found[{conflict.first.command, conflict.second.command}] = conflict.bytes;
      // An access stands for earlier ones of its stream to the same bytes, so some pairs are told by others.
      for (const auto& [pair, count] : found) {
        ASSERT_TRUE(expected.contains(pair)) << seed;
        EXPECT_LE(count, expected[pair].size());
      }
      EXPECT_EQ(found.empty(), expected.empty()) << seed;
      told[order] = found;
    }
    // At one time nothing stands for anything else.
    for (const auto& [pair, where] : expected) EXPECT_EQ(told[1][pair], where.size()) << seed;
  }
}

}  // namespace conflicts

}  // namespace
}  // namespace duet::memory
