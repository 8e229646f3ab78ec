// What a prefetcher in a cache fetches for sequences of addresses, when, and what it counts.
#include <gtest/gtest.h>

#include "base/error.h"
#include "cache_rig.h"
#include "memory/cache/stride_prefetcher.h"

namespace duet::memory::test {
namespace {

constexpr Bytes kBytes = 32 * 1024;  // that have frames; the rig's memory is longer

struct Prefetching : Rig {
  explicit Prefetching(const config::StridePrefetch& prefetch = usual(),
                       const config::Cache& config = l1_config(), unsigned latency = 20)
      : Rig(config, 1, latency), physical(kBytes, 4096) {
    physical.take_device(kBytes);
    cache.prefetch_by(prefetch, physical);
  }
  static config::StridePrefetch usual() { return {"stride", 4, 4, 2, 1, 1, 4}; }
  // One request a load.
  std::size_t load(Address address, std::uint32_t pc = 1, std::uint16_t warp = 0, bool begins = true) {
    Request request = read(address, 4);
    request.pc = pc;
    request.warp = warp;
    request.begins = begins;
    return client().send(edge_ += 100, request);
  }
  // Lines in the order of their fetches.
  std::vector<Address> fetched() {
    run();
    std::vector<Address> lines;
    for (const auto& seen : memory.log) lines.push_back(seen.request.address.value());
    return lines;
  }
  std::vector<std::uint64_t> counts() {  // issued, used, late, useless, dropped
    sim::Statistics statistics(engine);
    const auto totals = statistics.totals();
    std::vector<std::uint64_t> own;
    for (std::size_t i = 0; i < totals.size(); ++i)
      if (statistics.declared()[i].name.starts_with("l1_prefetch.")) own.push_back(totals[i]);
    return own;
  }
  void expect_right_values() {
    for (const auto& answer : client().answers)
      for (unsigned i = 0; i < answer.request.bytes; ++i)
        EXPECT_EQ(answer.request.data[i], initial(answer.request.address.value() + i));
  }

  PhysicalMemory physical;

