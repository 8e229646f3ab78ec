// A shape that no machine file has yet: a GPU's L2 above an L3, above a DRAM controller, and a second agent
// that uses the L3 alone. L2 performs no atomics, L3 does; no page attribute concerns L3. Nothing keeps the
// two agents coherent but commands and probes.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "unit/memory/cache/cache_rig.h"
#include "unit/memory/dram/dram_rig.h"

namespace duet::memory::test {
namespace {

constexpr unsigned kL2Cycles = 5, kL3Cycles = 11;

config::Cache shared_l3() {
  config::Cache config = l2_config();
  config.attribute = config::PageAttribute::None;
  config.latency_cycles = kL3Cycles;
  return config;
}
config::Cache private_l2() {
  config::Cache config = l2_config();
  config.latency_cycles = kL2Cycles;
  config.atomic_words_per_cycle = 0;
  return config;
}

struct Topology {
  explicit Topology(const config::Cache& upper = private_l2(), const config::Cache& lower = shared_l3(),
                    std::uint64_t l3_hertz = kHertz, std::uint64_t seed = 0)
      : engine(seed),
        map(gpu_config.dram),
        physical(gpu_config.dram.bytes, gpu_config.dram.page_bytes),
        space(physical),
        dram(engine, "dram", nullptr, gpu_config.dram, 0, map, pool, space),
        l3(engine, "l3", "l3", nullptr, 1, lower, l3_hertz, pool),
        l2(engine, "l2", "l2", nullptr, 1, upper, kHertz, pool),
        between(lower.queue_entries, &l2, &l3),
        to_dram(lower.queue_entries, &l3, &dram),
        to_l2(lower.queue_entries, &l3, &l2),
        to_l3(64, &dram, &l3),
        gpu(engine, pool, upper.queue_entries, l2, 1),
        host(engine, pool, lower.queue_entries, l3, 2),
        l2_commands(engine, l2),
        l3_commands(engine, l3) {
    space.allocate_device(gpu_config.dram.bytes, AllocationKind::Device);
    l3.connect_above(between, to_l2);
    l2.connect_below(between, to_l2, 0, nullptr);
    l3.connect_below(to_dram, to_l3, 0, nullptr);
    dram.connect(to_dram, to_l3);
  }
  void run() {
    engine.run_while_not([] { return false; });
  }
  // An edge at which everything sleeps.
  Picoseconds later() {
    run();
    return engine.now() / kPeriod + 10;
  }
  const std::byte* memory(Address address) { return space.memory().bytes(PhysicalAddress(address)); }

