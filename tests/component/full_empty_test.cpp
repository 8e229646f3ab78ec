// Full/empty bits from the driver to the copy engine's requests: commands as bytes, and what a data transfer
// engine sends to a memory that this test plays.
#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "gpu/front_end/data_transfer_engine.h"
#include "gpu/front_end/move_command.h"
#include "rig.h"

namespace duet::test {
namespace {

using gpu::DataMove;
using memory::Action;
using memory::Operation;
using memory::TrafficClass;
using memory::Trigger;

DataMove through_bytes(const DataMove& move) {
  std::vector<std::byte> bytes;
  gpu::PushBufferWriter writer(bytes);
  gpu::write_move(writer, move);
  return gpu::read_move(gpu::decode_push_buffer_command(bytes));
}

TEST(FullEmptyCommands, TriggerAndActionTravelWithACopy) {
  for (const auto trigger : {Trigger::None, Trigger::Full, Trigger::Empty})
    for (const auto action : {Action::None, Action::Fill, Action::Empty})
      for (const std::uint64_t flags : {gpu::kCopyFromHost, gpu::kCopyToHost}) {
        DataMove move;
        move.flags = flags;
        move.to = 0x1000;
        move.from = 0x2000;
        move.width_bytes = 96;
        move.rows = 3;
        move.slices = 2;
        move.trigger = trigger;
        move.action = action;
        const DataMove read = through_bytes(move);
        EXPECT_EQ(read.flags, flags);
        EXPECT_EQ(read.trigger, trigger);
        EXPECT_EQ(read.action, action);
        EXPECT_EQ(read.rows, 3u);
        EXPECT_EQ(read.slices, 2u);
        EXPECT_EQ(read.from, 0x2000u);
        EXPECT_FALSE(read.bits_only);
      }
}

TEST(FullEmptyCommands, AChangeOfBitsAndAReleaseSurvive) {
  for (const auto action : {Action::None, Action::Fill, Action::Empty}) {
    DataMove move;
    move.bits_only = true;
    move.to = 0x2'0000'0000'0040;
    move.width_bytes = 0x1'0000'0004;
    move.action = action;
    const DataMove read = through_bytes(move);
    EXPECT_TRUE(read.bits_only);
    EXPECT_EQ(read.to, move.to);
    EXPECT_EQ(read.width_bytes, move.width_bytes);
    EXPECT_EQ(read.action, action);
    EXPECT_EQ(read.pattern_bytes, 0u);
  }
}

TEST(FullEmptyCommands, WordsThatMeanNothingAreRefused) {
  DataMove inside;
  inside.trigger = Trigger::Full;
  EXPECT_THROW(through_bytes(inside), Error);
  inside.trigger = Trigger::None;
  inside.action = Action::Empty;
  inside.flags = gpu::kCopyFromHost | gpu::kCopyToHost;
  EXPECT_THROW(through_bytes(inside), Error);
  DataMove unknown;
  unknown.bits_only = true;
  unknown.action = static_cast<Action>(3);
  EXPECT_THROW(through_bytes(unknown), Error);
  for (const std::uint64_t flags : {gpu::kCopyFromHost | 3u << gpu::kCopyTriggerShift,
                                    gpu::kCopyFromHost | 3u << gpu::kCopyActionShift, std::uint64_t{16}}) {
    std::vector<std::byte> bytes;
    gpu::PushBufferWriter(bytes).command(gpu::PushBufferOpcode::CopyRange, {flags, 0, 0, 4, 1, 0, 0, 0, 0});
    EXPECT_THROW(gpu::read_move(gpu::decode_push_buffer_command(bytes)), Error) << flags;
  }
}

// A data transfer engine between a host that answers at once and a device memory that the test plays: it
// keeps what arrives, in order, and answers what `holds` does not hold, past what it holds.
class EngineRig {
 public:
  static constexpr std::size_t kWindow = 64;