 private:
  unsigned edge_ = 0;
};

using Lines = std::vector<Address>;
using Counts = std::vector<std::uint64_t>;

TEST(StridePrefetcher, FetchesWhatContinuesAStride) {
  Prefetching rig;
  for (const Address address : {0u, 256u, 512u, 768u, 1024u}) rig.load(address);
  // Confident at the third: the next one is there when it is asked for.
  EXPECT_EQ(rig.fetched(), (Lines{0, 256, 512, 768, 1024, 1280}));
  EXPECT_EQ(rig.counts(), (Counts{3, 2, 0, 0, 0}));
  EXPECT_EQ(rig.cache.statistics().read_misses, 3u);
  EXPECT_EQ(rig.cache.statistics().read_hits, 2u);
  rig.expect_right_values();
}

TEST(StridePrefetcher, IsNotConfidentWithoutTheSameStrideTwice) {
  Prefetching rig;
  for (const Address address : {0u, 256u, 1024u, 1280u, 4096u}) rig.load(address);
  EXPECT_EQ(rig.fetched(), (Lines{0, 256, 1024, 1280, 4096}));
  EXPECT_EQ(rig.counts(), (Counts{0, 0, 0, 0, 0}));
}

// Interleaved, neither two warps nor two instructions have a stride; each of its own has.
TEST(StridePrefetcher, KnowsInstructionsAndWarpsApart) {
  for (const bool warps : {true, false}) {
    Prefetching rig;
    for (unsigned i = 0; i < 3; ++i) {
      rig.load(i * 256, 1, 0);
      rig.load(8192 + i * 512, warps ? 1 : 2, warps ? 1 : 0);
    }
    EXPECT_EQ(rig.fetched(), (Lines{0, 8192, 256, 8704, 512, 768, 9216, 9728}));
  }
  Prefetching together;
  for (unsigned i = 0; i < 3; ++i)
    for (const Address address : {i * 256, 8192 + i * 512}) together.load(address, 1, 0);
  EXPECT_EQ(together.fetched().size(), 6u);
}

TEST(StridePrefetcher, TakesTheFirstRequestForTheAddressOfALoad) {
  Prefetching rig;
  for (unsigned i = 0; i < 3; ++i) {
    rig.load(i * 256);
    rig.load(16384 + i * 256, 1, 0, false);
  }
  EXPECT_EQ(rig.fetched(), (Lines{0, 16384, 256, 16640, 512, 768, 16896, 17152}));
}

TEST(StridePrefetcher, GoesDownwardFartherAndByMoreLines) {
  config::StridePrefetch config = Prefetching::usual();
  config.distance = 3;
  config.degree = 2;
  Prefetching rig(config);
  for (const Address address : {8192u, 7936u, 7680u}) rig.load(address);
  EXPECT_EQ(rig.fetched(), (Lines{8192, 7936, 7680, 7680 - 768, 7680 - 1024}));
}

// Within a line, and beyond the memory that there is.
TEST(StridePrefetcher, FetchesNothingThatIsHeldOrIsNotThere) {
  Prefetching rig;
  for (const Address address : {0u, 4u, 8u, 12u}) rig.load(address);
  for (unsigned i = 3; i > 0; --i) rig.load(kBytes - i * 1024, 2);
  for (const Address address : {2048u, 1024u, 0u}) rig.load(address, 3);  // next: below 0
  EXPECT_EQ(rig.fetched(), (Lines{0, kBytes - 3072, kBytes - 2048, kBytes - 1024, 2048, 1024, 0}));
  EXPECT_EQ(rig.counts(), (Counts{0, 0, 0, 0, 0}));
}

TEST(StridePrefetcher, CountsWhatComesTooLateAndWhatNobodyUses) {
  Prefetching late(Prefetching::usual(), l1_config(), 150);
  for (const Address address : {0u, 256u, 512u, 768u}) late.load(address);
  late.run();
  EXPECT_EQ(late.counts(), (Counts{2, 0, 1, 0, 0}));
  EXPECT_EQ(late.cache.statistics().read_merges, 1u);
  late.expect_right_values();

  config::Cache small = l1_config();
  small.sets = 1;
  Prefetching useless(Prefetching::usual(), small);
  for (const Address address : {0u, 256u, 512u}) useless.load(address);
  for (const Address address : {4096u, 8192u}) useless.load(address, 2);
  useless.run();
  EXPECT_EQ(useless.counts(), (Counts{1, 0, 0, 1, 0}));
}

// A request needs the register, too.
TEST(StridePrefetcher, GivesUpWhereThereIsNoRegister) {
  config::Cache config = l1_config();
  config.mshrs = 1;
  Prefetching rig(Prefetching::usual(), config, 150);
  for (const Address address : {0u, 256u, 512u, 768u}) rig.load(address);
  rig.run();
  EXPECT_EQ(rig.memory.log.size(), 4u);
  EXPECT_EQ(rig.counts(), (Counts{0, 0, 0, 0, 2}));
  rig.expect_right_values();
}

TEST(StridePrefetcher, AWriteTakesItsLineFromAFetchOnItsWay) {
  Prefetching rig(Prefetching::usual(), l1_config(), 150);
  for (const Address address : {0u, 256u, 512u}) rig.load(address);
  rig.client().send(330, write(768, 4, 99));
  const std::size_t answer = rig.load(768);
  rig.run();
  EXPECT_EQ(rig.client().answers[answer].request.data[0], std::byte{99});
}

TEST(StridePrefetcher, RefusesATableOfNoPowerOfTwo) {
  config::StridePrefetch config = Prefetching::usual();
  config.sets = 3;
  EXPECT_THROW(Prefetching{config}, Error);
}

}  // namespace
}  // namespace duet::memory::test
