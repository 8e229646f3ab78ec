// User queues: which packet runs when, what its signal is then, and what a bad packet leaves.
#include "gpu/front_end/packet_processor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "rig.h"

namespace duet::test {
namespace {

constexpr std::uint64_t kKernelObject = 0x4711;
constexpr Picoseconds kMicrosecond = 1'000'000;

config::Machine with_user_queues() {
  config::Machine machine = gtx580();
  machine.gpu.front_end.user_queues = 4;
  machine.gpu.front_end.packet_cycles = 40;
  machine.gpu.front_end.packet_poll_cycles = 100;
  return machine;
}

// Queues of 16 packets and signals in a page of the host that the GPU reaches, and grids as packets say.
struct QueueRig : Rig, gpu::PacketServices {
  static constexpr std::size_t kPackets = 16, kSignals = 32, kSignalBytes = 64;

  explicit QueueRig(std::uint64_t seed = 0) : Rig(with_user_queues(), seed) {
    page = static_cast<std::byte*>(std::aligned_alloc(4096, kPageBytes));
    std::memset(page, 0, kPageBytes);
    memory.map_host(page, kPageBytes, memory::AllocationKind::Pinned, {});
    processor().serve(*this);
    stream = driver().create_stream({});
  }
  ~QueueRig() override { std::free(page); }

  gpu::PacketProcessor& processor() { return *board.packet_processor(); }

  std::uint32_t open() {
    std::byte* const ring = page + 4096 * (1 + rings.size());
    const std::uint32_t queue =
        processor().open({virtual_address(ring), kPackets, virtual_address(page + 2048 + 8 * rings.size())});
    rings.push_back(ring);
    for (std::size_t i = 0; i < kPackets; ++i) set<std::uint16_t>(ring + 64 * i, 1);  // invalid
    return queue;
  }
  template <typename T>
  static void set(std::byte* to, T value) {
    std::memcpy(to, &value, sizeof value);
  }
  std::uint64_t signal(std::size_t number, std::int64_t value) {
    set(page + kSignalBytes * number + 8, value);
    return virtual_address(page + kSignalBytes * number).value();
  }
  std::int64_t value(std::size_t number) const {
    std::int64_t result;
    std::memcpy(&result, page + kSignalBytes * number + 8, sizeof result);
    return result;
  }
  std::uint64_t read_index(std::uint32_t queue) const {
    std::uint64_t result;
    std::memcpy(&result, page + 2048 + 8 * queue, sizeof result);
    return result;
  }
  std::byte* place(std::uint32_t queue, std::uint64_t packet) {
    return rings[queue] + 64 * (packet % kPackets);
  }
  void dispatch(std::uint32_t queue, std::uint64_t packet, std::uint32_t groups, std::uint64_t signal,
                bool barrier = false, std::uint64_t object = kKernelObject) {
    std::byte* const at = place(queue, packet);
    std::memset(at + 2, 0, 62);
    set<std::uint16_t>(at + 2, 1);  // dimensions
    for (const std::size_t field : {4, 6, 8}) set<std::uint16_t>(at + field, field == 4 ? 32 : 1);
    for (const std::size_t field : {12, 16, 20})
      set<std::uint32_t>(at + field, field == 12 ? 32 * groups : 1);
    set(at + 32, object);
    set(at + 40, virtual_address(page + 3072).value());
    set(at + 56, signal);
    set<std::uint16_t>(at, static_cast<std::uint16_t>(2 | (barrier ? 1 << 8 : 0)));
  }
  void barrier_of(std::uint32_t queue, std::uint64_t packet, unsigned type,
                  std::vector<std::uint64_t> signals, std::uint64_t completion) {
    std::byte* const at = place(queue, packet);
    std::memset(at + 2, 0, 62);
    for (std::size_t i = 0; i < signals.size(); ++i) set(at + 8 + 8 * i, signals[i]);
    set(at + 56, completion);
    set(at, static_cast<std::uint16_t>(type));
  }
  void ring(std::uint32_t queue, std::uint64_t packets) { driver().ring_user_queue(queue, packets); }
  bool run_until(const std::function<bool()>& done) { return engine.run_while_not(done); }

