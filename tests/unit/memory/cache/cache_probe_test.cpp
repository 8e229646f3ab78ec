// Probes from below or beside, and their races with fills, write-backs and requests of the same line. With
// l1_config() and l2_config() a request sent at edge n is looked up at n + 6 and the memory's answer to it is
// there 22 edges later.
#include <gtest/gtest.h>

#include "base/error.h"
#include "cache_rig.h"

namespace duet::memory::test {
namespace {

constexpr unsigned kProbe = 2 + 5;  // edges from sending a probe to its answer

TEST(CacheProbe, TakesTheDirtyBytesOfItsRange) {
  Rig rig(l2_config());
  Prober prober(rig.engine, rig.pool, rig.cache);
  rig.client().send(0, write(4, 8, 9));
  prober.send(100, Operation::Invalidate, 0, 8);
  prober.send(200, Operation::Invalidate, 0, 128);
  prober.send(300, Operation::Invalidate, 0, 128);
  rig.engine.run_until(150 * kPeriod);
  EXPECT_EQ(rig.cache.find(PhysicalAddress(0))->valid.bits[0], 0xf00u);
  EXPECT_EQ(rig.cache.find(PhysicalAddress(0))->dirty.bits[0], 0xf00u);
  rig.run();
  EXPECT_EQ(prober.answers[0].edge, 100 + kProbe);
  EXPECT_EQ(prober.answers[0].request.mask.bits[0], 0xf0u);
  EXPECT_EQ(prober.answers[0].packet.payload_bytes, 4);
  EXPECT_EQ(prober.answers[0].request.data[7], std::byte{9});
  EXPECT_EQ(prober.answers[1].edge, 200 + kProbe);
  EXPECT_EQ(prober.answers[1].request.mask.bits[0], 0xf00u);
  // A line that is not there.
  EXPECT_EQ(prober.answers[2].edge, 300 + kProbe);
  EXPECT_FALSE(any(prober.answers[2].request.mask));
  EXPECT_EQ(prober.answers[2].packet.payload_bytes, 0);
  EXPECT_EQ(rig.cache.find(PhysicalAddress(0)), nullptr);
  EXPECT_TRUE(rig.memory.log.empty());  // the prober has them, and nobody else
  EXPECT_EQ(rig.pool.in_use(), 0u);
}

TEST(CacheProbe, ADowngradeKeepsTheBytesAsCleanOnes) {
  config::Cache config = l2_config();
  config.sets = config.ways = 1;
  Rig rig(config);
  Prober prober(rig.engine, rig.pool, rig.cache);
  rig.client().send(0, write(4, 4, 9));
  prober.send(100, Operation::Clean, 0, 128);
  rig.client().send(200, read(4, 4));
  rig.client().send(300, write(128, 4, 1));
  rig.run();
  EXPECT_EQ(prober.answers[0].edge, 100 + kProbe);
  EXPECT_EQ(prober.answers[0].request.mask.bits[0], 0xf0u);
  EXPECT_EQ(rig.client().answers[1].edge, 207u);
  EXPECT_EQ(value<std::uint32_t>(rig.client().answers[1]), 0x09090909u);
  EXPECT_TRUE(rig.memory.log.empty());  // evicted clean
}

TEST(CacheProbe, ReadersThatWaitSeeTheFetchAndLaterOnesDoNot) {
  for (const bool back : {false, true}) {
    Rig rig(back ? l2_config() : l1_config());
    Prober prober(rig.engine, rig.pool, rig.cache);
    rig.client().send(0, read(0, 4));  // bound in memory at edge 7, here at 28
    prober.send(10, Operation::Invalidate, 0, 128);
    rig.engine.run_until(18 * kPeriod);
    EXPECT_EQ(prober.answers[0].edge, 10 + kProbe);  // before the fetch is back
    rig.memory.bytes[0] = std::byte{0x5a};
    rig.client().send(18, read(0, 4));  // looked up at 24, before the first fetch is back
    rig.run();
    EXPECT_EQ(rig.client().answers[0].edge, 29u);
    EXPECT_EQ(rig.client().answers[0].request.data[0], Rig::initial(0));
    EXPECT_EQ(rig.client().answers[1].request.data[0], std::byte{0x5a});
    EXPECT_EQ(rig.cache.statistics().fills, 2u);
    EXPECT_EQ(rig.pool.in_use(), 0u);
  }
}

TEST(CacheProbe, AnAtomicThatWaitsFetchesAgain) {
  for (const bool reader_first : {false, true}) {
    Rig rig(l2_config());
    Prober prober(rig.engine, rig.pool, rig.cache);
    if (reader_first) rig.client().send(0, read(0, 4));
    rig.client().send(0, atomic<std::uint32_t>(0, AtomicOperation::Add, AtomicType::U32, {1}));
    rig.client().send(0, write(8, 4, 7));  // waits behind it
    prober.send(10, Operation::Invalidate, 0, 128);
    rig.engine.run_until(18 * kPeriod);
    EXPECT_EQ(prober.answers[0].edge, 10 + kProbe);
    EXPECT_FALSE(any(prober.answers[0].request.mask));
    for (unsigned i = 0; i < 12; ++i) rig.memory.bytes[i] = std::byte{0x10};
    rig.run();
    const auto& answers = rig.client().answers;
    if (reader_first) {
      EXPECT_EQ(answers[0].request.data[0], Rig::initial(0));
    }
    EXPECT_EQ(value<std::uint32_t>(answers[reader_first]), 0x10101010u);
    // The first fetch is back at 28, where the next one leaves.
    EXPECT_EQ(answers[reader_first].edge, 28u + 22 + 1);
    EXPECT_EQ(rig.cache.find(PhysicalAddress(0))->dirty.bits[0], 0xf0fu);
    EXPECT_EQ(rig.pool.in_use(), 0u);
  }
}

TEST(CacheProbe, FollowsTheWriteBackOfItsLine) {
  config::Cache config = l2_config();
  config.sets = config.ways = 1;
  for (const unsigned sent : {98u, 99u, 100u, 101u, 121u, 122u, 123u}) {
    Rig rig(config);
    Prober prober(rig.engine, rig.pool, rig.cache);
    rig.client().send(0, write(0, 4, 9));
    rig.client().send(100, write(128, 4, 1));  // evicts at 106, acknowledged at 128
    prober.send(sent, Operation::Invalidate, 0, 128);
    rig.run();
    // Looked up at sent + 6; at one edge the probe comes before the lookup that evicts.
    const bool before = sent + 6 <= 106;
    EXPECT_EQ(prober.answers[0].edge, before ? sent + kProbe : std::max(sent + kProbe, 128u + 1)) << sent;
    EXPECT_EQ(any(prober.answers[0].request.mask), before) << sent;
    EXPECT_EQ(rig.memory.bytes[0], before ? Rig::initial(0) : std::byte{9});
    EXPECT_EQ(rig.cache.find(PhysicalAddress(128))->dirty.bits[0], 0xfu);
    EXPECT_EQ(rig.pool.in_use(), 0u);
  }
}

TEST(CacheProbe, ProbersTakeTurnsOneACycle) {
  Rig rig(l2_config());
  Prober one(rig.engine, rig.pool, rig.cache), two(rig.engine, rig.pool, rig.cache);
  for (unsigned i = 0; i < 3; ++i) {
    one.send(0, Operation::Clean, 128 * i, 128);
    two.send(0, Operation::Invalidate, 128 * i, 128);
  }
  rig.client().send(0, read(0, 4));  // no probe takes its port
  rig.run();
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(one.answers[i].edge, kProbe + 2 * i);
    EXPECT_EQ(two.answers[i].edge, kProbe + 2 * i + 1);
  }
  EXPECT_EQ(rig.client().answers[0].edge, 29u);
}

TEST(CacheProbe, RefusesWhatIsNone) {
  const std::pair<Operation, unsigned> wrong[] = {
      {Operation::Read, 128}, {Operation::Clean, 0}, {Operation::Invalidate, 256}};
  for (const auto& [operation, bytes] : wrong) {
    Rig rig(l2_config());
    Prober prober(rig.engine, rig.pool, rig.cache);
    prober.send(0, operation, 0, bytes);
    EXPECT_THROW(rig.run(), Error);
  }
}

}  // namespace
}  // namespace duet::memory::test
