// Probes from below or beside, and their races with fills, write-backs and requests of the same line. With
// l1_config() and l2_config() a request sent at edge n is looked up at n + 6 and the memory's answer to it is
// there 22 edges later.
#include <gtest/gtest.h>

#include <random>
#include <set>

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

// A memory that takes lines away at random, as a directory does: while a probe of a line is on its way it
// takes writes of the line and keeps reads waiting.
class Directory : public Clocked {
 public:
  Directory(sim::Engine& engine, RequestPool& pool, Cache& cache, std::uint32_t seed, unsigned lines)
      : Clocked(engine, "directory"),
        bytes(lines * kLineBytes),
        requests(4, &cache, this),
        responses(4, this, &cache),
        probes_(2, this, &cache),
        answers_(2, &cache, this),
        pool_(pool),
        random_(seed),
        locked_(lines),
        probed_(lines) {
    cache.connect_below(requests, responses, 0, nullptr);
    cache.connect_prober(probes_, answers_);
    engine.wake(*this, 0);
  }
  Picoseconds tick(Picoseconds now) override {
    while (answers_.can_pop(now)) {
      const RequestHandle handle = answers_.pop(now).request;
      const Request& request = pool_[handle];
      copy_masked(&bytes[request.address.value()], request.data.data(), request.mask);
      dirty_answers += any(request.mask);
      locked_[request.address / kLineBytes] = false;
      pool_.release(handle);
    }
    serve(now);
    const auto line = static_cast<std::uint32_t>(random_() % locked_.size());
    const bool probe = random_() % 4 == 0 && !locked_[line] && now >= probed_[line] && probes_.can_push(now);
    if (probe && now < end) {
      Packet packet;
      packet.request = pool_.allocate();
      Request& request = pool_[packet.request];
      request.operation = random_() % 3 == 0 ? Operation::Clean : Operation::Invalidate;
      request.address = PhysicalAddress(line * kLineBytes);
      request.bytes = kLineBytes;
      locked_[line] = true;
      probed_[line] = now + 60 * kPeriod;  // fetches that have left come before the next one
      probes_.push(now, packet);
    }
    return now < end || requests.size() != 0 || !parked_.empty() ? now + kPeriod : kNever;
  }

  std::vector<std::byte> bytes;
  Channel requests;
  sim::Queue<Packet> responses;
  Picoseconds end = 0;  // no probes from then on
  unsigned dirty_answers = 0;

