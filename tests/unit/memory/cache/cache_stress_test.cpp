// Random requests through one or two levels of tiny caches against a flat model. Every client owns some words
// of every line, reads and writes those, and knows what it must see because requests of one class to one line
// keep their order; the other words are counters that all clients add to. A read of a class that may wait can
// be overtaken by a later write-back, so it may see a later value of its client too, but never an older one.
// An observer of every cache knows from the events alone what the cache holds and counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <set>

#include "cache_rig.h"
#include "memory/cache/pending_pool.h"

namespace duet::memory::test {
namespace {

constexpr unsigned kLines = 12;
constexpr unsigned kWords = kLines * kLineBytes / 4;

struct Plan {
  unsigned clients = 1, l1s = 0;  // l1s 0: the clients use the write-back cache
  config::Cache l1, l2;
  unsigned latency = 1;
  bool classes = false;
  unsigned pending = 0;  // entries of the write-back cache's pool; 0: there is none. Without atomics.
};

// What a cache holds and has counted, from its events alone.
class Model : public CacheObserver {
 public:
  explicit Model(Cache& cache) : cache_(cache) { cache.connect_observer(*this); }
  void observe(const CacheEvent& event) override {
    using Kind = CacheEvent::Kind;
    ++counts_[{event.kind, event.operation}];
    ++of_kind_[event.kind];
    ByteMask& valid = valid_[event.line];
    switch (event.kind) {
      case Kind::Hit:
        if (event.operation != Operation::Write) {
          EXPECT_TRUE(within(event.bytes, valid)) << event.line.value();
        }
        break;
      case Kind::Miss:
        if (event.operation != Operation::Write) {
          EXPECT_FALSE(within(event.bytes, valid)) << event.line.value();
        }
        break;
      case Kind::Merge:
        break;
      case Kind::Store:  // before it is made, so the line is there
        EXPECT_NE(cache_.find(event.line), nullptr) << event.line.value();
        break;
      case Kind::Fill:
        EXPECT_FALSE(any(event.bytes & valid)) << event.line.value();
        [[fallthrough]];
      case Kind::Write:
        valid = valid | event.bytes;
        break;
      case Kind::Evict:
        EXPECT_EQ(event.bytes.bits, valid.bits) << event.line.value();
        valid = {};
        break;
      case Kind::Drop:
        EXPECT_TRUE(any(event.bytes) && within(event.bytes, valid)) << event.line.value();
        valid = valid & ~event.bytes;
        break;
    }
    EXPECT_EQ(event.time, cache_.engine().now());
  }
  void check() {
    for (const auto& [line, valid] : valid_) {
      const Line* held = cache_.find(line);
      EXPECT_EQ(valid.bits, (held == nullptr ? ByteMask{} : held->valid).bits) << line.value();
    }
    using Kind = CacheEvent::Kind;
    const CacheStatistics& counted = cache_.statistics();
    EXPECT_EQ(count(Kind::Hit, Operation::Read), counted.read_hits);
    EXPECT_EQ(count(Kind::Miss, Operation::Read), counted.read_misses);
    EXPECT_EQ(count(Kind::Merge, Operation::Read), counted.read_merges);
    EXPECT_EQ(count(Kind::Hit, Operation::Write), counted.write_hits);
    EXPECT_EQ(count(Kind::Miss, Operation::Write), counted.write_misses);
    EXPECT_EQ(count(Kind::Write, Operation::Atomic), counted.atomics);
    EXPECT_EQ(of_kind_[Kind::Evict], counted.evictions);
    EXPECT_LE(of_kind_[Kind::Fill], counted.fills);  // some come for those alone who wait already
  }

 private:
  std::uint64_t count(CacheEvent::Kind kind, Operation operation) { return counts_[{kind, operation}]; }
  Cache& cache_;
  std::map<PhysicalAddress, ByteMask> valid_;
  std::map<std::pair<CacheEvent::Kind, Operation>, std::uint64_t> counts_;
  std::map<CacheEvent::Kind, std::uint64_t> of_kind_;
};

struct Result {
  std::vector<Picoseconds> edges;
  std::vector<std::byte> memory;
};

class Stress {
 public:
  Stress(const Plan& plan, std::uint32_t seed, std::uint64_t engine_seed)
      : plan_(plan), random_(seed), rig_(plan.l2, 0, plan.latency, engine_seed) {
    if (plan.pending != 0) rig_.cache.share(pool_.emplace(plan.pending, 1));
    for (unsigned i = 0; i < plan.l1s; ++i) {
      l1s_.push_back(
          std::make_unique<Cache>(rig_.engine, "l1", "l1", nullptr, 0, plan.l1, kHertz, rig_.pool));
      down_.push_back(std::make_unique<Channel>(plan.l2.queue_entries, l1s_[i].get(), &rig_.cache));
      up_.push_back(std::make_unique<sim::Queue<Packet>>(plan.l1.queue_entries, &rig_.cache, l1s_[i].get()));
      rig_.cache.connect_above(*down_[i], *up_[i]);
      l1s_[i]->connect_below(*down_[i], *up_[i], std::uint16_t(i), nullptr);
    }
    models_.push_back(std::make_unique<Model>(rig_.cache));
    for (auto& l1 : l1s_) models_.push_back(std::make_unique<Model>(*l1));
    commanders_.push_back(std::make_unique<Commander>(rig_.engine, rig_.cache));
    for (auto& l1 : l1s_) commanders_.push_back(std::make_unique<Commander>(rig_.engine, *l1));
    for (unsigned i = 0; i < plan.clients; ++i) {
      Cache& cache = plan.l1s == 0 ? rig_.cache : *l1s_[i % plan.l1s];
      clients_.push_back(
          std::make_unique<Requester>(rig_.engine, rig_.pool, plan.l1.queue_entries, cache, i));
    }
    model_.resize(kWords);
    std::memcpy(model_.data(), rig_.memory.bytes.data(), kWords * 4);
    first_ = model_;
    for (const std::uint32_t word : model_) history_.push_back({word});
    expected_.resize(plan.clients);
  }

