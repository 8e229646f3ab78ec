// The directory: MESI's transitions, races of evictions, upgrades and probes, bytes that change from outside,
// and times. Caches are written out here: they do what a test tells them, or what chance says.
#include "memory/coherence/directory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>

#include "base/error.h"
#include "memory/address_space.h"
#include "memory/simple_memory.h"

namespace duet::memory {
namespace {

constexpr std::uint64_t kHertz = 1'000'000'000;
constexpr Picoseconds kCycle = 1000;
constexpr Bytes kLine = 64;
constexpr std::uint64_t kFromDirectory = 6;
constexpr Picoseconds kDramLatency = 50'000;

class NoHost final : public HostPort {
 public:
  void read(const std::byte*, std::byte*, Bytes) override {}
  void write(std::byte*, const std::byte*, Bytes) override {}
};

// What has come to a cache, and when. Answers probes at once unless it is told not to.
class MockCache : public sim::Component {
 public:
  struct Held {
    std::byte* bytes = nullptr;
    bool exclusive = false, dirty = false;
  };
  struct Got {
    Cycle cycle;
    CoherenceMessage message;
  };
  MockCache(sim::Engine& engine, std::uint16_t number)
      : Component(engine, "cache", nullptr, 2, sim::Role::Memory), number_(number), clock_(kHertz) {}
  void connect(sim::Queue<CoherenceMessage>& requests, sim::Queue<CoherenceMessage>& answers) {
    requests_ = &requests;
    answers_ = &answers;
  }
  void send(CoherenceKind kind, PhysicalAddress line, bool dirty = false, bool still_held = false) {
    CoherenceMessage message;
    message.line = line;
    message.cache = number_;
    message.kind = kind;
    message.dirty = dirty;
    message.held = still_held;
    requests_->push(engine().now(), message);
  }
  void evict(PhysicalAddress line) {
    send(CoherenceKind::Put, line, held.at(line.value()).dirty);
    held.erase(line.value());
  }
  void write(PhysicalAddress line, std::uint64_t value) {
    Held& mine = held.at(line.value());
    EXPECT_TRUE(mine.exclusive);
    std::memcpy(mine.bytes, &value, sizeof value);
    mine.dirty = true;
  }
  std::uint64_t read(PhysicalAddress line) const {
    std::uint64_t value;
    std::memcpy(&value, held.at(line.value()).bytes, sizeof value);
    return value;
  }
  Picoseconds tick(Picoseconds now) override {
    clock_.advance_to(now);
    while (answers_->can_pop(now)) take(answers_->pop(now), now);
    const Picoseconds own = act(now);
    const Picoseconds arrival = answers_->next_arrival(now);
    return std::min(own, arrival == kNever ? kNever : clock_.first_edge_after(arrival));
  }
  Picoseconds next_opportunity(Picoseconds time) const override { return clock_.first_edge_after(time); }
  std::size_t count(CoherenceKind kind) const {
    std::size_t number = 0;
    for (const Got& one : got) number += one.message.kind == kind;
    return number;
  }

  std::map<std::uint64_t, Held> held;
  std::vector<Got> got;
  bool answers_probes = true;

 protected:
  virtual Picoseconds act(Picoseconds) { return kNever; }
  sim::ClockCursor& clock() { return clock_; }

 private:
  void take(const CoherenceMessage& message, Picoseconds now) {
    got.push_back({now / kCycle, message});
    const std::uint64_t line = message.line.value();
    if (message.kind == CoherenceKind::Clean) return;
    if (message.kind == CoherenceKind::Grant) {
      held[line] = {message.bytes, message.exclusive, held.contains(line) && held[line].dirty};
      return;
    }
    const auto place = held.find(line);
    const bool was_held = place != held.end();
    const bool dirty = was_held && place->second.dirty;
    if (was_held && message.kind == CoherenceKind::Downgrade)
      place->second = {place->second.bytes, false, false};
    if (was_held && message.kind == CoherenceKind::Invalidate) held.erase(place);
    if (answers_probes)
      send(CoherenceKind::Answer, message.line, dirty, was_held && message.kind == CoherenceKind::Downgrade);
  }

