// Clean and Invalidate as commands: what they do, and when. With l2_config() a request sent at edge n is
// looked up at n + 6; what is written below at edge n is acknowledged at n + 22.
#include <gtest/gtest.h>

#include "base/error.h"
#include "cache_rig.h"

namespace duet::memory::test {
namespace {

constexpr unsigned kBelow = 22;

TEST(CacheCommand, CleanBringsTheBytesOfItsRangeDownAndKeepsThemClean) {
  Rig rig(l2_config());
  Commander commander(rig.engine, rig.cache);
  for (const Address line : {0u, 128u, 256u, 384u}) rig.client().send(0, write(line, 8, 9));
  commander.send(100, Operation::Clean, 132, 256);  // from the middle of a line to that of another
  rig.client().send(300, read(128, 8));
  rig.run();
  ASSERT_EQ(rig.memory.log.size(), 3u);
  for (const auto& seen : rig.memory.log) EXPECT_EQ(seen.request.kind, RequestKind::WriteBack);
  for (unsigned i = 0; i < 512; ++i) {
    const bool down = i % 128 < 8 && i >= 132 && i < 132 + 256;
    EXPECT_EQ(rig.memory.bytes[i], down ? std::byte{9} : Rig::initial(i)) << i;
  }
  EXPECT_EQ(rig.cache.find(PhysicalAddress(0))->dirty.bits[0], 0xffu);
  EXPECT_EQ(rig.cache.find(PhysicalAddress(128))->dirty.bits[0], 0xfu);
  EXPECT_EQ(rig.cache.find(PhysicalAddress(256))->dirty.bits[0], 0u);
  EXPECT_EQ(rig.cache.find(PhysicalAddress(256))->valid.bits[0], 0xffu);
  EXPECT_EQ(rig.cache.find(PhysicalAddress(384))->dirty.bits[0], 0xf0u);
  EXPECT_EQ(rig.client().answers[4].edge, 307u);  // still here
  EXPECT_EQ(commander.done_at[0], 100u + 2 + 2 + kBelow);
}

TEST(CacheCommand, InvalidateGivesUpCleanBytesAndKeepsDirtyOnes) {
  for (const bool whole : {false, true}) {
    Rig rig(l2_config());
    Commander commander(rig.engine, rig.cache);
    rig.client().send(0, read(0, 128));
    rig.client().send(0, read(128, 128));
    rig.client().send(100, write(4, 4, 9));
    if (whole) {
      commander.send(200, Operation::Invalidate);
    } else {
      commander.send(200, Operation::Invalidate, 0, 128);
    }
    rig.run();
    EXPECT_EQ(commander.done_at[0], 202u);
    EXPECT_EQ(rig.cache.find(PhysicalAddress(0))->valid.bits[0], 0xf0u);
    EXPECT_EQ(rig.cache.find(PhysicalAddress(0))->dirty.bits[0], 0xf0u);
    EXPECT_EQ(rig.cache.find(PhysicalAddress(128)) == nullptr, whole);
    EXPECT_EQ(rig.cache.statistics().write_backs, 0u);
  }
}

// The first read's bytes left memory before the command; they are no later read's.
TEST(CacheCommand, InvalidateLeavesNoBytesOnTheirWayToLaterReads) {
  Rig rig(l2_config());
  Commander commander(rig.engine, rig.cache);
  rig.client().send(0, read(0, 8));
  commander.send(10, Operation::Invalidate);
  rig.client().send(12, read(0, 8));
  rig.run();
  ASSERT_EQ(rig.client().answers.size(), 2u);
  EXPECT_LT(rig.client().answers[0].edge, rig.client().answers[1].edge);
  EXPECT_EQ(rig.cache.statistics().read_misses, 2u);
  EXPECT_EQ(rig.cache.statistics().read_merges, 0u);
  EXPECT_EQ(rig.memory.log.size(), 2u);
}

TEST(CacheCommand, HasThePortForItselfAndItsLines) {
  for (const unsigned own : {0u, 1u, 4u})
    for (const unsigned line : {0u, 1u, 3u})
      for (const bool whole : {false, true})
        for (const unsigned dirty : {0u, 1u, 2u}) {
          config::Cache config = l2_config();  // 8 lines
          config.command_cycles = own;
          config.command_line_cycles = line;
          Rig rig(config);
          Commander commander(rig.engine, rig.cache);
          for (unsigned i = 0; i < 2; ++i)
            rig.client().send(0, i < dirty ? write(128 * i, 4, 1) : read(128 * i, 4));
          if (whole) {
            commander.send(100, Operation::Clean);
          } else {
            commander.send(100, Operation::Clean, 0, 3 * 128);
          }
          rig.client().send(96, read(0, 4));  // looked up at 102, or when the port is free
          rig.run();
          const unsigned cost = own + line * (whole ? 8 : 3);
          EXPECT_EQ(commander.done_at[0], 100 + 2 + cost + (dirty == 0 ? 0 : dirty - 1 + kBelow));
          EXPECT_EQ(rig.client().answers[2].edge, std::max(102u, 101 + cost) + 1) << own << " " << line;
        }
}

TEST(CacheCommand, ACleanWaitsForWriteBacksThatLeftBefore) {
  config::Cache config = l2_config();
  config.sets = config.ways = 1;
  Rig rig(config);
  Commander commander(rig.engine, rig.cache);
  rig.client().send(0, write(0, 4, 9));
  rig.client().send(100, read(128, 4));  // evicts at 106, acknowledged at 128
  commander.send(110, Operation::Clean, 128, 128);
  commander.send(114, Operation::Clean, 0, 128);
  commander.send(114, Operation::Clean);  // one after the other
  rig.run();
  EXPECT_EQ(commander.done_at[0], 112u);
  EXPECT_EQ(commander.done_at[1], 106u + kBelow + 1);
  EXPECT_EQ(commander.done_at[2], 106u + kBelow + 2);
}

TEST(CacheCommand, RefusesOtherOperations) {
  Rig rig(l2_config());
  Commander commander(rig.engine, rig.cache);
  commander.send(0, Operation::Read);
  EXPECT_THROW(rig.run(), Error);
}

}  // namespace
}  // namespace duet::memory::test