  Result run() {
    Picoseconds edge = 0;
    for (unsigned phase = 0; phase < 4; ++phase) {
      for (unsigned i = 0; i < 150; ++i) {
        send(edge);
        if (pick(3) == 0) edge += pick(12);
      }
      rig_.memory.held[1] = rig_.memory.held[2] = plan_.classes && phase % 2 == 0;
      rig_.engine.run_until((edge / 2) * kPeriod + kPeriod / 2);
      for (std::size_t i = 1; i < commanders_.size(); ++i) commanders_[i]->send_now(Operation::Invalidate);
      if (phase >= 1) commanders_[0]->send_now(phase == 2 ? Operation::Invalidate : Operation::Clean);
      rig_.memory.release(1);
      rig_.memory.release(2);
      edge = rig_.edge() + 200;
    }
    rig_.run();
    return check();
  }

 private:
  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
  unsigned owner(unsigned word) const { return word % (plan_.clients + 1); }  // clients: a counter

  void send(Picoseconds edge) {
    const unsigned c = pick(plan_.clients), line = pick(kLines);
    const unsigned first = pick(32), words = 1 + pick(32 - first);
    const unsigned kind = pick(20);
    const Operation operation = kind < 9                      ? Operation::Read
                                : kind < 15                   ? Operation::Write
                                : plan_.pending != 0          ? Operation::Write
                                : kind < 18                   ? Operation::Atomic
                                : kind < 19 || plan_.l1s == 0 ? Operation::Clean
                                                              : Operation::Invalidate;
    Request request = make(operation, Address{line} * kLineBytes + first * 4, words * 4);
    // A class for each client and line: between classes there is no order.
    if (plan_.classes) request.traffic_class = static_cast<TrafficClass>((c * 7 + line * 5) % 3);
    request.cacheability.gpu_l1 = pick(8) != 0;
    request.cacheability.gpu_l2 = operation == Operation::Atomic || pick(16) != 0;
    if (operation == Operation::Clean || operation == Operation::Invalidate) {
      clients_[c]->send(edge, request);
      expected_[c].push_back({});
      return;
    }
    request.mask = {};
    std::map<unsigned, std::uint32_t> values;
    for (unsigned i = 0; i < words; ++i) {
      const unsigned word = line * 32 + first + i;
      if (owner(word) != (operation == Operation::Atomic ? plan_.clients : c) || pick(4) == 0) continue;
      request.mask = request.mask | moved_up(ByteMask::first(4), 4 * i);
      std::uint32_t operand = operation == Operation::Atomic ? 1 : static_cast<std::uint32_t>(random_());
      if (operation == Operation::Read) {
        values[i] = static_cast<std::uint32_t>(history_[word].size()) - 1;
      } else {
        std::memcpy(&request.data[4 * i], &operand, 4);
        if (operation == Operation::Write) history_[word].push_back(model_[word] = operand);
        if (operation == Operation::Atomic) {
          ++model_[word];
          values[i] = word;
        }
      }
    }
    if (!any(request.mask)) return;
    if (operation == Operation::Atomic) request.atomic_operation = AtomicOperation::Add;
    clients_[c]->send(edge, request);
    expected_[c].push_back(values);
  }

