// Latency, rate and back-pressure of one direction of the link, to the picosecond.
#include "link/link.h"

#include <gtest/gtest.h>

#include <vector>

namespace duet::test {
namespace {

using memory::Packet;

// Takes packets and logs when it saw them; a closed receiver takes none.
class Receiver : public sim::Component {
 public:
  explicit Receiver(sim::Engine& engine) : Component(engine, "receiver", nullptr, 1, sim::Role::None) {}
  Picoseconds tick(Picoseconds now) override {
    while (open && queue->can_pop(now)) {
      tags.push_back(queue->pop(now).tag);
      times.push_back(now);
    }
    const Picoseconds arrival = queue->next_arrival(now);
    return arrival == kNever ? kNever : next_opportunity(arrival);
  }
  link::PacketQueue* queue = nullptr;
  bool open = true;
  std::vector<Picoseconds> times;
  std::vector<unsigned> tags;
};

Packet packet(std::uint16_t payload, std::uint8_t destination, std::uint16_t tag = 0) {
  Packet result;
  result.payload_bytes = payload;
  result.destination = destination;
  result.tag = tag;
  return result;
}

constexpr Picoseconds kLatency = 120'000;
constexpr Picoseconds kHop = 1;  // what is pushed at t is seen at t + 1

TEST(Link, OnePacketTakesSerializationAndLatency) {
  sim::Engine engine;
  Receiver receiver(engine);
  link::Direction direction(engine, "link", "link.", nullptr, 6800, kLatency, 4);
  auto& input = direction.add_input(nullptr);
  receiver.queue = &direction.add_output(7, &receiver);
  input.push(0, packet(128, 7));
  const Picoseconds expected = kHop + 128ull * 1'000'000 / 6800 + kLatency + kHop;
  engine.run_until(expected - 1);
  EXPECT_TRUE(receiver.times.empty());
  engine.run_until(expected);
  EXPECT_EQ(receiver.times, std::vector<Picoseconds>{expected});
}

TEST(Link, BackToBackPacketsLoseNoFraction) {
  sim::Engine engine;
  Receiver receiver(engine);
  link::Direction direction(engine, "link", "link.", nullptr, 6800, kLatency, 2000);
  auto& input = direction.add_input(nullptr);
  receiver.queue = &direction.add_output(7, &receiver);
  for (int i = 0; i < 1000; ++i) input.push(0, packet(128, 7));
  engine.run_until(1'000'000'000);
  ASSERT_EQ(receiver.times.size(), 1000u);
  for (std::uint64_t k = 1; k <= 1000; ++k)
    ASSERT_EQ(receiver.times[k - 1], kHop + k * 128'000'000 / 6800 + kLatency + kHop) << k;
}

TEST(Link, PacketsWithoutPayloadWaitForTheWireAndTakeNoTime) {
  sim::Engine engine;
  Receiver receiver(engine);
  link::Direction direction(engine, "link", "link.", nullptr, 1000, kLatency, 8);
  auto& input = direction.add_input(nullptr);
  receiver.queue = &direction.add_output(7, &receiver);
  input.push(0, packet(100, 7));
  input.push(0, packet(0, 7));
  input.push(0, packet(0, 7));
  input.push(0, packet(100, 7));
  engine.run_until(1'000'000);
  const Picoseconds first = kHop + 100'000 + kLatency + kHop;
  EXPECT_EQ(receiver.times, (std::vector<Picoseconds>{first, first, first, first + 100'000}));
}

// Payload and header, in whole flits; n and n + 1.
TEST(Link, APacketTakesWholeFlits) {
  const auto time_of = [](std::uint16_t payload, Bytes header, Bytes flit) {
    sim::Engine engine;
    Receiver receiver(engine);
    link::Direction direction(engine, "link", "link.", nullptr, 1000, kLatency, 8);
    direction.frame(header, flit);
    auto& input = direction.add_input(nullptr);
    receiver.queue = &direction.add_output(7, &receiver);
    input.push(0, packet(payload, 7));
    engine.run_until(1'000'000);
    return receiver.times.at(0) - (kHop + kLatency + kHop);
  };
  EXPECT_EQ(time_of(64, 0, 1), 64'000u);
  EXPECT_EQ(time_of(64, 8, 1), 72'000u);
  EXPECT_EQ(time_of(0, 8, 1), 8'000u);
  EXPECT_EQ(time_of(64, 0, 32), 64'000u);
  EXPECT_EQ(time_of(65, 0, 32), 96'000u);
  EXPECT_EQ(time_of(8, 0, 32), 32'000u);
  EXPECT_EQ(time_of(24, 8, 32), 32'000u);
  EXPECT_EQ(time_of(25, 8, 32), 64'000u);
  EXPECT_EQ(time_of(0, 0, 32), 0u);
}

TEST(Link, InputsTakeTurns) {
  sim::Engine engine;
  Receiver receiver(engine);
  link::Direction direction(engine, "link", "link.", nullptr, 1000, kLatency, 8);
  auto& a = direction.add_input(nullptr);
  auto& b = direction.add_input(nullptr);
  receiver.queue = &direction.add_output(7, &receiver);
  for (int i = 0; i < 3; ++i) a.push(0, packet(100, 7, 1));
  for (int i = 0; i < 3; ++i) b.push(0, packet(100, 7, 2));
  engine.run_until(10'000'000);
  EXPECT_EQ(receiver.tags, (std::vector<unsigned>{1, 2, 1, 2, 1, 2}));
}

TEST(Link, AFullReceiverHoldsUpOnlyItsOwnPackets) {
  sim::Engine engine;
  Receiver closed(engine), open(engine);
  closed.open = false;
  link::Direction direction(engine, "link", "link.", nullptr, 1000, kLatency, 1);
  auto& a = direction.add_input(nullptr);
  auto& b = direction.add_input(nullptr);
  closed.queue = &direction.add_output(1, &closed);
  open.queue = &direction.add_output(2, &open);
  unsigned sent = 0;
  for (Picoseconds now = 0; now < 20'000'000; now += 500'000) {
    engine.run_until(now);
    if (a.can_push(now)) {
      a.push(now, packet(10, 1));
      ++sent;
    }
    if (b.can_push(now)) b.push(now, packet(10, 2));
  }
  engine.run_until(30'000'000);
  EXPECT_EQ(sent, 2u);  // one sent and not taken, one at the input
  EXPECT_EQ(open.times.size(), 40u);
  EXPECT_NE(direction.waits_for(), "");
  closed.open = true;
  engine.wake(closed, 30'000'001);
  engine.run_until(40'000'000);
  EXPECT_EQ(closed.times.size(), 2u);
  EXPECT_EQ(direction.waits_for(), "");
}

// Both directions have packets of their own rate; every second packet on the shared wire is the other's.
TEST(Link, HalfDuplexTakesTurnsOnOneWire) {
  for (const std::uint64_t shuffle : {0u, 1u, 2u, 3u}) {
    sim::Engine engine(shuffle);
    Receiver receivers[2]{Receiver(engine), Receiver(engine)};
    link::Direction to_gpu(engine, "down", "link.", nullptr, 1000, kLatency, 64),
        to_host(engine, "up", "link.", nullptr, 500, kLatency, 64);
    to_gpu.share_wire_with(to_host);
    link::Direction* const directions[] = {&to_gpu, &to_host};
    link::PacketQueue* inputs[2];
    for (int d = 0; d < 2; ++d) {
      inputs[d] = &directions[d]->add_input(nullptr);
      receivers[d].queue = &directions[d]->add_output(7, &receivers[d]);
    }
    for (int i = 0; i < 3; ++i) {
      inputs[0]->push(0, packet(128, 7));
      inputs[1]->push(0, packet(128, 7));
    }
    inputs[0]->push(0, packet(0, 7));  // no bytes: on the wire for no time, but in its turn
    inputs[0]->push(0, packet(128, 7));
    engine.run_until(1'000'000'000);
    // 128 ns down, 256 ns up, in turn; then what is left.
    const auto at = [](std::uint64_t wire_ns) { return kHop + wire_ns * 1000 + kLatency + kHop; };
    EXPECT_EQ(receivers[0].times, (std::vector<Picoseconds>{at(128), at(512), at(896), at(1152), at(1280)}));
    EXPECT_EQ(receivers[1].times, (std::vector<Picoseconds>{at(384), at(768), at(1152)}));
  }
}

TEST(Link, HalfDuplexLeavesTheWireToWhoeverHasSomething) {
  sim::Engine engine;
  Receiver receiver(engine);
  link::Direction to_gpu(engine, "down", "link.", nullptr, 1000, kLatency, 64),
      to_host(engine, "up", "link.", nullptr, 1000, kLatency, 64);
  to_gpu.share_wire_with(to_host);
  auto& input = to_host.add_input(nullptr);
  receiver.queue = &to_host.add_output(7, &receiver);
  for (int i = 0; i < 3; ++i) input.push(0, packet(128, 7));
  engine.run_until(1'000'000'000);
  for (std::uint64_t k = 0; k < 3; ++k)
    EXPECT_EQ(receiver.times.at(k), kHop + (k + 1) * 128'000 + kLatency + kHop);
}

}  // namespace
}  // namespace duet::test