  const std::uint16_t number_;
  sim::ClockCursor clock_;
  sim::Queue<CoherenceMessage>* requests_ = nullptr;
  sim::Queue<CoherenceMessage>* answers_ = nullptr;
};

// A directory over a simple memory; whoever tests connects the caches.
struct Below {
  explicit Below(std::uint64_t seed = 0, Bytes line_bytes = kLine)
      : engine(seed),
        memory(engine, "memory", nullptr, 2, {kDramLatency, 0, 0}, pool, physical, host),
        directory(engine, nullptr, kHertz, line_bytes, kFromDirectory, pool),
        requests(64, &directory, &memory),
        answers(64, &memory, &directory) {
    memory.connect(requests, answers);
    directory.connect_below(requests, answers);
    base = space.physical(space.allocate_device(4096, AllocationKind::Device)->base);
    std::memset(physical.bytes(base), 0, 4096);
  }
  void connect(MockCache& cache) {
    auto& to = queues.emplace_back(64, &cache, &directory);
    auto& from = queues.emplace_back(64, &directory, &cache);
    directory.connect_cache(to, from);
    cache.connect(to, from);
  }
  PhysicalAddress line(std::uint64_t number) const { return base + number * kLine; }
  std::uint64_t below(PhysicalAddress address) const {
    std::uint64_t value;
    std::memcpy(&value, physical.bytes(address), sizeof value);
    return value;
  }
  // What somebody outside of simulated time sees.
  std::uint64_t newest(PhysicalAddress address) const {
    const std::byte* const bytes = directory.held(address);
    if (bytes == nullptr) return below(address);
    std::uint64_t value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  // Somebody outside of simulated time writes.
  void write_outside(PhysicalAddress address, std::uint64_t value) {
    std::array<std::byte, kLine> bytes{};
    std::memcpy(bytes.data(), &value, sizeof value);
    std::memcpy(physical.bytes(address), bytes.data(), kLine);
    directory.replace(address, bytes.data());
  }

  sim::Engine engine;
  RequestPool pool;
  PhysicalMemory physical{1_MiB, 4096};
  AddressSpace space{physical};
  NoHost host;
  SimpleMemory memory;
  Directory directory;
  sim::Queue<Packet> requests, answers;
  std::deque<sim::Queue<CoherenceMessage>> queues;
  PhysicalAddress base;
};

struct DirectoryTest : ::testing::Test, Below {
  DirectoryTest() {
    for (std::uint16_t i = 0; i < 3; ++i) connect(caches.emplace_back(engine, i));
  }
  void cycles(std::uint64_t number) { engine.run_until(engine.now() + number * kCycle); }
  void settle() { cycles(1000); }
  // Cache `number` gets the line for itself and writes it.
  void own(std::uint16_t number, PhysicalAddress line, std::uint64_t value) {
    caches[number].send(CoherenceKind::GetExclusive, line);
    settle();
    caches[number].write(line, value);
  }
  std::deque<MockCache> caches;
};

TEST_F(DirectoryTest, TheFirstReaderMayWrite) {
  write_outside(line(3), 77);
  caches[1].send(CoherenceKind::GetShared, line(3));
  settle();
  ASSERT_EQ(caches[1].got.size(), 1u);
  EXPECT_TRUE(caches[1].got[0].message.exclusive);
  EXPECT_EQ(caches[1].got[0].message.source, GrantSource::Memory);
  EXPECT_EQ(caches[1].read(line(3)), 77u);
  EXPECT_EQ(directory.statistics().fetches, 1u);
  EXPECT_EQ(directory.statistics().transfers, 0u);
}

// Taken at edge 1; memory has it a picosecond later and answers its latency and one more later; the directory
// sees that at its next edge, the cache so many cycles after it.
TEST_F(DirectoryTest, AFetchTakesMemorysLatencyAndTheWayBack) {
  caches[0].send(CoherenceKind::GetShared, line(0));
  const Cycle there = (kCycle + 1 + kDramLatency + 1) / kCycle + 1;
  engine.run_until((there + kFromDirectory) * kCycle - 1);
  EXPECT_TRUE(caches[0].got.empty());
  engine.run_until((there + kFromDirectory) * kCycle);
  ASSERT_EQ(caches[0].got.size(), 1u);
  EXPECT_EQ(caches[0].got[0].cycle, there + kFromDirectory);
}

TEST_F(DirectoryTest, AHeldLineComesAfterTheWayBackAlone) {
  caches[0].send(CoherenceKind::GetShared, line(0));
  caches[1].send(CoherenceKind::GetShared, line(0));
  settle();
  const Cycle from = engine.now() / kCycle;
  caches[2].send(CoherenceKind::GetShared, line(0));
  engine.run_until((from + 1 + kFromDirectory) * kCycle - 1);
  EXPECT_TRUE(caches[2].got.empty());
  engine.run_until((from + 1 + kFromDirectory) * kCycle);
  ASSERT_EQ(caches[2].got.size(), 1u);
  EXPECT_FALSE(caches[2].got[0].message.exclusive);
  EXPECT_EQ(caches[2].got[0].message.source, GrantSource::Domain);
}

// The probe's way, the answer in the cycle behind it, and the grant's way.
TEST_F(DirectoryTest, AProbeTakesAWayThereAndTheAnswerOneCycle) {
  own(0, line(0), 5);
  const Cycle from = engine.now() / kCycle;
  caches[1].send(CoherenceKind::GetShared, line(0));
  settle();
  ASSERT_EQ(caches[0].count(CoherenceKind::Downgrade), 1u);
  EXPECT_EQ(caches[0].got.back().cycle, from + 1 + kFromDirectory);
  ASSERT_EQ(caches[1].got.size(), 1u);
  EXPECT_EQ(caches[1].got[0].cycle, from + 1 + kFromDirectory + 1 + kFromDirectory);
  EXPECT_EQ(caches[1].read(line(0)), 5u);
  EXPECT_FALSE(caches[0].held.at(line(0).value()).exclusive);
  EXPECT_FALSE(caches[1].got[0].message.exclusive);
}

TEST_F(DirectoryTest, OneMessageACycleIsTakenInTurns) {
  caches[0].send(CoherenceKind::GetShared, line(0));
  caches[1].send(CoherenceKind::GetShared, line(0));
  settle();
  const Cycle from = engine.now() / kCycle;
  for (MockCache& cache : caches) cache.got.clear();
  caches[2].send(CoherenceKind::GetShared, line(0));
  caches[0].send(CoherenceKind::GetShared, line(1));
  caches[0].send(CoherenceKind::GetShared, line(2));
  settle();
  ASSERT_EQ(caches[2].got.size(), 1u);
  EXPECT_GE(caches[2].got[0].cycle, from + 1 + kFromDirectory);
  EXPECT_LE(caches[2].got[0].cycle, from + 2 + kFromDirectory);  // not behind both of the other's
  ASSERT_EQ(caches[0].got.size(), 2u);
  EXPECT_LT(caches[0].got[0].cycle, caches[0].got[1].cycle);
}

TEST_F(DirectoryTest, AWriterWaitsForTheLastOfTheReaders) {
  caches[0].send(CoherenceKind::GetShared, line(0));
  caches[1].send(CoherenceKind::GetShared, line(0));
  settle();
  caches[1].answers_probes = false;
  caches[2].send(CoherenceKind::GetExclusive, line(0));
  settle();
  EXPECT_EQ(caches[0].count(CoherenceKind::Invalidate), 1u);
  EXPECT_EQ(caches[1].count(CoherenceKind::Invalidate), 1u);
  EXPECT_TRUE(caches[2].got.empty());
  EXPECT_EQ(directory.waits_for(), "caches that it has asked");
  caches[1].send(CoherenceKind::Answer, line(0));
  settle();
  ASSERT_EQ(caches[2].got.size(), 1u);
  EXPECT_TRUE(caches[2].got[0].message.exclusive);
  EXPECT_TRUE(caches[0].held.empty() && caches[1].held.empty());
  EXPECT_EQ(directory.statistics().invalidations, 2u);
  EXPECT_EQ(directory.waits_for(), "");
}

TEST_F(DirectoryTest, AnUpgradeFetchesNothing) {
  caches[0].send(CoherenceKind::GetShared, line(0));
  caches[1].send(CoherenceKind::GetShared, line(0));
  settle();
  caches[0].send(CoherenceKind::GetExclusive, line(0));
  settle();
  EXPECT_TRUE(caches[0].held.at(line(0).value()).exclusive);
  EXPECT_FALSE(caches[1].held.contains(line(0).value()));
  EXPECT_EQ(caches[0].got.back().message.source, GrantSource::Own);
  EXPECT_EQ(directory.statistics().upgrades, 1u);
  EXPECT_EQ(directory.statistics().fetches, 1u);
}

TEST_F(DirectoryTest, WhatWasWrittenGoesBelowWithTheLastHolder) {
  own(0, line(0), 9);
  caches[1].send(CoherenceKind::GetShared, line(0));
  settle();
  caches[0].evict(line(0));
  settle();
  EXPECT_EQ(below(line(0)), 0u);  // the other one has it still
  EXPECT_EQ(newest(line(0)), 9u);
  caches[1].evict(line(0));
  EXPECT_EQ(newest(line(0)), 9u);
  settle();
  EXPECT_EQ(below(line(0)), 9u);
  EXPECT_EQ(directory.held(line(0)), nullptr);
  EXPECT_EQ(directory.statistics().write_backs, 1u);
  caches[1].send(CoherenceKind::GetShared, line(0));
  settle();
  EXPECT_EQ(caches[1].read(line(0)), 9u);
  caches[1].evict(line(0));
  settle();
  EXPECT_EQ(directory.statistics().write_backs, 1u);  // it was not written
}

TEST_F(DirectoryTest, ACleanLineIsBelowWhenItIsTold) {
  own(0, line(0), 9);
  caches[1].send(CoherenceKind::Clean, line(0));
  while (caches[1].got.empty()) {
    EXPECT_LT(engine.now(), 10'000 * kCycle);
    cycles(1);
  }
  EXPECT_EQ(caches[1].got[0].message.kind, CoherenceKind::Clean);
  EXPECT_EQ(caches[1].got[0].message.line, line(0));
  EXPECT_EQ(below(line(0)), 9u);
  EXPECT_TRUE(caches[0].held.empty());
  EXPECT_EQ(directory.held(line(0)), nullptr);
  EXPECT_EQ(directory.statistics().write_backs, 1u);
}

TEST_F(DirectoryTest, CleaningALineThatNobodyHoldsDoesNothing) {
  caches[1].send(CoherenceKind::Clean, line(0));
  settle();
  EXPECT_EQ(caches[1].count(CoherenceKind::Clean), 1u);
  EXPECT_EQ(directory.statistics().fetches + directory.statistics().write_backs, 0u);
}

TEST_F(DirectoryTest, WhoAsksForALineThatIsCleanedGetsItsBytes) {
  own(0, line(0), 9);
  caches[1].send(CoherenceKind::Clean, line(0));
  caches[2].send(CoherenceKind::GetShared, line(0));
  caches[1].send(CoherenceKind::Clean, line(0));
  settle();
  EXPECT_EQ(caches[1].count(CoherenceKind::Clean), 2u);
  EXPECT_EQ(caches[2].got.at(0).message.kind, CoherenceKind::Grant);
  EXPECT_EQ(newest(line(0)), 9u);
  EXPECT_EQ(below(line(0)), 9u);
}

// Somebody below writes other bytes of the line meanwhile.
TEST_F(DirectoryTest, WithMasksTheBytesThatWereWrittenGoBelowAlone) {
  for (const bool masks : {false, true}) {
    const PhysicalAddress at = line(masks ? 1 : 0);
    if (masks) directory.keep_masks();
    own(0, at, 9);
    directory.wrote(at, sizeof(std::uint64_t));
    const std::uint64_t other = 5;
    std::memcpy(physical.bytes(at + 8), &other, sizeof other);
    caches[1].send(CoherenceKind::Clean, at);
    settle();
    EXPECT_EQ(below(at), 9u);
    EXPECT_EQ(below(at + 8), masks ? 5u : 0u);
  }
}

// ---- races ----

TEST_F(DirectoryTest, AnEvictionMeetsTheProbe) {
  own(0, line(0), 11);
  caches[1].send(CoherenceKind::GetExclusive, line(0));
  cycles(3);  // the probe is on its way
  caches[0].evict(line(0));
  settle();
  EXPECT_EQ(caches[0].count(CoherenceKind::Invalidate), 1u);
  ASSERT_EQ(caches[1].count(CoherenceKind::Grant), 1u);
  EXPECT_EQ(caches[1].read(line(0)), 11u);
  caches[1].evict(line(0));
  settle();
  EXPECT_EQ(below(line(0)), 11u);
}

TEST_F(DirectoryTest, WhoEvictsAndAsksAgainWhileItIsProbedGetsTheLineBack) {
  own(0, line(0), 12);
  caches[1].send(CoherenceKind::GetExclusive, line(0));
  cycles(3);
  caches[0].evict(line(0));
  caches[0].send(CoherenceKind::GetShared, line(0));
  settle();
  EXPECT_EQ(caches[1].count(CoherenceKind::Grant), 1u);
  EXPECT_EQ(caches[0].count(CoherenceKind::Grant), 2u);
  EXPECT_EQ(caches[0].read(line(0)), 12u);
  EXPECT_FALSE(caches[0].held.at(line(0).value()).exclusive);
  EXPECT_FALSE(caches[1].held.at(line(0).value()).exclusive);
}

TEST_F(DirectoryTest, OfTwoUpgradesOneLosesItsLineAndGetsItBack) {
  caches[0].send(CoherenceKind::GetShared, line(0));
  caches[1].send(CoherenceKind::GetShared, line(0));
  settle();
  for (MockCache& cache : caches) cache.got.clear();
  caches[0].send(CoherenceKind::GetExclusive, line(0));
  caches[1].send(CoherenceKind::GetExclusive, line(0));
  settle();
  // Whoever was first has lost it to the other one since.
  EXPECT_EQ(caches[0].count(CoherenceKind::Grant) + caches[1].count(CoherenceKind::Grant), 2u);
  EXPECT_EQ(caches[0].held.size() + caches[1].held.size(), 1u);
  EXPECT_EQ(directory.statistics().invalidations, 2u);
  EXPECT_EQ(directory.statistics().fetches, 1u);
}

TEST_F(DirectoryTest, ALineOnItsWayBackIsGrantedFromThere) {
  own(0, line(0), 13);
  caches[0].evict(line(0));
  cycles(3);  // the write is on its way to memory
  EXPECT_EQ(below(line(0)) == 13u || directory.held(line(0)) != nullptr, true);
  caches[1].send(CoherenceKind::GetShared, line(0));
  cycles(2 + kFromDirectory);
  ASSERT_EQ(caches[1].got.size(), 1u);
  EXPECT_EQ(caches[1].got[0].message.source, GrantSource::Domain);
  EXPECT_EQ(caches[1].read(line(0)), 13u);
  settle();
  EXPECT_EQ(directory.statistics().fetches, 1u);
  caches[1].evict(line(0));
  settle();
  EXPECT_EQ(directory.held(line(0)), nullptr);
}

TEST_F(DirectoryTest, RequestsForALineThatIsFetchedWait) {
  for (MockCache& cache : caches) cache.send(CoherenceKind::GetShared, line(0));
  settle();
  for (MockCache& cache : caches) ASSERT_EQ(cache.count(CoherenceKind::Grant), 1u);
  EXPECT_EQ(directory.statistics().fetches, 1u);
  EXPECT_EQ(directory.statistics().downgrades, 1u);  // of the first, which was alone
}

// ---- writes from outside of simulated time ----

TEST_F(DirectoryTest, ReplacingALineOnItsWayWins) {
  caches[0].send(CoherenceKind::GetShared, line(0));
  cycles(10);
  EXPECT_EQ(directory.held(line(0)), nullptr);  // its bytes are not there
  write_outside(line(0), 21);
  EXPECT_EQ(newest(line(0)), 21u);
  settle();
  EXPECT_EQ(caches[0].read(line(0)), 21u);
  caches[0].evict(line(0));
  settle();
  EXPECT_EQ(below(line(0)), 21u);
}

TEST_F(DirectoryTest, ReplacingAHeldLineIsSeenByItsHolders) {
  own(0, line(0), 1);
  write_outside(line(0), 22);
  EXPECT_EQ(caches[0].read(line(0)), 22u);
}

TEST_F(DirectoryTest, ReplacingALineOnItsWayBackWins) {
  own(0, line(0), 1);
  caches[0].evict(line(0));
  cycles(2);
  write_outside(line(0), 23);
  EXPECT_EQ(newest(line(0)), 23u);
  settle();
  EXPECT_EQ(below(line(0)), 23u);
  EXPECT_EQ(newest(line(0)), 23u);
}

TEST_F(DirectoryTest, RefusesWhatItCannotBe) {
  EXPECT_THROW(Directory(engine, nullptr, kHertz, 48, 6, pool), Error);
  EXPECT_THROW(Directory(engine, nullptr, kHertz, 2 * kLineBytes, 6, pool), Error);
  std::deque<MockCache> more;
  for (unsigned i = 3; i < Directory::kMostCaches; ++i)
    connect(more.emplace_back(engine, static_cast<std::uint16_t>(i)));
  EXPECT_THROW(connect(more.emplace_back(engine, std::uint16_t{64})), Error);
}

// ---- chance ----

// Reads, writes and evicts lines as chance says, and compares all that it sees with a flat model.
class RandomCache : public MockCache {
 public:
  RandomCache(sim::Engine& engine, std::uint16_t number, const Below& below,
              std::vector<std::uint64_t>& model)
      : MockCache(engine, number), below_(below), model_(model), random_(number + 1) {}
  unsigned accesses = 0;
  unsigned left = 3000;

 protected:
  Picoseconds act(Picoseconds now) override {
    if (now < next_) return next_;
    if (left == 0) return kNever;
    --left;
    one();
    next_ = clock().edge_after(now, 1 + random_() % 8);
    return next_;
  }

 private:
  void one() {
    const std::size_t number = random_() % model_.size();
    const PhysicalAddress line = below_.line(number);
    const bool writes = random_() % 3 == 0;
    if (const auto waits = asked_.find(number); waits != asked_.end()) {
      if (grants(line) == waits->second) return;  // still on its way
      asked_.erase(waits);
    }
    const auto mine = held.find(line.value());
    if (mine == held.end() || (writes && !mine->second.exclusive)) {
      asked_[number] = grants(line);
      send(writes ? CoherenceKind::GetExclusive : CoherenceKind::GetShared, line);
      return;
    }
    ++accesses;
    EXPECT_EQ(read(line), model_[number]);
    if (writes) write(line, ++model_[number]);
    if (random_() % 4 == 0) evict(line);
  }
  std::size_t grants(PhysicalAddress line) const {
    std::size_t number = 0;
    for (const Got& one : got) number += one.message.kind == CoherenceKind::Grant && one.message.line == line;
    return number;
  }

  const Below& below_;
  std::vector<std::uint64_t>& model_;  // by line
  std::minstd_rand random_;
  std::map<std::size_t, std::size_t> asked_;  // lines on their way: how often they had been granted
  Picoseconds next_ = 0;
};

// Returns what the caches counted, which no order of ticks may change.
std::vector<std::uint64_t> run_at_random(std::uint64_t seed) {
  Below below(seed);
  std::vector<std::uint64_t> model(6);
  std::deque<RandomCache> caches;
  for (std::uint16_t i = 0; i < 4; ++i) {
    below.connect(caches.emplace_back(below.engine, i, below, model));
    below.engine.wake(caches.back(), 1);
  }
  std::minstd_rand random(7);
  for (unsigned round = 0; round < 200; ++round) {
    below.engine.run_until(below.engine.now() + kCycle * (random() % 150) + 500);
    const std::size_t number = random() % model.size();
    EXPECT_EQ(below.newest(below.line(number)), model[number]) << "round " << round;
    if (random() % 4 == 0) below.write_outside(below.line(number), model[number] += 1000);
  }
  below.engine.run_until(below.engine.now() + 1'000'000'000);
  for (RandomCache& cache : caches) {
    EXPECT_EQ(cache.left, 0u);
    EXPECT_GT(cache.accesses, 500u);
    while (!cache.held.empty()) cache.evict(PhysicalAddress(cache.held.begin()->first));
  }
  below.engine.run_until(below.engine.now() + 1'000'000'000);
  for (std::size_t number = 0; number < model.size(); ++number) {
    EXPECT_EQ(below.directory.held(below.line(number)), nullptr);
    EXPECT_EQ(below.below(below.line(number)), model[number]);
  }
  const DirectoryStatistics& counted = below.directory.statistics();
  return {counted.reads,       counted.writes,        counted.upgrades,   counted.fetches,
          counted.write_backs, counted.invalidations, counted.downgrades, counted.transfers};
}

TEST(DirectoryAtRandom, CachesSeeAFlatMemoryInAnyOrderOfTicks) {
  const std::vector<std::uint64_t> usual = run_at_random(0);
  for (const std::uint64_t number : usual) EXPECT_GT(number, 5u);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) EXPECT_EQ(run_at_random(seed), usual) << seed;
}

}  // namespace
}  // namespace duet::memory
