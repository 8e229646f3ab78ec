// The time of translation: TLBs of SMs, the second one, walks of the GPU's table, and the IOMMU. The clock
// has 1 GHz, so edge k lies at 1000 k picoseconds.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "memory/virtual/tlb_port.h"
#include "statistic_of.h"

namespace duet::memory {
namespace {

constexpr std::uint64_t kTlbHertz = 1'000'000'000;
constexpr Picoseconds kTlbPeriod = 1000, kLinkPs = 40'000;
constexpr Bytes kTlbPage = 4096;

config::Translation small_translation() {
  config::Translation config;
  config.tlb_entries = 4;
  config.tlb_misses = 2;
  config.l2_tlb_entries = 16;
  config.l2_tlb_ways = 4;
  config.l2_tlb_cycles = 10;
  config.table_walkers = 2;
  config.table_walk_ns = 100;
  config.iommu_entries = 8;
  config.iommu_ways = 2;
  config.iommu_ns = 20;
  config.iommu_walkers = 2;
  config.iommu_walk_ns = 500;
  return config;
}

// An SM's requests, and L1, which takes all and notes when.
class Sm : public sim::Component {
 public:
  Sm(sim::Engine& engine, const config::Translation& config, TranslationUnit& unit, RequestPool& pool)
      : Component(engine, "L1", nullptr, 0, sim::Role::None),
        port(engine, "TLB", nullptr, config, kTlbHertz, unit, pool, kTlbPage),
        from_sm(64, nullptr, &port),
        to_l1(64, &port, this),
        pool_(pool) {
    port.connect(from_sm, to_l1);
  }
  Picoseconds tick(Picoseconds now) override {
    for (unsigned c = 0; c < kTrafficClasses; ++c)
      while (to_l1.of(c).can_pop(now)) seen.push_back({now, to_l1.of(c).pop(now).tag});
    const Picoseconds arrival = to_l1.next_arrival(now);
    return arrival == kNever ? kNever : arrival;
  }
  void send(Picoseconds now, std::uint64_t page, Translation by, std::uint16_t tag = 0, Bytes offset = 0) {
    Packet packet;
    packet.request = pool_.allocate();
    packet.tag = tag;
    pool_[packet.request].address = PhysicalAddress(page * kTlbPage + offset);
    pool_[packet.request].translation = by;
    from_sm.push(now, packet);
  }
  struct Seen {
    Picoseconds time;
    std::uint16_t tag;
  };
  std::vector<std::uint16_t> tags() const {
    std::vector<std::uint16_t> all;
    for (const Seen& one : seen) all.push_back(one.tag);
    return all;
  }

  TlbPort port;
  Channel from_sm, to_l1;
  std::vector<Seen> seen;

 private:
  RequestPool& pool_;
};

struct TranslationRig {
  explicit TranslationRig(const config::Translation& config = small_translation(), std::size_t sms = 1)
      : unit(engine, nullptr, config, kTlbHertz, kLinkPs) {
    for (std::size_t i = 0; i < sms; ++i) all.emplace_back(engine, config, unit, pool);
  }
  void run() { engine.run_until(end += 100'000'000); }
  // From now until the request is in L1, alone.
  Picoseconds time_of(std::uint64_t page, Translation by) {
    const Picoseconds start = engine.now();
    const std::size_t before = sm().seen.size();
    sm().send(start, page, by);
    run();
    return sm().seen.at(before).time - start;
  }
  Sm& sm(std::size_t number = 0) { return all[number]; }
  std::uint64_t statistic(const std::string& name) {
    sim::Statistics statistics(engine);
    return test::statistic_of(statistics, name);
  }

