// A private cache: which line goes, and what goes with it.
#include "cpu/private_cache.h"

#include <gtest/gtest.h>

namespace duet::cpu {
namespace {

config::Cpu::Cache cache(std::uint64_t sets, std::uint64_t ways) {
  config::Cpu::Cache config;
  config.sets = sets;
  config.ways = ways;
  return config;
}

TEST(PrivateCache, TheLeastRecentlyUsedOfTheSetGoes) {
  PrivateCache lines(cache(2, 3), 64);
  std::optional<PrivateLine> victim;
  for (const std::uint64_t line : {0x000u, 0x080u, 0x100u, 0x040u}) lines.insert(line, victim);
  EXPECT_FALSE(victim);  // the last one is of the other set
  lines.use(*lines.find(0x000));
  lines.find(0x080)->dirty = true;
  lines.insert(0x180, victim);
  ASSERT_TRUE(victim);
  EXPECT_EQ(victim->line, 0x080u);
  EXPECT_TRUE(victim->dirty);
  EXPECT_EQ(lines.find(0x080), nullptr);
  EXPECT_FALSE(lines.find(0x180)->dirty);
  for (const std::uint64_t line : {0x000u, 0x100u, 0x180u, 0x040u}) EXPECT_NE(lines.find(line), nullptr);
}

TEST(PrivateCache, ARemovedLinesPlaceIsTakenFirst) {
  PrivateCache lines(cache(1, 2), 64);
  std::optional<PrivateLine> victim;
  lines.insert(0x000, victim);
  lines.insert(0x040, victim);
  lines.remove(*lines.find(0x040));
  lines.insert(0x080, victim);
  EXPECT_FALSE(victim);
  EXPECT_NE(lines.find(0x000), nullptr);
}

TEST(PrivateCache, LinesOfTheConfiguredSize) {
  PrivateCache lines(cache(2, 1), 128);
  std::optional<PrivateLine> victim;
  lines.insert(0x000, victim);
  lines.insert(0x080, victim);
  EXPECT_FALSE(victim);
  lines.insert(0x100, victim);
  ASSERT_TRUE(victim);
  EXPECT_EQ(victim->line, 0x000u);
}

TEST(PrivateCache, NoSetsAreNoCache) {
  EXPECT_FALSE(PrivateCache(cache(0, 8), 64).exists());
  EXPECT_TRUE(PrivateCache(cache(1, 1), 64).exists());
  EXPECT_THROW(PrivateCache(cache(3, 1), 64), Error);
}

}  // namespace
}  // namespace duet::cpu
