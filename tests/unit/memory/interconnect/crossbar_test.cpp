// The crossbar against formulas of its own definition: latency to the edge, rates of ports, fairness, order,
// isolation of classes, and that the order of ticks cannot be seen.
#include "memory/interconnect/crossbar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>

#include "base/error.h"
#include "sim/clock_domain.h"

namespace duet::memory {
namespace {

constexpr std::uint64_t kClockKhz = 772000;

config::Interconnect interconnect(Bytes flit = 40, Bytes header = 8, std::uint64_t latency = 10,
                                  std::uint64_t queue = 32) {
  config::Interconnect config;
  config.clock_khz = kClockKhz;
  config.flit_bytes = flit;
  config.header_bytes = header;
  config.latency_cycles = latency;
  config.queue_packets = queue;
  return config;
}

const sim::ClockDomain& test_clock() {
  static const sim::ClockDomain domain(kClockKhz * 1000);
  return domain;
}

Packet packet_to(unsigned destination, unsigned payload = 0, std::uint64_t serial = 0,
                 TrafficClass traffic_class = TrafficClass::NonTriggered) {
  Packet packet;
  packet.destination = static_cast<std::uint16_t>(destination);
  packet.payload_bytes = static_cast<std::uint16_t>(payload);
  packet.traffic_class = traffic_class;
  packet.argument = serial;
  return packet;
}

class Clocked : public sim::Component {
 public:
  Clocked(sim::Engine& engine, std::string name)
      : Component(engine, std::move(name), nullptr, 1, sim::Role::None) {}
  Picoseconds next_opportunity(Picoseconds time) const override {
    return test_clock().first_edge_after(time);
  }
};

// Sends each packet of each class at its cycle, or as soon after it as there is room.
class Source : public Clocked {
 public:
  using Clocked::Clocked;
  void at(Cycle cycle, const Packet& packet) {
    const auto traffic_class = static_cast<unsigned>(packet.traffic_class);
    plan_[traffic_class].push_back({cycle, packet});
    engine().wake(*this, std::max(engine().now(), test_clock().edge(cycle)));
  }
  Picoseconds tick(Picoseconds now) override {
    Picoseconds next = kNever;
    for (unsigned c = 0; c < kTrafficClasses; ++c) {
      auto& plan = plan_[c];
      while (!plan.empty()) {
        const Picoseconds due = test_clock().edge(plan.front().first);
        if (due > now) {
          next = std::min(next, due);
          break;
        }
        sim::Queue<Packet>& queue = channel != nullptr ? channel->of(c) : *plain;
        if (!queue.can_push(now)) break;
        queue.push(now, plan.front().second);
        plan.pop_front();
      }
    }
    return next;
  }
  Channel* channel = nullptr;
  sim::Queue<Packet>* plain = nullptr;

 private:
  std::array<std::deque<std::pair<Cycle, Packet>>, kTrafficClasses> plan_;
};

struct Arrival {
  Cycle cycle;
  std::uint64_t serial;
  unsigned traffic_class;
  friend bool operator==(const Arrival&, const Arrival&) = default;
};

// Takes packets of the classes it accepts: one of each in every `interval` cycles, or all that are there.
class Sink : public Clocked {
 public:
  using Clocked::Clocked;
  Picoseconds tick(Picoseconds now) override {
    const Cycle cycle = test_clock().cycle_at(now);
    Picoseconds next = kNever;
    const unsigned classes = channel != nullptr ? kTrafficClasses : 1;
    for (unsigned c = 0; c < classes; ++c) {
      if (!accepts[c]) continue;
      sim::Queue<Packet>& queue = channel != nullptr ? channel->of(c) : *plain;
      if (interval == 0) {
        while (queue.can_pop(now)) arrivals.push_back({cycle, queue.pop(now).argument, c});
      } else if (cycle % interval == 0 && queue.can_pop(now)) {
        arrivals.push_back({cycle, queue.pop(now).argument, c});
      }
      if (queue.next_arrival(now) != kNever)
        next = std::min(next, next_opportunity(queue.next_arrival(now)));
      else if (queue.size() != 0)
        next = std::min(next, next_opportunity(now));
    }
    return next;
  }
  Channel* channel = nullptr;
  sim::Queue<Packet>* plain = nullptr;
  std::array<bool, kTrafficClasses> accepts{true, true, true};
  Cycle interval = 0;
  std::vector<Arrival> arrivals;
};

// A request crossbar with `inputs` ports of one producer each and outputs numbered 0, 1, ...
struct Bench {
  explicit Bench(unsigned inputs, unsigned outputs, const config::Interconnect& config = interconnect(),
                 std::uint64_t seed = 0)
      : engine(seed), crossbar(engine, "crossbar", nullptr, config) {
    for (unsigned i = 0; i < inputs; ++i) add_source(crossbar.add_input_port());
    for (unsigned o = 0; o < outputs; ++o) {
      sinks.push_back(std::make_unique<Sink>(engine, "sink"));
      sinks.back()->channel = &crossbar.add_output(static_cast<std::uint16_t>(o), sinks.back().get());
    }
  }
  Source& add_source(unsigned port) {
    sources.push_back(std::make_unique<Source>(engine, "source"));
    sources.back()->channel = &crossbar.add_input(port, sources.back().get());
    return *sources.back();
  }
  void run_to_cycle(Cycle cycle) { engine.run_until(test_clock().edge(cycle)); }

