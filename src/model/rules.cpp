#include "model/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace duet::model {

const char* name_of(Rule rule) {
  constexpr const char* kNames[] = {"atomicity",       "locality",    "fifo",
                                    "synchronization", "in_position", "capacity"};
  static_assert(std::size(kNames) == kRules);
  return kNames[static_cast<std::size_t>(rule)];
}

std::vector<LevelLimits> limits_of(const Structure& structure) {
  std::vector<LevelLimits> all;
  for (unsigned i = 0; i < structure.depth(); ++i) {
    const Level& level = structure.levels[i];
    LevelLimits& limits = all.emplace_back();
    limits.queues = level.queues;
    limits.depth = level.depth;
    // PEs are numbered through all arrays.
    for (const Array& array : level.arrays) {
      limits.units += array.count * array.width;
      limits.movers = limits.units;
      if (!array.moves_data) limits.places = std::max(limits.places, array.places);
    }
  }
  return all;
}

Rules::Rules(std::vector<LevelLimits> limits, Report report, Names names)
    : limits_(std::move(limits)),
      report_(std::move(report)),
      names_(std::move(names)),
      levels_(limits_.size()) {}

std::string Rules::name(unsigned level, std::uint64_t group) const {
  return names_ ? names_(level, group) : fmt::format("group {} of level {}", group, level);
}

void Rules::report(Rule rule, std::uint64_t time, unsigned level, std::uint64_t group, std::string what) {
  report_({rule, time, level, group,
           fmt::format("{}{}{}", name(level, group), what.starts_with(':') ? "" : " ", what)});
}

template <typename... Words>
void Rules::broken(Rule rule, const Operation& operation, const char* format, const Words&... words) {
  report(rule, operation.time, operation.level, operation.group, fmt::format(fmt::runtime(format), words...));
}

Rules::Channel& Rules::channel_of(const Operation& operation) {
  return levels_[operation.level]
      .channels[{operation.parent_group, operation.parent_index, operation.channel}];
}

// The instance in whose script list the group stands; null: the program, or it is nowhere.
Rules::Resident* Rules::parent_of(const Operation& operation) {
  if (operation.parent_group == kNobody || operation.level + 1 >= levels_.size()) return nullptr;
  auto& groups = levels_[operation.level + 1].groups;
  const auto group = groups.find(operation.parent_group);
  if (group == groups.end()) return nullptr;
  const auto resident = group->second.residents.find(operation.parent_index);
  return resident == group->second.residents.end() ? nullptr : &resident->second;
}

Rules::Group* Rules::known(const Operation& operation) {
  auto& groups = levels_[operation.level].groups;
  const auto found = groups.find(operation.group);
  return found == groups.end() ? nullptr : &found->second;
}

bool Rules::open(unsigned level, std::uint64_t group) const {
  const auto found = levels_[level].groups.find(group);
  return found != levels_[level].groups.end() && !found->second.ended;
}

void Rules::needs(unsigned level, std::uint64_t group, const Resources& resources) {
  const auto found = levels_[level].groups.find(group);
  if (found != levels_[level].groups.end()) found->second.needs = resources;
}

// Control scripts pass on their waits.
void Rules::after(unsigned level, std::uint64_t group, std::uint64_t earlier) {
  auto& groups = levels_[level].groups;
  const auto later = groups.find(group), before = groups.find(earlier);
  if (later == groups.end() || before == groups.end() || before->second.ended) return;
  auto& list = later->second.before;
  const auto add = [&](std::uint64_t one) {
    const auto known = groups.find(one);
    if (known == groups.end() || known->second.ended) return;
    if (std::find(list.begin(), list.end(), one) == list.end()) list.push_back(one);
  };
  if (before->second.submitted.kind != ScriptKind::Scheduling) return add(earlier);
  const std::vector<std::uint64_t> passed = before->second.before;
  for (const std::uint64_t one : passed) add(one);
}