  class Memory : public sim::Component {
   public:
    Memory(EngineRig& rig, const char* name, bool host)
        : Component(rig.engine, name, nullptr, 1, sim::Role::Memory), rig_(rig), host_(host) {}
    Picoseconds tick(Picoseconds now) override {
      for (unsigned c = 0; c < (host_ ? 1u : memory::kTrafficClasses); ++c) {
        auto& queue = host_ ? rig_.to_host : rig_.to_device.of(c);
        while (queue.can_pop(now)) {
          const memory::Packet packet = queue.pop(now);
          seen.push_back({rig_.pool[packet.request], packet.traffic_class, c, packet.payload_bytes});
          held_.push_back(packet);
        }
      }
      auto& answers = host_ ? rig_.from_host : rig_.from_device;
      std::erase_if(held_, [&](const memory::Packet& packet) {
        if ((holds && holds(rig_.pool[packet.request])) || !answers.can_push(now)) return false;
        answers.push(now, packet);
        return true;
      });
      return kNever;
    }
    struct Seen {
      memory::Request request;
      TrafficClass packet_class;
      unsigned queue;
      unsigned payload_bytes;
    };
    std::vector<Seen> seen;
    std::function<bool(const memory::Request&)> holds;

   private:
    EngineRig& rig_;
    bool host_;
    std::vector<memory::Packet> held_;
  };

  explicit EngineRig(Bytes link_payload = 128, std::size_t outstanding = kWindow, std::size_t acks = 0)
      : frames(1_MiB, 4096),
        space(frames),
        device(*this, "device", false),
        host(*this, "host", true),
        mover(engine, nullptr, {1'000'000, outstanding, acks, link_payload, 1, 0, 0}, pool, space, tasks),
        to_host(256, &mover, &host),
        from_host(256, &host, &mover),
        from_device(256, &device, &mover),
        to_device(256, &mover, &device),
        starts(4, nullptr, &mover),
        done(4, &mover, nullptr) {
    gpu::DataTransferEngine::Ports ports;
    ports.starts = &starts;
    ports.done = &done;
    ports.to_host = &to_host;
    ports.from_host = &from_host;
    ports.to_device = {&to_device};
    ports.from_device = {&from_device};
    mover.connect(ports);
    tracked = space.allocate_device(16384, memory::AllocationKind::Device, 0, true)->base;
    plain = space.allocate_device(8192, memory::AllocationKind::Device)->base;
    window = frames.lend(host_bytes.data(), host_bytes.size());
  }
  DataMove copy_in(VirtualAddress to, Bytes bytes) {
    DataMove move;
    move.flags = gpu::kCopyFromHost | gpu::kCopyFromPhysical;
    move.to = to.value();
    move.from = window.value();
    move.width_bytes = bytes;
    return move;
  }
  DataMove copy_out(VirtualAddress from, Bytes bytes) {
    DataMove move;
    move.flags = gpu::kCopyToHost | gpu::kCopyToPhysical;
    move.to = window.value();
    move.from = from.value();
    move.width_bytes = bytes;
    return move;
  }
  // Whether the move is complete when nothing is left to do.
  bool run(const DataMove& move, std::uint32_t stream = 7) {
    const gpu::TaskHandle task = tasks.allocate();
    tasks[task].stream = stream;
    tasks[task].moves.push_back(move);
    starts.push(engine.now(), {task, 0});
    return resume();
  }
  bool resume() {
    return engine.run_while_not([&] { return done.size() != 0; });
  }
  PhysicalAddress physical(VirtualAddress address) { return space.physical(address); }