  sim::Engine engine;
  RequestPool pool;
  TranslationUnit unit;
  std::deque<Sm> all;
  Picoseconds end = 0;
};

TEST(Tlb, WhatIsThereAlreadyTakesNoSecondPlace) {
  Tlb tlb(2, 2);
  tlb.insert(1);
  tlb.insert(2);
  tlb.insert(2);
  EXPECT_TRUE(tlb.find(1));
  EXPECT_TRUE(tlb.find(2));
}

TEST(Translation, WhatNeedsNoneOrIsHeldGoesOnACycleLater) {
  TranslationRig rig;
  const Picoseconds free = rig.time_of(1, Translation::None);
  EXPECT_LE(free, 2 * kTlbPeriod);
  rig.time_of(2, Translation::Table);
  EXPECT_EQ(rig.time_of(2, Translation::Table), free);
  EXPECT_EQ(rig.statistic("tlb.hits"), 1u);
  EXPECT_EQ(rig.statistic("tlb.misses"), 1u);
}

// n and n + 1 of each time.
TEST(Translation, AMissTakesWhatItsWayTakes) {
  const auto table = [](std::uint64_t cycles, std::uint64_t walk) {
    config::Translation config = small_translation();
    config.l2_tlb_cycles = cycles;
    config.table_walk_ns = walk;
    return TranslationRig(config).time_of(1, Translation::Table);
  };
  EXPECT_EQ(table(11, 100) - table(10, 100), kTlbPeriod);
  EXPECT_EQ(table(10, 101) - table(10, 100), 1000u);
  const auto iommu = [](std::uint64_t lookup, std::uint64_t walk) {
    config::Translation config = small_translation();
    config.iommu_ns = lookup;
    config.iommu_walk_ns = walk;
    return TranslationRig(config).time_of(1, Translation::Iommu);
  };
  EXPECT_EQ(iommu(21, 500) - iommu(20, 500), 1000u);
  EXPECT_EQ(iommu(20, 501) - iommu(20, 500), 1000u);
  // The link both ways, the lookup, and the longer walk.
  EXPECT_EQ(iommu(20, 500) - table(10, 100), 2 * kLinkPs + 20'000 + 400'000);
}

TEST(Translation, ReachIsTheTlbsEntries) {
  for (const std::uint64_t entries : {4u, 5u}) {
    config::Translation config = small_translation();
    config.tlb_entries = entries;
    for (const std::uint64_t pages : {entries, entries + 1}) {
      TranslationRig rig(config);
      for (int round = 0; round < 3; ++round)
        for (std::uint64_t page = 0; page < pages; ++page) rig.time_of(page, Translation::Table);
      // The one that was used last longest is given up, so going around more pages than there are entries
      // finds none.
      EXPECT_EQ(rig.statistic("tlb.misses"), pages == entries ? entries : 3 * pages);
      EXPECT_EQ(rig.statistic("translation.table_walks"), pages);
      EXPECT_EQ(rig.statistic("translation.l2_tlb_hits"), pages == entries ? 0 : 2 * pages);
    }
  }
}

TEST(Translation, TheIommuHasATlbOfItsOwn) {
  config::Translation config = small_translation();
  config.tlb_entries = config.l2_tlb_entries = config.l2_tlb_ways = 1;
  TranslationRig rig(config);
  const Picoseconds walked = rig.time_of(1, Translation::Iommu);
  rig.time_of(2, Translation::Iommu);
  EXPECT_EQ(walked - rig.time_of(1, Translation::Iommu), 500'000u);
  EXPECT_EQ(rig.statistic("translation.iommu_walks"), 2u);
  EXPECT_EQ(rig.statistic("translation.iommu_hits"), 1u);
}

// One walk more than walkers waits for a whole one.
TEST(Translation, WalkersWorkBesideEachOther) {
  config::Translation config = small_translation();
  config.tlb_misses = 8;
  for (const std::uint64_t walkers : {2u, 3u}) {
    config.table_walkers = walkers;
    const auto last = [&](std::uint64_t pages) {
      TranslationRig rig(config);
      for (std::uint64_t page = 0; page < pages; ++page) rig.sm().send(0, page, Translation::Table);
      rig.run();
      EXPECT_EQ(rig.statistic("translation.walk_waits"), pages - walkers);
      return rig.sm().seen.back().time;
    };
    // Walks begin a lookup of the second TLB apart; the next one begins where the first has ended.
    EXPECT_EQ(last(walkers + 1) - last(walkers), 100'000u - (walkers - 1) * kTlbPeriod) << walkers;
  }
}

TEST(Translation, SmsThatMissOnePageShareAWalk) {
  TranslationRig rig(small_translation(), 3);
  for (Sm& sm : rig.all) sm.send(0, 7, Translation::Iommu);
  rig.run();
  for (const Sm& sm : rig.all) EXPECT_EQ(sm.seen.size(), 1u);
  EXPECT_EQ(rig.statistic("translation.iommu_walks"), 1u);
  EXPECT_EQ(rig.statistic("translation.l2_tlb_misses"), 3u);
}

TEST(Translation, RequestsOfAPageKeepTheirOrder) {
  TranslationRig rig;
  rig.time_of(9, Translation::Table);
  rig.sm().seen.clear();
  const Picoseconds start = rig.engine.now();
  std::uint16_t tag = 1;
  for (const std::uint64_t page : {1u, 1u, 9u, 2u, 3u, 9u, 1u})  // 3 is one page more than may be waited for
    rig.sm().send(start, page, Translation::Table, tag++);
  rig.run();
  EXPECT_EQ(rig.sm().tags(), (std::vector<std::uint16_t>{3, 1, 2, 4, 6, 7, 5}));
}

}  // namespace
}  // namespace duet::memory
