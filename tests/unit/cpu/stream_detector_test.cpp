#include "cpu/stream_detector.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace duet::cpu {
namespace {

constexpr std::int64_t kLinesAPage = 64;

std::vector<std::int64_t> lines_of(const StreamDetector::Ahead& ahead) {
  std::vector<std::int64_t> lines;
  for (unsigned i = 0; i < ahead.count; ++i) lines.push_back(ahead.first + static_cast<int>(i) * ahead.step);
  return lines;
}

TEST(StreamDetector, TheThirdLineOfOneDirectionStartsAStream) {
  StreamDetector up, down;
  EXPECT_EQ(up.observe(70, kLinesAPage, 20).count, 0u);
  EXPECT_EQ(up.observe(71, kLinesAPage, 20).count, 0u);
  EXPECT_EQ(lines_of(up.observe(72, kLinesAPage, 20)), (std::vector<std::int64_t>{73, 74}));
  EXPECT_EQ(lines_of(up.observe(73, kLinesAPage, 20)), (std::vector<std::int64_t>{75, 76}));
  down.observe(100, kLinesAPage, 20);
  down.observe(98, kLinesAPage, 20);
  EXPECT_EQ(lines_of(down.observe(97, kLinesAPage, 20)), (std::vector<std::int64_t>{96, 95}));
  EXPECT_EQ(down.observe(99, kLinesAPage, 20).count, 0u) << "it turns";
}

TEST(StreamDetector, ItStaysInThePageAndNearTheStream) {
  StreamDetector detector;
  std::set<std::int64_t> asked;
  std::int64_t farthest = 0;
  for (std::int64_t line = 0; line < kLinesAPage; ++line)
    for (const std::int64_t next : lines_of(detector.observe(line, kLinesAPage, 5))) {
      EXPECT_TRUE(asked.insert(next).second) << next << " is asked for twice";
      EXPECT_LT(next, kLinesAPage);
      farthest = std::max(farthest, next - line);
    }
  EXPECT_EQ(farthest, 5);
  EXPECT_EQ(asked.size(), static_cast<std::size_t>(kLinesAPage - 3)) << "all but the first three";
}

TEST(StreamDetector, WhatCouldNotBeAskedForIsNamedAgain) {
  StreamDetector detector;
  for (const std::int64_t line : {0, 1}) detector.observe(line, kLinesAPage, 20);
  ASSERT_EQ(detector.observe(2, kLinesAPage, 20).count, 2u);
  detector.give_back(1);
  EXPECT_EQ(lines_of(detector.observe(3, kLinesAPage, 20)), (std::vector<std::int64_t>{4, 5}));
}

TEST(StreamDetector, ItFollowsSoManyPages) {
  StreamDetector detector;
  for (std::int64_t line = 0; line < 3; ++line)
    for (std::int64_t page = 0; page < 32; ++page)
      EXPECT_EQ(detector.observe(page * kLinesAPage + line, kLinesAPage, 20).count, line == 2 ? 2u : 0u);
  for (std::int64_t line = 3; line < 6; ++line)
    for (std::int64_t page = 0; page < 33; ++page)
      EXPECT_EQ(detector.observe(page * kLinesAPage + line, kLinesAPage, 20).count,
                line == 3 && page < 32 ? 2u : 0u)
          << "the 33rd takes the place of the one that is needed next";
}

}  // namespace
}  // namespace duet::cpu
