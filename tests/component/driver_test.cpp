// The driver's order and times: stages, streams, channels, the default stream, events, host functions,
// faults.
#include <gtest/gtest.h>

#include "base/error.h"
#include "host/native_thread.h"
#include "rig.h"

namespace duet::test {
namespace {

using driver::CommandKind;
using driver::CommandRecord;

constexpr Picoseconds kMicrosecond = 1'000'000;

void last_for(Rig& rig, Picoseconds duration) {
  for (auto& sm : rig.sms) sm->duration = [=](const gpu::Grid&, std::uint64_t) { return duration; };
}

TEST(Driver, CallReturnsAfterStageOneAndDriverServesOneStageTwoAtATime) {
  Rig rig;
  const auto s1 = rig.driver().create_stream({}), s2 = rig.driver().create_stream({});
  const auto first = rig.submit(rig.launch(1, s1));
  EXPECT_EQ(rig.thread.clock(), 1500'000u);
  EXPECT_EQ(rig.engine.now(), 1500'000u);
  const auto second = rig.submit(rig.launch(1, s2));
  EXPECT_EQ(rig.thread.clock(), 3000'000u);
  rig.finish();
  const CommandRecord a = rig.records[first], b = rig.records[second];
  EXPECT_EQ(a.queued_ps, 1500'000u);
  EXPECT_EQ(a.driver_start_ps, 1500'000u);
  EXPECT_EQ(b.queued_ps, 3000'000u);
  EXPECT_EQ(b.driver_start_ps, 4500'000u);  // when the first command's stage (ii) has ended
  EXPECT_GE(a.start_ps, 4500'000u);
  EXPECT_GE(b.start_ps, 7500'000u);
  EXPECT_LT(a.start_ps, 4500'000u + kMicrosecond);
}

TEST(Driver, SynchronizingChargesItsCallAndThenItsEnd) {
  Rig rig;
  const auto id = rig.submit(rig.launch(1));
  rig.finish();
  EXPECT_EQ(rig.thread.clock(), rig.records[id].end_ps + 1000'000);
  const Picoseconds before = rig.thread.clock();
  rig.finish();  // nothing left to wait for
  EXPECT_EQ(rig.thread.clock(), before + 2000'000);
}

TEST(Driver, HardwareAddsLessThanAMicrosecondToTableTwo) {
  for (const Bytes bytes : {Bytes{4}, Bytes{4096}, Bytes{1_MiB}}) {
    Rig rig;
    std::vector<std::byte> host(bytes);
    const VirtualAddress buffer = rig.device(bytes);
    const auto id = rig.submit(rig.copy_in(buffer, host.data(), bytes));
    rig.finish();
    const double wire_ps = static_cast<double>(bytes) * 1e6 / 6800;
    const double over = static_cast<double>(rig.records[id].end_ps) - 7.2e6 - wire_ps;
    EXPECT_GT(over, 0.5e6);
    EXPECT_LT(over, 1e6) << bytes;
  }
}

TEST(Driver, CommandsOfAStreamWaitForThePredecessorsAcks) {
  Rig rig;
  std::vector<driver::CommandId> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(rig.submit(rig.launch(40)));
  rig.finish();
  for (int i = 1; i < 5; ++i)
    EXPECT_EQ(rig.records[ids[i]].driver_start_ps, rig.records[ids[i - 1]].end_ps) << i;
}

TEST(Driver, ReadAheadPreparesTheNextCommandWhileTheGpuKeepsTheOrder) {
  auto machine = gtx580();
  machine.driver.read_ahead = true;
  Rig rig(machine);
  last_for(rig, 50 * kMicrosecond);
  const auto a = rig.submit(rig.launch(40)), b = rig.submit(rig.launch(40));
  const auto stream = rig.driver().create_stream({});
  const auto c = rig.submit(rig.launch(1, stream)), d = rig.submit(rig.launch(1, stream));
  rig.finish();
  EXPECT_EQ(rig.records[d].driver_start_ps, rig.records[c].driver_start_ps + 3 * kMicrosecond);
  EXPECT_LT(rig.records[d].driver_start_ps, rig.records[c].end_ps);
  EXPECT_GE(rig.records[d].start_ps, rig.records[c].start_ps + 50 * kMicrosecond);
  EXPECT_GE(rig.records[b].start_ps, rig.records[a].start_ps + 50 * kMicrosecond);
}

// A1, A2 in one stream, B in another: with one channel B waits behind A2, which waits for A1.
TEST(Driver, OneChannelMakesAFalseDependencyAndManyChannelsNone) {
  for (const std::uint64_t channels : {1, 8}) {
    auto machine = gtx580();
    machine.gpu.front_end.hardware_channels = channels;
    Rig rig(machine);
    last_for(rig, 100 * kMicrosecond);
    const auto s1 = rig.driver().create_stream({}), s2 = rig.driver().create_stream({});
    const auto a1 = rig.submit(rig.launch(1, s1));
    const auto a2 = rig.submit(rig.launch(1, s1));
    const auto b = rig.submit(rig.launch(1, s2));
    rig.finish();
    if (channels == 1) {
      EXPECT_GE(rig.records[b].driver_start_ps, rig.records[a2].driver_start_ps + 3 * kMicrosecond);
      EXPECT_GE(rig.records[b].start_ps, rig.records[a1].end_ps);
    } else {
      EXPECT_LT(rig.records[b].start_ps, rig.records[a1].end_ps);
      EXPECT_EQ(rig.records[b].driver_start_ps, rig.records[a1].driver_start_ps + 3 * kMicrosecond);
    }
  }
}

TEST(Driver, TheDefaultStreamWaitsForBlockingStreamsAndTheyForIt) {
  auto machine = gtx580();
  machine.gpu.front_end.hardware_channels = 8;
  Rig rig(machine);
  last_for(rig, 20 * kMicrosecond);
  const auto blocking = rig.driver().create_stream({driver::StreamOrder::Joins, 0});
  const auto free = rig.driver().create_stream({});
  const auto a = rig.submit(rig.launch(1, blocking));
  const auto legacy = rig.submit(rig.launch(1, 0));
  const auto b = rig.submit(rig.launch(1, blocking));
  const auto c = rig.submit(rig.launch(1, free));
  EXPECT_FALSE(rig.driver().stream_idle(0));
  rig.finish();
  EXPECT_GE(rig.records[legacy].driver_start_ps, rig.records[a].end_ps);
  EXPECT_GE(rig.records[b].driver_start_ps, rig.records[legacy].end_ps);
  EXPECT_LT(rig.records[c].start_ps, rig.records[a].end_ps);
}

TEST(Driver, LegacyStreamIsIdleOnlyWhenAllBlockingStreamsAre) {
  Rig rig;
  const auto blocking = rig.driver().create_stream({driver::StreamOrder::Joins, 0});
  const auto free = rig.driver().create_stream({});
  rig.submit(rig.launch(1, free));
  EXPECT_TRUE(rig.driver().stream_idle(0));
  EXPECT_FALSE(rig.driver().stream_idle(free));
  rig.submit(rig.launch(1, blocking));
  EXPECT_FALSE(rig.driver().stream_idle(0));
  rig.finish();
  EXPECT_TRUE(rig.driver().stream_idle(0));
}

TEST(Driver, AnEventHoldsTheTimeAtWhichTheStreamReachedIt) {
  Rig rig;
  last_for(rig, 30 * kMicrosecond);
  const auto event = rig.driver().create_event();
  EXPECT_TRUE(rig.driver().event_complete(event));
  EXPECT_FALSE(rig.driver().event_recorded(event));
  const auto kernel = rig.submit(rig.launch(1));
  const auto record = rig.submit(rig.event(CommandKind::EventRecord, event, 0));
  EXPECT_FALSE(rig.driver().event_complete(event));
  EXPECT_FALSE(rig.driver().event_time(event).has_value());
  rig.finish();
  ASSERT_TRUE(rig.driver().event_time(event).has_value());
  EXPECT_GT(*rig.driver().event_time(event), rig.records[kernel].end_ps);
  EXPECT_LT(*rig.driver().event_time(event), rig.records[record].end_ps);
}

TEST(Driver, AWaitRefersToTheLatestRecordBeforeIt) {
  for (const std::uint64_t channels : {1, 8}) {
    auto machine = gtx580();
    machine.gpu.front_end.hardware_channels = channels;
    Rig rig(machine);
    for (auto& sm : rig.sms)
      sm->duration = [](const gpu::Grid& grid, std::uint64_t) { return grid.grid.x * 50 * kMicrosecond; };
    const auto slow = rig.driver().create_stream({}), quick = rig.driver().create_stream({});
    const auto waiter = rig.driver().create_stream({}), late = rig.driver().create_stream({});
    const auto event = rig.driver().create_event(), never = rig.driver().create_event();
    const auto a = rig.submit(rig.launch(4, slow));
    rig.submit(rig.event(CommandKind::EventRecord, event, slow));
    const auto wait = rig.submit(rig.event(CommandKind::StreamWaitEvent, event, waiter));
    const auto after = rig.submit(rig.launch(1, waiter));
    rig.submit(rig.event(CommandKind::EventRecord, event, quick));  // recorded again, complete long before
    const auto none = rig.submit(rig.event(CommandKind::StreamWaitEvent, never, late));
    rig.finish();
    EXPECT_GE(rig.records[wait].end_ps, rig.records[a].end_ps);
    EXPECT_GE(rig.records[after].start_ps, rig.records[wait].end_ps);
    if (channels > 1) {
      EXPECT_LT(rig.records[none].end_ps, rig.records[a].end_ps);
    }
  }
}

// Without an event, and not for what the other stream has behind it.
TEST(Driver, AStreamWaitsForACommandOfAnother) {
  for (const bool read_ahead : {false, true}) {
    auto machine = gtx580();
    machine.driver.read_ahead = read_ahead;
    machine.gpu.front_end.hardware_channels = 8;
    Rig rig(machine);
    for (auto& sm : rig.sms)
      sm->duration = [](const gpu::Grid& grid, std::uint64_t) { return grid.grid.x * 50 * kMicrosecond; };
    const auto first = rig.driver().create_stream({}), second = rig.driver().create_stream({});
    const auto a = rig.submit(rig.launch(1, first));
    const auto behind = rig.submit(rig.launch(8, first));
    auto wait = rig.event(CommandKind::StreamWaitEvent, 0, second);
    wait.after = a;
    rig.submit(std::move(wait));
    const auto b = rig.submit(rig.launch(1, second));
    rig.finish();
    auto late = rig.event(CommandKind::StreamWaitEvent, 0, second);
    late.after = a;  // complete long before
    const auto none = rig.submit(std::move(late));
    rig.finish();
    EXPECT_GE(rig.records[b].start_ps, rig.records[a].start_ps + 50 * kMicrosecond);
    EXPECT_LT(rig.records[b].start_ps, rig.records[behind].end_ps);
    EXPECT_GT(rig.records[none].end_ps, 0);
  }
}

// In the default stream, whose order blocking streams share, and in one that joins nobody.
TEST(Driver, HostFunctionsRunWhenTheirStreamReachesThem) {
  for (const bool read_ahead : {false, true})
    for (const bool own_stream : {false, true}) {
      auto machine = gtx580();
      machine.driver.read_ahead = read_ahead;
      Rig rig(machine);
      const auto stream = own_stream ? rig.driver().create_stream({}) : 0;
      Picoseconds called = 0;
      const auto before = rig.submit(rig.launch(1, stream));
      driver::Command command;
      command.kind = CommandKind::HostFunction;
      command.stream = stream;
      command.cost = &rig.config.driver.host_function;
      command.host_function = [&] { called = rig.engine.now(); };
      const auto function = rig.submit(std::move(command));
      const auto after = rig.submit(rig.launch(1, stream));
      rig.finish();
      EXPECT_EQ(called, rig.records[before].end_ps + 500'000);
      EXPECT_EQ(rig.records[function].end_ps, called);
      EXPECT_GE(rig.records[after].driver_start_ps, called);
    }
}

// Of a program that is not in this process: the driver goes on with other streams meanwhile.
TEST(Driver, AHostFunctionElsewhereEndsWhenSomebodySaysSo) {
  Rig rig;
  const auto other = rig.driver().create_stream({});
  driver::CommandId begun = 0;
  driver::Command command;
  command.kind = CommandKind::HostFunction;
  command.cost = &rig.config.driver.host_function;
  command.begin_host_function = [&](driver::CommandId id) { begun = id; };
  const auto function = rig.submit(std::move(command));
  const auto beside = rig.submit(rig.launch(1, other));
  const auto behind = rig.submit(rig.launch(1));
  rig.engine.run_until(1000 * kMicrosecond);
  EXPECT_EQ(begun, function);
  EXPECT_TRUE(rig.driver().complete(beside));
  EXPECT_FALSE(rig.driver().complete(function));
  EXPECT_FALSE(rig.driver().complete(behind));
  rig.driver().host_function_ended(function);
  rig.engine.run_until(2000 * kMicrosecond);
  EXPECT_TRUE(rig.driver().complete(behind));
  EXPECT_EQ(rig.records[function].end_ps, 1000 * kMicrosecond);
  EXPECT_GE(rig.records[behind].driver_start_ps, 1000 * kMicrosecond);
}

TEST(Driver, ADestroyedStreamFinishesItsWork) {
  Rig rig;
  const auto stream = rig.driver().create_stream({driver::StreamOrder::Joins, 0});
  const auto id = rig.submit(rig.launch(4, stream));
  rig.driver().destroy_stream(stream);
  EXPECT_FALSE(rig.driver().stream_exists(stream));
  EXPECT_NE(rig.driver().create_stream({driver::StreamOrder::Joins, 0}), stream);
  EXPECT_THROW(rig.driver().submit(rig.launch(1, stream)), Error);
  rig.finish();
  EXPECT_TRUE(rig.driver().complete(id));
  EXPECT_EQ(rig.records.count(id), 1u);
}

TEST(Driver, AfterAFaultEverythingCompletesWithoutEffect) {
  Rig rig;
  for (auto& sm : rig.sms) sm->at_end = [](gpu::Grid&, std::uint64_t block) { return block == 3; };
  const auto event = rig.driver().create_event();
  std::vector<std::byte> host(64, std::byte{7});
  const VirtualAddress buffer = rig.device(64);
  bool called = false;
  const auto bad = rig.submit(rig.launch(1000));
  const auto copy = rig.submit(rig.copy_in(buffer, host.data(), 64));
  rig.submit(rig.event(CommandKind::EventRecord, event, 0));
  driver::Command function;
  function.kind = CommandKind::HostFunction;
  function.cost = &rig.config.driver.host_function;
  function.host_function = [&] { called = true; };
  rig.submit(std::move(function));
  const auto later = rig.submit(rig.launch(10));
  rig.finish();
  ASSERT_TRUE(rig.driver().fault().has_value());
  EXPECT_EQ(rig.driver().fault()->text, "mock fault");
  EXPECT_EQ(*rig.bytes_of(buffer), std::byte{0});
  EXPECT_FALSE(called);
  EXPECT_TRUE(rig.driver().event_complete(event));
  EXPECT_TRUE(rig.driver().event_time(event).has_value());
  EXPECT_EQ(rig.records[copy].end_ps, rig.records[bad].end_ps);
  std::size_t blocks = 0;
  for (auto& sm : rig.sms) blocks += sm->log.size();
  EXPECT_LT(blocks, 1000u);  // what had not been dispatched was dropped
  EXPECT_TRUE(rig.driver().complete(later));
}

TEST(Driver, AFullQueueMakesTheCallWait) {
  auto machine = gtx580();
  machine.driver.queue_commands = 2;
  Rig rig(machine);
  last_for(rig, 100 * kMicrosecond);
  std::vector<driver::CommandId> ids;
  for (int i = 0; i < 3; ++i) ids.push_back(rig.submit(rig.launch(1)));
  EXPECT_EQ(rig.thread.clock(), 3 * 1500'000u);  // one is being served, two are queued
  EXPECT_FALSE(rig.driver().can_submit(0));
  ids.push_back(rig.submit(rig.launch(1)));
  rig.finish();
  EXPECT_EQ(rig.records[ids[3]].queued_ps, rig.records[ids[1]].driver_start_ps + 1500'000);
}

TEST(Driver, AMachineWithoutProgressSaysWhoWaitsForWhom) {
  Rig rig;
  for (auto& sm : rig.sms) sm->duration = [](const gpu::Grid&, std::uint64_t) { return kNever / 2; };
  rig.submit(rig.launch(1));
  rig.submit(rig.launch(1));
  // The block never ends: give the thread a condition that the machine cannot reach instead of waiting for
  // it.
  rig.engine.run_until(rig.engine.now() + 100 * kMicrosecond);
  const std::string report = rig.engine.waiting_report();
  EXPECT_NE(report.find("work distributor waits for stream 0: blocks of kernel 'k' (0 of 1 complete"),
            std::string::npos)
      << report;
  EXPECT_NE(report.find("driver waits for command 2 of stream 0: its predecessor in the stream"),
            std::string::npos)
      << report;
  Rig empty;
  EXPECT_THROW(empty.thread.wait(empty.config.driver.other, [] { return false; }), Deadlock);
}

struct OtherThread : host::OtherThreads {
  bool any_waits() const override { return rests != nullptr; }
  bool want_turn() const override { return wants || (rests && rests()); }
  void give_turn(const std::function<bool()>&) override { has_turn(); }
  bool wait_for_another() override { return acts(); }
  std::function<bool()> rests, acts;
  std::function<void()> has_turn;
  bool wants = false;
};

// A thread that waits while the machine stands still: another one submits what it waits for.
TEST(Driver, AThreadGoesOnWithWhatAnotherOneSubmits) {
  Rig rig;
  host::NativeThread other(rig.engine, rig.driver(), rig.config.driver);
  unsigned waits = 0;
  OtherThread others;
  rig.thread.others = &others;
  others.acts = [&] {
    if (++waits == 3) other.submit(rig.launch(1));
    return true;
  };
  rig.thread.wait(rig.config.driver.stream_synchronize, [&] { return rig.records.size() == 1; });
  EXPECT_EQ(waits, 3u);
  EXPECT_EQ(rig.thread.clock(), rig.records[1].end_ps + 1'000'000);
  others.acts = [&] { return ++waits < 6; };
  EXPECT_THROW(rig.thread.wait(rig.config.driver.other, [] { return false; }), Deadlock);
  EXPECT_EQ(waits, 6u);
}

// A thread that waits gives its turn to one that wants to make a call, and to one whose own wait ends
// meanwhile: at that time, not later.
TEST(Driver, AThreadThatWaitsGivesItsTurn) {
  Rig rig;
  struct EveryMicrosecond : host::TimeWatch {
    Picoseconds horizon(Picoseconds now, Picoseconds) override { return now + kMicrosecond; }
    void look(Picoseconds) override {}
    std::string standstill() override { return {}; }
  } watch;
  host::NativeThread thread(rig.engine, rig.driver(), rig.config.driver, &watch);
  host::NativeThread other(rig.engine, rig.driver(), rig.config.driver, &watch);
  OtherThread others;
  thread.others = &others;
  others.wants = true;
  others.has_turn = [&] {
    other.submit(rig.launch(1));
    others.wants = false;
  };
  thread.wait(rig.config.driver.stream_synchronize, [&] { return rig.records.size() == 1; });
  EXPECT_EQ(rig.records.size(), 1u);

  const auto first = thread.submit(rig.launch(1));
  const auto second = thread.submit(rig.launch(1));
  Picoseconds at = 0;
  others.rests = [&] { return at == 0 && rig.driver().complete(first); };
  others.has_turn = [&] { at = rig.engine.now(); };
  thread.wait(rig.config.driver.stream_synchronize, [&] { return rig.driver().complete(second); });
  EXPECT_EQ(at, rig.records.at(2).end_ps);
}

TEST(Driver, HostWorkMovesOnlyTheThreadsClock) {
  Rig rig;
  const auto id = rig.submit(rig.launch(1));
  rig.thread.work(50 * kMicrosecond);
  EXPECT_FALSE(rig.driver().complete(id));
  rig.thread.enter();
  EXPECT_TRUE(rig.driver().complete(id));
  EXPECT_EQ(rig.thread.clock(), 51'500'000u);
}

// The same mixed program under several tick orders: every record is the same.
std::vector<std::array<Picoseconds, 5>> mixed_program(std::uint64_t seed, std::uint64_t channels,
                                                      bool read_ahead) {
  auto machine = gtx580();
  machine.gpu.front_end.hardware_channels = channels;
  machine.gpu.front_end.reference_counters = 2;
  machine.gpu.front_end.queue_width = 3;
  machine.link.queue_packets = 4;
  machine.driver.read_ahead = read_ahead;
  Rig rig(machine, seed);
  for (auto& sm : rig.sms)
    sm->duration = [](const gpu::Grid& grid, std::uint64_t block) {
      return Picoseconds{200'000} + block * 7919 % 13 * 40'000 + grid.grid.x * 1000;
    };
  std::vector<std::byte> host(40'000);
  std::vector<driver::StreamId> streams{0};
  for (int i = 0; i < 5; ++i)
    streams.push_back(rig.driver().create_stream(
        {i % 2 == 0 ? driver::StreamOrder::Joins : driver::StreamOrder::Alone, i % 3}));
  std::uint64_t state = 12345;
  const auto random = [&](std::uint64_t n) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (state >> 33) % n;
  };
  std::vector<driver::EventId> events;
  for (int i = 0; i < 4; ++i) events.push_back(rig.driver().create_event());
  const VirtualAddress buffer = rig.device(host.size());
  for (int i = 0; i < 120; ++i) {
    const auto stream = streams[random(streams.size())];
    const Bytes bytes = 1 + random(host.size());
    switch (random(5)) {
      case 0:
        rig.submit(rig.copy_in(buffer, host.data(), bytes, stream));
        break;
      case 1:
        rig.submit(rig.copy_out(host.data(), buffer, bytes, stream));
        break;
      case 2:
        rig.submit(rig.launch(static_cast<std::uint32_t>(1 + random(300)), stream));
        break;
      case 3:
        rig.submit(rig.event(CommandKind::EventRecord, events[random(4)], stream));
        break;
      default:
        rig.submit(rig.event(CommandKind::StreamWaitEvent, events[random(4)], stream));
    }
  }
  rig.finish();
  EXPECT_EQ(rig.board.requests().in_use(), 0u);
  std::vector<std::array<Picoseconds, 5>> result;
  for (const auto& [id, record] : rig.records)
    result.push_back({id, record.queued_ps, record.driver_start_ps, record.start_ps, record.end_ps});
  return result;
}

TEST(Driver, TickOrderIsNotObservable) {
  for (const std::uint64_t channels : {1, 2, 8})
    for (const bool read_ahead : {false, true}) {
      const auto expected = mixed_program(0, channels, read_ahead);
      EXPECT_EQ(expected.size(), 120u);
      for (const std::uint64_t seed : {1, 2, 3, 17, 12345})
        EXPECT_TRUE(mixed_program(seed, channels, read_ahead) == expected)
            << channels << " channels, read-ahead " << read_ahead << ", seed " << seed;
    }
}

}  // namespace
}  // namespace duet::test