Rules::Group& Rules::submit(const Operation& operation) {
  State& state = levels_[operation.level];
  const auto [place, is_new] = state.groups.try_emplace(operation.group);
  if (!is_new) {
    broken(Rule::Atomicity, operation, "is there twice");
    return place->second;
  }
  Group& group = place->second;
  group.submitted = operation;
  group.order = next_order_++;
  Channel& channel = channel_of(operation);
  const std::uint64_t last = std::exchange(channel.last, operation.group);
  if (last != kNobody) after(operation.level, operation.group, last);
  Resident* const parent = parent_of(operation);
  if (operation.parent_group != kNobody && parent == nullptr)
    broken(Rule::Atomicity, operation, "has a script in a task instance that is not on a PE: {}({})",
           name(operation.level + 1, operation.parent_group), operation.parent_index);
  return group;
}

void Rules::take(const Operation& operation) {
  ++taken_;
  last_time_ = operation.time;
  if (operation.verb == Verb::Submit) {
    submit(operation);
    return;
  }
  Group* group = known(operation);
  // In a level without Submit a group is first met when it enters.
  if (group == nullptr && operation.verb == Verb::Enter) group = &submit(operation);
  if (group == nullptr) {
    broken(Rule::Atomicity, operation, "{}: nobody has submitted it, or it has left",
           name_of(operation.verb));
    return;
  }
  switch (operation.verb) {
    case Verb::Fetch:
      return fetch(operation, *group);
    case Verb::Enter:
      return enter(operation, *group);
    case Verb::Begin:
      return begin(operation, *group);
    case Verb::Dispatch:
      return dispatch(operation, *group);
    case Verb::Finish:
      return finish(operation, *group);
    case Verb::MoveBegin:
      return move_begins(operation, *group);
    case Verb::MoveEnd:
      return move_ends(operation, *group);
    case Verb::End:
      return end(operation, *group);
    default:
      return leave(operation, *group);
  }
}

void Rules::fetch(const Operation& operation, Group& group) {
  group.fetched = true;
  std::uint64_t& last =
      levels_[operation.level].nodes[operation.node].fetched[group.submitted.hardware_channel];
  // Of several tasks on one PE each has channels of its own.
  if (operation.parent_group == kNobody && group.order < last)
    broken(Rule::Fifo, operation, "is read after one that was submitted later to hardware channel {}",
           group.submitted.hardware_channel);
  last = std::max(last, group.order);
}

void Rules::enter(const Operation& operation, Group& group) {
  const LevelLimits& limits = limits_[operation.level];
  Channel& channel = channel_of(group.submitted);
  if (group.order < channel.entered)
    broken(Rule::Fifo, operation, "enters its queue after one that was submitted later to channel {}",
           group.submitted.channel);
  channel.entered = std::max(channel.entered, group.order);
  if (group.entered) broken(Rule::Atomicity, operation, "enters twice");
  group.entered = true;
  group.queue = operation.unit;
  group.enter_node = operation.node;
  if (Resident* const parent = parent_of(group.submitted); parent != nullptr) {
    ++parent->children;
    if (parent->inside != operation.node)
      broken(Rule::Locality, operation, "is on PE {}, and its task instance {}({}) on PE {}", operation.node,
             name(operation.level + 1, group.submitted.parent_group), group.submitted.parent_index,
             parent->unit);
  }
  if (limits.queues != 0 && operation.unit >= limits.queues)
    return broken(Rule::Capacity, operation, "is in queue {} of a task buffer that has {}", operation.unit,
                  limits.queues);
  auto& queues = levels_[operation.level].nodes[operation.node].queues;
  if (queues.size() <= operation.unit) queues.resize(operation.unit + 1);
  Queue& queue = queues[operation.unit];
  const auto owner =
      std::tuple(group.submitted.parent_group, group.submitted.parent_index, group.submitted.channel);
  if (queue.groups != 0 && queue.owner != owner)
    broken(Rule::Capacity, operation, "enters queue {} of channel {}, which channel {} has", operation.unit,
           group.submitted.channel, std::get<2>(queue.owner));
  queue.owner = owner;
  if (++queue.groups > limits.depth && limits.depth != 0)
    broken(Rule::Capacity, operation, "is the {}th task group in queue {}, which holds {}", queue.groups,
           operation.unit, limits.depth);
}