  sim::Engine engine;
  RequestCrossbar crossbar;
  std::vector<std::unique_ptr<Source>> sources;
  std::vector<std::unique_ptr<Sink>> sinks;
};

std::vector<std::uint64_t> serials(const Sink& sink) {
  std::vector<std::uint64_t> result;
  for (const Arrival& arrival : sink.arrivals) result.push_back(arrival.serial);
  return result;
}

// Pushed at cycle c, sent at c + 1, seen at c + 1 + S + L.
TEST(Crossbar, UnloadedLatencyIsExact) {
  for (const Bytes flit : {8, 32, 40})
    for (const std::uint64_t latency : {0, 1, 10})
      for (const unsigned payload : {0, 1, 32, 33, 128}) {
        Bench bench(1, 1, interconnect(flit, 8, latency));
        bench.sources[0]->at(5, packet_to(0, payload));
        const Cycle serialization = (payload + 8) / flit + ((payload + 8) % flit != 0 ? 1 : 0);
        const Cycle expected = 5 + 1 + serialization + latency;
        bench.run_to_cycle(expected - 1);
        EXPECT_TRUE(bench.sinks[0]->arrivals.empty()) << flit << ' ' << latency << ' ' << payload;
        bench.run_to_cycle(expected);
        ASSERT_EQ(bench.sinks[0]->arrivals.size(), 1u) << flit << ' ' << latency << ' ' << payload;
        EXPECT_EQ(bench.crossbar.statistics().flits, serialization);
      }
}

TEST(Crossbar, APushBetweenEdgesIsSentAtTheNextEdge) {
  sim::Engine engine;
  RequestCrossbar crossbar(engine, "crossbar", nullptr, interconnect(40, 8, 3));
  Sink sink(engine, "sink");
  Channel& input = crossbar.add_input(crossbar.add_input_port(), nullptr);
  sink.channel = &crossbar.add_output(7, &sink);
  engine.run_until(test_clock().edge(9) - 1);
  input.push(engine.now(), packet_to(7, 0, 1));  // sent at edge 9
  engine.run_until(test_clock().edge(9));
  input.push(engine.now(), packet_to(7, 0, 2));  // sent at edge 10
  engine.run_until(test_clock().edge(100));
  EXPECT_EQ(sink.arrivals, (std::vector<Arrival>{{9 + 1 + 3, 1, 0}, {10 + 1 + 3, 2, 0}}));
}

// A packet that its producer pushes with an arrival in the future (a cache's answer) is seen after it.
TEST(Crossbar, APushWithALaterArrivalIsSentAfterIt) {
  sim::Engine engine;
  ResponseCrossbar crossbar(engine, "crossbar", nullptr, interconnect(40, 8, 3));
  Sink sink(engine, "sink");
  sim::Queue<Packet>& late = crossbar.add_input(crossbar.add_input_port(), nullptr);
  sim::Queue<Packet>& early = crossbar.add_input(crossbar.add_input_port(), nullptr);
  sink.plain = &crossbar.add_output(7, &sink);
  late.push(0, packet_to(7, 0, 1), test_clock().edge(20));
  late.push(0, packet_to(7, 0, 2), test_clock().edge(30));
  early.push(0, packet_to(7, 0, 3), test_clock().edge(4));
  engine.run_until(test_clock().edge(100));
  EXPECT_EQ(sink.arrivals, (std::vector<Arrival>{{5 + 4, 3, 0}, {21 + 4, 1, 0}, {31 + 4, 2, 0}}));
}

// A response keeps the class of its request; the response direction has one class and ignores it.
TEST(Crossbar, ResponsesOfAnyClassShareOneQueue) {
  sim::Engine engine;
  ResponseCrossbar crossbar(engine, "crossbar", nullptr, interconnect());
  Sink sink(engine, "sink");
  sim::Queue<Packet>& input = crossbar.add_input(crossbar.add_input_port(), nullptr);
  sink.plain = &crossbar.add_output(3, &sink);
  input.push(0, packet_to(3, 0, 1, TrafficClass::TriggeredGpu));
  input.push(0, packet_to(3, 0, 2));
  engine.run_until(test_clock().edge(100));
  EXPECT_EQ(serials(sink), (std::vector<std::uint64_t>{1, 2}));
}

// One port moves a flit a cycle: n packets of S flits leave in n * S cycles, whatever the latency.
TEST(Crossbar, APortMovesOneFlitACycle) {
  for (const unsigned payload : {0u, 32u, 64u, 128u}) {
    Bench bench(1, 1);
    for (unsigned i = 0; i < 200; ++i) bench.sources[0]->at(0, packet_to(0, payload, i));
    const Cycle serialization = (payload + 8 + 39) / 40;
    bench.run_to_cycle(2000);
    const auto& arrivals = bench.sinks[0]->arrivals;
    ASSERT_EQ(arrivals.size(), 200u);
    for (unsigned i = 0; i < 200; ++i) {
      EXPECT_EQ(arrivals[i].serial, i);
      EXPECT_EQ(arrivals[i].cycle, 1 + (i + 1) * serialization + 10);
    }
    EXPECT_EQ(bench.crossbar.statistics().packets, 200u);
    EXPECT_EQ(bench.crossbar.statistics().flits, 200 * serialization);
  }
}

// Credits bound what is under way: a queue of Q packets whose slot is free again R cycles after it was taken
// passes at most Q packets in R cycles. A slot taken at edge k is seen taken until the consumer pops at edge
// k + S + L and the crossbar looks again at edge k + S + L + 1.
TEST(Crossbar, CreditsBoundWhatIsUnderWay) {
  Bench bench(1, 1, interconnect(40, 8, 10, 4));
  for (unsigned i = 0; i < 40; ++i) bench.sources[0]->at(0, packet_to(0, 0, i));
  bench.run_to_cycle(1000);
  const auto& arrivals = bench.sinks[0]->arrivals;
  ASSERT_EQ(arrivals.size(), 40u);
  for (unsigned i = 4; i < 40; ++i) EXPECT_EQ(arrivals[i].cycle - arrivals[i - 4].cycle, 1u + 10 + 1) << i;
}

TEST(Crossbar, InputsShareAnOutputInTurns) {
  Bench bench(3, 1);
  for (unsigned i = 0; i < 3; ++i)
    for (unsigned n = 0; n < 50; ++n) bench.sources[i]->at(0, packet_to(0, 60, 100 * i + n));
  bench.run_to_cycle(1000);
  const auto& arrivals = bench.sinks[0]->arrivals;
  ASSERT_EQ(arrivals.size(), 150u);
  for (unsigned n = 0; n < 150; ++n) {
    EXPECT_EQ(arrivals[n].serial, 100 * (n % 3) + n / 3);
    EXPECT_EQ(arrivals[n].cycle, 1 + 2 * (n + 1) + 10);
  }
}

TEST(Crossbar, ProducersOfOnePortTakeTurnsOnItsWire) {
  Bench bench(1, 2);
  bench.add_source(0);  // a second producer, which sends to another output
  for (unsigned n = 0; n < 20; ++n) {
    bench.sources[0]->at(0, packet_to(0, 60, n));
    bench.sources[1]->at(0, packet_to(1, 60, n));
  }
  bench.run_to_cycle(1000);
  for (unsigned o = 0; o < 2; ++o) {
    ASSERT_EQ(bench.sinks[o]->arrivals.size(), 20u);
    for (unsigned n = 0; n < 20; ++n)
      EXPECT_EQ(bench.sinks[o]->arrivals[n].cycle, 1 + 2 * (2 * n + o + 1) + 10);
  }
}

TEST(Crossbar, NumbersOfOneOutputPortShareItsWire) {
  Bench bench(2, 0);
  const unsigned port = bench.crossbar.add_output_port();
  Sink first(bench.engine, "first"), second(bench.engine, "second");
  first.channel = &bench.crossbar.add_output(port, 20, &first);
  second.channel = &bench.crossbar.add_output(port, 30, &second);
  for (unsigned n = 0; n < 20; ++n) {
    bench.sources[0]->at(0, packet_to(20, 60, n));
    bench.sources[1]->at(0, packet_to(30, 60, n));
  }
  bench.run_to_cycle(1000);
  ASSERT_EQ(first.arrivals.size(), 20u);
  ASSERT_EQ(second.arrivals.size(), 20u);
  for (unsigned n = 0; n < 20; ++n) {
    EXPECT_EQ(first.arrivals[n].cycle, 1 + 2 * (2 * n + 1) + 10);
    EXPECT_EQ(second.arrivals[n].cycle, 1 + 2 * (2 * n + 2) + 10);
  }
  // One of them takes nothing more: the other one has the wire alone.
  second.accepts = {false, false, false};
  for (unsigned n = 0; n < 50; ++n) bench.sources[1]->at(1000, packet_to(30, 0, n));
  for (unsigned n = 0; n < 50; ++n) bench.sources[0]->at(1100, packet_to(20, 0, n));
  bench.run_to_cycle(2000);
  ASSERT_EQ(first.arrivals.size(), 70u);
  EXPECT_EQ(first.arrivals.back().cycle, 1100u + 50 + 1 + 10);
}

TEST(Crossbar, DisjointPairsDoNotDisturbEachOther) {
  std::vector<std::vector<Arrival>> alone;
  for (unsigned pair = 0; pair <= 160; ++pair) {
    if (pair != 160 && pair % 53 != 0) continue;  // some alone, then all at once
    Bench bench(160, 160);
    std::mt19937 random(7);
    for (unsigned i = 0; i < 160; ++i)
      for (unsigned n = 0; n < 20; ++n) {
        const Cycle cycle = 3 * n + random() % 3;
        const unsigned payload = random() % 129;
        if (pair == 160 || pair == i) bench.sources[i]->at(cycle, packet_to((i * 7 + 3) % 160, payload, n));
      }
    bench.run_to_cycle(1000);
    if (pair != 160) {
      alone.push_back(bench.sinks[(pair * 7 + 3) % 160]->arrivals);
      ASSERT_EQ(alone.back().size(), 20u);
    } else {
      for (unsigned i = 0; i < alone.size(); ++i)
        EXPECT_EQ(bench.sinks[(53 * i * 7 + 3) % 160]->arrivals, alone[i]);
    }
  }
}

// The head of a queue holds up what is behind it, and nothing else.
TEST(Crossbar, AHeadThatCannotGoHoldsUpItsOwnQueueOnly) {
  Bench bench(2, 2, interconnect(40, 8, 0, 1));
  bench.add_source(0);
  bench.sinks[0]->accepts = {false, false, false};
  bench.sources[0]->at(0, packet_to(0, 0, 1));
  bench.sources[0]->at(1, packet_to(0, 0, 2));                              // stuck: output 0 is full
  bench.sources[0]->at(2, packet_to(1, 0, 3));                              // behind it
  bench.sources[0]->at(2, packet_to(1, 0, 4, TrafficClass::TriggeredCpu));  // another class
  bench.sources[2]->at(10, packet_to(1, 0, 5));                             // another producer
  bench.sources[1]->at(20, packet_to(1, 0, 6));                             // another port
  bench.run_to_cycle(500);
  EXPECT_EQ(bench.sinks[1]->arrivals, (std::vector<Arrival>{{4, 4, 1}, {12, 5, 0}, {22, 6, 0}}));
  EXPECT_EQ(bench.crossbar.waits_for(), "room in the queue of its output number 0");
  // Room, at last: packet 1 taken at 501, 2 sent at 502, 3 pushed (its queue has one entry) at 503, sent at
  // 504.
  bench.sinks[0]->accepts = {true, true, true};
  bench.engine.wake(*bench.sinks[0], test_clock().edge(501));
  bench.run_to_cycle(600);
  EXPECT_EQ(bench.sinks[0]->arrivals, (std::vector<Arrival>{{501, 1, 0}, {503, 2, 0}}));
  EXPECT_EQ(bench.sinks[1]->arrivals.back(), (Arrival{505, 3, 0}));
  EXPECT_EQ(bench.crossbar.waits_for(), "");
}

TEST(Crossbar, AnInputPortServesItsLowestClassFirst) {
  Bench bench(1, 3);
  bench.sources[0]->at(0, packet_to(0, 60, 2, TrafficClass::TriggeredGpu));
  bench.sources[0]->at(0, packet_to(1, 60, 1, TrafficClass::TriggeredCpu));
  bench.sources[0]->at(0, packet_to(2, 60, 0));
  bench.run_to_cycle(100);
  for (unsigned o = 0; o < 3; ++o) {
    ASSERT_EQ(bench.sinks[o]->arrivals.size(), 1u);
    EXPECT_EQ(bench.sinks[o]->arrivals[0].cycle, 1 + 2 * (3 - o) + 10);
  }
}

// lustig2013 §4.3, with one entry everywhere: nobody takes a packet of classes 1 and 2, and all inputs are
// full of them; class 0 passes as if they were not there.
TEST(Crossbar, ClassZeroProgressesWhateverTheOthersWaitFor) {
  std::array<std::vector<std::vector<Arrival>>, 2> arrivals;
  for (const bool stuck : {false, true}) {
    Bench bench(4, 3, interconnect(40, 8, 10, 1));
    for (auto& sink : bench.sinks) sink->accepts = {true, false, false};
    if (stuck)
      for (unsigned i = 0; i < 4; ++i)
        for (unsigned n = 0; n < 30; ++n)
          bench.sources[i]->at(0, packet_to(n % 3, 128, 0, static_cast<TrafficClass>(1 + n / 15)));
    for (unsigned i = 0; i < 4; ++i)
      for (unsigned n = 0; n < 30; ++n) bench.sources[i]->at(200 + n, packet_to((n + i) % 3, 8 * n, n));
    bench.run_to_cycle(200);
    if (stuck) {
      EXPECT_NE(bench.crossbar.waits_for(), "");
    }
    bench.run_to_cycle(5000);
    std::size_t total = 0;
    for (auto& sink : bench.sinks) {
      arrivals[stuck].push_back(sink->arrivals);
      total += sink->arrivals.size();
    }
    EXPECT_EQ(total, 120u);
  }
  // The same packets, in the same order of every pair, and nearly the same times: turns may differ.
  for (unsigned o = 0; o < 3; ++o) {
    EXPECT_EQ(arrivals[0][o].size(), arrivals[1][o].size());
    EXPECT_LE(arrivals[1][o].back().cycle, arrivals[0][o].back().cycle + 40);
  }
}

struct Load {
  unsigned inputs, outputs, producers, packets;
  Cycle span, interval;
  std::uint64_t queue;
};

// Random traffic of all classes; what arrives where and when.
std::vector<std::vector<Arrival>> random_traffic(const Load& load, std::uint64_t shuffle) {
  Bench bench(load.inputs, load.outputs, interconnect(40, 8, 3, load.queue), shuffle);
  for (unsigned p = 1; p < load.producers; ++p)
    for (unsigned i = 0; i < load.inputs; ++i) bench.add_source(i);
  for (auto& sink : bench.sinks) sink->interval = load.interval;
  std::mt19937 random(42);
  std::vector<Cycle> cycles(load.packets);
  for (unsigned s = 0; s < bench.sources.size(); ++s) {
    for (Cycle& cycle : cycles) cycle = random() % load.span;
    std::sort(cycles.begin(), cycles.end());
    for (unsigned n = 0; n < load.packets; ++n)
      bench.sources[s]->at(cycles[n],
                           packet_to(random() % load.outputs, random() % 129, std::uint64_t{s} << 32 | n,
                                     static_cast<TrafficClass>(random() % kTrafficClasses)));
  }
  bench.engine.run_until(test_clock().edge(2'000'000));
  EXPECT_EQ(bench.crossbar.statistics().packets, bench.sources.size() * load.packets);
  std::vector<std::vector<Arrival>> result;
  for (auto& sink : bench.sinks) result.push_back(sink->arrivals);
  return result;
}

TEST(Crossbar, EverythingArrivesInOrderWhateverTheOrderOfTicks) {
  for (const Load& load : {Load{16, 12, 3, 60, 300, 0, 32}, Load{5, 3, 2, 200, 500, 2, 1},
                           Load{130, 70, 1, 20, 100, 0, 2}, Load{3, 7, 1, 300, 20000, 1, 1}}) {
    const auto reference = random_traffic(load, 0);
    std::size_t total = 0;
    for (const auto& arrivals : reference) {
      total += arrivals.size();
      std::map<std::pair<std::uint64_t, unsigned>, std::uint64_t> last;  // by source and class
      for (const Arrival& arrival : arrivals) {
        auto [entry, first] = last.try_emplace({arrival.serial >> 32, arrival.traffic_class}, arrival.serial);
        if (!first) {
          EXPECT_LT(entry->second, arrival.serial);
        }
        entry->second = arrival.serial;
      }
    }
    EXPECT_EQ(total, load.inputs * load.producers * load.packets);
    for (const std::uint64_t shuffle : {1, 2, 3}) EXPECT_EQ(random_traffic(load, shuffle), reference);
  }
}

// Heads of one input's queues block each other at most where they want the same output, and no output idles
// while a free input has a packet for it: with three queues an input, most cycles of most wires are used.
TEST(Crossbar, UniformTrafficFillsMostOfTheWires) {
  constexpr unsigned kPorts = 16, kPackets = 1000;
  Bench bench(kPorts, kPorts);
  for (unsigned c = 0; c < 2; ++c)
    for (unsigned i = 0; i < kPorts; ++i) bench.add_source(i);  // three queues to choose from
  std::mt19937 random(1);
  for (auto& source : bench.sources)
    for (unsigned n = 0; n < kPackets; ++n) source->at(0, packet_to(random() % kPorts, 0, n));
  bench.run_to_cycle(kPackets);
  EXPECT_GE(bench.crossbar.statistics().flits, kPorts * kPackets * 75 / 100);
  EXPECT_LE(bench.crossbar.statistics().flits, kPorts * kPackets);
}

TEST(Crossbar, SleepsWhileNothingCanMove) {
  Bench bench(2, 1, interconnect(40, 8, 10, 1));
  bench.sinks[0]->accepts = {false, false, false};
  for (unsigned n = 0; n < 3; ++n) bench.sources[0]->at(0, packet_to(0, 0, n));
  bench.run_to_cycle(50);
  EXPECT_EQ(bench.engine.next_time(), kNever);
}

TEST(Crossbar, RefusesAnUnknownDestination) {
  Bench bench(1, 1);
  bench.sources[0]->at(0, packet_to(9));
  EXPECT_THROW(bench.run_to_cycle(10), Error);
}

TEST(Crossbar, RefusesTwoOutputsWithOneNumber) {
  Bench bench(1, 1);
  EXPECT_THROW(bench.crossbar.add_output(0, nullptr), Error);
}

}  // namespace
}  // namespace duet::memory