  const config::Gpu gpu_config = duet::test::gtx580_dram();
  sim::Engine engine;
  RequestPool pool;
  AddressMap map;
  PhysicalMemory physical;
  AddressSpace space;
  DramController dram;
  Cache l3, l2;
  Channel between, to_dram;
  sim::Queue<Packet> to_l2, to_l3;
  Requester gpu, host;
  Commander l2_commands, l3_commands;
};

TEST(CacheTopology, LatenciesAdd) {
  Topology rig;
  rig.host.send(0, read(0, 128));
  const Picoseconds start = rig.later();
  rig.gpu.send(start, read(0, 4));
  rig.gpu.send(start + 100, read(4, 4));
  rig.host.send(start + 200, read(8, 4));
  rig.run();
  EXPECT_EQ(rig.gpu.answers[0].edge, start + 2 + kL2Cycles + 2 + kL3Cycles);
  EXPECT_EQ(rig.gpu.answers[1].edge, start + 100 + 2 + kL2Cycles);
  EXPECT_EQ(rig.host.answers[1].edge, start + 200 + 2 + kL3Cycles);
  EXPECT_EQ(rig.dram.statistics().reads, 1u);
}

TEST(CacheTopology, AtomicsArePerformedWhereBothAgentsMeet) {
  Topology rig;
  const auto add = atomic<std::uint32_t>(0, AtomicOperation::Add, AtomicType::U32, {1});
  rig.gpu.send(0, write(0, 4, 0));  // dirty in L2, whatever it says
  for (unsigned i = 0; i < 20; ++i) rig.gpu.send(0, add);
  const Picoseconds start = rig.later();
  for (unsigned i = 0; i < 20; ++i) {
    rig.gpu.send(start + i, add);
    rig.host.send(start + i, add);
  }
  rig.run();
  std::set<std::uint32_t> seen;
  for (unsigned i = 0; i < 40; ++i) seen.insert(value<std::uint32_t>(rig.gpu.answers[1 + i]));
  for (unsigned i = 0; i < 20; ++i) seen.insert(value<std::uint32_t>(rig.host.answers[i]));
  EXPECT_EQ(seen.size(), 60u);
  EXPECT_EQ(*seen.begin(), 0u);
  EXPECT_EQ(*seen.rbegin(), 59u);
  EXPECT_EQ(rig.l2.statistics().atomics, 0u);
  EXPECT_EQ(rig.l2.statistics().passed, 40u);
  EXPECT_EQ(rig.l3.statistics().atomics, 60u);
}

TEST(CacheTopology, CleanByRangeShowsBytesToTheOtherAgentAndKeepsTheLine) {
  Topology rig;
  rig.gpu.send(0, write(0, 4, 9));
  rig.gpu.send(0, write(128, 4, 9));
  rig.host.send(50, read(0, 4));
  const Picoseconds start = rig.later();
  EXPECT_EQ(value<std::uint32_t>(rig.host.answers[0]), 0u);
  rig.l2_commands.send(start, Operation::Clean, 0, 128);
  rig.run();
  // The write-back leaves L2 at start + 1 and is answered by L3 as any write.
  EXPECT_EQ(rig.l2_commands.done_at[0], start + 2 + 2 + kL3Cycles);
  const Picoseconds then = rig.later();
  rig.host.send(then, read(0, 4));
  rig.host.send(then, read(128, 4));
  rig.gpu.send(then, read(0, 4));
  rig.run();
  EXPECT_EQ(value<std::uint32_t>(rig.host.answers[1]), 0x09090909u);
  EXPECT_EQ(value<std::uint32_t>(rig.host.answers[2]), 0u);  // not in the range
  EXPECT_EQ(rig.gpu.answers[2].edge, then + 2 + kL2Cycles);
  EXPECT_FALSE(any(rig.l2.find(PhysicalAddress(0))->dirty));
  EXPECT_TRUE(any(rig.l3.find(PhysicalAddress(0))->dirty));
  rig.l3_commands.send(rig.later(), Operation::Clean);
  rig.run();
  EXPECT_EQ(rig.memory(0)[3], std::byte{9});
}

TEST(CacheTopology, InvalidateByRangeLosesCleanBytesAndKeepsDirtyOnes) {
  Topology rig;
  rig.gpu.send(0, read(0, 8));
  rig.gpu.send(200, write(4, 4, 9));
  const Picoseconds start = rig.later();
  rig.host.send(start, write(0, 8, 5));
  rig.gpu.send(start + 100, read(0, 8));
  rig.l2_commands.send(start + 200, Operation::Invalidate, 0, 128);
  rig.gpu.send(start + 300, read(0, 8));
  rig.run();
  EXPECT_EQ(value<std::uint64_t>(rig.gpu.answers[2]), 0x09090909'00000000ull);  // what L2 had
  EXPECT_EQ(rig.l2_commands.done_at[0], start + 202);
  EXPECT_EQ(value<std::uint64_t>(rig.gpu.answers[3]), 0x09090909'05050505ull);
}

// The test plays the directory: it takes a dirty line out of L2 and brings it to L3.
TEST(CacheTopology, AProbeTakesADirtyLineToTheOtherAgent) {
  Topology rig;
  Prober directory(rig.engine, rig.pool, rig.l2);
  rig.gpu.send(0, write(12, 8, 9));
  const Picoseconds start = rig.later();
  directory.send(start, Operation::Invalidate, 0, 128);
  rig.run();
  const auto& taken = directory.answers[0];
  EXPECT_EQ(taken.edge, start + 2 + kL2Cycles);
  EXPECT_EQ(taken.request.mask.bits[0], 0xff000u);
  EXPECT_EQ(rig.l2.find(PhysicalAddress(0)), nullptr);
  Request bring = taken.request;
  bring.operation = Operation::Write;
  const Picoseconds then = rig.later();
  rig.host.send(then, bring);
  rig.host.send(then, write(16, 4, 3));
  rig.gpu.send(then + 100, read(12, 8));
  rig.run();
  EXPECT_EQ(value<std::uint64_t>(rig.gpu.answers[1]), 0x03030303'09090909ull);
  EXPECT_EQ(rig.pool.in_use(), 0u);
}

// Random traffic of both agents against a flat model. In a phase every word belongs to one agent, who alone
// reads and writes it, or is a counter; between phases L2 is cleaned and invalidated, and words change hands.
class Traffic {
 public:
  explicit Traffic(std::uint64_t seed, bool classes, std::uint64_t engine_seed)
      : classes_(classes),
        rig_(shape(private_l2(), seed), shape(shared_l3(), seed / 3), seed % 2 == 0 ? kHertz : 1'300'000'000,
             engine_seed) {
    random_.state = seed;
    for (unsigned i = 0; i < kWords; ++i) history_.push_back({0});
  }

  std::vector<Picoseconds> run() {
    for (unsigned phase = 0; phase < 6; ++phase) {
      for (auto& owner : owner_) owner = static_cast<unsigned>(random_(5) / 2);  // 2: a counter
      for (auto& history : history_) history.erase(history.begin(), history.end() - 1);
      Picoseconds edge = rig_.later();
      for (unsigned i = 0; i < 120; ++i) {
        send(edge);
        if (random_(3) == 0) edge += random_(12);
      }
      rig_.run();
      check_answers();
      rig_.l2_commands.send(rig_.later(), Operation::Clean);
      rig_.l2_commands.send(rig_.later(), Operation::Invalidate);
      if (random_(2) == 0) rig_.l3_commands.send(rig_.later(), Operation::Clean);
    }
    rig_.l3_commands.send(rig_.later(), Operation::Clean);
    rig_.run();
    for (unsigned word = 0; word < kWords; ++word) {
      std::uint32_t stored;
      std::memcpy(&stored, rig_.memory(word * 4), 4);
      EXPECT_EQ(stored, history_[word].back()) << word;
    }
    EXPECT_TRUE(rig_.l2.idle() && rig_.l3.idle());
    EXPECT_EQ(rig_.pool.in_use(), 0u);
    EXPECT_EQ(rig_.l2.statistics().atomics, 0u);
    EXPECT_GT(rig_.l3.statistics().atomics, 0u);
    EXPECT_GT(rig_.l2.statistics().evictions, 0u);
    EXPECT_GT(rig_.l3.statistics().write_backs, 0u);
    std::vector<Picoseconds> edges;
    for (const Requester* agent : {&rig_.gpu, &rig_.host})
      for (const auto& answer : agent->answers) edges.push_back(answer.edge);
    return edges;
  }

 private:
  static constexpr unsigned kLines = 16, kWords = kLines * 32;

  static config::Cache shape(config::Cache config, std::uint64_t seed) {
    config.sets = 1 + seed % 2;
    config.ways = 1 + seed / 2 % 3;
    config.mshrs = 1 + seed / 5 % 4;
    config.mshr_targets = 1 + seed / 7 % 4;
    config.queue_entries = 1 + seed / 3 % 4;
    config.sector_bytes = 32u << seed % 3;
    return config;
  }

  void send(Picoseconds edge) {
    const auto agent = static_cast<unsigned>(random_(2)), line = static_cast<unsigned>(random_(kLines));
    const auto first = static_cast<unsigned>(random_(32));
    const auto words = 1 + static_cast<unsigned>(random_(32 - first));
    const std::uint64_t kind = random_(10);
    const Operation operation = kind < 4 ? Operation::Read : kind < 8 ? Operation::Write : Operation::Atomic;
    Request request = make(operation, (line * 32 + first) * 4, words * 4);
    request.agent = agent == 0 ? Agent::Sm : Agent::Host;
    // A class for each agent and line: between classes there is no order.
    if (classes_) request.traffic_class = static_cast<TrafficClass>((agent * 7 + line * 5) % 3);
    request.cacheability.gpu_l2 = random_(16) != 0;  // L3 holds it all the same
    request.atomic_operation = AtomicOperation::Add;
    request.mask = {};
    Sent sent{agent, agent == 0 ? rig_.gpu.answers.size() : rig_.host.answers.size(), {}};
    for (unsigned i = 0; i < words; ++i) {
      const unsigned word = line * 32 + first + i;
      if (owner_[word] != (operation == Operation::Atomic ? 2 : agent) || random_(4) == 0) continue;
      request.mask = request.mask | moved_up(ByteMask::first(4), 4 * i);
      auto& history = history_[word];
      if (operation == Operation::Read) {
        sent.expected[i] = history.size() - 1;
        continue;
      }
      std::uint32_t operand =
          operation == Operation::Atomic ? 1 : static_cast<std::uint32_t>(random_(1u << 31));
      std::memcpy(&request.data[4 * i], &operand, 4);
      if (operation == Operation::Atomic) operand += history.back();
      history.push_back(operand);
    }
    if (!any(request.mask)) return;
    (agent == 0 ? rig_.gpu : rig_.host).send(edge, request);
    sent_.push_back(sent);
  }

  void check_answers() {
    std::map<unsigned, std::multiset<std::uint32_t>> olds;
    for (const Sent& sent : sent_) {
      const auto& answer = (sent.agent == 0 ? rig_.gpu : rig_.host).answers[sent.answer];
      ASSERT_NE(answer.edge, kNever) << sent.agent << " " << sent.answer;
      const Request& request = answer.request;
      const auto first = static_cast<unsigned>(request.address / 4);
      for (unsigned i = 0; i < request.bytes / 4u; ++i) {
        if (!request.mask.test(4 * i)) continue;
        const auto seen = value<std::uint32_t>(answer, i);
        if (request.operation == Operation::Atomic) olds[first + i].insert(seen);
        if (request.operation != Operation::Read) continue;
        // A read of a class that may wait can be overtaken by a later write-back of its own agent's writes.
        const auto& history = history_[first + i];
        const auto from = history.begin() + static_cast<std::ptrdiff_t>(sent.expected.at(i));
        const bool exact = request.traffic_class == TrafficClass::NonTriggered;
        EXPECT_NE(std::find(from, exact ? from + 1 : history.end(), seen), exact ? from + 1 : history.end())
            << sent.agent << " " << sent.answer << " word " << i;
      }
    }
    for (const auto& [word, seen] : olds) {
      std::uint32_t next = history_[word].front();
      for (const std::uint32_t old : seen) EXPECT_EQ(old, next++) << "counter " << word;
    }
    sent_.clear();
  }

  struct Sent {
    unsigned agent;
    std::size_t answer;
    std::map<unsigned, std::size_t> expected;  // of a read word: its place in the history
  };
  const bool classes_;
  Topology rig_;
  duet::test::Random random_;
  std::array<unsigned, kWords> owner_{};
  std::vector<std::vector<std::uint32_t>> history_;  // of each word, in this phase
  std::vector<Sent> sent_;
};

TEST(CacheTopology, RandomTrafficOfBothAgentsReachesMemory) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed)
    for (const bool classes : {false, true}) {
      SCOPED_TRACE(testing::Message() << seed << " " << classes);
      EXPECT_EQ(Traffic(seed, classes, 0).run(), Traffic(seed, classes, 1000 + seed).run());
      if (testing::Test::HasFailure()) return;
    }
}

}  // namespace
}  // namespace duet::memory::test