 private:
  // One a cycle: reads that had to wait first.
  void serve(Picoseconds now) {
    if (!responses.can_push(now)) return;
    for (std::size_t i = 0; i < parked_.size(); ++i) {
      if (locked_[pool_[parked_[i].request].address / kLineBytes]) continue;
      answer(now, parked_[i]);
      parked_.erase(parked_.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
    auto& queue = requests.of(0);
    if (!queue.can_pop(now)) return;
    const Packet packet = queue.pop(now);
    const Request& request = pool_[packet.request];
    if (request.operation == Operation::Read && locked_[request.address / kLineBytes]) {
      parked_.push_back(packet);
    } else {
      answer(now, packet);
    }
  }
  void answer(Picoseconds now, Packet packet) {
    Request& request = pool_[packet.request];
    std::byte* at = &bytes[request.address.value()];
    if (request.operation == Operation::Read) {
      copy_masked(request.data.data(), at, request.mask);
    } else {
      copy_masked(at, request.data.data(), request.mask);
    }
    packet.kind = PacketKind::Response;
    std::swap(packet.source, packet.destination);
    responses.push(now, packet, now + random_() % 2 * kPeriod + 8 * kPeriod);
  }

  sim::Queue<Packet> probes_, answers_;
  RequestPool& pool_;
  std::mt19937 random_;
  std::vector<bool> locked_;
  std::vector<Picoseconds> probed_;
  std::vector<Packet> parked_;
};

// Two clients own words of every line, and share counters. Every read and every atomic sees what it would see
// without probes.
void expect_coherent(std::uint32_t seed, std::uint64_t engine_seed, unsigned& dirty_answers) {
  constexpr unsigned kLines = 8, kWords = kLines * 32;
  std::mt19937 random(seed);
  const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  config::Cache config = l2_config();
  config.sets = 1 + pick(2);
  config.ways = 1 + pick(3);
  config.sector_bytes = 32u << pick(3);
  config.latency_cycles = 1 + pick(6);
  config.mshrs = 1 + pick(4);
  config.mshr_targets = 1 + pick(5);
  sim::Engine engine(engine_seed);
  RequestPool pool;
  Cache cache(engine, "cache", "cache", nullptr, 1, config, kHertz, pool);
  Directory directory(engine, pool, cache, seed, kLines);
  std::deque<Requester> clients;
  for (unsigned c = 0; c < 2; ++c) clients.emplace_back(engine, pool, 4, cache, std::uint16_t(c));
  std::vector<std::uint32_t> model(kWords);
  std::vector<std::uint32_t> expected[2];
  Picoseconds edge = 0;
  for (unsigned n = 0; n < 400; ++n) {
    const unsigned c = pick(2), first = pick(kWords), kind = pick(5);
    const unsigned word = kind == 4 ? first / 3 * 3 : first / 3 * 3 + 1 + c;
    if (word >= kWords) continue;
    const Operation operation = kind < 2 ? Operation::Read : kind < 4 ? Operation::Write : Operation::Atomic;
    Request request = make(operation, word * 4, 4);
    const std::uint32_t operand = kind == 4 ? 1 : static_cast<std::uint32_t>(random());
    std::memcpy(request.data.data(), &operand, 4);
    request.atomic_operation = AtomicOperation::Add;
    if (operation == Operation::Write) model[word] = operand;
    if (operation == Operation::Atomic) ++model[word];
    clients[c].send(edge, request);
    expected[c].push_back(model[word]);
    edge += pick(12);
  }
  directory.end = edge * kPeriod;
  engine.run_while_not([] { return false; });
  std::map<PhysicalAddress, std::set<std::uint32_t>> olds;
  for (unsigned c = 0; c < 2; ++c)
    for (std::size_t i = 0; i < clients[c].answers.size(); ++i) {
      const auto& answer = clients[c].answers[i];
      ASSERT_NE(answer.edge, kNever) << c << " " << i;
      const auto seen = value<std::uint32_t>(answer);
      if (answer.request.operation == Operation::Read) {
        EXPECT_EQ(seen, expected[c][i]) << c << " " << i;
      } else if (answer.request.operation == Operation::Atomic) {
        EXPECT_TRUE(olds[answer.request.address].insert(seen).second) << c << " " << i;
      }
    }
  dirty_answers += directory.dirty_answers;
  EXPECT_TRUE(cache.idle());
  EXPECT_EQ(pool.in_use(), 0u);
  cache.flush_range(PhysicalAddress(0), kWords * 4,
                    [&](PhysicalAddress at, const std::byte* data, const ByteMask& mask) {
                      copy_masked(&directory.bytes[at.value()], data, mask);
                    });
  EXPECT_EQ(std::memcmp(directory.bytes.data(), model.data(), kWords * 4), 0);
}

TEST(CacheProbe, RequestsSeeWhatTheyWouldSeeWithoutProbes) {
  unsigned dirty_answers = 0;
  for (std::uint32_t seed = 1; seed <= 100; ++seed)
    for (const std::uint64_t engine_seed : {0u, 17u}) {
      SCOPED_TRACE(testing::Message() << seed << " " << engine_seed);
      expect_coherent(seed, engine_seed, dirty_answers);
      if (testing::Test::HasFailure()) return;
    }
  EXPECT_GT(dirty_answers, 1000u);
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