  sim::Engine engine;
  memory::RequestPool pool;
  memory::PhysicalMemory frames;
  memory::AddressSpace space;
  gpu::TaskPool tasks;
  Memory device, host;
  gpu::DataTransferEngine mover;
  sim::Queue<memory::Packet> to_host, from_host, from_device;
  memory::Channel to_device;
  sim::Queue<gpu::MoveStart> starts;
  sim::Queue<gpu::MoveDone> done;
  std::vector<std::byte> host_bytes = pattern_bytes(16384);
  VirtualAddress tracked, plain;
  PhysicalAddress window;
};

void expect_plain(const std::vector<EngineRig::Memory::Seen>& all, bool tracked) {
  for (const auto& seen : all) {
    EXPECT_EQ(seen.request.tracked, tracked);
    EXPECT_EQ(seen.request.trigger, Trigger::None);
    EXPECT_EQ(seen.request.action, Action::None);
    EXPECT_EQ(seen.request.traffic_class, TrafficClass::NonTriggered);
    EXPECT_EQ(seen.packet_class, TrafficClass::NonTriggered);
    EXPECT_EQ(seen.queue, 0u);
  }
}

TEST(FullEmptyCopy, WritesToTheDeviceCarryTriggerActionAndTheirClass) {
  for (const auto trigger : {Trigger::None, Trigger::Empty, Trigger::Full})
    for (const auto action : {Action::None, Action::Fill, Action::Empty}) {
      EngineRig rig;
      DataMove move = rig.copy_in(rig.tracked, 1000);
      move.trigger = trigger;
      move.action = action;
      EXPECT_TRUE(rig.run(move));
      ASSERT_EQ(rig.device.seen.size(), 8u);
      const auto expected =
          trigger == Trigger::None ? TrafficClass::NonTriggered : TrafficClass::TriggeredCpu;
      for (const auto& seen : rig.device.seen) {
        EXPECT_EQ(seen.request.operation, Operation::Write);
        EXPECT_TRUE(seen.request.tracked);
        EXPECT_EQ(seen.request.trigger, trigger);
        EXPECT_EQ(seen.request.action, action);
        EXPECT_EQ(seen.request.traffic_class, expected);
        EXPECT_EQ(seen.packet_class, expected);
        EXPECT_EQ(seen.queue, static_cast<unsigned>(expected));
      }
      EXPECT_EQ(rig.host.seen.size(), 8u);
      expect_plain(rig.host.seen, false);
      EXPECT_EQ(rig.pool.in_use(), 0u);
    }
}

TEST(FullEmptyCopy, ReadsOfTheDeviceCarryThemAndTheWritesToTheHostDoNot) {
  EngineRig rig;
  DataMove move = rig.copy_out(rig.tracked + 64, 4096);
  move.to += 64;
  move.trigger = Trigger::Full;
  move.action = Action::Empty;
  EXPECT_TRUE(rig.run(move));
  ASSERT_EQ(rig.device.seen.size(), 33u);  // 64 bytes to the first line's end and from the last one's start
  for (const auto& seen : rig.device.seen) {
    EXPECT_EQ(seen.request.operation, Operation::Read);
    EXPECT_TRUE(seen.request.tracked);
    EXPECT_EQ(seen.request.trigger, Trigger::Full);
    EXPECT_EQ(seen.request.action, Action::Empty);
    EXPECT_EQ(seen.packet_class, TrafficClass::TriggeredCpu);
    EXPECT_EQ(seen.queue, static_cast<unsigned>(TrafficClass::TriggeredCpu));
  }
  EXPECT_EQ(rig.host.seen.size(), 33u);
  expect_plain(rig.host.seen, false);
}

TEST(FullEmptyCopy, WithoutThemOnlyTheMarkOfTrackedMemoryIsThere) {
  EngineRig rig;
  EXPECT_TRUE(rig.run(rig.copy_in(rig.tracked, 512)));
  expect_plain(rig.device.seen, true);
  EngineRig other;
  EXPECT_TRUE(other.run(other.copy_out(other.plain, 512)));
  expect_plain(other.device.seen, false);
}

TEST(FullEmptyCopy, EachEndInsideTheDeviceIsMarkedForItself) {
  EngineRig rig;
  DataMove move;
  move.to = rig.tracked.value();
  move.from = rig.plain.value();
  move.width_bytes = 256;
  EXPECT_TRUE(rig.run(move));
  ASSERT_EQ(rig.device.seen.size(), 4u);
  for (const auto& seen : rig.device.seen)
    EXPECT_EQ(seen.request.tracked, seen.request.operation == Operation::Write);
}

TEST(FullEmptyCopy, AFillOfTrackedMemoryLeavesTheBits) {
  EngineRig rig;
  DataMove move;
  move.to = rig.tracked.value();
  move.width_bytes = 300;
  move.pattern = 0x5a;
  move.pattern_bytes = 1;
  EXPECT_TRUE(rig.run(move));
  ASSERT_EQ(rig.device.seen.size(), 3u);
  expect_plain(rig.device.seen, true);
  EXPECT_EQ(rig.device.seen[0].request.data[5], std::byte{0x5a});
}

TEST(FullEmptyCopy, AChangeOfBitsOrAReleaseSendsOneRequestALine) {
  for (const auto action : {Action::None, Action::Fill, Action::Empty}) {
    EngineRig rig;
    DataMove move;
    move.bits_only = true;
    move.to = rig.tracked.value() + 120;
    move.width_bytes = 8 + 128 + 4;
    move.action = action;
    EXPECT_TRUE(rig.run(move));
    ASSERT_EQ(rig.device.seen.size(), 3u);
    const PhysicalAddress first = rig.physical(rig.tracked);
    const PhysicalAddress addresses[] = {first + 120, first + 128, first + 256};
    const unsigned bytes[] = {8, 128, 4};
    for (std::size_t i = 0; i < 3; ++i) {
      const auto& seen = rig.device.seen[i];
      EXPECT_EQ(seen.request.operation, Operation::SetBits);
      EXPECT_EQ(seen.request.address, addresses[i]);
      EXPECT_EQ(seen.request.bytes, bytes[i]);
      EXPECT_EQ(seen.request.mask.bits, memory::ByteMask::first(bytes[i]).bits);
      EXPECT_TRUE(seen.request.tracked);
      EXPECT_EQ(seen.request.action, action);
      EXPECT_EQ(seen.request.trigger, Trigger::None);
      EXPECT_EQ(seen.packet_class, TrafficClass::NonTriggered);
      EXPECT_EQ(seen.payload_bytes, 0u);
    }
    EXPECT_TRUE(rig.host.seen.empty());
    EXPECT_EQ(rig.pool.in_use(), 0u);
  }
}

TEST(FullEmptyCopy, WhoWaitsIsNamedAndGoesOnWhenItsTriggerHolds) {
  EngineRig rig;
  const PhysicalAddress line = rig.physical(rig.tracked) + 3 * 128;
  bool empty = true;
  rig.device.holds = [&](const memory::Request& request) { return empty && request.address >= line; };
  DataMove move = rig.copy_out(rig.tracked, 5 * 128);
  move.trigger = Trigger::Full;
  rig.engine.run_until(12'300'000);
  EXPECT_FALSE(rig.run(move, 2));
  char expected[64];
  std::snprintf(expected, sizeof expected, "full at 0x%llx (copy of stream 2 to the host, 2 packets",
                static_cast<unsigned long long>((rig.tracked + 3 * 128).value()));
  EXPECT_EQ(rig.mover.waits_for().find(expected), 0u) << rig.mover.waits_for();
  EXPECT_NE(rig.mover.waits_for().find("not answered since 12.3 us"), std::string::npos)
      << rig.mover.waits_for();
  empty = false;
  rig.engine.wake(rig.device, rig.engine.now() + 5'000'000);
  EXPECT_TRUE(rig.resume());
  EXPECT_EQ(rig.mover.waits_for(), "");
}

TEST(FullEmptyCopy, ACopyThatWaitsForEmptySaysSo) {
  EngineRig rig;
  rig.device.holds = [](const memory::Request&) { return true; };
  DataMove move = rig.copy_in(rig.tracked + 256, 128);
  move.trigger = Trigger::Empty;
  EXPECT_FALSE(rig.run(move, 3));
  EXPECT_NE(rig.mover.waits_for().find("empty at 0x"), std::string::npos) << rig.mover.waits_for();
  EXPECT_NE(rig.mover.waits_for().find("(copy of stream 3 to the GPU, 1 packet not answered"),
            std::string::npos)
      << rig.mover.waits_for();
}

TEST(FullEmptyCopy, WithoutATriggerItWaitsForAnswers) {
  EngineRig rig;
  rig.device.holds = [](const memory::Request&) { return true; };
  EXPECT_FALSE(rig.run(rig.copy_in(rig.tracked + 256, 512), 4));
  char expected[80];
  std::snprintf(expected, sizeof expected,
                "answers from 0x%llx (copy of stream 4 to the GPU, 4 packets not answered",
                static_cast<unsigned long long>((rig.tracked + 256).value()));
  EXPECT_EQ(rig.mover.waits_for().find(expected), 0u) << rig.mover.waits_for();
}

// The window of outstanding packets is all that a waiting copy takes.
TEST(FullEmptyCopy, AWaitingCopyFillsItsWindowAndNoMore) {
  EngineRig rig;
  rig.device.holds = [](const memory::Request&) { return true; };
  DataMove move = rig.copy_out(rig.tracked, 16384);
  move.trigger = Trigger::Full;
  EXPECT_FALSE(rig.run(move));
  EXPECT_EQ(rig.device.seen.size(), EngineRig::kWindow);  // of 128
}

// What is sure to be written once it is sent needs no place of the window until it is acknowledged.
TEST(FullEmptyCopy, AcknowledgementsAreCountedBesideTheWindow) {
  const auto sent = [](std::size_t acks, Trigger trigger, bool in) {
    EngineRig rig(128, EngineRig::kWindow, acks);
    EngineRig::Memory& written_to = in ? rig.device : rig.host;
    written_to.holds = [](const memory::Request& request) { return request.operation == Operation::Write; };
    DataMove move = in ? rig.copy_in(rig.tracked, 16384) : rig.copy_out(rig.tracked, 16384);
    move.trigger = trigger;
    move.action = in ? Action::Fill : Action::Empty;
    EXPECT_FALSE(rig.run(move));
    const std::size_t writes = written_to.seen.size();
    if (acks == 1024 && trigger == Trigger::None) {  // all have given their places back
      char expected[96];
      std::snprintf(expected, sizeof expected,
                    "answers from 0x%llx (copy of stream 7 to the %s, 128 packets not",
                    static_cast<unsigned long long>(rig.tracked.value()), in ? "GPU" : "host");
      EXPECT_EQ(rig.mover.waits_for().find(expected), 0u) << rig.mover.waits_for();
    }
    written_to.holds = {};
    rig.engine.wake(written_to, rig.engine.now() + 1000);
    EXPECT_TRUE(rig.resume());
    EXPECT_EQ(rig.pool.in_use(), 0u);
    EXPECT_EQ(written_to.seen.size(), 128u);
    return writes;
  };
  for (const bool in : {true, false}) {
    EXPECT_EQ(sent(0, Trigger::None, in), EngineRig::kWindow);
    EXPECT_EQ(sent(16, Trigger::None, in), 16u);
    EXPECT_EQ(sent(100, Trigger::None, in), 100u);
    EXPECT_EQ(sent(1024, Trigger::None, in), 128u);
  }
  // Who waits for empty may be there for long, and keeps its place; the host's memory waits for nothing.
  EXPECT_EQ(sent(1024, Trigger::Empty, true), EngineRig::kWindow);
  EXPECT_EQ(sent(1024, Trigger::Full, false), 128u);
}

// Offsets in [0, bytes) of the lines that were written from `base` on.
std::vector<Bytes> written(const EngineRig::Memory& memory, PhysicalAddress base) {
  std::vector<Bytes> offsets;
  for (const auto& seen : memory.seen)
    if (seen.request.operation == Operation::Write) offsets.push_back(seen.request.address - base);
  std::sort(offsets.begin(), offsets.end());
  return offsets;
}

// Every 128th offset from `first` up to `last`, without those in [from, to).
std::vector<Bytes> lines(Bytes first, Bytes last, Bytes from, Bytes to) {
  std::vector<Bytes> offsets;
  for (Bytes offset = first; offset < last; offset += 128)
    if (offset < from || offset >= to) offsets.push_back(offset);
  return offsets;
}

TEST(StoreAndForward, AGranuleThatIsWaitedForHoldsBackItsPacketToTheHost) {
  for (const Bytes payload : {128, 256, 1024, 4096}) {
    EngineRig rig(payload);
    const PhysicalAddress line = rig.physical(rig.tracked) + 10 * 128;
    bool empty = true;
    rig.device.holds = [&](const memory::Request& request) { return empty && request.address == line; };
    DataMove move = rig.copy_out(rig.tracked, 8192);
    move.trigger = Trigger::Full;
    EXPECT_FALSE(rig.run(move));
    const Bytes packet = 10 * 128 / payload * payload;
    EXPECT_EQ(written(rig.host, rig.window), lines(0, 8192, packet, packet + payload)) << payload;
    char expected[80];
    std::snprintf(expected, sizeof expected, "full at 0x%llx (copy of stream 7 to the host, 1 packet not ",
                  static_cast<unsigned long long>((rig.tracked + 10 * 128).value()));
    EXPECT_EQ(rig.mover.waits_for().find(expected), 0u) << rig.mover.waits_for();
    empty = false;
    rig.engine.wake(rig.device, rig.engine.now() + 5'000'000);
    EXPECT_TRUE(rig.resume());
    EXPECT_EQ(written(rig.host, rig.window), lines(0, 8192, 0, 0)) << payload;
    EXPECT_EQ(rig.pool.in_use(), 0u);
  }
}

TEST(StoreAndForward, AHostReadThatIsLateHoldsBackItsPacketToTheDevice) {
  for (const Bytes payload : {128, 512, 4096}) {
    EngineRig rig(payload);
    bool late = true;
    rig.host.holds = [&](const memory::Request& request) {
      return late && request.address == rig.window + 37 * 128;
    };
    EXPECT_FALSE(rig.run(rig.copy_in(rig.tracked, 8192)));
    const Bytes packet = 37 * 128 / payload * payload;
    EXPECT_EQ(written(rig.device, rig.physical(rig.tracked)), lines(0, 8192, packet, packet + payload));
    late = false;
    rig.engine.wake(rig.host, rig.engine.now() + 5'000'000);
    EXPECT_TRUE(rig.resume());
    EXPECT_EQ(written(rig.device, rig.physical(rig.tracked)), lines(0, 8192, 0, 0));
    EXPECT_EQ(rig.pool.in_use(), 0u);
  }
}

TEST(StoreAndForward, PacketsEndWhereTheDevicesAddressIsAMultiple) {
  const std::pair<Bytes, std::pair<Bytes, Bytes>> cases[] = {
      {640, {640, 1024}}, {1024, {1024, 2048}}, {1920, {1024, 2048}}, {2048, {2048, 2688}}};
  for (const auto& [held, packet] : cases) {
    EngineRig rig(1024);
    const PhysicalAddress base = rig.physical(rig.tracked);
    rig.device.holds = [&](const memory::Request& request) { return request.address == base + held; };
    EXPECT_FALSE(rig.run(rig.copy_out(rig.tracked + 640, 2048)));
    EXPECT_EQ(written(rig.host, rig.window - 640), lines(640, 2688, packet.first, packet.second)) << held;
  }
}

TEST(StoreAndForward, ARowIsAPacketOfItsOwn) {
  EngineRig rig(1024);
  const PhysicalAddress base = rig.physical(rig.tracked);
  rig.device.holds = [&](const memory::Request& request) { return request.address == base + 256 + 128; };
  DataMove move = rig.copy_out(rig.tracked, 256);
  move.rows = 4;
  move.from_row_pitch = move.to_row_pitch = 256;
  EXPECT_FALSE(rig.run(move));
  EXPECT_EQ(written(rig.host, rig.window), lines(0, 1024, 256, 512));
}

// The ends lie differently in their lines: twice the pieces. As many places as a packet has lines suffice.
TEST(StoreAndForward, APacketNeedsNoMorePlacesThanItHasLines) {
  for (const Bytes shift : {0, 4, 64, 124}) {
    EngineRig rig(1024, 8);
    DataMove move = rig.copy_out(rig.tracked + shift, 8192);
    EXPECT_TRUE(rig.run(move)) << shift;
    Bytes bytes = 0;
    for (const auto& seen : rig.host.seen) bytes += seen.request.bytes;
    EXPECT_EQ(bytes, 8192u);
    EXPECT_EQ(rig.pool.in_use(), 0u);
  }
}

TEST(StoreAndForward, AFaultInsideAPacketLeavesNothingBehind) {
  EngineRig rig(1024);
  EXPECT_TRUE(rig.run(rig.copy_out(rig.tracked + 16384 - 256, 768)));
  const gpu::MoveDone done = rig.done.pop(rig.engine.now() + 1);
  EXPECT_TRUE(done.faulted);
  EXPECT_EQ(done.fault_address, rig.tracked + 16384);
  EXPECT_EQ(written(rig.host, rig.window), lines(0, 256, 0, 0));
  EXPECT_EQ(rig.pool.in_use(), 0u);
}

TEST(StoreAndForward, WhatDoesNotCrossTheLinkIsNotHeldBack) {
  EngineRig rig(4096);
  const PhysicalAddress from = rig.physical(rig.plain), to = rig.physical(rig.tracked);
  rig.device.holds = [&](const memory::Request& request) { return request.address == from + 128; };
  DataMove move;
  move.to = rig.tracked.value();
  move.from = rig.plain.value();
  move.width_bytes = 4096;
  EXPECT_FALSE(rig.run(move));
  EXPECT_EQ(written(rig.device, to), lines(0, 4096, 128, 256));
}

TEST(StoreAndForward, BytesArriveWhereTheyBelong) {
  for (const Bytes payload : {384, 4096}) {
    auto machine = gtx580();
    machine.link.packet_payload_bytes = payload;
    Rig rig(machine);
    const auto sent = pattern_bytes(70'000, 3);
    std::vector<std::byte> back(sent.size());
    const VirtualAddress buffer = rig.device(80'000);
    rig.submit(rig.copy_in(buffer + 52, sent.data(), sent.size()));
    auto out = rig.copy_out(back.data(), buffer + 52, 700);
    out.copy.rows = 100;
    out.copy.to.row_pitch = out.copy.from.row_pitch = 700;
    rig.submit(std::move(out));
    rig.finish();
    EXPECT_EQ(back, sent) << payload;
  }
}

TEST(StoreAndForward, SizesThatCannotBeAreRefused) {
  const auto refused = [](Bytes payload, std::uint64_t outstanding) -> std::string {
    auto machine = gtx580();
    machine.link.packet_payload_bytes = payload;
    machine.gpu.copy_engines.outstanding_packets = outstanding;
    try {
      Rig rig(machine);
      return {};
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(refused(200, 64), "link.packet_payload_bytes above 128 must be a multiple of 128");
  EXPECT_NE(refused(4096, 31).find("gpu.copy_engines.outstanding_packets must be at least 32"),
            std::string::npos);
  EXPECT_EQ(refused(4096, 32), "");
  EXPECT_EQ(refused(100, 1), "");
}

// From the driver's command to the task: the names and sizes in the trace are those of what was submitted.
TEST(FullEmptyDriver, AChangeOfBitsCostsAMemsetAndIsRecorded) {
  auto machine = gtx580();
  machine.driver.memset = {1300, 4400, 0};
  Rig rig(machine);
  const VirtualAddress buffer =
      rig.memory.allocate_device(4096, memory::AllocationKind::Device, 0, true)->base;
  EventLog trace;
  rig.engine.report_events(trace, mask_of(TaskEventKind::PushBufferCommand));
  driver::Command command;
  command.kind = driver::CommandKind::FullEmptySet;
  command.cost = &rig.config.driver.memset;
  command.full_empty = {buffer, 512, Action::Empty};
  rig.submit(std::move(command));
  EXPECT_EQ(rig.thread.clock(), 1'300'000u);
  // The functional GPU's board has no engine for bits: the command has come through the front end up to
  // there.
  try {
    rig.finish();
    FAIL() << "somebody took a change of bits";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("stream 0: a free copy engine"), std::string::npos)
        << error.what();
  }
  const auto named = [](const EventLog::Entry& entry) {
    return entry.text == "FullEmptyRange" && entry.argument == 512;
  };
  EXPECT_EQ(std::count_if(trace.entries.begin(), trace.entries.end(), named), 1);
  EXPECT_GE(rig.engine.now(), 1'300'000u + 4'400'000u);
}

// What a launch does to bits at its end stands behind the wait for its blocks, and before what tells others.
TEST(FullEmptyDriver, AKernelsEndEmptiesBeforeItIsReleased) {
  Rig rig;
  const VirtualAddress first =
      rig.memory.allocate_device(4096, memory::AllocationKind::Device, 0, true)->base;
  const VirtualAddress freed =
      rig.memory.allocate_device(4096, memory::AllocationKind::Device, 0, true)->base;
  const VirtualAddress last = rig.memory.allocate_device(4096, memory::AllocationKind::Device, 0, true)->base;
  rig.memory.release(freed);
  EventLog log;
  rig.engine.report_events(log, mask_of(TaskEventKind::PushBufferCommand));
  driver::Command launch = rig.launch(2);
  launch.at_end = {{first, 512, Action::Empty}, {freed, 64, Action::Empty}, {last, 1024, Action::Empty}};
  rig.submit(std::move(launch));
  EXPECT_THROW(rig.finish(), Error);
  const std::vector<std::pair<std::string, std::uint64_t>> expected = {
      {"WaitRefCnt", 0}, {"FullEmptyRange", 512}, {"FullEmptyRange", 1024}, {"ReleaseSemaphore", 1}};
  std::vector<std::pair<std::string, std::uint64_t>> trace;
  for (const EventLog::Entry& entry : log.entries) trace.emplace_back(entry.text, entry.argument);
  ASSERT_GE(trace.size(), expected.size());
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), trace.end() - 4));
  std::size_t ended = 0;
  for (const auto& sm : rig.sms) ended += sm->log.size();
  EXPECT_EQ(ended, 2u);  // its blocks have run, and it is not complete
  EXPECT_TRUE(rig.records.empty());
}

}  // namespace
}  // namespace duet::test
