// What does the instruction cache hold, ask for, and forget?
#include "gpu/sm/instruction_cache.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "base/error.h"

namespace duet::gpu {
namespace {

constexpr Bytes kLine = 128;

class Code {
 public:
  Code(std::uint64_t sets, std::uint64_t ways, std::uint64_t mshrs, std::size_t room = 8,
       std::uint64_t prefetch_lines = 0)
      : to_memory_(room, nullptr, nullptr), from_memory_(16, nullptr, nullptr) {
    config::Cache config;
    config.line_bytes = kLine;
    config.sets = sets;
    config.ways = ways;
    config.mshrs = mshrs;
    config.prefetch_lines = prefetch_lines;
    cache.emplace(config, 5, pool);
    map_.add({"low", PhysicalAddress(0), 3 * kLine, memory::Home::DeviceDram});
    map_.add({"high", PhysicalAddress(3 * kLine), 1_GiB, memory::Home::HostDram});
    destinations_.send(memory::Home::DeviceDram, 0);
    destinations_.send(memory::Home::HostDram, 3);
    cache->connect({&to_memory_, &from_memory_, 9, &destinations_});
  }
  bool lookup(Picoseconds time, std::uint64_t address) {
    return cache->lookup(time, PhysicalAddress(address), code_end);
  }
  // What it asks for at `now`, seen a picosecond later.
  std::vector<memory::Packet> asked() {
    std::vector<memory::Packet> packets;
    auto& queue = to_memory_.of(memory::TrafficClass::NonTriggered);
    while (queue.can_pop(now + 1)) packets.push_back(queue.pop(now + 1));
    return packets;
  }
  void answer(const memory::Packet& packet, Picoseconds arrival) { from_memory_.push(now, packet, arrival); }
  // Misses, and gets the line.
  void fetch(std::uint64_t address) {
    ASSERT_FALSE(lookup(now, address)) << address;
    const auto packets = asked();
    ASSERT_EQ(packets.size(), 1u);
    answer(packets[0], now);
    ASSERT_TRUE(cache->receive(++now));
  }

  memory::RequestPool pool;
  std::optional<InstructionCache> cache;
  Picoseconds now = 1000;
  PhysicalAddress code_end{1000 * kLine};