  std::optional<Bytes> kernarg_bytes(std::uint64_t object) const override {
    if (object != kKernelObject) return {};
    return argument_bytes;
  }
  std::vector<gpu::Grid*> launch(std::uint32_t, std::uint64_t packet, const gpu::AqlDispatch& dispatch,
                                 std::span<const std::byte> kernarg) override {
    arguments.assign(kernarg.begin(), kernarg.end());
    driver::Command command = Rig::launch(dispatch.size.x / dispatch.group.x, stream);
    command.outside = true;
    gpu::Grid* const grid = command.grid.get();
    commands[packet] = driver().submit(std::move(command));
    return {grid};
  }
  void completed(const std::vector<gpu::Grid*>& grids) override {
    for (const gpu::Grid* grid : grids) driver().outside_launch_ended(grid->command);
  }
  void launch_sent(const driver::CommandRecord& record) override { sent.push_back(record.grid); }
  void refused(std::uint32_t, std::uint64_t packet, const gpu::PacketRefusal& refusal) override {
    refusals.push_back(std::to_string(packet) + ": " + refusal.why);
  }
  const driver::CommandRecord& record(std::uint64_t packet) { return records.at(commands.at(packet)); }

  static constexpr Bytes kPageBytes = 64 * 4096;
  std::byte* page;
  std::vector<std::byte*> rings;
  driver::StreamId stream = 0;
  Bytes argument_bytes = 300;
  std::vector<std::byte> arguments;
  std::map<std::uint64_t, driver::CommandId> commands;  // by packet
  std::vector<std::string> refusals;
  std::vector<const gpu::Grid*> sent;  // as watchers of commands are told
};

// While somebody runs who says nothing, time alone has it look again; with nobody it sleeps.
TEST(PacketProcessor, ItPollsWhileSomebodyRuns) {
  QueueRig rig;
  bool runs = true;
  rig.processor().poll_while([&] { return runs; });
  const std::uint32_t queue = rig.open();
  rig.ring(queue, 1);  // the packet is not written
  rig.engine.run_until(20 * kMicrosecond);
  EXPECT_NE(rig.engine.next_time(), kNever);
  runs = false;
  rig.engine.run_until(40 * kMicrosecond);
  EXPECT_EQ(rig.engine.next_time(), kNever);
  runs = true;
  rig.processor().memory_written();  // it is told when that begins
  rig.engine.run_until(60 * kMicrosecond);
  EXPECT_NE(rig.engine.next_time(), kNever);
  rig.dispatch(queue, 0, 1, rig.signal(0, 1));
  EXPECT_TRUE(rig.run_until([&] { return rig.value(0) == 0; }));
}

// Also while it is being read, and the value on its way is the older one.
TEST(PacketProcessor, ASignalMayGoDownAtAnyTime) {
  for (Picoseconds time = 0; time < 4 * kMicrosecond; time += 20'000) {
    QueueRig rig;
    const std::uint32_t queue = rig.open();
    rig.barrier_of(queue, 0, 3, {rig.signal(0, 1)}, rig.signal(1, 1));
    rig.ring(queue, 1);
    rig.engine.run_until(time);
    rig.signal(0, 0);
    rig.processor().memory_written();
    ASSERT_TRUE(rig.run_until([&] { return rig.value(1) == 0; })) << time;
  }
}

TEST(PacketProcessor, ADoorbellOfNoQueueIsNothing) {
  QueueRig rig;
  const std::uint32_t queue = rig.open();
  rig.ring(queue + 300, 1);
  rig.dispatch(queue, 0, 1, rig.signal(0, 1));
  rig.ring(queue, 1);
  EXPECT_TRUE(rig.run_until([&] { return rig.value(0) == 0; }));
}

TEST(PacketProcessor, ADispatchRunsAndItsSignalGoesDown) {
  QueueRig rig;
  const std::uint32_t queue = rig.open();
  const auto written = pattern_bytes(300);
  std::memcpy(rig.page + 3072, written.data(), written.size());
  rig.dispatch(queue, 0, 5, rig.signal(0, 3));
  rig.ring(queue, 1);
  ASSERT_TRUE(rig.run_until([&] { return rig.value(0) == 2; }));
  rig.run_until([&] { return rig.driver().all_idle(); });
  EXPECT_EQ(rig.arguments, written);  // across three lines
  EXPECT_EQ(rig.read_index(queue), 1u);
  EXPECT_TRUE(rig.processor().quiet());
  ASSERT_EQ(rig.sent.size(), 1u);
  EXPECT_EQ(rig.sent[0], rig.sms[0]->log.front().grid);
  const driver::CommandRecord& record = rig.record(0);
  // A doorbell, the packet and the arguments: three ways and back, less the way of the first.
  EXPECT_GT(record.queued_ps, 5 * rig.config.link.latency_ns * 1000);
  EXPECT_LT(record.queued_ps, kMicrosecond);
  EXPECT_GE(record.end_ps - record.start_ps, kMicrosecond);  // a block's
  std::size_t blocks = 0;
  for (auto& sm : rig.sms) blocks += sm->log.size();
  EXPECT_EQ(blocks, 5u);
}

TEST(PacketProcessor, PacketsOverlapUnlessTheBarrierBitIsSet) {
  for (const bool barrier : {false, true}) {
    QueueRig rig;
    const std::uint32_t queue = rig.open();
    rig.dispatch(queue, 0, 4, rig.signal(0, 1));
    rig.dispatch(queue, 1, 4, rig.signal(1, 1), barrier);
    rig.ring(queue, 2);
    ASSERT_TRUE(rig.run_until([&] { return rig.value(0) == 0 && rig.value(1) == 0; }));
    rig.run_until([&] { return rig.driver().all_idle(); });
    if (barrier)
      EXPECT_GE(rig.record(1).start_ps, rig.record(0).end_ps - rig.config.link.latency_ns * 1000);
    else
      EXPECT_TRUE(rig.all_ran_at_once({rig.commands[0], rig.commands[1]}));
  }
}

TEST(PacketProcessor, TheRingIsUsedAgain) {
  QueueRig rig;
  const std::uint32_t queue = rig.open();
  const std::uint64_t signal = rig.signal(0, 100);
  for (std::uint64_t packet = 0; packet < 100; ++packet) {
    ASSERT_TRUE(rig.run_until([&] { return packet - rig.read_index(queue) < QueueRig::kPackets; }));
    rig.dispatch(queue, packet, 1, signal);
    rig.ring(queue, packet + 1);
  }
  ASSERT_TRUE(rig.run_until([&] { return rig.value(0) == 0; }));
  EXPECT_EQ(rig.commands.size(), 100u);
}

// Of a later packet the doorbell comes first: the place of the one before still has a packet of the last
// round.
TEST(PacketProcessor, AnOldPacketIsNotExecutedAgain) {
  QueueRig rig;
  const std::uint32_t queue = rig.open();
  const std::uint64_t signal = rig.signal(0, 18);
  for (std::uint64_t packet = 0; packet < QueueRig::kPackets; ++packet)
    rig.dispatch(queue, packet, 1, signal);
  rig.ring(queue, QueueRig::kPackets);
  ASSERT_TRUE(
      rig.run_until([&] { return rig.value(0) == 2 && rig.read_index(queue) == QueueRig::kPackets; }));
  rig.dispatch(queue, QueueRig::kPackets + 1, 1, signal);
  rig.ring(queue, QueueRig::kPackets + 2);
  EXPECT_FALSE(rig.run_until([&] { return rig.value(0) < 2; }));
  rig.dispatch(queue, QueueRig::kPackets, 1, signal);
  rig.processor().memory_written();
  EXPECT_TRUE(rig.run_until([&] { return rig.value(0) == 0; }));
}

// Who rings before the packet is there waits for it, and for nothing when nobody writes it.
TEST(PacketProcessor, APacketMayBeWrittenBehindItsDoorbell) {
  QueueRig rig;
  const std::uint32_t queue = rig.open();
  rig.ring(queue, 1);
  EXPECT_FALSE(rig.run_until([&] { return rig.value(0) != 0; }));
  EXPECT_EQ(rig.processor().waits_for(), "packet 0 of user queue 0: that its type is written");
  rig.dispatch(queue, 0, 1, rig.signal(0, 1));
  EXPECT_FALSE(rig.run_until([&] { return rig.value(0) == 0; }));  // nobody has said so
  rig.processor().memory_written();
  EXPECT_TRUE(rig.run_until([&] { return rig.value(0) == 0; }));
}

// However long nothing has happened, it looks at the edges at which it would have looked all along, and is
// there at once: 100 seconds are a billion of them.
TEST(PacketProcessor, APauseOfAnyLengthKeepsTheTimesOfItsLooks) {
  const auto looked_after = [](Picoseconds pause) {
    QueueRig rig;
    const std::uint32_t queue = rig.open();
    rig.ring(queue, 1);
    EXPECT_FALSE(rig.run_until([&] { return rig.value(0) != 0; }));
    rig.engine.run_until(rig.engine.now() + pause);
    rig.dispatch(queue, 0, 1, rig.signal(0, 1));
    rig.processor().memory_written();
    const Picoseconds written = rig.engine.now();
    EXPECT_TRUE(rig.run_until([&] { return rig.value(0) == 0; }));
    return rig.engine.now() - written;
  };
  // All are whole numbers of its looks, 100 cycles of 772 MHz apart.
  const Picoseconds after = looked_after(kPicosecondsPerSecond / 1000);
  EXPECT_EQ(looked_after(kPicosecondsPerSecond), after);
  EXPECT_EQ(looked_after(100 * kPicosecondsPerSecond), after);
}

TEST(PacketProcessor, BarriersWaitForAllOfTheirSignalsOrForOne) {
  constexpr unsigned kAnd = 3, kOr = 5;
  for (const unsigned type : {kAnd, kOr}) {
    QueueRig rig;
    const std::uint32_t queue = rig.open();
    rig.barrier_of(queue, 0, type, {rig.signal(0, 1), 0, rig.signal(1, 1)}, rig.signal(2, 1));
    rig.dispatch(queue, 1, 1, rig.signal(3, 1), true);
    rig.ring(queue, 2);
    EXPECT_FALSE(rig.run_until([&] { return rig.value(2) == 0; }));
    EXPECT_EQ(rig.processor().waits_for(), "packet 0 of user queue 0: a signal that is not 0");
    rig.signal(1, 0);
    rig.processor().memory_written();
    EXPECT_EQ(rig.run_until([&] { return rig.value(2) == 0; }), type == kOr);
    rig.signal(0, 0);
    rig.processor().memory_written();
    EXPECT_TRUE(rig.run_until([&] { return rig.value(3) == 0; }));
    EXPECT_EQ(rig.value(2), 0);
  }
}

// A barrier of one queue waits for a kernel of another, without the host.
TEST(PacketProcessor, QueuesMeetBySignals) {
  QueueRig rig;
  const std::uint32_t first = rig.open(), second = rig.open();
  const std::uint64_t done = rig.signal(0, 1);
  rig.barrier_of(second, 0, 3, {done}, 0);
  rig.dispatch(second, 1, 1, rig.signal(1, 1), true);
  rig.ring(second, 2);
  rig.dispatch(first, 0, 1, done);
  rig.ring(first, 1);
  ASSERT_TRUE(rig.run_until([&] { return rig.value(1) == 0; }));
  EXPECT_EQ(rig.value(0), 0);
}

TEST(PacketProcessor, ABadPacketStopsItsQueueAlone) {
  const std::pair<unsigned, const char*> kTypes[] = {{0, "0: its type is none of the specification's"},
                                                     {4, "0: it is an agent dispatch, which nobody serves"},
                                                     {77, "0: its type is none of the specification's"}};
  for (const auto& [type, why] : kTypes) {
    QueueRig rig;
    const std::uint32_t bad = rig.open(), good = rig.open();
    rig.barrier_of(bad, 0, type, {}, rig.signal(0, 1));
    rig.ring(bad, 1);
    rig.dispatch(good, 0, 1, rig.signal(1, 1));
    rig.ring(good, 1);
    ASSERT_TRUE(rig.run_until([&] { return rig.value(1) == 0; }));
    EXPECT_EQ(rig.refusals, std::vector<std::string>{why});
    EXPECT_EQ(rig.value(0), 1);
  }
  QueueRig rig;
  const std::uint32_t queue = rig.open();
  rig.dispatch(queue, 0, 1, rig.signal(0, 1), false, 5);
  rig.ring(queue, 1);
  rig.run_until([&] { return !rig.refusals.empty(); });
  EXPECT_EQ(rig.refusals, std::vector<std::string>{"0: its kernel object names no kernel"});
}

TEST(PacketProcessor, MemoryThatTheGpuDoesNotReachIsNamed) {
  QueueRig rig;
  static std::byte outside[64];
  rig.dispatch(rig.open(), 0, 1, 0);
  rig.set(rig.place(0, 0) + 40, virtual_address(outside).value());
  rig.ring(0, 1);
  rig.barrier_of(rig.open(), 0, 3, {virtual_address(outside).value()}, 0);
  rig.ring(1, 1);
  rig.run_until([&] { return rig.refusals.size() == 2; });
  std::sort(rig.refusals.begin(), rig.refusals.end());
  EXPECT_EQ(rig.refusals,
            (std::vector<std::string>{"0: it waits for a signal that is none",
                                      "0: its arguments are not in memory that the GPU reaches"}));
}

// Arguments at the end of what is mapped: some are being read when the rest is refused, and the queue's
// number is given to one whose kernels have fewer.
TEST(PacketProcessor, AnswersOfARefusedPacketReachNoOtherQueue) {
  QueueRig rig;
  const std::uint32_t queue = rig.open();
  rig.dispatch(queue, 0, 1, 0);
  rig.set(rig.place(queue, 0) + 40, virtual_address(rig.page + QueueRig::kPageBytes - 200).value());
  rig.ring(queue, 1);
  rig.run_until([&] { return !rig.refusals.empty(); });
  EXPECT_FALSE(rig.processor().quiet());
  rig.argument_bytes = 8;
  const std::uint32_t next = rig.open();
  EXPECT_NE(next, queue);
  rig.dispatch(next, 0, 1, rig.signal(0, 1));
  rig.ring(next, 1);
  EXPECT_TRUE(rig.run_until([&] { return rig.value(0) == 0 && rig.processor().quiet(); }));
  EXPECT_EQ(rig.open(), queue);
}

TEST(PacketProcessor, TimesDoNotDependOnTheOrderOfTicks) {
  const auto run = [](std::uint64_t seed) {
    QueueRig rig(seed);
    const std::uint32_t first = rig.open(), second = rig.open();
    for (std::uint64_t packet = 0; packet < 8; ++packet) {
      rig.dispatch(first, packet, 3, rig.signal(packet, 1), packet % 3 == 0);
      rig.dispatch(second, packet, 2, rig.signal(8 + packet, 1));
    }
    rig.ring(first, 8);
    rig.ring(second, 8);
    EXPECT_TRUE(rig.run_until([&] {
      for (std::size_t i = 0; i < 16; ++i)
        if (rig.value(i) != 0) return false;
      return true;
    }));
    return rig.engine.now();
  };
  const Picoseconds expected = run(0);
  for (const std::uint64_t seed : {1, 2, 3}) EXPECT_EQ(run(seed), expected);
}

}  // namespace
}  // namespace duet::test
