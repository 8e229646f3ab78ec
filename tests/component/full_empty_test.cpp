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

TEST(FullEmptyCommands, AChangeOfBitsSurvives) {
  for (const auto action : {Action::Fill, Action::Empty}) {
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
  DataMove nothing;
  nothing.bits_only = true;
  EXPECT_THROW(through_bytes(nothing), Error);
  for (const std::uint64_t flags : {gpu::kCopyFromHost | 3u << gpu::kCopyTriggerShift,
                                    gpu::kCopyFromHost | 3u << gpu::kCopyActionShift, std::uint64_t{4}}) {
    std::vector<std::byte> bytes;
    gpu::PushBufferWriter(bytes).command(gpu::PushBufferOpcode::CopyRange, {flags, 0, 0, 4, 1, 0, 0, 0, 0});
    EXPECT_THROW(gpu::read_move(gpu::decode_push_buffer_command(bytes)), Error) << flags;
  }
}

// A data transfer engine between a host that answers at once and a device memory that the test plays: it
// keeps what arrives, in order, and answers what `holds` does not hold.
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
      while (!held_.empty() && !(holds && holds(rig_.pool[held_.front().request]))) {
        auto& answers = host_ ? rig_.from_host : rig_.from_device;
        if (!answers.can_push(now)) break;
        answers.push(now, held_.front());
        held_.erase(held_.begin());
      }
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

  EngineRig()
      : space(1_MiB, 4096),
        device(*this, "device", false),
        host(*this, "host", true),
        mover(engine, nullptr, {1'000'000, kWindow, 128, 1, 0, 0}, pool, space, tasks),
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
    ports.to_device = &to_device;
    ports.from_device = &from_device;
    mover.connect(ports);
    tracked = space.allocate_device(16384, memory::AllocationKind::Device, 0, true)->base;
    plain = space.allocate_device(8192, memory::AllocationKind::Device)->base;
    window = aperture.open(host_bytes.data(), host_bytes.size(), false);
  }
  DataMove copy_in(Address to, Bytes bytes) {
    DataMove move;
    move.flags = gpu::kCopyFromHost;
    move.to = to;
    move.from = window;
    move.width_bytes = bytes;
    return move;
  }
  DataMove copy_out(Address from, Bytes bytes) {
    DataMove move = copy_in(window, bytes);
    move.flags = gpu::kCopyToHost;
    move.from = from;
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
  Address physical(Address address) {
    return space.find(address)->physical + (address - space.find(address)->base);
  }

  sim::Engine engine;
  memory::RequestPool pool;
  memory::AddressSpace space;
  memory::HostAperture aperture;
  gpu::TaskPool tasks;
  Memory device, host;
  gpu::DataTransferEngine mover;
  sim::Queue<memory::Packet> to_host, from_host, from_device;
  memory::Channel to_device;
  sim::Queue<gpu::MoveStart> starts;
  sim::Queue<gpu::MoveDone> done;
  std::vector<std::byte> host_bytes = pattern_bytes(16384);
  Address tracked = 0, plain = 0, window = 0;
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
  move.to = rig.tracked;
  move.from = rig.plain;
  move.width_bytes = 256;
  EXPECT_TRUE(rig.run(move));
  ASSERT_EQ(rig.device.seen.size(), 4u);
  for (const auto& seen : rig.device.seen)
    EXPECT_EQ(seen.request.tracked, seen.request.operation == Operation::Write);
}

TEST(FullEmptyCopy, AFillOfTrackedMemoryLeavesTheBits) {
  EngineRig rig;
  DataMove move;
  move.to = rig.tracked;
  move.width_bytes = 300;
  move.pattern = 0x5a;
  move.pattern_bytes = 1;
  EXPECT_TRUE(rig.run(move));
  ASSERT_EQ(rig.device.seen.size(), 3u);
  expect_plain(rig.device.seen, true);
  EXPECT_EQ(rig.device.seen[0].request.data[5], std::byte{0x5a});
}

TEST(FullEmptyCopy, AChangeOfBitsSendsOneRequestALine) {
  for (const auto action : {Action::Fill, Action::Empty}) {
    EngineRig rig;
    DataMove move;
    move.bits_only = true;
    move.to = rig.tracked + 120;
    move.width_bytes = 8 + 128 + 4;
    move.action = action;
    EXPECT_TRUE(rig.run(move));
    ASSERT_EQ(rig.device.seen.size(), 3u);
    const Address first = rig.physical(rig.tracked);
    const Address addresses[] = {first + 120, first + 128, first + 256};
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
  const Address line = rig.physical(rig.tracked) + 3 * 128;
  bool empty = true;
  rig.device.holds = [&](const memory::Request& request) { return empty && request.address >= line; };
  DataMove move = rig.copy_out(rig.tracked, 5 * 128);
  move.trigger = Trigger::Full;
  rig.engine.run_until(12'300'000);
  EXPECT_FALSE(rig.run(move, 2));
  char expected[64];
  std::snprintf(expected, sizeof expected, "full at 0x%llx (copy of stream 2 to the host, 2 packets",
                static_cast<unsigned long long>(rig.tracked + 3 * 128));
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
                static_cast<unsigned long long>(rig.tracked + 256));
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

// From the driver's command to the task: the names and sizes in the trace are those of what was submitted.
TEST(FullEmptyDriver, AChangeOfBitsCostsAMemsetAndIsRecorded) {
  auto machine = gtx580();
  machine.driver.memset = {1300, 4400, 0};
  Rig rig(machine);
  const Address buffer = rig.memory.allocate_device(4096, memory::AllocationKind::Device, 0, true)->base;
  std::vector<gpu::PushBufferTrace> trace;
  rig.driver().on_push_buffer_command = [&](const gpu::PushBufferTrace& entry) { trace.push_back(entry); };
  driver::Command command;
  command.kind = driver::CommandKind::FullEmptySet;
  command.call = driver::CallKind::Memset;
  command.full_empty = {buffer, 512, Action::Empty};
  rig.submit(std::move(command));
  EXPECT_EQ(rig.thread.clock(), 1'300'000u);
  // The functional GPU's memory has no bits and says so: the command has come through all the front end.
  try {
    rig.finish();
    FAIL() << "the simple memory took a change of bits";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("full/empty bits"), std::string::npos) << error.what();
  }
  const auto named = [](const gpu::PushBufferTrace& entry) {
    return std::string(entry.command) == "FullEmptyRange" && entry.argument == 512;
  };
  EXPECT_EQ(std::count_if(trace.begin(), trace.end(), named), 1);
  EXPECT_GE(rig.engine.now(), 1'300'000u + 4'400'000u);
}

}  // namespace
}  // namespace duet::test
