// Walks of the program's page tables by the IOMMU: how many entries they read, what that takes, and pages
// that have no frame yet.
#include "machine/host/iommu_walker.h"

#include "component/statistic_of.h"
#include "core_rig.h"

namespace duet::test {
namespace {

constexpr std::uint64_t kRegion = 0x200000;  // what an entry of the walk cache stands for
constexpr unsigned kRegions = 4, kPagesOfRegion = 16;
constexpr PhysicalAddress kFrames(0x7000000);

// Asks for translations at given times, and notes when they come.
class Asker final : public sim::Component {
 public:
  Asker(sim::Engine& engine, memory::TranslationUnit& unit)
      : Component(engine, "asker", nullptr, 0, sim::Role::None), unit_(unit.connect_client(*this, 64)) {}
  void ask(std::uint64_t page) {
    unit_.asks->push(engine().now(), {page, memory::Translation::Iommu});
    begun_[page] = engine().now();
    ++outstanding_;
  }
  Picoseconds tick(Picoseconds now) override {
    for (; unit_.answers->can_pop(now); --outstanding_) {
      const std::uint64_t page = unit_.answers->pop(now);
      took[page] = now - begun_[page];
    }
    const Picoseconds arrival = unit_.answers->next_arrival(now);
    return arrival == kNever ? kNever : arrival + 1;
  }
  bool done() const { return outstanding_ == 0; }

  std::map<std::uint64_t, Picoseconds> took;

