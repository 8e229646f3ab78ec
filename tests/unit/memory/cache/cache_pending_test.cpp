// Pending requests in a pool: requests pass others that cannot be served, slices share entries, and no order
// of ticks is seen.
#include <gtest/gtest.h>

#include <random>

#include "cache_rig.h"
#include "memory/cache/pending_pool.h"

namespace duet::memory::test {
namespace {

config::Cache level_config(std::uint64_t entries) {
  config::Cache config = l2_config();
  config.atomic_words_per_cycle = 0;
  config.sets = 16;
  config.mshrs = config.mshr_targets = entries;
  return config;
}

// The last of `misses` requests and a hit behind them, with a memory that answers after 200 cycles.
Picoseconds edge_of_hit(std::uint64_t entries, unsigned misses, bool pool) {
  Rig rig(level_config(entries), 1, 200);
  PendingPool pending(entries, 1);
  if (pool) rig.cache.share(pending);
  rig.client().send(0, read(0, 128));
  rig.run();
  const std::uint64_t start = rig.edge() + 100;
  for (unsigned i = 1; i <= misses; ++i) rig.client().send(start, read(i * 128, 4));
  const std::size_t hit = rig.client().send(start, read(0, 4));
  rig.run();
  EXPECT_TRUE(rig.cache.idle());
  EXPECT_EQ(pending.free(), static_cast<std::int64_t>(entries));
  return rig.client().answers[hit].edge - start;
}

TEST(CachePending, AHitWaitsOnlyWhereAllEntriesAreTaken) {
  for (const unsigned entries : {1u, 3u, 6u}) {
    const Picoseconds free = 2 + 5;
    EXPECT_EQ(edge_of_hit(entries, entries, true), free + entries) << entries;
    EXPECT_GT(edge_of_hit(entries, entries + 1, true), 200u) << entries;
    EXPECT_EQ(edge_of_hit(entries, entries, false), free + entries) << entries;
    EXPECT_GT(edge_of_hit(entries, entries + 1, false), 200u) << entries;
  }
}

// One place in the queue below, which nobody takes there: misses stand aside, and the hit passes them.
TEST(CachePending, AHitPassesMissesThatFindNoRoomBelow) {
  for (const bool pool : {false, true}) {
    config::Cache config = level_config(6);
    Rig rig(config, 1, 20);
    Channel narrow(1, &rig.cache, &rig.memory);
    sim::Queue<Packet> back(8, &rig.memory, &rig.cache);
    rig.cache.connect_below(narrow, back, 9, &rig.destinations);
    rig.memory.connect(narrow, back);
    PendingPool pending(6, 1);
    if (pool) rig.cache.share(pending);
    rig.client().send(0, read(0, 128));
    rig.run();
    rig.memory.held[0] = true;
    const std::uint64_t start = rig.edge() + 100;
    for (unsigned i = 1; i <= 4; ++i) rig.client().send(start, read(i * 128, 4));
    const std::size_t hit = rig.client().send(start, read(0, 4));
    rig.engine.run_until((start + 1000) * kPeriod);
    EXPECT_EQ(rig.client().answers[hit].edge == kNever, !pool);
    EXPECT_EQ(pending.free(), pool ? 2 : 6);
    rig.memory.release(0);
    rig.run();
    for (const auto& answer : rig.client().answers) EXPECT_NE(answer.edge, kNever);
    EXPECT_EQ(pending.free(), 6);
  }
}

TEST(CachePending, RequestsOfALineThatStandAsideKeepTheirOrder) {
  Rig rig(level_config(8), 1, 20);
  Channel narrow(1, &rig.cache, &rig.memory);
  sim::Queue<Packet> back(8, &rig.memory, &rig.cache);
  rig.cache.connect_below(narrow, back, 9, &rig.destinations);
  rig.memory.connect(narrow, back);
  PendingPool pending(8, 1);
  rig.cache.share(pending);
  rig.memory.held[0] = true;
  rig.client().send(0, read(0, 4));
  rig.client().send(0, read(128, 4));
  rig.client().send(0, write(256, 4, 1));  // takes a way without a fetch
  const std::size_t before = rig.client().send(0, read(128, 4));
  rig.client().send(0, write(128, 4, 7));
  const std::size_t after = rig.client().send(0, read(128, 4));
  rig.engine.run_until(1000 * kPeriod);
  rig.memory.release(0);
  rig.run();
  EXPECT_EQ(value<std::uint8_t>(rig.client().answers[before]), static_cast<std::uint8_t>(Rig::initial(128)));
  EXPECT_EQ(value<std::uint8_t>(rig.client().answers[after]), 7);
  EXPECT_LT(rig.client().answers[before].edge, rig.client().answers[after].edge);
}

// Slices with a memory and a client each, and one pool.
struct Slices {
  struct Slice {
    Slice(Slices& all, const config::Cache& config, unsigned latency)
        : cache(all.engine, "slice", "slice", nullptr, 1, config, kHertz, all.pool),
          memory(all.engine, all.pool, 64 * 1024, latency),
          below(config.queue_entries, &cache, &memory),
          from_below(config.queue_entries, &memory, &cache),
          client(all.engine, all.pool, config.queue_entries, cache, 0) {
      cache.connect_below(below, from_below, 9, nullptr);
      memory.connect(below, from_below);
      cache.share(all.pending);
    }
    Cache cache;
    FlatMemory memory;
    Channel below;
    sim::Queue<Packet> from_below;
    Requester client;
  };
  Slices(unsigned count, std::uint64_t entries, unsigned latency, std::uint64_t seed)
      : engine(seed), pending(entries, count) {
    for (unsigned i = 0; i < count; ++i)
      slices.push_back(std::make_unique<Slice>(*this, level_config(entries), latency));
  }
  void run() { engine.run_until(engine.now() + 1'000'000 * kPeriod); }

