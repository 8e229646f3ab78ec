// A port above a cache of shorter lines: what goes through in parts, and that nothing is lost of it.
#include "memory/cache/level_port.h"

#include <gtest/gtest.h>

#include "unit/memory/cache/cache_rig.h"
#include "unit/memory/dram/dram_rig.h"

namespace duet::memory::test {
namespace {

constexpr std::uint16_t kNumber = 3;  // of the port, at the cache

struct PortRig {
  explicit PortRig(Bytes line_bytes)
      : port(engine, "port", nullptr, {kHertz, line_bytes, 0, 8}, pool),
        cache(engine, "cache", "cache", nullptr, 1, config(line_bytes), kHertz, pool),
        memory(engine, pool, 64 * 1024, 20),
        to_cache(8, &port, &cache),
        to_memory(8, &cache, &memory),
        to_port(8, &cache, &port),
        from_memory(8, &memory, &cache),
        requester(engine, pool, 8, port, 1) {
    map.add({"all", PhysicalAddress(0), 1_GiB, Home::DeviceDram});
    destinations.send(Home::DeviceDram, 7);
    port.connect_below(to_cache, to_port, kNumber, &destinations);
    cache.connect_above(to_cache, to_port);
    cache.connect_below(to_memory, from_memory, 0, nullptr);
    memory.connect(to_memory, from_memory);
  }
  static config::Cache config(Bytes line_bytes) {
    config::Cache config = l2_config();
    config.line_bytes = line_bytes;
    config.atomic_words_per_cycle = 4;
    return config;
  }
  // Its answer.
  const Requester::Answer& ask(const Request& request) {
    const std::size_t index = requester.send(engine.now() / kPeriod + 1, request);
    engine.run_until(engine.now() + 10'000 * kPeriod);
    EXPECT_NE(requester.answers[index].edge, kNever);
    return requester.answers[index];
  }
  std::uint64_t requests() const {
    const CacheStatistics& of = cache.statistics();
    return of.read_hits + of.read_misses + of.read_merges + of.write_hits + of.write_misses + of.atomics;
  }

  sim::Engine engine;
  RequestPool pool;
  MemoryMap map;
  Destinations destinations{map};
  LevelPort port;
  Cache cache;
  FlatMemory memory;
  Channel to_cache, to_memory;
  sim::Queue<Packet> to_port, from_memory;
  Requester requester;
};

TEST(LevelPort, APartForEachLine) {
  struct Case {
    Bytes line;
    Address address;
    unsigned bytes, parts;
  };
  for (const Case& one : {Case{32, 0, 32, 1},
                          {32, 0, 33, 2},
                          {32, 31, 1, 1},
                          {32, 31, 2, 2},
                          {32, 0, 128, 4},
                          {32, 4, 124, 4},
                          {64, 0, 64, 1},
                          {64, 0, 65, 2},
                          {64, 63, 2, 2},
                          {64, 128, 128, 2},
                          {128, 0, 128, 1}}) {
    SCOPED_TRACE(testing::Message() << one.line << ": " << one.bytes << " at " << one.address);
    for (const Request& request : {read(one.address, one.bytes), write(one.address, one.bytes, 5)}) {
      PortRig rig(one.line);
      const Requester::Answer& answer = rig.ask(request);
      EXPECT_EQ(rig.requests(), one.parts);
      EXPECT_EQ(answer.packet.payload_bytes, request.operation == Operation::Read ? one.bytes : 0);
      EXPECT_EQ(answer.packet.source, 77);  // as if the cache were what the requester sent it to
      EXPECT_EQ(answer.packet.destination, 1);
      EXPECT_EQ(rig.pool.in_use(), 0u);
    }
  }
}

TEST(LevelPort, LinesWithoutAByteOfTheMaskGetNoPart) {
  PortRig rig(32);
  Request request = write(0, 128, 9);
  request.mask = {};
  request.mask.bits[0] = 0xf0;          // of line 0
  request.mask.bits[1] = 0x1ull << 63;  // of line 3
  rig.ask(request);
  EXPECT_EQ(rig.requests(), 2u);
  const Requester::Answer& all = rig.ask(read(0, 128));
  for (unsigned byte = 0; byte < 128; ++byte)
    EXPECT_EQ(value<std::uint8_t>(all, byte), request.mask.test(byte) ? 9 : 0) << byte;
}

// Each word is performed once, in the slice of its line, and its old value comes back to its place.
TEST(LevelPort, AtomicsAreCutToo) {
  PortRig rig(32);
  std::vector<std::uint32_t> ones(32, 1), numbers(32);
  for (unsigned word = 0; word < 32; ++word) numbers[word] = 100 + word;
  rig.ask(atomic(0, AtomicOperation::Exchange, AtomicType::U32, numbers));
  const Requester::Answer& added = rig.ask(atomic(0, AtomicOperation::Add, AtomicType::U32, ones));
  EXPECT_EQ(added.packet.payload_bytes, 128);
  EXPECT_EQ(rig.cache.statistics().atomics, 8u);
  for (unsigned word = 0; word < 32; ++word) EXPECT_EQ(value<std::uint32_t>(added, word), 100 + word);

  // Every second word is compared with what is there.
  Request swap = atomic(0, AtomicOperation::CompareAndSwap, AtomicType::U32, numbers);
  swap.second = rig.pool.allocate();
  for (unsigned word = 0; word < 32; ++word) {
    const std::uint32_t compared = 101 + word - word % 2, stored = 7 * word;
    std::memcpy(&swap.data[4 * word], &compared, 4);
    std::memcpy(&rig.pool[swap.second].data[4 * word], &stored, 4);
  }
  const Requester::Answer& old = rig.ask(swap);
  for (unsigned word = 0; word < 32; ++word) EXPECT_EQ(value<std::uint32_t>(old, word), 101 + word);
  rig.pool.release(swap.second);
  const Requester::Answer& after = rig.ask(read(0, 128));
  for (unsigned word = 0; word < 32; ++word)
    EXPECT_EQ(value<std::uint32_t>(after, word), word % 2 == 0 ? 7 * word : 101 + word);
  EXPECT_EQ(rig.pool.in_use(), 0u);
}

TEST(LevelPort, RandomRequestsLeaveWhatAFlatMemoryHas) {
  for (const Bytes line : {32, 64}) {
    PortRig rig(line);
    duet::test::Random random{line};
    std::vector<std::uint32_t> words(64);
    for (unsigned i = 0; i < 600; ++i) {
      const auto first = static_cast<unsigned>(random(32)), block = static_cast<unsigned>(random(2));
      const auto count = 1 + static_cast<unsigned>(random(32 - first));
      const Address address = 128 * block + 4 * first;
      std::uint32_t* const model = &words[32 * block + first];
      std::vector<std::uint32_t> operands(count);
      for (std::uint32_t& operand : operands) operand = static_cast<std::uint32_t>(random(1000));
      Request request = atomic(address, AtomicOperation::Add, AtomicType::U32, operands);
      const auto kind = random(3);
      request.operation = kind == 0 ? Operation::Read : kind == 1 ? Operation::Write : Operation::Atomic;
      for (unsigned word = 0; word < count && count > 1; ++word)
        if (random(4) == 0 && word != 0)
          for (unsigned byte = 4 * word; byte < 4 * word + 4; ++byte)
            request.mask.bits[byte / 64] &= ~(1ull << byte % 64);
      const Requester::Answer& answer = rig.ask(request);
      for (unsigned word = 0; word < count; ++word) {
        if (!request.mask.test(4 * word)) continue;
        if (kind != 1) {
          ASSERT_EQ(value<std::uint32_t>(answer, word), model[word]) << i;
        }
        if (kind != 0) model[word] = operands[word] + (kind == 2 ? model[word] : 0);
      }
    }
    EXPECT_EQ(rig.pool.in_use(), 0u);
  }
}

}  // namespace
}  // namespace duet::memory::test