 private:
  memory::TranslationUnit::Client unit_;
  std::map<std::uint64_t, Picoseconds> begun_;
  unsigned outstanding_ = 0;
};

config::Translation walker_config() {
  config::Translation config;
  config.tlb_misses = 8;
  config.l2_tlb_entries = config.l2_tlb_ways = config.iommu_entries = config.iommu_ways = 1;
  config.l2_tlb_cycles = 10;
  config.table_walkers = 1;
  config.iommu_ns = 20;
  config.iommu_walkers = 4;
  config.iommu_walk_ns = 1'000'000;  // nothing asks for it
  config.iommu_walk_cache_entries = 2;
  config.iommu_fault_ns = 5000;
  config.iommu_fault_page_ns = 700;
  return config;
}

struct WalkerRig {
  explicit WalkerRig(const config::Translation& config = walker_config(), std::uint64_t seed = 0)
      : cpu({}, 1, seed),
        unit(cpu.engine, nullptr, config, 1'000'000'000, 40'000),
        walker(cpu.engine, nullptr, config, pages),
        asker(cpu.engine, unit) {
    walker.connect(cpu.memory, cpu.config(), unit);
    for (unsigned region = 0; region < kRegions; ++region) {
      const VirtualAddress first(CoreRig::kData + (region + 1) * kRegion);
      cpu.memory.map(first, kPagesOfRegion * rv64::kPageBytes, {true, true, false});
      memory::PageAttributes attributes;
      attributes.translation = memory::Translation::Iommu;
      pages.map({first, kPagesOfRegion * rv64::kPageBytes,
                 kFrames + region * kPagesOfRegion * rv64::kPageBytes, attributes});
    }
  }
  VirtualAddress address(unsigned page, unsigned region = 0) const {
    return VirtualAddress(CoreRig::kData + (region + 1) * kRegion + page * rv64::kPageBytes);
  }
  std::uint64_t frame(unsigned page, unsigned region = 0) const {
    return (kFrames >> rv64::kPageShift) + region * kPagesOfRegion + page;
  }
  void touch(unsigned page, unsigned region = 0) {
    const std::byte byte{1};
    ASSERT_FALSE(cpu.memory.write(address(page, region), std::span(&byte, 1)));
  }
  void touch_all() {
    for (unsigned region = 0; region < kRegions; ++region)
      for (unsigned page = 0; page < kPagesOfRegion; ++page) touch(page, region);
  }
  // Until all of them have come; that of the last one.
  Picoseconds translate(const std::vector<std::uint64_t>& frames) {
    for (const std::uint64_t frame : frames) asker.ask(frame);
    EXPECT_TRUE(cpu.engine.run_while_not([this] { return asker.done(); }, cpu.engine.now() + 1'000'000'000))
        << cpu.engine.waiting_report();
    cpu.engine.run_until(cpu.engine.now() + 1'000'000);
    return asker.took.at(frames.back());
  }
  std::uint64_t count(const std::string& name) {
    sim::Statistics statistics(cpu.engine);
    return statistic_of(statistics, name);
  }

  CoreRig cpu;
  memory::PageTable pages{rv64::kPageBytes};
  memory::TranslationUnit unit;
  machine::IommuWalker walker;
  Asker asker;
};

TEST(IommuWalker, AWalkReadsAnEntryALevel) {
  WalkerRig rig;
  rig.touch_all();
  rig.translate({rig.frame(0)});
  EXPECT_EQ(rig.count("iommu.reads"), 3u);
  rig.translate({rig.frame(1)});  // its upper entries are known
  EXPECT_EQ(rig.count("iommu.reads"), 4u);
  EXPECT_EQ(rig.count("iommu.walk_cache_hits"), 1u);
  EXPECT_EQ(rig.count("translation.iommu_walks"), 2u);
  EXPECT_EQ(rig.count("iommu.page_requests"), 0u);
}

// n and n + 1 regions, around and around.
TEST(IommuWalker, TheWalkCacheReachesItsEntries) {
  for (const std::uint64_t entries : {2u, 3u})
    for (const std::uint64_t regions : {entries, entries + 1}) {
      config::Translation config = walker_config();
      config.iommu_walk_cache_entries = entries;
      WalkerRig rig(config);
      rig.touch_all();
      constexpr unsigned kRounds = 3;
      for (unsigned page = 0; page < kRounds; ++page)
        for (unsigned region = 0; region < regions; ++region) rig.translate({rig.frame(page, region)});
      const std::uint64_t hits = regions == entries ? (kRounds - 1) * regions : 0;
      EXPECT_EQ(rig.count("iommu.walk_cache_hits"), hits) << entries << " " << regions;
      EXPECT_EQ(rig.count("iommu.reads"), 3 * kRounds * regions - 2 * hits);
    }
}

// An entry that comes from DRAM takes what a line from there takes; one that is in L3, less.
TEST(IommuWalker, TimeIsThatOfTheReads) {
  const auto times = [](std::uint64_t walk_cache) {
    config::Translation config = walker_config();
    config.iommu_walk_cache_entries = walk_cache;
    WalkerRig rig(config);
    rig.touch_all();
    const Picoseconds first = rig.translate({rig.frame(0)});
    return std::pair(first, rig.translate({rig.frame(8)}));
  };
  const auto [cold, near] = times(2);
  const auto [cold_too, all_again] = times(0);
  EXPECT_EQ(cold, cold_too);
  EXPECT_LT(near, all_again);
  EXPECT_LT(all_again, cold);
}

// A core's walker and the IOMMU's have the same tables.
TEST(IommuWalker, FindsEntriesThatACoreHolds) {
  using namespace rv;
  WalkerRig rig;
  rig.touch_all();
  rig.cpu.x(a1) = rig.address(0).value();
  rig.cpu.program(0, {ld(a0, 0, a1), kEcall});
  rig.cpu.run();
  const std::uint64_t before = rig.count("directory.transfers");
  rig.translate({rig.frame(0)});
  EXPECT_EQ(rig.count("directory.transfers") - before, 3u);
}

TEST(IommuWalker, WalksOfOneLineShareIt) {
  WalkerRig rig;
  rig.touch_all();
  rig.translate({rig.frame(0)});
  const std::uint64_t before = rig.count("directory.reads");
  rig.translate({rig.frame(1), rig.frame(2), rig.frame(3)});  // entries of eight bytes, side by side
  EXPECT_EQ(rig.count("iommu.reads"), 3u + 3u);
  EXPECT_LT(rig.count("directory.reads") - before, 3u);
}

// n and n + 1 of its times, and page requests one after the other.
TEST(IommuWalker, APageWithoutAFrameIsAsked) {
  const auto time = [](std::uint64_t fault_ns, bool touched, unsigned pages, std::uint64_t page_ns = 700) {
    config::Translation config = walker_config();
    config.iommu_fault_ns = fault_ns;
    config.iommu_fault_page_ns = page_ns;
    WalkerRig rig(config);
    rig.translate({(rig.touch(0), rig.frame(0))});
    std::vector<std::uint64_t> frames;
    for (unsigned page = 1; page <= pages; ++page) {
      if (touched) rig.touch(page);
      frames.push_back(rig.frame(page));
    }
    const Picoseconds taken = rig.translate(frames);
    for (unsigned page = 1; page <= pages; ++page) EXPECT_TRUE(rig.cpu.memory.has_frame(rig.address(page)));
    EXPECT_EQ(rig.count("iommu.page_requests"), touched || fault_ns == 0 ? 0 : pages);
    return taken;
  };
  EXPECT_EQ(time(5001, false, 1) - time(5000, false, 1), 1000u);
  EXPECT_GT(time(5000, false, 1) - time(5000, true, 1), 5'000'000u);  // and the entry is read again
  EXPECT_EQ(time(5000, false, 3) - time(5000, false, 2), 700'000u);
  EXPECT_EQ(time(5000, false, 3, 701) - time(5000, false, 3), 2 * 1000u);
}

TEST(IommuWalker, WithoutTimeAPageHasAFrameAtOnce) {
  config::Translation config = walker_config();
  config.iommu_fault_ns = 0;
  WalkerRig rig(config), touched(config);
  touched.touch_all();
  EXPECT_EQ(rig.translate({rig.frame(5)}), touched.translate({touched.frame(5)}));
}

TEST(IommuWalker, TheOrderOfTicksChangesNothing) {
  using namespace rv;
  const auto run = [](std::uint64_t seed) {
    WalkerRig rig(walker_config(), seed);
    // A core touches pages while the IOMMU asks for them.
    rig.cpu.x(a1) = rig.address(0).value();
    rig.cpu.x(a2) = rig.address(8).value();
    rig.cpu.x(a3) = rv64::kPageBytes;
    rig.cpu.program(0, {sd(a1, 0, a1), add(a1, a1, a3), bne(a1, a2, -8), kEcall});
    for (unsigned page = 8; page-- > 0;) rig.asker.ask(rig.frame(page));
    rig.cpu.run();
    rig.translate({rig.frame(9)});
    return std::tuple(rig.asker.took, rig.cpu.ended_at, rig.count("iommu.page_requests"));
  };
  const auto first = run(0);
  for (std::uint64_t seed = 1; seed < 20; ++seed) EXPECT_EQ(run(seed), first) << seed;
}

}  // namespace
}  // namespace duet::test
