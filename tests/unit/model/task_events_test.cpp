// Warps, which the machine of tests/component does not have: each fault is found.
#include "model/task_events.h"

#include <gtest/gtest.h>

namespace duet::model {
namespace {

using Kind = TaskEventKind;
using Phase = TaskEventPhase;

config::Machine small_machine() {
  config::Machine machine;
  machine.gpu.sm.count = 2;
  machine.gpu.sm.max_warps = 4;
  machine.gpu.sm.max_blocks = 2;
  machine.gpu.sm.warp_width = 32;
  machine.gpu.front_end.queue_width = machine.gpu.front_end.queue_depth = 2;
  machine.gpu.front_end.reference_counters = 2;
  return machine;
}

sim::Event event(Kind kind, Phase phase, Picoseconds time, std::uint32_t unit, std::uint64_t id) {
  return {.kind = kind, .phase = phase, .stream = 1, .unit = unit, .time_ps = time, .id = id, .parent = 1};
}
sim::Event warp(Phase phase, Picoseconds time, std::uint32_t sm, std::uint32_t slot, std::uint64_t block,
                std::uint64_t index) {
  sim::Event result = event(Kind::Warp, phase, time, sm, index);
  result.stream = slot;
  result.argument = block;
  return result;
}

// A kernel of two blocks of two warps, one to an SM.
std::vector<sim::Event> kernel() {
  sim::Event submitted = event(Kind::Command, Phase::Begin, 0, 0, 1), complete = submitted;
  complete.phase = Phase::End;
  complete.time_ps = 20;
  std::vector<sim::Event> events{submitted, event(Kind::Queue, Phase::Begin, 1, 0, 1),
                                 event(Kind::Kernel, Phase::Begin, 2, 0, 1)};
  for (const std::uint32_t block : {0u, 1u})
    events.push_back(event(Kind::Block, Phase::Begin, 3 + block, block, block));
  for (const std::uint32_t block : {0u, 1u})
    for (const std::uint32_t index : {0u, 1u})
      events.push_back(warp(Phase::Begin, 5, block, index, block, index));
  for (const std::uint32_t block : {0u, 1u})
    for (const std::uint32_t index : {0u, 1u})
      events.push_back(warp(Phase::End, 9, block, index, block, index));
  for (const std::uint32_t block : {0u, 1u})
    events.push_back(event(Kind::Block, Phase::End, 10, block, block));
  events.push_back(event(Kind::Kernel, Phase::End, 11, 0, 1));
  events.push_back(event(Kind::Queue, Phase::End, 12, 0, 1));
  events.push_back(complete);
  return events;
}

// The same one, with lines of L2 written back before its blocks, and behind them.
enum Maintained { kSubmitted, kRange1, kRange2, kEntered, kBeforeBegins, kBeforeEnds, kKernelBegins };
std::vector<sim::Event> maintained_kernel() {
  const auto range = [](Picoseconds time) {
    sim::Event word = event(Kind::PushBufferCommand, Phase::Moment, time, 0, 0);
    word.name = "CacheRange";
    return word;
  };
  auto events = kernel();
  const sim::Event moves[] = {event(Kind::Move, Phase::Begin, 2, 1, 0),
                              event(Kind::Move, Phase::End, 2, 1, 0)};
  events.insert(events.begin() + 2, std::begin(moves), std::end(moves));
  events.insert(events.begin() + 1, {range(1), range(1)});
  const sim::Event behind[] = {event(Kind::Move, Phase::Begin, 11, 1, 1),
                               event(Kind::Move, Phase::End, 11, 1, 1)};
  events.insert(events.end() - 2, std::begin(behind), std::end(behind));
  return events;
}

std::vector<Violation> judged(const std::vector<sim::Event>& events,
                              const config::Machine& machine = small_machine()) {
  std::vector<Violation> found;
  TaskEvents checked(machine, [&](const Violation& violation) { found.push_back(violation); });
  CommandFacts facts;
  facts.kind = ScriptKind::Computing;
  facts.name = "kernel 'k'";
  facts.blocks = 2;
  facts.block = block_resources(machine.gpu.sm, 64, 1, 0);
  checked.describe(1, facts);
  for (const sim::Event& one : events) checked.take(one);
  checked.finish();
  return found;
}

// The only rule that is broken, and a word of how.
void expect(const std::vector<sim::Event>& events, Rule rule, const char* words) {
  const auto found = judged(events);
  ASSERT_FALSE(found.empty()) << words;
  EXPECT_EQ(name_of(found[0].rule), std::string(name_of(rule))) << found[0].text;
  EXPECT_NE(found[0].text.find(words), std::string::npos) << found[0].text;
}

TEST(ModelTaskEvents, AKernelWithItsWarpsIsSilent) {
  for (const Violation& one : judged(kernel())) ADD_FAILURE() << one.text;
}

TEST(ModelTaskEvents, AWarpOnAnotherSmThanItsBlockIsLocality) {
  auto events = kernel();
  events[5].unit = 1;
  events[5].stream = 3;
  expect(events, Rule::Locality, "warp 0 of block 0 of command 1 is on PE 1, and its task instance");
}

TEST(ModelTaskEvents, TwoWarpsInASlotIsCapacity) {
  auto events = kernel();
  events[6].stream = 0;
  expect(events, Rule::Capacity, "enters queue 0");
}

TEST(ModelTaskEvents, ASlotThatAnSmDoesNotHaveIsCapacity) {
  auto events = kernel();
  events[6].stream = 4;
  expect(events, Rule::Capacity, "in slot 4 of SM 0: an SM has 4");
}

TEST(ModelTaskEvents, ABlockThatEndsBeforeItsWarpsIsAtomicity) {
  auto events = kernel();
  std::swap(events[10], events[13]);
  expect(events, Rule::Atomicity, "ends, and 1 of its task groups have not");
}

TEST(ModelTaskEvents, AWarpThatEndsTwiceIsLocality) {
  auto events = kernel();
  events.insert(events.begin() + 10, events[9]);
  expect(events, Rule::Locality, "where it is not");
}

TEST(ModelTaskEvents, AKernelThatIsCompleteForTheHostTooEarlyIsSynchronization) {
  auto events = kernel();
  std::swap(events[15], events[17]);
  expect(events, Rule::Synchronization, "is complete for the host, and has not ended");
}

TEST(ModelTaskEvents, ALaunchOfAnotherNumberOfBlocksIsAtomicity) {
  auto events = kernel();
  sim::Event command = event(Kind::PushBufferCommand, Phase::Moment, 1, 0, 1);
  command.name = "SetRefCntValue";
  command.argument = 3;
  events.insert(events.begin() + 1, command);
  expect(events, Rule::Atomicity, "waits for 3 task instances, and has 2");
}

TEST(ModelTaskEvents, CachesAreMaintainedBeforeAKernelAndBehindIt) {
  config::Machine machine = small_machine();
  machine.gpu.copy_engines.count = 1;
  for (const Violation& one : judged(maintained_kernel(), machine)) {
    EXPECT_NE(one.text.find("moves data with PE 1, and there are 1"), std::string::npos) << one.text;
    EXPECT_EQ(one.rule, Rule::Locality) << "this machine has no cache engine";
  }
  EXPECT_EQ(judged(maintained_kernel(), machine).size(), 2u);
  machine.memory_fabric.emplace();
  for (const Violation& one : judged(maintained_kernel(), machine)) ADD_FAILURE() << one.text;
}

TEST(ModelTaskEvents, AKernelWhoseMaintenanceIsNotToldOfHasNotEnded) {
  auto events = maintained_kernel();
  events.erase(events.end() - 4, events.end() - 2);
  expect(events, Rule::Synchronization, "is complete for the host, and has not ended");
}

TEST(ModelTaskEvents, ABlockThatDoesNotWaitForMaintenanceIsSynchronization) {
  auto events = maintained_kernel();
  std::swap(events[kBeforeEnds], events[kKernelBegins]);
  std::swap(events[kKernelBegins], events[kKernelBegins + 1]);
  expect(events, Rule::Synchronization, "is dispatched, and a move for it has not ended");
}

TEST(ModelTaskEvents, MaintenanceBetweenBlocksIsAtomicity) {
  auto events = maintained_kernel();
  std::swap(events[kKernelBegins + 1], events[kBeforeBegins]);
  expect(events, Rule::Synchronization, "is dispatched before its group begins");
  events = maintained_kernel();
  const sim::Event moves[] = {events[kBeforeBegins], events[kBeforeEnds]};
  events.erase(events.begin() + kBeforeBegins, events.begin() + kKernelBegins);
  events.insert(events.begin() + kBeforeBegins + 2, std::begin(moves), std::end(moves));
  expect(events, Rule::Atomicity, "moves data, and 0 of 2 task instances have ended");
}

}  // namespace
}  // namespace duet::model