  Result check() {
    Result result;
    std::map<unsigned, std::multiset<std::uint32_t>> olds;
    for (unsigned c = 0; c < plan_.clients; ++c)
      for (std::size_t i = 0; i < clients_[c]->answers.size(); ++i) {
        const auto& answer = clients_[c]->answers[i];
        EXPECT_NE(answer.edge, kNever) << "client " << c << " request " << i;
        result.edges.push_back(answer.edge);
        for (const auto& [position, expected] : expected_[c][i]) {
          const auto seen = value<std::uint32_t>(answer, position);
          if (answer.request.operation == Operation::Read) {
            const auto& history = history_[answer.request.address / 4 + position];
            const bool exact = answer.request.traffic_class == TrafficClass::NonTriggered;
            const auto from = history.begin() + expected, to = exact ? from + 1 : history.end();
            EXPECT_NE(std::find(from, to, seen), to)
                << "client " << c << " request " << i << " word " << position;
          } else {
            olds[expected].insert(seen - first_[expected]);
          }
        }
      }
    for (const auto& [word, seen] : olds) {
      std::uint32_t next = 0;
      for (const std::uint32_t old : seen) EXPECT_EQ(old, next++) << "counter " << word;
      EXPECT_EQ(model_[word], first_[word] + next);
    }
    for (auto& commander : commanders_)
      for (const Picoseconds done : commander->done_at) EXPECT_NE(done, kNever);
    EXPECT_TRUE(rig_.cache.idle());
    if (pool_) {
      EXPECT_EQ(pool_->free(), plan_.pending);
    }
    for (auto& l1 : l1s_) EXPECT_TRUE(l1->idle());
    EXPECT_EQ(rig_.pool.in_use(), 0u);
    for (auto& model : models_) model->check();
    rig_.cache.flush_range(PhysicalAddress(0), kWords * 4,
                           [&](PhysicalAddress at, const std::byte* data, const ByteMask& mask) {
                             copy_masked(rig_.memory.bytes.data() + at.value(), data, mask);
                           });
    EXPECT_EQ(std::memcmp(rig_.memory.bytes.data(), model_.data(), kWords * 4), 0);
    result.memory = rig_.memory.bytes;
    return result;
  }

  Plan plan_;
  std::mt19937 random_;
  Rig rig_;
  std::optional<PendingPool> pool_;
  std::vector<std::unique_ptr<Cache>> l1s_;
  std::vector<std::unique_ptr<Channel>> down_;
  std::vector<std::unique_ptr<sim::Queue<Packet>>> up_;
  std::vector<std::unique_ptr<Commander>> commanders_;  // the first one's is the write-back cache
  std::vector<std::unique_ptr<Model>> models_;          // of every cache
  std::vector<std::unique_ptr<Requester>> clients_;
  std::vector<std::uint32_t> model_, first_;
  std::vector<std::vector<std::uint32_t>> history_;  // of each word
  // Of each client's requests: a read word's place in its history, or which counter an element adds to.
  std::vector<std::vector<std::map<unsigned, std::uint32_t>>> expected_;
};

void expect_same_in_any_order(const Plan& plan, std::uint32_t seed) {
  const Result ordered = Stress(plan, seed, 0).run();
  const Result shuffled = Stress(plan, seed, 1000 + seed).run();
  EXPECT_EQ(ordered.edges, shuffled.edges);
  EXPECT_EQ(ordered.memory, shuffled.memory);
}

TEST(CacheStress, OneEntryOfEverything) {
  for (std::uint32_t seed = 1; seed <= 24; ++seed) {
    Plan plan;
    plan.l1 = l1_config();
    plan.l2 = l2_config();
    for (config::Cache* config : {&plan.l1, &plan.l2})
      config->sets = config->ways = config->mshrs = config->mshr_targets = config->queue_entries =
          config->latency_cycles = 1;
    plan.l1.write_evict = seed % 2 == 0;
    plan.clients = 1 + seed % 4;
    plan.l1s = seed % 3;
    plan.latency = seed % 5 * 7;
    plan.classes = seed % 2 == 0;
    SCOPED_TRACE(seed);
    expect_same_in_any_order(plan, seed);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(CacheStress, RandomShapes) {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed * 977);
    const auto pick = [&](std::initializer_list<unsigned> values) {
      return *(values.begin() + random() % values.size());
    };
    Plan plan;
    plan.l1 = l1_config();
    plan.l2 = l2_config();
    for (config::Cache* config : {&plan.l1, &plan.l2}) {
      config->sets = pick({1, 2, 4});
      config->ways = pick({1, 2, 3});
      config->sector_bytes = pick({32, 64, 128});
      config->latency_cycles = pick({1, 3, 20});
      config->mshrs = pick({1, 2, 5});
      config->mshr_targets = pick({1, 3, 8});
      config->queue_entries = pick({1, 2, 8});
      config->hash_sets = pick({0, 1}) != 0;
    }
    plan.l1.write_evict = pick({0, 1}) != 0;
    plan.l1.write_allocate = !plan.l1.write_evict && pick({0, 1}) != 0;
    plan.l2.write_allocate = pick({0, 1, 1}) != 0;
    plan.l2.atomic_words_per_cycle = pick({1, 4, 32});
    plan.clients = pick({1, 2, 4});
    plan.l1s = pick({0, 1, 2});
    plan.latency = pick({0, 5, 60});
    plan.classes = pick({0, 1}) != 0;
    plan.l2.fetch_on_write = plan.l2.write_allocate && pick({0, 1}) != 0;
    if (pick({0, 1, 2}) == 0) {
      plan.classes = false;
      plan.l2.atomic_words_per_cycle = 0;
      plan.pending = pick({1, 2, 5, 40});
      plan.l2.mshrs = plan.l2.mshr_targets = plan.pending;
    }
    SCOPED_TRACE(seed);
    expect_same_in_any_order(plan, seed);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace duet::memory::test