  sim::Engine engine;
  RequestPool pool;
  PendingPool pending;
  std::vector<std::unique_ptr<Slice>> slices;
};

TEST(CachePending, OneSliceMayHaveAllEntriesAndTheOthersWait) {
  for (const unsigned entries : {4u, 5u}) {
    Slices all(2, entries, 300, 0);
    for (unsigned i = 0; i < 4; ++i) all.slices[0]->client.send(0, read(i * 128, 4));
    all.slices[1]->client.send(50, read(0, 4));
    all.run();
    const Picoseconds edge = all.slices[1]->client.answers[0].edge;
    if (entries == 5)  // fewer are free than there are slices, so it asks once for its turn
      EXPECT_EQ(edge, 50u + 1 + 5 + 1 + 2 + 300 + 1);
    else  // the first of the four is answered at edge 6 + 302, and its entry is free strictly later
      EXPECT_EQ(edge, 6u + 302 + 1 + 2 + 300 + 1);
  }
}

TEST(CachePending, NoOrderOfTicksIsSeen) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    const unsigned count = 1 + seed % 5, entries = 1 + seed % 7;
    std::vector<std::vector<Picoseconds>> edges;
    for (const std::uint64_t order : {0u, 17u, 4711u}) {
      std::mt19937 random(seed);
      Slices all(count, entries, seed % 3 * 30, order);
      for (unsigned i = 0; i < 300; ++i) {
        const Address address = random() % 64 * 32;
        const bool writes = random() % 3 == 0;
        all.slices[random() % count]->client.send(i / 2 + random() % 8,
                                                  writes ? write(address, 32, 3) : read(address, 32));
      }
      all.run();
      std::vector<Picoseconds>& seen = edges.emplace_back();
      for (auto& slice : all.slices) {
        for (const auto& answer : slice->client.answers) {
          EXPECT_NE(answer.edge, kNever) << seed;
          seen.push_back(answer.edge);
        }
        EXPECT_TRUE(slice->cache.idle());
        seen.push_back(slice->cache.statistics().stalls_mshr);
      }
      EXPECT_EQ(all.pending.free(), entries);
      EXPECT_EQ(all.pool.in_use(), 0u);
    }
    EXPECT_EQ(edges[0], edges[1]) << seed;
    EXPECT_EQ(edges[0], edges[2]) << seed;
  }
}

}  // namespace
}  // namespace duet::memory::test