// All groups before it have ended.
void Rules::check_before(const Operation& operation, Group& group) {
  Channel& channel = channel_of(group.submitted);
  if (group.order < channel.begun)
    broken(Rule::Fifo, operation, "begins after one that was submitted later to channel {}",
           group.submitted.channel);
  channel.begun = std::max(channel.begun, group.order);
  auto& groups = levels_[operation.level].groups;
  for (const std::uint64_t earlier : group.before) {
    const auto before = groups.find(earlier);
    if (before == groups.end() || before->second.ended) continue;
    const Operation& script = before->second.submitted;
    const bool data = script.kind == ScriptKind::Moving && script.movement == Movement::StageIn &&
                      group.submitted.kind == ScriptKind::Computing;
    broken(data ? Rule::InPosition : Rule::Synchronization, operation, "begins, and {} has not ended{}",
           name(operation.level, earlier), data ? ": its data is not in position" : "");
  }
  group.before.clear();
}

void Rules::begin(const Operation& operation, Group& group) {
  const bool moved = std::exchange(group.moved_first, false);
  if (group.begun && !moved) return broken(Rule::Atomicity, operation, "begins twice");
  if (!moved) check_before(operation, group);
  group.begun = true;
  if (operation.unit == kNobody) return;
  const std::uint64_t contexts = limits_[operation.level].contexts;
  if (contexts != 0 && operation.unit >= contexts)
    broken(Rule::Capacity, operation, "has context {}, and there are {}", operation.unit, contexts);
  auto& taken = levels_[operation.level].nodes[operation.node].contexts;
  const auto [place, is_free] = taken.try_emplace(operation.unit, operation.group);
  if (!is_free)
    broken(Rule::Capacity, operation, "takes context {}, which {} has", operation.unit,
           name(operation.level, place->second));
  group.context = operation.unit;
}

void Rules::take_room(const Operation& operation, const Group& group) {
  const LevelLimits& limits = limits_[operation.level];
  Unit& unit = levels_[operation.level].nodes[operation.node].units[operation.unit];
  if (++unit.residents > limits.places && limits.places != 0)
    broken(Rule::Capacity, operation, ": task instance {} is the {}th task instance on PE {}, which holds {}",
           operation.index, unit.residents, operation.unit, limits.places);
  for (std::size_t i = 0; i < kResources; ++i) {
    unit.used[i] += group.needs[i];
    if (limits.resources[i] != 0 && unit.used[i] > limits.resources[i])
      broken(Rule::Capacity, operation, ": task instance {} makes it {} {} on PE {}, which has {}",
             operation.index, unit.used[i], name_of(static_cast<Resource>(i)), operation.unit,
             limits.resources[i]);
  }
}

void Rules::dispatch(const Operation& operation, Group& group) {
  const std::uint64_t width = group.submitted.width, units = limits_[operation.level].units;
  if (!group.begun || group.moved_first) {
    broken(Rule::Synchronization, operation, ": task instance {} is dispatched before its group begins",
           operation.index);
    group.begun = true;
    group.moved_first = false;
  }
  if (group.moving != 0)
    broken(Rule::Synchronization, operation,
           ": task instance {} is dispatched, and a move for it has not ended", operation.index);
  if (group.ended)
    broken(Rule::Synchronization, operation, ": task instance {} is dispatched after its group has ended",
           operation.index);
  if (operation.index >= width)
    return broken(Rule::Atomicity, operation, ": task instance {}: the group has {} task instances",
                  operation.index, width);
  if (group.seen.empty()) group.seen.resize(width);
  if (group.seen[operation.index])
    return broken(Rule::Atomicity, operation, ": task instance {} is dispatched twice", operation.index);
  group.seen[operation.index] = true;
  ++group.dispatched;
  if (units != 0 && operation.unit >= units)
    broken(Rule::Locality, operation, ": task instance {} goes to PE {}, and there are {}", operation.index,
           operation.unit, units);
  group.residents[operation.index] = {operation.unit, operation.node * units + operation.unit, 0};
  take_room(operation, group);
}

void Rules::finish(const Operation& operation, Group& group) {
  const auto resident = group.residents.find(operation.index);
  if (resident == group.residents.end())
    return broken(Rule::Atomicity, operation, ": task instance {} ends, and is on no PE", operation.index);
  if (resident->second.unit != operation.unit)
    broken(Rule::Locality, operation, ": task instance {} ends on PE {}, and was dispatched to PE {}",
           operation.index, operation.unit, resident->second.unit);
  if (resident->second.children != 0)
    broken(Rule::Atomicity, operation, ": task instance {} ends, and {} of its task groups have not",
           operation.index, resident->second.children);
  Unit& unit = levels_[operation.level].nodes[operation.node].units[resident->second.unit];
  if (unit.residents != 0) --unit.residents;
  for (std::size_t i = 0; i < kResources; ++i) unit.used[i] -= std::min(unit.used[i], group.needs[i]);
  group.residents.erase(resident);
  ++group.finished;
}

