#include "predict/tag_array.h"

#include <gtest/gtest.h>

#include <bit>

#include "predict/dropped_words.h"

namespace duet::predict {
namespace {

config::Cache small_cache() {
  config::Cache cache;
  cache.sets = 4, cache.ways = 2, cache.line_bytes = 128, cache.sector_bytes = 32;
  return cache;
}

TEST(TagArray, ASectorIsThereWhenItWasRead) {
  TagArray tags(small_cache(), nullptr);
  EXPECT_FALSE(tags.read(0, 0b0001));
  EXPECT_EQ(tags.brought(), 0b0001u);
  EXPECT_TRUE(tags.read(0, 0b0001));
  EXPECT_FALSE(tags.read(0, 0b0011));
  EXPECT_EQ(tags.brought(), 0b0010u);
  EXPECT_TRUE(tags.read(64, 0b0011));  // an address within the line
}

TEST(TagArray, AMissBringsWholeSectors) {
  config::Cache cache = small_cache();
  cache.sector_bytes = 64;
  TagArray tags(cache, nullptr);
  EXPECT_FALSE(tags.read(0, 0b0001));
  EXPECT_TRUE(tags.read(0, 0b0010));
  EXPECT_FALSE(tags.read(0, 0b0100));
}

TEST(TagArray, TheLineUsedLongestAgoIsDisplaced) {
  TagArray tags(small_cache(), nullptr);
  constexpr std::uint64_t kSet = 4 * 128;  // lines of one set are so far apart
  tags.read(0, 0xf);
  tags.write(kSet, 0b0011, true);
  tags.read(0, 0xf);
  tags.read(2 * kSet, 0xf);
  EXPECT_EQ(tags.displaced(), 0b0011u);  // dirty
  EXPECT_EQ(tags.displaced_line(), kSet);
  EXPECT_TRUE(tags.holds(0));
  EXPECT_FALSE(tags.holds(kSet));
}

TEST(TagArray, CountsWhatIsDirty) {
  TagArray tags(small_cache(), nullptr);
  constexpr std::uint64_t kSet = 4 * 128;
  tags.write(0, 0b0011, true);
  tags.write(0, 0b0110, true);
  EXPECT_EQ(tags.dirty_segments(), 3u);
  tags.write(kSet, 0xf, true);
  tags.read(2 * kSet, 0xf);  // displaces the first one
  EXPECT_EQ(tags.dirty_segments(), 4u);
  tags.read(3 * kSet, 0xf);  // and the other one
  EXPECT_EQ(tags.dirty_segments(), 0u);
}

TEST(TagArray, APartlyWrittenSectorHasToBeFetched) {
  TagArray tags(small_cache(), nullptr);
  tags.write(0, 0b0001, false);
  EXPECT_FALSE(tags.read(0, 0b0001));
  tags.write(128, 0b0001, true);
  EXPECT_TRUE(tags.read(128, 0b0001));
}

TEST(TagArray, NothingIsTakenWithoutAllocation) {
  TagArray tags(small_cache(), nullptr);
  EXPECT_FALSE(tags.read(0, 0xf, false));
  EXPECT_FALSE(tags.holds(0));
  EXPECT_FALSE(tags.write(0, 0xf, true, false));
  EXPECT_FALSE(tags.holds(0));
}

// Dirty segments that leave.
unsigned left_for(TagArray& tags, const TagArray::FirstUses& lines, double dirty_share) {
  unsigned result = 0;
  tags.pass(lines, dirty_share, [&](std::uint64_t, unsigned segments) {
    result += static_cast<unsigned>(std::popcount(segments));
  });
  return result;
}

// Two ways in each of four sets: of each set the line that was used longest ago makes room.
TEST(TagArray, LinesThatWereNotSeenMakeOthersLeave) {
  TagArray tags(small_cache(), nullptr);
  constexpr std::uint64_t kSet = 4 * 128;
  for (std::uint64_t line = 0; line < 4; ++line) {
    tags.write(128 * line, 0b0001, false);
    tags.read(128 * line + kSet, 0xf);
  }
  tags.begin_kernel();
  EXPECT_EQ(left_for(tags, {.missed = 4}, 0), 4u);
  for (std::uint64_t line = 0; line < 4; ++line) {
    EXPECT_FALSE(tags.holds(128 * line));
    EXPECT_TRUE(tags.holds(128 * line + kSet));
  }
  // They stay themselves, in the order of time, and half of them are dirty.
  EXPECT_EQ(left_for(tags, {.missed = 4}, 0.5), 0u);
  EXPECT_EQ(tags.dirty_segments(), 8u);
  for (std::uint64_t line = 0; line < 4; ++line) EXPECT_FALSE(tags.holds(128 * line + kSet));
  unsigned dirty = 0;
  for (std::uint64_t line = 0; line < 8; ++line) {
    tags.read(128 * line, 0xf);
    dirty += static_cast<unsigned>(std::popcount(tags.displaced()));
  }
  EXPECT_EQ(dirty, 8u);
  EXPECT_EQ(tags.dirty_segments(), 0u);
}

TEST(TagArray, ALineThatPassesIsAsLongAsTheOthers) {
  config::Cache cache = small_cache();
  cache.line_bytes = 64;
  TagArray tags(cache, nullptr);
  tags.begin_kernel();
  tags.pass({.missed = 4}, 1);
  EXPECT_EQ(tags.dirty_segments(), 4u * 2);
}

// A set that had fewer lines gets more of those that were not seen.
TEST(TagArray, LinesThatWereNotSeenGoToSetsInTurn) {
  TagArray tags(small_cache(), nullptr);
  constexpr std::uint64_t kSet = 4 * 128;
  for (std::uint64_t line = 0; line < 8; ++line) tags.read(128 * line, 0xf);
  tags.begin_kernel();
  tags.read(8 * 128, 0xf);
  tags.pass({.missed = 3}, 0);  // to the other three sets
  EXPECT_TRUE(tags.holds(kSet)) << "of the first set";
  for (std::uint64_t line = 1; line < 4; ++line) {
    EXPECT_FALSE(tags.holds(128 * line));
    EXPECT_TRUE(tags.holds(128 * line + kSet));
  }
}

TEST(TagArray, WhatAKernelComesBackToStays) {
  TagArray tags(small_cache(), nullptr);
  constexpr std::uint64_t kSet = 4 * 128;
  tags.begin_kernel();
  EXPECT_EQ(tags.first_uses().missed, 0u);
  for (const std::uint64_t address : {std::uint64_t{0}, kSet, kSet}) tags.read(address, 0xf);
  EXPECT_EQ(tags.first_uses().missed, 2u);
  tags.begin_wave();
  tags.read(0, 0xf);
  tags.begin_wave();
  tags.read(kSet + 128, 0xf);
  tags.read(kSet + 128, 0xf);
  EXPECT_EQ(tags.first_uses().missed, 3u);
  tags.pass({.missed = 100}, 0);
  EXPECT_TRUE(tags.holds(0)) << "used in the first wave and in the second";
  EXPECT_FALSE(tags.holds(kSet)) << "used twice, in one wave";
  EXPECT_FALSE(tags.holds(kSet + 128));
  tags.read(kSet, 0xf);
  EXPECT_TRUE(tags.holds(0)) << "and it is used last";
}

// Of each set the line that was used longest ago, not the other one.
TEST(TagArray, LinesThatAreFoundUnseenStayAndAreUsedLast) {
  TagArray tags(small_cache(), nullptr);
  constexpr std::uint64_t kSet = 4 * 128;
  for (std::uint64_t line = 0; line < 8; ++line) tags.read(128 * line, 0xf);
  tags.begin_kernel();
  EXPECT_EQ(left_for(tags, {.found = 4}, 0.5), 0u);
  EXPECT_EQ(tags.dirty_segments(), 8u);
  for (std::uint64_t line = 0; line < 8; ++line) EXPECT_TRUE(tags.holds(128 * line));
  EXPECT_EQ(left_for(tags, {.missed = 4}, 0), 0u);
  for (std::uint64_t line = 0; line < 4; ++line) {
    EXPECT_TRUE(tags.holds(128 * line));
    EXPECT_FALSE(tags.holds(128 * line + kSet));
  }
  // A later wave uses what was taken for another's: for the first time.
  tags.begin_wave();
  tags.read(0, 0xf);
  EXPECT_EQ(tags.first_uses().found, 1u);
  tags.pass({.missed = 100}, 0);
  EXPECT_FALSE(tags.holds(0)) << "used in one wave only";
}

TEST(TagArray, WhatPassedAboveIsWrittenToWhatPassedHere) {
  TagArray tags(small_cache(), nullptr);
  EXPECT_FALSE(tags.write_passed(0xf));
  tags.begin_kernel();
  tags.pass({.missed = 2}, 0);
  EXPECT_EQ(tags.held(), 2u);
  EXPECT_TRUE(tags.write_passed(0xf));
  EXPECT_TRUE(tags.write_passed(0x3));
  EXPECT_EQ(tags.dirty_segments(), 6u);
  std::uint64_t nowhere = 0;
  tags.pass({.missed = 8}, 0, [&](std::uint64_t address, unsigned segments) {
    EXPECT_EQ(address, TagArray::kNowhere);
    nowhere += segments;
  });
  EXPECT_EQ(nowhere, 0xfu + 0x3u);
  EXPECT_EQ(tags.held(), 8u);
}

// More than there are come in place of others.
TEST(TagArray, NoMoreLinesAreFoundUnseenThanThereAre) {
  TagArray tags(small_cache(), nullptr);
  for (std::uint64_t line = 0; line < 4; ++line) tags.write(128 * line, 0xf, true);
  tags.begin_kernel();
  EXPECT_EQ(left_for(tags, {.found = 8}, 0), 0u);
  EXPECT_TRUE(tags.holds(0));
  EXPECT_EQ(left_for(tags, {.found = 4}, 0), 16u);
  EXPECT_FALSE(tags.holds(0));
}

TEST(TagArray, ALineKnowsWhenItWasAskedFor) {
  TagArray tags(small_cache(), nullptr);
  tags.read(0, 0b0001);
  tags.set_stamp(7);
  tags.read(0, 0b0001);
  EXPECT_EQ(tags.found_stamp(), 0u);  // before there were stamps
  tags.read(0, 0b0010);
  tags.set_stamp(8);
  tags.read(0, 0b0010);
  EXPECT_EQ(tags.found_stamp(), 7u);
  // Another line in its place, written and not asked for.
  tags.read(4 * 128, 0xf);
  tags.read(8 * 128, 0xf);
  tags.write(0, 0b0010, true);
  tags.read(0, 0b0010);
  EXPECT_EQ(tags.found_stamp(), 0u);
}

// A store drops its words only.
TEST(DroppedWords, TheRestOfTheLineStays) {
  EXPECT_EQ(DroppedWords::of(12, 4), 0b1000u);
  EXPECT_EQ(DroppedWords::of(14, 4), 0b11000u);
  EXPECT_EQ(DroppedWords::of(0, 128), ~0u);
  DroppedWords dropped;
  EXPECT_FALSE(dropped.any(7, ~0u));
  dropped.drop(7, DroppedWords::of(12, 4));
  EXPECT_TRUE(dropped.any(7, DroppedWords::of(8, 8)));
  EXPECT_FALSE(dropped.any(7, DroppedWords::of(16, 4)));
  EXPECT_FALSE(dropped.any(8, ~0u));
  dropped.fetched(7);
  EXPECT_FALSE(dropped.any(7, ~0u));
}

}  // namespace
}  // namespace duet::predict
