#include "model/task_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/command_work.h"
#include "sim/engine.h"

namespace duet::model {

namespace {
constexpr unsigned kGpu = 1, kSm = 0;

std::uint64_t units(std::uint64_t value, std::uint64_t unit) {
  return round_up(value, std::max<std::uint64_t>(unit, 1));
}

// The event has the kind of a command without facts.
void complete_facts(CommandFacts& facts, const sim::Event& event) {
  if (facts.name.empty()) facts.name = event.name;
  if (facts.kind != ScriptKind::Scheduling) return;
  const auto work = static_cast<CommandWork>(event.argument);
  if (work == CommandWork::Computes) facts.kind = ScriptKind::Computing;
  if (work == CommandWork::Moves) facts.kind = ScriptKind::Moving;
}
}  // namespace

Resources block_resources(const config::Sm& sm, std::uint64_t threads, std::uint64_t registers_per_thread,
                          Bytes shared_bytes) {
  const std::uint64_t warps = (threads + sm.warp_width - 1) / sm.warp_width;
  const std::uint64_t registers_per_warp =
      units(std::max<std::uint64_t>(registers_per_thread, 1) * sm.warp_width, sm.register_allocation_unit);
  return {warps, threads, registers_per_warp * units(warps, sm.warp_allocation_unit), shared_bytes};
}

std::vector<LevelLimits> limits_of(const config::Machine& machine) {
  const config::Sm& sm = machine.gpu.sm;
  const config::FrontEnd& front = machine.gpu.front_end;
  std::vector<LevelLimits> limits(2);
  limits[kSm].queues = sm.max_warps;
  limits[kSm].depth = 1;
  LevelLimits& gpu = limits[kGpu];
  gpu.queues = front.queue_width;
  gpu.depth = front.queue_depth;
  gpu.contexts = front.reference_counters;
  gpu.units = sm.count;
  gpu.places = sm.max_blocks;
  gpu.resources = {sm.max_warps, sm.max_threads, sm.registers, sm.shared_bytes};
  // Resources of warps are free before their block ends; no event shows it.
  if (front.dispatch == "cross_level") gpu.resources = {0, 0, 0, sm.shared_bytes};
  gpu.movers = machine.gpu.copy_engines.count + machine.gpu.copy_engines.bit_engines +
               (machine.memory_fabric ? 1 : 0);  // the cache engine
  return limits;
}

TaskEvents::TaskEvents(const config::Machine& machine, Rules::Report report)
    : warp_slots_(machine.gpu.sm.max_warps),
      rules_(limits_of(machine), std::move(report),
             [this](unsigned level, std::uint64_t group) { return name(level, group); }),
      slots_(machine.gpu.sm.count * machine.gpu.sm.max_warps) {}

std::string TaskEvents::name(unsigned level, std::uint64_t group) const {
  if (level == kSm) {
    const auto place = slot_of_.find(group);
    if (place == slot_of_.end()) return fmt::format("warp #{}", group);
    const Slot& slot = slots_[place->second];
    return fmt::format("warp {} of block {} of command {}", slot.warp, slot.block, slot.command);
  }
  const auto found = commands_.find(group);
  if (found == commands_.end()) return fmt::format("command {}", group);
  return fmt::format("{} (command {}, stream {})", found->second.facts.name, group, found->second.stream);
}

TaskEvents::Command* TaskEvents::known(std::uint64_t number) {
  const auto found = commands_.find(number);
  return found == commands_.end() ? nullptr : &found->second;
}

void TaskEvents::describe(std::uint64_t command, const CommandFacts& facts) {
  commands_[command].facts = facts;
}

Operation TaskEvents::operation(Verb verb, const sim::Event& event, const Command& command) const {
  Operation operation;
  operation.verb = verb;
  operation.kind = command.facts.kind;
  operation.movement = command.facts.movement;
  operation.level = kGpu;
  operation.time = event.time_ps;
  operation.group = event.parent;
  operation.channel = command.stream;
  operation.hardware_channel = command.channel;
  operation.width = command.facts.kind == ScriptKind::Computing ? command.facts.blocks : 1;
  operation.unit = event.unit;
  return operation;
}

// Components that work at a level stand in one PE of the level above (sections 2.1, 2.3).
void TaskEvents::check_father(const sim::Event& event) {
  if (event.component == nullptr) return;
  const sim::Component* const father = event.component->parent();
  if (father_ == nullptr) father_ = father;
  if (father == father_) return;
  rules_.report(Rule::Locality, event.time_ps, kGpu, event.parent,
                fmt::format("is told of by '{}', which has another father than the GPU's other components",
                            event.component->name()));
}

void TaskEvents::take(const sim::Event& event) {
  switch (event.kind) {
    case TaskEventKind::Command:
      return command(event);
    case TaskEventKind::Dependency:
      return rules_.after(kGpu, event.parent, event.id);
    case TaskEventKind::PushBufferCommand:
      check_father(event);
      return push_buffer(event);
    case TaskEventKind::Queue:
      check_father(event);
      return queue(event);
    case TaskEventKind::Kernel:
      check_father(event);
      return kernel(event);
    case TaskEventKind::Block:
      check_father(event);
      return block(event);
    case TaskEventKind::Warp:
      return warp(event);
    case TaskEventKind::Move:
      check_father(event);
      return move(event);
    default:
      return;
  }
}

// The host's script (SL^2). A command's end is when the host could know; commands whose end the GPU has
// reported need no further operation.
void TaskEvents::command(const sim::Event& event) {
  if (event.phase == TaskEventPhase::Begin) {
    ++counts_.commands;
    Command& command = commands_[event.id];
    command.stream = event.stream;
    command.channel = event.unit;
    complete_facts(command.facts, event);
    sim::Event of = event;
    of.parent = event.id;
    tell(operation(Verb::Submit, of, command));
    rules_.needs(kGpu, event.id, command.facts.block);
    return;
  }
  ++counts_.commands_ended;
  Command* const command = known(event.id);
  if (command == nullptr) return;
  if (rules_.open(kGpu, event.id)) {
    sim::Event of = event;
    of.parent = event.id;
    if (command->facts.kind != ScriptKind::Scheduling && !fault_)
      rules_.report(Rule::Synchronization, event.time_ps, kGpu, event.id,
                    "is complete for the host, and has not ended");
    tell(operation(Verb::End, of, *command));
  }
  commands_.erase(event.id);
}

void TaskEvents::push_buffer(const sim::Event& event) {
  ++counts_.push_buffer_commands;
  Command* const command = known(event.parent);
  if (command == nullptr) return;
  const std::string_view word = event.name;
  if (!std::exchange(command->fetched, true)) tell(operation(Verb::Fetch, event, *command));
  if (word == "CopyRange" || word == "FillRange" || word == "FullEmptyRange" || word == "CacheRange")
    ++command->moves;
  if (word == "Launch") command->launched += event.argument;
  if (word == "SetRefCntValue" && event.argument != command->facts.blocks)
    rules_.report(
        Rule::Atomicity, event.time_ps, kGpu, event.parent,
        fmt::format("waits for {} task instances, and has {}", event.argument, command->facts.blocks));
}

void TaskEvents::queue(const sim::Event& event) {
  if (event.phase == TaskEventPhase::Begin) ++counts_.queued;
  const Command* const command = known(event.parent);
  if (command == nullptr) return;
  tell(operation(event.phase == TaskEventPhase::Begin ? Verb::Enter : Verb::Leave, event, *command));
}

void TaskEvents::kernel(const sim::Event& event) {
  if (event.id != event.parent) return;  // a kernel has launched it: exceptions.cpp
  Command* const command = known(event.parent);
  if (command == nullptr) return;
  if (event.phase == TaskEventPhase::Begin) {
    ++counts_.kernels;
    return tell(operation(Verb::Begin, event, *command));
  }
  command->blocks_ended = true;
  // Changes of full/empty bits behind it belong to it.
  if (command->moved == command->moves) tell(operation(Verb::End, event, *command));
}

void TaskEvents::block(const sim::Event& event) {
  const bool begins = event.phase == TaskEventPhase::Begin;
  if (begins) ++counts_.blocks;
  Command* const command = known(event.parent);
  if (command == nullptr) return;
  Operation told = operation(begins ? Verb::Dispatch : Verb::Finish, event, *command);
  told.index = event.id;
  tell(told);
}

void TaskEvents::warp(const sim::Event& event) {
  const std::size_t place = event.unit * warp_slots_ + event.stream;
  const bool begins = event.phase == TaskEventPhase::Begin;
  if (begins) ++counts_.warps;
  if (event.stream >= warp_slots_ || place >= slots_.size())
    return rules_.report(
        Rule::Capacity, event.time_ps, kGpu, event.parent,
        fmt::format("has a warp in slot {} of SM {}: an SM has {}", event.stream, event.unit, warp_slots_));
  if ((event.parent & kLaunchedByKernel) != 0) return;
  Slot& slot = slots_[place];
  Operation told;
  told.kind = ScriptKind::Computing;
  told.level = kSm;
  told.time = event.time_ps;
  told.node = event.unit;
  told.parent_group = event.parent;
  told.parent_index = event.argument;
  told.channel = event.id;
  told.unit = event.stream;
  told.width = 0;  // its instances are not told
  if (begins) {
    if (slot.group != kNobody) slot_of_.erase(slot.group);
    slot = {next_warp_++, event.parent, event.argument, event.id};
    slot_of_[slot.group] = place;
    told.group = slot.group;
    told.verb = Verb::Enter;
    tell(told);
    told.verb = Verb::Begin;
    told.unit = kNobody;
    return tell(told);
  }
  told.group = slot.group;
  const bool same = slot.command == event.parent && slot.block == event.argument && slot.warp == event.id;
  if (slot.group == kNobody || !same)
    return rules_.report(Rule::Locality, event.time_ps, kGpu, event.parent,
                         fmt::format("ends warp {} of block {} in slot {} of SM {}, where it is not",
                                     event.id, event.argument, event.stream, event.unit));
  told.verb = Verb::Leave;
  tell(told);
  told.verb = Verb::End;
  tell(told);
  slot_of_.erase(slot.group);
  slot.group = kNobody;
}

void TaskEvents::move(const sim::Event& event) {
  const bool begins = event.phase == TaskEventPhase::Begin;
  if (begins) ++counts_.moves, counts_.moved_bytes += event.argument;
  Command* const command = known(event.parent);
  if (command == nullptr) return;
  Operation told = operation(begins ? Verb::MoveBegin : Verb::MoveEnd, event, *command);
  told.index = event.id;
  tell(told);
  if (begins || ++command->moved != command->moves) return;
  if (command->facts.kind == ScriptKind::Moving || command->blocks_ended)
    tell(operation(Verb::End, event, *command));
}

}  // namespace duet::model