void Rules::move_begins(const Operation& operation, Group& group) {
  if (!group.begun) {
    Operation begin = operation;
    begin.unit = kNobody;
    this->begin(begin, group);
    group.moved_first = group.submitted.kind == ScriptKind::Computing;
  }
  if (group.ended) broken(Rule::Synchronization, operation, "moves data after its end");
  const std::uint64_t movers = limits_[operation.level].movers;
  if (movers != 0 && operation.unit >= movers)
    broken(Rule::Locality, operation, "moves data with PE {}, and there are {}", operation.unit, movers);
  // A computing task's data move before its instances, or behind them (exceptions.h).
  if (group.submitted.kind == ScriptKind::Computing && !group.moved_first &&
      group.finished != group.submitted.width && !fault_)
    broken(Rule::Atomicity, operation, "moves data, and {} of {} task instances have ended", group.finished,
           group.submitted.width);
  auto& busy = levels_[operation.level].nodes[operation.node].movers;
  const auto [place, is_free] = busy.try_emplace(operation.unit, operation.group);
  if (!is_free)
    broken(Rule::Capacity, operation, "moves data with PE {}, which is at work for {}", operation.unit,
           name(operation.level, place->second));
  ++group.moving;
}

void Rules::move_ends(const Operation& operation, Group& group) {
  if (group.moving == 0) return broken(Rule::Atomicity, operation, "ends a move that has not begun");
  --group.moving;
  levels_[operation.level].nodes[operation.node].movers.erase(operation.unit);
}

void Rules::end(const Operation& operation, Group& group) {
  if (group.ended) return broken(Rule::Atomicity, operation, "ends twice");
  group.ended = true;
  const bool computes = group.submitted.kind == ScriptKind::Computing;
  if (group.moving != 0) broken(Rule::Atomicity, operation, "ends, and a move of it has not");
  if (!group.residents.empty() || (computes && !fault_ && group.finished != group.submitted.width))
    broken(Rule::Synchronization, operation, "ends, and {} of {} task instances have", group.finished,
           group.submitted.width);
  if (!group.begun && group.submitted.kind != ScriptKind::Scheduling && !fault_)
    broken(Rule::Synchronization, operation, "ends and has not begun");
  if (group.context != kNobody) levels_[operation.level].nodes[operation.node].contexts.erase(group.context);
  if (!group.entered || group.left) forget(operation, group);
}

void Rules::leave(const Operation& operation, Group& group) {
  if (!group.entered) return broken(Rule::Atomicity, operation, "leaves a queue in which it is not");
  if (group.left) return broken(Rule::Atomicity, operation, "leaves twice");
  group.left = true;
  auto& queues = levels_[operation.level].nodes[group.enter_node].queues;
  if (group.queue < queues.size() && queues[group.queue].groups != 0) --queues[group.queue].groups;
  if (Resident* const parent = parent_of(group.submitted); parent != nullptr && parent->children != 0)
    --parent->children;
  if (group.ended) forget(operation, group);
}

// A channel's last group stays known until another one comes behind it or its task has ended.
void Rules::forget(const Operation& operation, Group& group) {
  State& state = levels_[operation.level];
  const auto channel = state.channels.find(
      {group.submitted.parent_group, group.submitted.parent_index, group.submitted.channel});
  if (channel != state.channels.end() && channel->second.last == operation.group) {
    channel->second.last = kNobody;
    if (group.submitted.parent_group != kNobody) state.channels.erase(channel);
  }
  state.groups.erase(operation.group);
}

void Rules::finish() {
  for (unsigned level = 0; level < levels_.size(); ++level)
    for (const auto& [number, group] : levels_[level].groups)
      if (!fault_ && (!group.ended || (group.entered && !group.left)))
        report(Rule::Synchronization, last_time_, level, number,
               group.ended ? "is in its queue at the end of the run" : "has not ended at the end of the run");
}

}  // namespace duet::model
