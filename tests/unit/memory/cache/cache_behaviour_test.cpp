// What a cache holds, fetches, sends below and answers.
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "cache_rig.h"

namespace duet::memory::test {
namespace {

std::vector<Address> addresses(const FlatMemory& memory) {
  std::vector<Address> result;
  for (const auto& seen : memory.log) result.push_back(seen.request.address.value());
  return result;
}
void expect_initial(const Requester::Answer& answer, unsigned from = 0) {
  for (unsigned i = from; i < answer.request.bytes; ++i)
    EXPECT_EQ(answer.request.data[i], Rig::initial(answer.request.address.value() + i)) << i;
}

TEST(Cache, ReplacesTheLeastRecentlyUsedLine) {
  config::Cache config = l1_config();
  config.sets = 1;
  Rig rig(config);
  unsigned edge = 0;
  for (const Address line : {0u, 128u, 0u, 256u, 0u, 128u}) rig.client().send(edge += 100, read(line, 4));
  rig.run();
  EXPECT_EQ(addresses(rig.memory), (std::vector<Address>{0, 128, 256, 128}));
  EXPECT_EQ(rig.cache.statistics().read_hits, 2u);
  EXPECT_EQ(rig.cache.statistics().evictions, 2u);
}

TEST(Cache, FoldsAddressBitsIntoTheSetOnlyWhenAsked) {
  for (const bool hash : {false, true}) {
    config::Cache config = l1_config();
    config.ways = 1;
    config.hash_sets = hash;
    Rig rig(config);
    for (unsigned round = 0; round < 2; ++round)  // lines 0, 4, 8, 12 of 4 sets
      for (unsigned i = 0; i < 4; ++i) rig.client().send(100 * (4 * round + i), read(128 * 4 * i, 4));
    rig.run();
    EXPECT_EQ(rig.cache.statistics().read_hits, hash ? 4u : 0u);
  }
}

TEST(Cache, NumbersTheLinesOfASliceWithoutGaps) {
  for (const unsigned channels : {1u, 6u, 8u})
    for (const unsigned slices : {1u, 2u, 4u})
      for (const unsigned interleave : {1u, 2u, 8u}) {
        const LineNumbering numbering{interleave, channels, slices};
        std::map<std::pair<unsigned, unsigned>, std::set<std::uint64_t>> locals;
        std::vector<unsigned> lines_of_channel(channels);
        const unsigned each = 64;
        for (unsigned line = 0; line < each * channels * slices; ++line) {
          const unsigned channel = line / interleave % channels;
          const unsigned slice = lines_of_channel[channel]++ % slices;  // in turn
          locals[{channel, slice}].insert(numbering.local(line));
        }
        ASSERT_EQ(locals.size(), channels * slices);
        for (const auto& [slice, set] : locals) {
          EXPECT_EQ(set.size(), each);
          EXPECT_EQ(*set.rbegin(), each - 1);
        }
      }
}

TEST(Cache, FetchesOnlyTheSectorsThatItLacks) {
  Rig rig(l2_config());
  rig.client().send(0, read(32, 4));
  rig.client().send(100, read(60, 4));   // the same sector
  rig.client().send(200, read(16, 64));  // sectors 0, 1, 2
  rig.run();
  ASSERT_EQ(rig.memory.log.size(), 2u);
  EXPECT_EQ(rig.memory.log[0].request.address, PhysicalAddress(32));
  EXPECT_EQ(rig.memory.log[0].request.bytes, 32);
  EXPECT_EQ(rig.memory.log[1].request.address, PhysicalAddress(0));
  EXPECT_EQ(rig.memory.log[1].request.bytes, 96);
  EXPECT_EQ(rig.memory.log[1].request.mask.bits, (std::array<std::uint64_t, 2>{0xffffffff, 0xffffffff}));
  expect_initial(rig.client().answers[2]);
}

TEST(Cache, AReadOfOtherSectorsFetchesThemWhileTheFirstAreOnTheirWay) {
  Rig rig(l2_config());
  rig.client().send(0, read(0, 4));
  rig.client().send(0, read(8, 4));    // joins
  rig.client().send(0, read(28, 40));  // sector 0 is on its way, 1 and 2 are not
  rig.client().send(0, read(64, 4));   // joins the second fetch
  rig.run();
  EXPECT_EQ(addresses(rig.memory), (std::vector<Address>{0, 32}));
  EXPECT_EQ(rig.memory.log[1].request.bytes, 64);
  EXPECT_EQ(rig.cache.statistics().read_merges, 2u);
  EXPECT_EQ(rig.cache.statistics().read_misses, 2u);
  for (const auto& answer : rig.client().answers) expect_initial(answer);
}

TEST(Cache, AWriteMissTakesALineWithoutFetchingAndAReadFetchesTheRest) {
  Rig rig(l2_config());
  rig.client().send(0, write(132, 3, 0xee));
  rig.client().send(100, read(128, 16));
  rig.run();
  ASSERT_EQ(rig.memory.log.size(), 1u);
  EXPECT_EQ(rig.memory.log[0].request.mask.bits[0], 0xffffffffu & ~0x70u);
  const auto& data = rig.client().answers[1].request.data;
  for (unsigned i = 0; i < 16; ++i)
    EXPECT_EQ(data[i], i >= 4 && i < 7 ? std::byte{0xee} : Rig::initial(128 + i)) << i;
  EXPECT_EQ(rig.cache.find(PhysicalAddress(128))->dirty.bits[0], 0x70u);
  EXPECT_EQ(rig.cache.statistics().write_misses, 1u);
}

TEST(Cache, AnEvictionSendsExactlyTheDirtyBytes) {
  config::Cache config = l2_config();
  config.sets = config.ways = 1;
  Rig rig(config);
  Request scattered = write(4, 100, 0xaa);
  scattered.mask.bits = {0x8000000000000011ull, 0x1ull};
  rig.client().send(0, scattered);
  rig.client().send(100, read(0, 128));
  rig.client().send(200, write(128, 4, 1));
  rig.run();
  ASSERT_EQ(rig.memory.log.size(), 2u);
  const auto& back = rig.memory.log[1];
  EXPECT_EQ(back.request.operation, Operation::Write);
  EXPECT_EQ(back.request.kind, RequestKind::WriteBack);
  EXPECT_EQ(back.packet.payload_bytes, 4);
  for (unsigned i = 0; i < 128; ++i) {
    const bool written = i == 4 || i == 8 || i == 4 + 63 || i == 4 + 64;
    EXPECT_EQ(rig.memory.bytes[i], written ? std::byte{0xaa} : Rig::initial(i)) << i;
    const unsigned first = static_cast<unsigned>(back.request.address.value());
    if (i >= first && i < first + back.request.bytes) {
      EXPECT_EQ(back.request.mask.test(i - first), written) << i;
    }
  }
  EXPECT_EQ(rig.cache.statistics().write_backs, 1u);
  EXPECT_EQ(rig.pool.in_use(), 0u);
}

// v = a[i]; a[i] = 5; w = a[i] with the first load still on its way.
TEST(Cache, AStoreBehindAPendingLoadIsSeenByLaterLoadsAlone) {
  for (const int variant : {0, 1, 2}) {
    config::Cache config = variant == 2 ? l2_config() : l1_config();
    config.write_evict = variant == 0;
    Rig rig(config);
    rig.client().send(0, read(0, 8));
    rig.client().send(0, write(4, 4, 5));
    rig.client().send(0, read(0, 8));
    rig.client().send(0, write(0, 4, 6));
    rig.client().send(0, read(0, 8));
    rig.run();
    const auto& answers = rig.client().answers;
    expect_initial(answers[0]);
    EXPECT_EQ(value<std::uint32_t>(answers[2], 1), 0x05050505u);
    EXPECT_EQ(answers[2].request.data[0], Rig::initial(0));
    EXPECT_EQ(value<std::uint64_t>(answers[4]), 0x0505050506060606ull);
    // L1: the first fetch is not installed, nor is the second; L2: all waited for one fetch.
    EXPECT_EQ(rig.cache.statistics().fills, variant == 2 ? 1u : 3u);
  }
}

TEST(Cache, WriteThroughUpdatesOrEvictsTheBytes) {
  for (const bool evict : {false, true}) {
    config::Cache config = l1_config();
    config.write_evict = evict;
    config.sector_bytes = 32;
    Rig rig(config);
    rig.client().send(0, read(0, 64));
    rig.client().send(100, write(4, 4, 9));
    rig.client().send(200, read(8, 4));
    rig.client().send(300, read(0, 8));
    rig.client().send(400, write(512, 4, 9));  // a miss allocates nothing
    rig.run();
    EXPECT_EQ(rig.cache.statistics().read_hits, evict ? 1u : 2u);
    EXPECT_EQ(rig.memory.bytes[4], std::byte{9});
    EXPECT_EQ(value<std::uint32_t>(rig.client().answers[3], 1), 0x09090909u);
    EXPECT_EQ(rig.cache.find(PhysicalAddress(512)), nullptr);
    if (evict) {
      EXPECT_EQ(rig.memory.log[2].request.mask.bits[0], 0xfu);
    }
  }
}

// a[1] = 9; v = a[0]; a[2] = 8, and in another line 128 bytes that a cache above writes back.
TEST(Cache, AWriteFetchesItsSectorWhereItIsToldSo) {
  for (const bool fetches : {false, true}) {
    config::Cache config = l2_config();
    config.fetch_on_write = fetches;
    Rig rig(config);
    rig.client().send(0, write(4, 4, 9));
    rig.client().send(100, read(0, 8));
    rig.client().send(200, write(8, 4, 8));
    rig.client().send(300, write(36, 4, 7));  // another sector of the line
    Request above = write(512, 128, 6);
    above.kind = RequestKind::WriteBack;
    rig.client().send(400, above);
    rig.run();
    EXPECT_EQ(rig.client().answers[1].request.data[0], Rig::initial(0));
    EXPECT_EQ(value<std::uint32_t>(rig.client().answers[1], 1), 0x09090909u);
    EXPECT_EQ(addresses(rig.memory), (fetches ? std::vector<Address>{0, 32} : std::vector<Address>{0}));
    EXPECT_EQ(rig.cache.statistics().read_misses, fetches ? 0u : 1u);
    EXPECT_EQ(rig.cache.statistics().write_misses, fetches ? 3u : 2u);
    EXPECT_EQ(count(rig.cache.find(PhysicalAddress(0))->valid), fetches ? 64u : 36u);
  }
}

TEST(Cache, AtomicsWorkOnTheLineInArrivalOrder) {
  Rig rig(l2_config(), 2);
  for (unsigned c = 0; c < 2; ++c)
    for (unsigned i = 0; i < 5; ++i)
      rig.client(c).send(0, atomic<std::uint32_t>(64, AtomicOperation::Add, AtomicType::U32, {1, 10}));
  rig.client().send(1000, read(64, 8));
  rig.run();
  std::uint32_t start[2];
  std::memcpy(start, rig.memory.bytes.data() + 64, 8);
  std::set<std::uint32_t> seen;
  for (unsigned c = 0; c < 2; ++c)
    for (unsigned i = 0; i < 5; ++i) {
      const auto& answer = rig.client(c).answers[i];
      seen.insert(value<std::uint32_t>(answer) - start[0]);
      EXPECT_EQ((value<std::uint32_t>(answer, 1) - start[1]), 10 * (value<std::uint32_t>(answer) - start[0]));
      EXPECT_EQ(answer.packet.payload_bytes, 8);
    }
  EXPECT_EQ(seen.size(), 10u);
  EXPECT_EQ(*seen.rbegin(), 9u);
  EXPECT_EQ(value<std::uint32_t>(rig.client().answers[5]), start[0] + 10);
  EXPECT_EQ(value<std::uint32_t>(rig.client().answers[5], 1), start[1] + 100);
  EXPECT_EQ(rig.cache.statistics().atomics, 10u);
  EXPECT_EQ(rig.cache.statistics().fills, 1u);
}

TEST(Cache, CompareAndSwapTakesItsSecondOperandFromASecondRequest) {
  Rig rig(l2_config());
  rig.client().send(0, write(0, 16, 1));
  Request swap =
      atomic<std::uint64_t>(0, AtomicOperation::CompareAndSwap, AtomicType::U64, {0x0101010101010101ull, 3});
  swap.second = rig.pool.allocate();
  const std::uint64_t stored[2] = {77, 88};
  std::memcpy(rig.pool[swap.second].data.data(), stored, 16);
  rig.client().send(0, swap);
  rig.client().send(0, read(0, 16));
  rig.run();
  const auto& answers = rig.client().answers;
  EXPECT_EQ(value<std::uint64_t>(answers[1], 0), 0x0101010101010101ull);
  EXPECT_EQ(value<std::uint64_t>(answers[1], 1), 0x0101010101010101ull);
  EXPECT_EQ(value<std::uint64_t>(answers[2], 0), 77u);
  EXPECT_EQ(value<std::uint64_t>(answers[2], 1), 0x0101010101010101ull);
}

TEST(Cache, AtomicsTakeTheirTypeMaskAndFlushSubnormals) {
  Rig rig(l2_config());
  rig.client().send(0, write(0, 16, 0));
  const float subnormal = 1e-40f;
  rig.client().send(0, atomic<float>(0, AtomicOperation::Add, AtomicType::F32, {subnormal, 1.5f}));
  Request one_lane = atomic<std::uint16_t>(8, AtomicOperation::Exchange, AtomicType::B16, {7, 8, 9});
  one_lane.mask.bits = {0x30, 0};
  one_lane.wants_result = false;
  rig.client().send(0, one_lane);
  rig.client().send(0, read(0, 16));
  rig.run();
  EXPECT_EQ(value<float>(rig.client().answers[3], 0), 0.0f);
  EXPECT_EQ(value<float>(rig.client().answers[3], 1), 1.5f);
  EXPECT_EQ(value<std::uint64_t>(rig.client().answers[3], 1), std::uint64_t{9} << 32);
  EXPECT_EQ(rig.client().answers[2].packet.payload_bytes, 0);
}

// Two levels: an atomic passes L1, which must not show the old value afterwards, nor install an older fetch.
TEST(Cache, AnAtomicPassesALevelThatPerformsNoneAndDropsItsLine) {
  Rig rig(l2_config(), 0);
  Cache l1(rig.engine, "l1", "cache", nullptr, 0, l1_config(), kHertz, rig.pool);
  Channel down(8, &l1, &rig.cache);
  sim::Queue<Packet> up(8, &rig.cache, &l1);
  rig.cache.connect_above(down, up);
  l1.connect_below(down, up, 3, nullptr);
  Requester client(rig.engine, rig.pool, 8, l1, 0);
  const auto add = atomic<std::uint32_t>(0, AtomicOperation::Add, AtomicType::U32, {1});
  client.send(0, read(0, 4));
  client.send(0, add);
  client.send(0, read(0, 4));
  client.send(1000, add);
  client.send(1000, read(0, 4));
  rig.run();
  const auto start = value<std::uint32_t>(client.answers[0]);
  EXPECT_EQ(value<std::uint32_t>(client.answers[1]), start);
  EXPECT_EQ(value<std::uint32_t>(client.answers[2]), start + 1);
  EXPECT_EQ(value<std::uint32_t>(client.answers[3]), start + 1);
  EXPECT_EQ(value<std::uint32_t>(client.answers[4]), start + 2);
  EXPECT_EQ(client.answers[3].packet.payload_bytes, 4);
  EXPECT_EQ(rig.pool.in_use(), 0u);
}

TEST(Cache, WhatAnOverrideReleasedIsKeptAtNoLevel) {
  config::FullEmpty bits;
  bits.granule_bytes = 4;
  bits.look_ahead = 1;
  bits.valid_masks = bits.write_through = bits.merge_by_trigger = true;
  sim::Engine engine;
  RequestPool pool;
  FlatMemory memory(engine, pool, 4096, 5);
  Cache upper(engine, "upper", "cache", nullptr, 0, l1_config(), kHertz, pool, {}, bits);
  Cache lower(engine, "lower", "cache", nullptr, 1, l2_config(), kHertz, pool, {}, bits);
  Channel between(8, &upper, &lower), below(8, &lower, &memory);
  sim::Queue<Packet> to_upper(8, &lower, &upper), to_lower(8, &memory, &lower);
  lower.connect_above(between, to_upper);
  upper.connect_below(between, to_upper, 1, nullptr);
  lower.connect_below(below, to_lower, 1, nullptr);
  memory.connect(below, to_lower);
  Requester client(engine, pool, 8, upper, 0);
  Request waits_for_full = read(0, 4);
  waits_for_full.tracked = true;
  waits_for_full.trigger = Trigger::Full;
  waits_for_full.traffic_class = TrafficClass::TriggeredGpu;
  for (const bool releases : {true, false}) {
    memory.releases = releases;
    client.send(engine.now() / kPeriod + 1, waits_for_full);
    engine.run_until(engine.now() + 1000 * kPeriod);
    EXPECT_EQ(upper.find(PhysicalAddress(0)) == nullptr, releases);
    EXPECT_EQ(lower.find(PhysicalAddress(0)) == nullptr, releases);
  }
  EXPECT_EQ(memory.log.size(), 2u);
  EXPECT_EQ(pool.in_use(), 0u);
}

TEST(Cache, AnUncachedRequestFollowsTheDirtyBytesOfItsLine) {
  Rig rig(l2_config());
  rig.client().send(0, write(0, 4, 1));
  Request uncached = read(0, 8);
  uncached.cacheability.gpu_l2 = false;
  rig.client().send(0, uncached);
  rig.client().send(0, read(64, 4));  // pending when the next one comes
  Request store = write(64, 2, 3);
  store.cacheability.gpu_l2 = false;
  rig.client().send(0, store);
  rig.client().send(0, read(64, 4));
  uncached.cacheability = {false, true};  // concerns only L1
  rig.client().send(500, uncached);
  rig.client().send(600, uncached);
  rig.run();
  const auto& answers = rig.client().answers;
  EXPECT_EQ(value<std::uint32_t>(answers[1]), 0x01010101u);
  EXPECT_EQ(answers[1].request.data[4], Rig::initial(4));
  expect_initial(answers[2]);
  EXPECT_EQ(value<std::uint16_t>(answers[4]), 0x0303u);
  EXPECT_EQ(answers[4].request.data[2], Rig::initial(66));
  EXPECT_EQ(rig.memory.log[0].request.kind, RequestKind::WriteBack);
  EXPECT_EQ(rig.cache.statistics().passed, 2u);
  EXPECT_EQ(rig.cache.statistics().read_hits, 1u);
}

TEST(Cache, CleanAnswersWhenTheDirtyBytesOfItsRangeAreAcknowledged) {
  Rig rig(l2_config());
  rig.client().send(0, write(0, 64, 4));
  rig.client().send(100, make(Operation::Clean, 0, 32));
  rig.client().send(200, make(Operation::Clean, 0, 32));
  rig.client().send(300, make(Operation::Clean, 256, 128));
  rig.run();
  ASSERT_EQ(rig.memory.log.size(), 1u);
  EXPECT_EQ(rig.memory.log[0].request.bytes, 32);
  EXPECT_EQ(rig.client().answers[1].edge, 100u + 6 + 22 + 1);
  EXPECT_EQ(rig.client().answers[2].edge, 207u);
  EXPECT_EQ(rig.client().answers[3].edge, 307u);
  EXPECT_EQ(rig.cache.find(PhysicalAddress(0))->dirty.bits[0], 0xffffffff00000000ull);
  EXPECT_EQ(rig.cache.find(PhysicalAddress(0))->valid.bits[0], ~0ull);
  EXPECT_EQ(rig.pool.in_use(), 0u);
}

TEST(Cache, InvalidateDropsItsRangeDirtyOrNot) {
  Rig rig(l2_config());
  rig.client().send(0, write(0, 8, 4));
  rig.client().send(0, make(Operation::Invalidate, 0, 4));
  rig.client().send(0, read(0, 8));
  rig.run();
  const auto& answer = rig.client().answers[2];
  EXPECT_EQ(answer.request.data[3], Rig::initial(3));
  EXPECT_EQ(answer.request.data[4], std::byte{4});
}

TEST(Cache, AnInvalidateCommandHidesWhatIsOnItsWay) {
  for (const bool back : {false, true}) {
    Rig rig(back ? l2_config() : l1_config());
    Commander commander(rig.engine, rig.cache);
    rig.client().send(0, read(128, 4));
    rig.client().send(100, read(0, 4));
    if (back) rig.client().send(100, write(4, 4, 2));  // waits for the fetch
    rig.engine.run_until(120 * kPeriod);
    commander.send_now(Operation::Invalidate);  // takes effect after now
    rig.engine.run_until(121 * kPeriod - 1);
    // Somebody else changes memory, after the fetch has read it.
    for (const Address at : {0u, 128u}) rig.memory.bytes[at] = std::byte{0x5a};
    rig.client().send(121, read(0, 8));
    rig.client().send(121, read(128, 4));
    rig.engine.run_until(122 * kPeriod);  // its first tick since
    EXPECT_EQ(rig.cache.find(PhysicalAddress(128)), nullptr);
    rig.run();
    const auto& answers = rig.client().answers;
    expect_initial(answers[1]);
    EXPECT_EQ(answers[2 + back].request.data[0], std::byte{0x5a});
    EXPECT_EQ(answers[2 + back].request.data[4], back ? std::byte{2} : Rig::initial(4));
    EXPECT_EQ(answers[3 + back].request.data[0], std::byte{0x5a});
    EXPECT_TRUE(rig.cache.idle());
  }
}

TEST(Cache, FlushRangeStoresDirtyBytesAndForgetsTheRange) {
  config::Cache config = l2_config();
  config.sets = config.ways = 1;
  for (const bool served : {false, true})  // whether the write-back has been, or still waits below
    for (const Bytes bytes : {Bytes{130}, Bytes{60000}}) {
      Rig rig(config);
      rig.memory.held[0] = !served;
      rig.client().send(0, write(0, 8, 1));
      rig.client().send(50, write(128, 8, 2));  // evicts the first
      rig.engine.run_until(60 * kPeriod);
      const auto before = rig.memory.bytes;
      EXPECT_EQ(before[2] == std::byte{1}, served);
      rig.cache.flush_range(PhysicalAddress(2), bytes,
                            [&](PhysicalAddress at, const std::byte* data, const ByteMask& mask) {
                              for (unsigned i = 0; i < kLineBytes; ++i)
                                if (mask.test(i)) rig.memory.bytes[at.value() + i] = data[i];
                            });
      for (unsigned i = 0; i < 8; ++i) {
        EXPECT_EQ(rig.memory.bytes[i], i >= 2 ? std::byte{1} : before[i]) << i;
        EXPECT_EQ(rig.memory.bytes[128 + i], 128 + i < 2 + bytes ? std::byte{2} : Rig::initial(128 + i)) << i;
      }
      for (unsigned i = 2; i < 256; ++i) rig.memory.bytes[i] = std::byte{9};
      rig.memory.release(0);
      rig.client().send(1000, read(128, 4));
      rig.client().send(2000, read(0, 4));
      rig.run();
      EXPECT_EQ(rig.client().answers[2].request.data[1], std::byte{9});
      EXPECT_EQ(value<std::uint32_t>(rig.client().answers[3]), 0x09090101u);
    }
}

TEST(Cache, DirtyByteLooksWithoutTouching) {
  config::Cache config = l2_config();
  config.sets = config.ways = 1;
  Rig rig(config);
  rig.memory.held[0] = true;
  rig.client().send(0, write(0, 8, 1));
  rig.client().send(50, write(128, 8, 2));  // evicts the first, which waits below
  rig.engine.run_until(60 * kPeriod);
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(rig.cache.dirty_byte(PhysicalAddress(3)), std::byte{1});
    EXPECT_EQ(rig.cache.dirty_byte(PhysicalAddress(8)), std::nullopt);
    EXPECT_EQ(rig.cache.dirty_byte(PhysicalAddress(128)), std::byte{2});
    EXPECT_EQ(rig.cache.dirty_byte(PhysicalAddress(128 + 8)), std::nullopt);
    EXPECT_EQ(rig.cache.dirty_byte(PhysicalAddress(256)), std::nullopt);
  }
  ASSERT_NE(rig.cache.find(PhysicalAddress(128)), nullptr);
  EXPECT_TRUE(rig.cache.find(PhysicalAddress(128))->dirty.test(0));
  rig.memory.release(0);
  rig.run();
  EXPECT_EQ(rig.memory.bytes[3], std::byte{1});
  EXPECT_EQ(rig.cache.dirty_byte(PhysicalAddress(3)), std::nullopt);
}

TEST(Cache, KnowsWhoFilledALine) {
  Rig rig(l2_config());
  Request copy = write(0, 4, 1);
  copy.agent = Agent::CopyEngine;
  copy.kind = RequestKind::Copy;
  copy.unit = 2;
  Request load = read(128, 4);
  load.unit = 5;
  rig.client().send(0, copy);
  rig.client().send(0, load);
  rig.run();
  EXPECT_EQ(rig.cache.find(PhysicalAddress(0))->filled_by.agent, Agent::CopyEngine);
  EXPECT_EQ(rig.cache.find(PhysicalAddress(0))->filled_by.unit, 2);
  EXPECT_EQ(rig.cache.find(PhysicalAddress(128))->filled_by.agent, Agent::Sm);
  EXPECT_EQ(rig.cache.find(PhysicalAddress(128))->filled_by.unit, 5);
}

// A cache that no attribute concerns holds what others may not, and what it writes back names the attributes
// of its page, for caches below.
TEST(Cache, LooksAtItsOwnAttributeAlone) {
  for (const auto attribute :
       {config::PageAttribute::None, config::PageAttribute::GpuL1, config::PageAttribute::GpuL2}) {
    config::Cache config = l2_config();
    config.sets = config.ways = 1;
    config.attribute = attribute;
    Rig rig(config);
    for (const bool l1 : {false, true}) {
      Request store = write(l1 ? 0 : 128, 4, 1);
      store.cacheability.gpu_l1 = l1;
      store.cacheability.gpu_l2 = !l1;
      rig.client().send(100 * l1, store);
    }
    rig.client().send(300, write(256, 4, 1));
    rig.run();
    const bool none = attribute == config::PageAttribute::None;
    EXPECT_EQ(rig.cache.statistics().passed, none ? 0u : 1u);
    ASSERT_EQ(rig.memory.log.size(), 2u);
    for (const auto& seen : rig.memory.log) {
      EXPECT_EQ(seen.request.cacheability.gpu_l1, seen.request.address == PhysicalAddress(0));
      EXPECT_EQ(seen.request.cacheability.gpu_l2, seen.request.address != PhysicalAddress(0));
    }
  }
}

TEST(Cache, RefusesWhatItDoesNotModel) {
  {
    Rig rig(l2_config());
    Request request = read(0, 4);
    request.trigger = Trigger::Full;
    rig.client().send(0, request);
    EXPECT_THROW(rig.run(), Error);
  }
  {
    Rig rig(l2_config());
    rig.client().send(0, read(120, 16));
    EXPECT_THROW(rig.run(), Error);
  }
  config::Cache config = l1_config();
  config.atomic_words_per_cycle = 1;
  EXPECT_THROW(Rig{config}, Error);
  config = l1_config();
  config.sets = 3;
  EXPECT_THROW(Rig{config}, Error);
  config = l2_config();
  config.write_evict = true;
  EXPECT_THROW(Rig{config}, Error);
}

}  // namespace
}  // namespace duet::memory::test
