// Task events of a whole machine: what begins ends, and ids join from the call down to the block.
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "rig.h"

namespace duet::test {
namespace {

using Kind = TaskEventKind;
using Phase = TaskEventPhase;

// Spans of one kind, by parent and id.
struct Span {
  Picoseconds begin = kNever, end = 0;
  std::uint32_t unit = 0;
  std::uint64_t argument = 0;
  const sim::Component* component = nullptr;
};
using Spans = std::map<std::pair<std::uint64_t, std::uint64_t>, Span>;

Spans spans_of(const EventLog& log, Kind kind) {
  Spans result;
  for (const EventLog::Entry& entry : log.entries) {
    if (entry.kind != kind) continue;
    const std::pair key{entry.parent, entry.id};
    if (entry.phase == Phase::Begin) {
      EXPECT_TRUE(
          result.emplace(key, Span{entry.time_ps, 0, entry.unit, entry.argument, entry.component}).second)
          << "twice: " << entry.parent << ", " << entry.id;
    } else {
      EXPECT_TRUE(result.contains(key)) << "ends and has not begun: " << entry.parent << ", " << entry.id;
      EXPECT_EQ(result[key].end, 0u) << "ends twice";
      EXPECT_EQ(result[key].unit, entry.unit);
      result[key].end = entry.time_ps;
    }
  }
  for (const auto& [key, span] : result) EXPECT_LE(span.begin, span.end) << key.first << ", " << key.second;
  return result;
}

TEST(TaskEvents, IdsJoinFromCallToBlock) {
  Rig rig;
  EventLog log;
  rig.engine.report_events(log, kAllTaskEvents);
  const auto other = rig.driver().create_stream({});
  const VirtualAddress buffer = rig.device(4096);
  std::vector<std::byte> host(4096);
  std::map<driver::CommandId, std::uint64_t> blocks, call_of;
  std::uint64_t call = 0;
  const auto submit = [&](driver::Command command) {
    rig.thread.set_call(++call);
    const driver::CommandId id = rig.submit(std::move(command));
    call_of[id] = call;
    return id;
  };
  const driver::CommandId in = submit(rig.copy_in(buffer, host.data(), 4096, other));
  for (const std::uint32_t count : {1u, 40u, 7u}) {
    const driver::StreamId stream = count == 40 ? other : 0;
    blocks[submit(rig.launch(count, stream))] = count;
  }
  const driver::CommandId out = submit(rig.copy_out(host.data(), buffer, 1024, other));
  rig.thread.set_call(0);
  rig.finish();

  const Spans commands = spans_of(log, Kind::Command), preparations = spans_of(log, Kind::Preparation),
              kernels = spans_of(log, Kind::Kernel), moves = spans_of(log, Kind::Move);
  ASSERT_EQ(commands.size(), 5u);
  for (const auto& [key, span] : commands) {
    const auto [parent, id] = key;
    EXPECT_EQ(parent, call_of.at(id));
    const driver::CommandRecord& record = rig.records.at(id);
    EXPECT_EQ(record.call, parent);
    EXPECT_EQ(span.begin, record.queued_ps);
    EXPECT_EQ(span.end, record.end_ps);
    const Span& preparation = preparations.at({id, id});
    EXPECT_EQ(preparation.begin, record.driver_start_ps);
    EXPECT_GE(preparation.begin, span.begin);
    EXPECT_LE(preparation.end, record.start_ps);
  }
  EXPECT_EQ(preparations.size(), commands.size());

  ASSERT_EQ(moves.size(), 2u);
  for (const auto& [id, bytes] : {std::pair{in, 4096u}, std::pair{out, 1024u}}) {
    const Span& move = moves.at({id, 0});
    EXPECT_EQ(move.argument, bytes);
    EXPECT_EQ(move.begin, rig.records.at(id).start_ps);
    EXPECT_LE(move.end, rig.records.at(id).end_ps);
    EXPECT_EQ(move.component->name(), "data transfer engine " + std::to_string(move.unit));
    EXPECT_EQ(move.unit, id == in ? 0u : 1u);  // even ones move towards the GPU
  }

  ASSERT_EQ(kernels.size(), blocks.size());
  std::map<std::uint64_t, std::uint64_t> blocks_of;
  for (const auto& [key, block] : spans_of(log, Kind::Block)) {
    ++blocks_of[key.first];
    EXPECT_LT(key.second, blocks.at(key.first));
    const Span& kernel = kernels.at({key.first, key.first});
    EXPECT_GE(block.begin, kernel.begin);
    EXPECT_LE(block.end, kernel.end);
    EXPECT_EQ(block.component, rig.sms.at(block.unit).get());
    const auto ran = std::find_if(
        rig.sms[block.unit]->log.begin(), rig.sms[block.unit]->log.end(), [&](const MockSm::Log& entry) {
          return entry.block == key.second && entry.begin > block.begin && entry.end < block.end;
        });
    EXPECT_NE(ran, rig.sms[block.unit]->log.end()) << "block " << key.second << " ran elsewhere";
  }
  for (const auto& [id, count] : blocks) {
    EXPECT_EQ(blocks_of[id], count);
    EXPECT_EQ(kernels.at({id, id}).argument, count);
    EXPECT_LT(kernels.at({id, id}).unit, rig.config.gpu.front_end.reference_counters);
  }

  std::uint64_t last = 0;
  std::map<std::uint64_t, std::vector<std::string>> stream_of;  // of push-buffer commands
  for (const EventLog::Entry& entry : log.entries) {
    if (entry.kind != Kind::PushBufferCommand) continue;
    EXPECT_EQ(entry.id, ++last);
    EXPECT_EQ(entry.phase, Phase::Moment);
    EXPECT_GE(entry.time_ps, preparations.at({entry.parent, entry.parent}).begin);
    EXPECT_LE(entry.time_ps, commands.at({call_of.at(entry.parent), entry.parent}).end);
    stream_of[entry.parent].push_back(entry.text);
  }
  ASSERT_EQ(stream_of.size(), commands.size());
  for (const auto& [id, names] : stream_of) {
    EXPECT_EQ(names.front(), "SetStream");
    EXPECT_EQ(names.back(), "ReleaseSemaphore");
    const bool launches = std::find(names.begin(), names.end(), "Launch") != names.end();
    EXPECT_EQ(launches, blocks.contains(id));
  }
}

// A command waits for the last one of its stream, one that waits for an event also for its record; what is
// complete nobody waits for.
TEST(TaskEvents, DependenciesAreThoseOfTheStreamsAndOfEvents) {
  Rig rig;
  EventLog log;
  rig.engine.report_events(log, mask_of(Kind::Dependency));
  const auto other = rig.driver().create_stream({});
  const driver::CommandId first = rig.submit(rig.launch(1)), second = rig.submit(rig.launch(1));
  const driver::EventId event = rig.driver().create_event();
  const auto of_event = [&](driver::CommandKind kind, driver::StreamId stream) {
    driver::Command command = rig.launch(1, stream);
    command.kind = kind;
    command.grid.reset();
    command.event = event;
    return rig.submit(std::move(command));
  };
  const driver::CommandId record = of_event(driver::CommandKind::EventRecord, 0),
                          wait = of_event(driver::CommandKind::StreamWaitEvent, other),
                          last = rig.submit(rig.launch(1, other));
  rig.finish();
  rig.submit(rig.launch(1, other));
  std::vector<std::tuple<std::uint64_t, std::uint64_t, std::string>> told;
  for (const EventLog::Entry& entry : log.entries) {
    EXPECT_EQ(entry.phase, Phase::Moment);
    told.emplace_back(entry.parent, entry.id, entry.text);
  }
  const std::vector<std::tuple<std::uint64_t, std::uint64_t, std::string>> expected = {
      {second, first, "its stream"},
      {record, second, "its stream"},
      {wait, record, "an event"},
      {last, wait, "its stream"}};
  EXPECT_EQ(told, expected);
}

TEST(TaskEvents, OnlyTheWantedKindsCome) {
  Rig rig;
  EventLog log;
  rig.engine.report_events(log, mask_of(Kind::Block));
  rig.submit(rig.launch(3));
  rig.finish();
  EXPECT_EQ(log.entries.size(), 6u);
  for (const EventLog::Entry& entry : log.entries) EXPECT_EQ(entry.kind, Kind::Block);
}

// A kernel that faults, one that fits on no SM, and what is skipped after them: whatever began has ended.
TEST(TaskEvents, AFaultLeavesNothingOpen) {
  for (const bool too_large : {false, true}) {
    Rig rig;
    EventLog log;
    rig.engine.report_events(log, kAllTaskEvents);
    if (!too_large) rig.sms[0]->at_end = [](gpu::Grid&, std::uint64_t) { return true; };
    rig.submit(rig.launch(2000, 0, too_large ? 32 * 49 : 32));
    rig.submit(rig.launch(1));
    rig.finish();
    for (std::size_t kind = 0; kind < kTaskEventKinds; ++kind) {
      if (static_cast<Kind>(kind) == Kind::PushBufferCommand || static_cast<Kind>(kind) == Kind::Dependency)
        continue;  // moments
      for (const auto& [key, span] : spans_of(log, static_cast<Kind>(kind)))
        EXPECT_NE(span.end, 0u) << "kind " << kind << ": " << key.first << ", " << key.second;
    }
    EXPECT_EQ(spans_of(log, Kind::Kernel).size(), too_large ? 0u : 1u);
    EXPECT_EQ(spans_of(log, Kind::Command).size(), 2u);
  }
}

}  // namespace
}  // namespace duet::test