 private:
  memory::MemoryMap map_;
  memory::Destinations destinations_{map_};
  memory::Channel to_memory_;
  sim::Queue<memory::Packet> from_memory_;
};

TEST(InstructionCache, AMissAsksForTheWholeLineOnce) {
  Code code(4, 1, 2);
  EXPECT_FALSE(code.lookup(code.now, 3 * kLine + 8));
  EXPECT_FALSE(code.lookup(code.now, 3 * kLine + 16));
  const auto packets = code.asked();
  ASSERT_EQ(packets.size(), 1u);
  EXPECT_EQ(packets[0].source, 9u);
  EXPECT_EQ(packets[0].destination, 3u);
  const memory::Request& request = code.pool[packets[0].request];
  EXPECT_EQ(request.address, PhysicalAddress(3 * kLine));
  EXPECT_EQ(request.bytes, kLine);
  EXPECT_EQ(request.unit, 5u);
  EXPECT_EQ(code.cache->statistics().misses, 1u);
  EXPECT_TRUE(code.cache->waiting());
}

TEST(InstructionCache, ALineIsThereStrictlyAfterItsArrival) {
  Code code(4, 1, 2);
  EXPECT_FALSE(code.lookup(code.now, 0));
  code.answer(code.asked().at(0), 2000);
  EXPECT_EQ(code.cache->next_arrival(code.now), 2000u);
  EXPECT_FALSE(code.cache->receive(2000));
  EXPECT_FALSE(code.lookup(2000, 0));
  EXPECT_TRUE(code.cache->receive(2001));
  EXPECT_TRUE(code.lookup(2001, kLine - 8));
  EXPECT_FALSE(code.cache->waiting());
  EXPECT_EQ(code.pool.in_use(), 0u);
}

TEST(InstructionCache, TheLineUsedLeastRecentlyGoes) {
  for (const std::uint64_t sets : {4, 3}) {
    Code code(sets, 2, 2);
    const Address step = sets * kLine;  // of one set
    code.fetch(0);
    code.fetch(step);
    EXPECT_TRUE(code.lookup(code.now, 0));
    code.fetch(2 * step);
    EXPECT_TRUE(code.lookup(code.now, 0));
    EXPECT_TRUE(code.lookup(code.now, 2 * step));
    EXPECT_FALSE(code.lookup(code.now, step));
  }
}

TEST(InstructionCache, SetsDoNotTakeEachOthersRoom) {
  Code code(4, 1, 2);
  for (Address line = 0; line < 4; ++line) code.fetch(line * kLine);
  for (Address line = 0; line < 4; ++line) EXPECT_TRUE(code.lookup(code.now, line * kLine));
}

TEST(InstructionCache, AMissTooManyAsksLater) {
  Code code(4, 1, 2);
  for (Address line = 0; line < 3; ++line) EXPECT_FALSE(code.lookup(code.now, line * kLine));
  const auto packets = code.asked();
  ASSERT_EQ(packets.size(), 2u);
  code.answer(packets[0], code.now);
  EXPECT_TRUE(code.cache->receive(++code.now));
  EXPECT_FALSE(code.lookup(code.now, 2 * kLine));
  EXPECT_EQ(code.asked().size(), 1u);
}

TEST(InstructionCache, AFullWayToMemoryIsNoMissYet) {
  Code code(4, 1, 4, 1);
  for (Address line = 0; line < 2; ++line) EXPECT_FALSE(code.lookup(code.now, line * kLine));
  EXPECT_EQ(code.cache->statistics().misses, 1u);
  EXPECT_EQ(code.asked().size(), 1u);
  code.now += 2;
  EXPECT_FALSE(code.lookup(code.now, kLine));
  EXPECT_EQ(code.asked().size(), 1u);
}

TEST(InstructionCache, ALineIsAPowerOfTwo) {
  memory::RequestPool pool;
  config::Cache config;
  config.line_bytes = 96;
  config.sets = config.ways = 1;
  EXPECT_THROW(InstructionCache(config, 0, pool), Error);
}

// Lines that a cache with so much prefetching asks for, one a cycle, until it asks for no more.
std::vector<std::uint64_t> asked_ahead(Code& code) {
  std::vector<std::uint64_t> lines;
  for (int i = 0; i < 50 && code.cache->prefetching(); ++i) {
    code.cache->prefetch(++code.now);
    for (const memory::Packet& packet : code.asked()) {
      lines.push_back(code.pool[packet.request].address / kLine);
      code.answer(packet, code.now);
      code.cache->receive(++code.now);
    }
  }
  return lines;
}

TEST(InstructionCache, AMissHasTheNextLinesAskedFor) {
  Code code(64, 4, 8, 8, 3);
  code.fetch(0);
  EXPECT_EQ(asked_ahead(code), (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(code.cache->statistics().prefetches, 3u);
  EXPECT_EQ(code.cache->statistics().misses, 1u);
  // The first who wants one of them has one more asked for, the second nothing.
  EXPECT_TRUE(code.lookup(++code.now, kLine));
  EXPECT_EQ(asked_ahead(code), (std::vector<std::uint64_t>{4}));
  EXPECT_TRUE(code.lookup(++code.now, kLine));
  EXPECT_FALSE(code.cache->prefetching());
}

TEST(InstructionCache, NothingIsPrefetchedBehindTheCodesEnd) {
  Code code(64, 4, 8, 8, 16);
  code.code_end = PhysicalAddress(2 * kLine + 16);
  code.fetch(0);
  EXPECT_EQ(asked_ahead(code), (std::vector<std::uint64_t>{1, 2}));
}

TEST(InstructionCache, PrefetchesLeaveNoMoreMissesThanThereAre) {
  Code code(64, 4, 2, 8, 4);
  EXPECT_FALSE(code.lookup(code.now, 0));
  code.cache->prefetch(++code.now);
  EXPECT_FALSE(code.cache->prefetching());
  EXPECT_EQ(code.asked().size(), 2u);
}

TEST(InstructionCache, ALineOnItsWayAheadIsNotAskedForAgain) {
  Code code(64, 4, 8, 8, 1);
  EXPECT_FALSE(code.lookup(code.now, 0));
  code.cache->prefetch(++code.now);
  EXPECT_EQ(code.asked().size(), 2u);
  EXPECT_FALSE(code.lookup(++code.now, kLine));
  EXPECT_EQ(code.asked().size(), 0u);
  EXPECT_EQ(code.cache->statistics().misses, 1u);
  // It is wanted now: the next one is asked for.
  EXPECT_TRUE(code.cache->prefetching());
}

}  // namespace
}  // namespace duet::gpu
