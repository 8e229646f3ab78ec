// The private caches of a core together, its misses, and its prefetcher.
#include "cpu/private_caches.h"

#include <gtest/gtest.h>

#include <vector>

#include "cpu/line_prefetcher.h"
#include "cpu/reservation.h"
#include "sim/engine.h"

namespace duet::cpu {
namespace {

config::Cpu with_caches(std::uint64_t l2_sets) {
  config::Cpu cpu;
  cpu.line_bytes = 64;
  cpu.clock_khz = 1'000'000;
  cpu.to_directory_cycles = cpu.from_directory_cycles = 5;
  cpu.instruction_cache.sets = cpu.l1.sets = 1;
  cpu.instruction_cache.ways = cpu.l1.ways = 1;
  cpu.l2.sets = l2_sets;
  cpu.l2.ways = 2;
  cpu.l1.misses = cpu.l2.misses = 3;
  return cpu;
}

struct Evicted : PrivateCaches::Owner {
  void line_evicted(std::uint64_t line, bool dirty) override { lines.emplace_back(line, dirty); }
  void instructions_left() override { ++instructions; }
  std::vector<std::pair<std::uint64_t, bool>> lines;
  int instructions = 0;
};
using Lines = std::vector<std::pair<std::uint64_t, bool>>;

struct PrivateCachesTest : testing::Test {
  void fill(PrivateCaches& caches, std::uint64_t line, bool exclusive = false) {
    PrivateLine arrived;
    arrived.line = line;
    arrived.exclusive = exclusive;
    caches.connect(owner);
    caches.fill(arrived, false);
    caches.place_in_l1(line, arrived);
  }
  Evicted owner;
  PrivateCaches both{with_caches(1)}, without_l2{with_caches(0)};
};

TEST_F(PrivateCachesTest, AVictimOfL1StaysInL2) {
  fill(both, 0x000);
  both.l1().find(0x000)->dirty = true;
  fill(both, 0x040);
  EXPECT_EQ(both.l1().find(0x000), nullptr);
  EXPECT_TRUE(both.l2().find(0x000)->dirty);
  EXPECT_TRUE(owner.lines.empty());
}

TEST_F(PrivateCachesTest, AVictimOfL2LeavesL1Too) {
  fill(both, 0x000);
  fill(both, 0x040);
  both.l1().find(0x040)->dirty = true;
  both.l2().use(*both.l2().find(0x000));
  fill(both, 0x080);
  EXPECT_EQ(both.find_for_data(0x040), nullptr);
  EXPECT_EQ(owner.lines, (Lines{{0x040, true}}));
}

TEST_F(PrivateCachesTest, WithoutL2AVictimLeavesTheCoreUnlessTheOtherCacheHasIt) {
  fill(without_l2, 0x000);
  without_l2.l1().find(0x000)->dirty = true;
  without_l2.place_in_instruction_cache(0x000, *without_l2.l1().find(0x000));
  fill(without_l2, 0x040);
  EXPECT_TRUE(owner.lines.empty());
  EXPECT_TRUE(without_l2.outer(0x000)->dirty);
  fill(without_l2, 0x080);
  EXPECT_EQ(owner.lines, (Lines{{0x040, false}}));
}

TEST_F(PrivateCachesTest, AHeldLineGetsItsRightInEveryCache) {
  fill(both, 0x000);
  EXPECT_FALSE(both.holds_exclusively(0x000));
  fill(both, 0x000, true);
  EXPECT_TRUE(both.l1().find(0x000)->exclusive);
  EXPECT_TRUE(both.l2().find(0x000)->exclusive);
}

TEST_F(PrivateCachesTest, AProbeTakesAllCopies) {
  fill(both, 0x000);
  both.place_in_instruction_cache(0x000, *both.l1().find(0x000));
  both.l1().find(0x000)->dirty = true;
  bool dirty = false;
  EXPECT_TRUE(both.take_out(0x000, dirty));
  EXPECT_TRUE(dirty);
  EXPECT_EQ(owner.instructions, 1);
  EXPECT_EQ(both.find_for_data(0x000), nullptr);
  EXPECT_EQ(both.instruction_cache().find(0x000), nullptr);
  EXPECT_FALSE(both.take_out(0x000, dirty));
}

class Nobody : public sim::Component {
 public:
  explicit Nobody(sim::Engine& engine) : Component(engine, "nobody", nullptr, 0, sim::Role::None) {}
  Picoseconds tick(Picoseconds) override { return kNever; }
};

struct LinePrefetcherTest : testing::Test {
  explicit LinePrefetcherTest(const char* name = "next-line") {
    cpu.l2.prefetcher = name;
    cpu.l2.prefetch_lines = 2;
  }
  sim::Engine engine;
  Nobody component{engine};
  CoreStatistics statistics{component, "core."};
  config::Cpu cpu = with_caches(1);
  Lookahead ahead{cpu};
  DirectoryPort port{ahead, 0};
  LineMisses misses{port, statistics};
  PrivateCaches caches{cpu};
};

TEST_F(LinePrefetcherTest, TheNextLinesOfThePageAreAskedFor) {
  LinePrefetcher prefetcher(cpu.l2, 64, caches, misses, statistics);
  prefetcher.after(0xf40, 10);
  EXPECT_NE(misses.find(0xf80), nullptr);
  EXPECT_NE(misses.find(0xfc0), nullptr);
  prefetcher.after(0xf80, 11);  // one is on its way, and the other is of the next page
  EXPECT_EQ(misses.count(), 2u);
  EXPECT_EQ(statistics.prefetches, 2u);
  EXPECT_TRUE(misses.find(0xf80)->prefetch);
}

TEST_F(LinePrefetcherTest, NoneIsAskedForWithoutRoom) {
  LinePrefetcher prefetcher(cpu.l2, 64, caches, misses, statistics);
  for (const std::uint64_t line : {0x8000u, 0x9000u}) misses.ask(line, false, 10);
  prefetcher.after(0x000, 10);
  EXPECT_EQ(misses.count(), 3u);
}

TEST_F(LinePrefetcherTest, AMissForDataCountsOnce) {
  misses.for_data(misses.ask(0x40, true, 10));
  misses.for_data(*misses.find(0x40));
  EXPECT_EQ(misses.data_count(), 1u);
  EXPECT_TRUE(misses.take(0x40).exclusive);
  EXPECT_EQ(misses.data_count(), 0u);
  EXPECT_TRUE(misses.is_empty());
}

TEST(Reservation, AProbeOfTheReservedLineWaits) {
  Reservation reservation;
  reservation.make(0x40, 100);
  EXPECT_TRUE(reservation.keeps(0x40, 179));
  EXPECT_FALSE(reservation.keeps(0x40, 180));
  EXPECT_FALSE(reservation.keeps(0x80, 120));
  memory::CoherenceMessage probe;
  probe.line = PhysicalAddress(0x40);
  reservation.hold(probe);
  EXPECT_EQ(reservation.held_until(), 180u);
  reservation.make(0x40, 150);  // another LR does not make it wait longer
  EXPECT_EQ(reservation.held_until(), 180u);
  reservation.drop();
  EXPECT_EQ(reservation.held_until(), 0u);
  EXPECT_EQ(reservation.take(160).line, PhysicalAddress(0x40));
  EXPECT_EQ(reservation.held(), nullptr);
}

}  // namespace
}  // namespace duet::cpu
