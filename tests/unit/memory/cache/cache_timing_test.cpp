// When a cache answers: unloaded latencies to the cycle, ports, back-pressure.
#include <gtest/gtest.h>

#include "base/error.h"
#include "cache_rig.h"

namespace duet::memory::test {
namespace {

TEST(CacheTiming, MissAndHitTakeTheDocumentedCycles) {
  for (const unsigned latency : {1u, 2u, 5u, 90u})
    for (const unsigned below : {0u, 1u, 20u}) {
      config::Cache config = l1_config();
      config.latency_cycles = latency;
      Rig rig(config, 1, below);
      rig.client().send(10, read(256, 4));
      rig.client().send(1000, read(260, 4));
      rig.run();
      const Picoseconds lookup = 10 + 1 + latency;
      ASSERT_EQ(rig.memory.log.size(), 1u);
      EXPECT_EQ(rig.memory.log[0].edge, lookup + 1);
      EXPECT_EQ(rig.client().answers[0].edge, lookup + (2 + below) + 1) << latency << " " << below;
      EXPECT_EQ(rig.client().answers[1].edge, 1000u + 2 + latency);
    }
}

TEST(CacheTiming, HitsAreAnsweredOneACycle) {
  Rig rig(l1_config());
  rig.client().send(0, read(0, 128));
  for (unsigned i = 0; i < 6; ++i) rig.client().send(100, read(4 * i, 4));
  rig.run();
  for (unsigned i = 0; i < 6; ++i) EXPECT_EQ(rig.client().answers[1 + i].edge, 100 + 2 + 5 + i);
}

TEST(CacheTiming, RequestsThatFollowEachOtherOnAWireAreAcceptedWhenTheyArrive) {
  Rig rig(l1_config());
  rig.client().send(0, read(0, 128));
  rig.run();
  rig.client().wire_cycles = 20;  // all are on their way before the first one arrives
  const std::uint64_t start = rig.edge() + 100;
  for (unsigned i = 0; i < 6; ++i) rig.client().send(start + 2 * i, read(4 * i, 4));
  rig.run();
  for (unsigned i = 0; i < 6; ++i)
    EXPECT_EQ(rig.client().answers[1 + i].edge, start + 2 * i + 20 + 2 + 5) << i;
}

TEST(CacheTiming, RequestsThatWaitForOneLineAreAnsweredOneACycleInOrder) {
  Rig rig(l1_config());
  for (unsigned i = 0; i < 4; ++i) rig.client().send(0, read(4 * i, 4));
  rig.run();
  EXPECT_EQ(rig.memory.log.size(), 1u);
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(rig.client().answers[i].edge, 6 + 22 + 1 + i);
  EXPECT_EQ(rig.cache.statistics().read_misses, 1u);
  EXPECT_EQ(rig.cache.statistics().read_merges, 3u);
}

TEST(CacheTiming, ClientsTakeTurns) {
  Rig rig(l1_config(), 2);
  rig.client(0).send(0, read(0, 128));
  for (unsigned i = 0; i < 4; ++i)
    for (unsigned c = 0; c < 2; ++c) rig.client(c).send(100, read(4 * i, 4));
  rig.run();
  for (unsigned i = 0; i < 4; ++i)
    for (unsigned c = 0; c < 2; ++c) {
      // Client 0 was served last.
      const auto& answer = rig.client(c).answers[(c == 0) + i];
      EXPECT_EQ(answer.edge, 100u + 2 + 5 + 2 * i + (c == 0));
      EXPECT_EQ(answer.packet.destination, c);
      EXPECT_EQ(answer.packet.source, 77);
      EXPECT_EQ(answer.packet.tag, 4242);
      EXPECT_EQ(answer.packet.payload_bytes, 4);
    }
}

TEST(CacheTiming, AWriteThroughIsAcknowledgedFromBelow) {
  Rig rig(l1_config());
  rig.client().send(0, write(300, 8, 5));
  rig.run();
  ASSERT_EQ(rig.memory.log.size(), 1u);
  EXPECT_EQ(rig.memory.log[0].packet.source, 9);
  EXPECT_EQ(rig.memory.log[0].packet.destination, 2);  // of line 256
  EXPECT_EQ(rig.memory.log[0].packet.payload_bytes, 8);
  EXPECT_EQ(rig.client().answers[0].edge, 6u + 22 + 1);
  EXPECT_EQ(rig.client().answers[0].packet.payload_bytes, 0);
}

TEST(CacheTiming, AWriteBackIsAcknowledgedAtLookup) {
  Rig rig(l2_config());
  rig.client().send(0, write(300, 8, 5));
  rig.run();
  EXPECT_TRUE(rig.memory.log.empty());
  EXPECT_EQ(rig.client().answers[0].edge, 7u);
}

TEST(CacheTiming, AnAtomicHasThePortForItsWords) {
  for (const unsigned rate : {1u, 2u, 3u, 8u}) {
    config::Cache config = l2_config();
    config.atomic_words_per_cycle = rate;
    Rig rig(config);
    rig.client().send(0, read(0, 128));
    rig.client().send(100, atomic<std::uint32_t>(0, AtomicOperation::Add, AtomicType::U32,
                                                 std::vector<std::uint32_t>(7, 1)));
    rig.client().send(100, read(64, 4));
    rig.run();
    const unsigned cycles = (7 + rate - 1) / rate;
    EXPECT_EQ(rig.client().answers[1].edge, 100 + 2 + 5 + cycles - 1);
    EXPECT_EQ(rig.client().answers[2].edge, 100 + 2 + 5 + cycles);
  }
}

TEST(CacheTiming, AtomicsOfOneWordAreApart) {
  config::Cache config = l2_config();
  config.atomic_words_per_cycle = 8;
  config.atomic_conflict_cycles = 9;
  const auto add = [](Address address) {
    return atomic<std::uint32_t>(address, AtomicOperation::Add, AtomicType::U32, {1});
  };
  Rig rig(config);
  rig.client().send(0, read(0, 128));
  rig.client().send(0, read(128, 128));
  for (const Address address : {0, 4, 128, 0, 8, 0}) rig.client().send(100, add(address));
  rig.client().send(300, add(0));
  rig.run();
  const Picoseconds first = 100 + 2 + 5;
  const auto edge = [&](unsigned i) { return rig.client().answers[2 + i].edge; };
  EXPECT_EQ(edge(0), first);
  EXPECT_EQ(edge(1), first + 1);  // another word, another line
  EXPECT_EQ(edge(2), first + 2);
  EXPECT_EQ(edge(3), first + 9);   // the first one's word
  EXPECT_EQ(edge(4), first + 10);  // stood behind it
  EXPECT_EQ(edge(5), first + 18);
  EXPECT_EQ(edge(6), 300u + 2 + 5);  // long after it
  EXPECT_EQ(value<std::uint32_t>(rig.client().answers[8]), value<std::uint32_t>(rig.client().answers[2]) + 3);
}

TEST(CacheTiming, AnAtomicsAnswerCarriesItsWords) {
  Request lanes =
      atomic<std::uint32_t>(0, AtomicOperation::Add, AtomicType::U32, std::vector<std::uint32_t>(32, 1));
  for (const unsigned words : {1u, 7u, 32u})
    for (const bool wants_result : {true, false}) {
      Rig rig(l2_config());
      lanes.mask = ByteMask::first(4 * words);
      lanes.wants_result = wants_result;
      rig.client().send(0, lanes);
      rig.run();
      EXPECT_EQ(rig.client().answers[0].packet.payload_bytes, wants_result ? 4 * words : 0);
    }
}

TEST(CacheTiming, WhatAnL1DoesNotHoldPassesSooner) {
  config::Cache config = l1_config();
  config.pass_cycles = 2;
  Request bypassing = read(128, 32);
  bypassing.cacheability.gpu_l1 = false;
  Rig rig(config);
  rig.client().send(100, bypassing);
  rig.client().send(200, atomic<std::uint32_t>(256, AtomicOperation::Add, AtomicType::U32, {1}));
  rig.client().send(300, write(384, 4, 1));
  rig.client().send(400, read(512, 4));
  rig.client().send(400, bypassing);
  rig.run();
  ASSERT_EQ(rig.memory.log.size(), 5u);
  EXPECT_EQ(rig.memory.log[0].edge, 100u + 1 + 2 + 1);
  EXPECT_EQ(rig.memory.log[1].edge, 200u + 1 + 2 + 1);
  EXPECT_EQ(rig.memory.log[2].edge, 300u + 1 + 5 + 1);  // a store looks for its line
  EXPECT_EQ(rig.memory.log[3].edge, 400u + 1 + 5 + 1);
  EXPECT_EQ(rig.memory.log[4].edge, 400u + 1 + 5 + 1 + 1);  // overtakes nothing
  config.pass_cycles = 6;
  EXPECT_THROW(Rig{config}, Error);
}

TEST(CacheTiming, AMissThatEvictsDirtyBytesSendsThemFirst) {
  config::Cache config = l2_config();
  config.sets = config.ways = 1;
  Rig rig(config);
  rig.client().send(0, write(4, 4, 1));
  rig.client().send(100, read(128, 4));
  rig.run();
  ASSERT_EQ(rig.memory.log.size(), 2u);
  EXPECT_EQ(rig.memory.log[0].request.kind, RequestKind::WriteBack);
  EXPECT_EQ(rig.memory.log[0].edge, 100u + 1 + 5 + 1);
  EXPECT_EQ(rig.memory.log[1].edge, 100u + 1 + 5 + 1 + 1);
  EXPECT_EQ(rig.client().answers[1].edge, 107u + 22 + 1);
}

TEST(CacheTiming, StallsAreCountedByTheirFirstCause) {
  config::Cache config = l1_config();
  config.mshrs = 1;
  Rig one(config);
  one.client().send(0, read(0, 4));
  one.client().send(0, read(128, 4));
  one.run();
  EXPECT_EQ(one.cache.statistics().stalls_mshr, 1u);
  // The register is free at the edge at which the only request that waits is answered, 6 + 22.
  EXPECT_EQ(one.client().answers[1].edge, 28u + 22 + 1);

  config = l1_config();
  config.mshr_targets = 1;
  Rig two(config);
  two.client().send(0, read(0, 4));
  two.client().send(0, read(0, 4));
  two.run();
  EXPECT_EQ(two.cache.statistics().stalls_target, 1u);
  EXPECT_EQ(two.client().answers[1].edge, 30u);  // a hit, once the line is there

  config = l1_config();
  config.sets = config.ways = 1;
  Rig three(config);
  three.client().send(0, read(0, 4));
  three.client().send(0, read(128, 4));
  three.run();
  EXPECT_EQ(three.cache.statistics().stalls_way, 1u);

  config = l1_config();
  config.queue_entries = 1;
  Rig four(config);
  four.memory.held[0] = true;
  four.client().send(0, read(0, 4));
  four.client().send(0, read(128, 4));
  four.run();
  EXPECT_EQ(four.cache.statistics().stalls_below, 1u);
  four.memory.release(0);
  four.run();
  EXPECT_NE(four.client().answers[1].edge, kNever);
}

TEST(CacheTiming, ClassNonTriggeredPassesClassesThatWait) {
  for (const unsigned entries : {1u, 2u, 8u}) {
    config::Cache config = l2_config();
    config.sets = config.ways = config.mshrs = config.mshr_targets = config.queue_entries = entries;
    Rig rig(config);
    rig.memory.held[1] = rig.memory.held[2] = true;
    for (const TrafficClass c : {TrafficClass::TriggeredCpu, TrafficClass::TriggeredGpu})
      for (unsigned i = 0; i < 24; ++i) {
        Request request = read(128 * i, 4);
        request.traffic_class = c;
        rig.client().send(0, request);
      }
    rig.run();
    const std::size_t stuck = rig.client().order.size();
    EXPECT_EQ(stuck, 0u);
    for (unsigned i = 0; i < 24; ++i) {  // the same lines, others, and atomics
      rig.client().send(rig.edge(), write(128 * i, 4, 3));
      rig.client().send(rig.edge(), read(128 * i, 8));
      rig.client().send(rig.edge(),
                        atomic<std::uint32_t>(128 * i + 64, AtomicOperation::Add, AtomicType::U32, {1}));
      rig.client().send(rig.edge(), read(128 * 30 + 128 * i, 8));
    }
    rig.run();
    for (unsigned i = 48; i < 48 + 24 * 4; ++i) EXPECT_NE(rig.client().answers[i].edge, kNever) << entries;
    rig.memory.release(1);
    rig.memory.release(2);
    rig.run();
    EXPECT_EQ(rig.client().order.size(), 24u * 6) << entries;
    EXPECT_TRUE(rig.cache.idle());
    EXPECT_EQ(rig.pool.in_use(), 0u);
  }
}

}  // namespace
}  // namespace duet::memory::test
