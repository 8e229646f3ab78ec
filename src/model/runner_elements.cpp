// The scheduling element, SE, and the processing elements, PE (hu2016, sections 2.3 to 2.5). The SE looks at
// the heads of the TB's queues alone: a group behind another one of its channel waits until the other has
// ended (intrinsic synchronization), and queues take turns.
#include <fmt/format.h>

#include <algorithm>

#include "model/runner.h"

namespace duet::model {

namespace {

std::string name_of(const Node::Copy& copy) {
  return copy.array->count > 1 ? fmt::format("{} {}", copy.array->name, copy.number) : copy.array->name;
}

}  // namespace

bool Runner::scheduling_element(Node& node) {
  std::uint64_t done = 0;
  const std::size_t queues = node.queues.size(), first = node.turn;
  for (std::size_t i = 0; i < queues && done < level_of(node).schedulers; ++i) {
    const std::size_t place = (first + i) % queues;
    const Node::Queue& queue = node.queues[place];
    if (queue.groups.empty()) continue;
    Group& group = *queue.groups.front();
    if (group.entered == step_ || group.ended != 0 || !schedule(node, group)) continue;
    ++done;
    node.turn = (place + 1) % queues;
  }
  return done != 0;
}

bool Runner::schedule(Node& node, Group& group) {
  if (group.script->kind == ScriptKind::Scheduling) return control(node, group);
  if (group.dispatched == group.script->width) return false;
  if (group.dispatched == 0 && !not_in_position(node, group).empty()) return false;
  return group.script->kind == ScriptKind::Moving || node.level == 0 ? start_on_array(node, group)
                                                                     : dispatch(node, group);
}

void Runner::begin(Node& node, Group& group) {
  if (group.begun) return;
  group.begun = true;
  Operation begin = operation(Verb::Begin, node, group);
  begin.unit = kNobody;
  tell(begin);
  if (group.script->kind == ScriptKind::Computing) ++counts(node).groups;
  reserve(node, group);
}

bool Runner::barrier(Node& node, Group& group) {
  std::uint64_t& came = group.parent->at_barrier[group.script];
  const bool arrives = !group.arrived;
  if (arrives) {
    group.arrived = true;
    ++came;
  }
  const bool all = came == group.parent->list->columns;
  if (!all && !arrives) return false;
  if (all) group.ended = step_;
  log(node, level_of(node).se, group.name, all ? "barrier: all are there" : "barrier: wait");
  return true;
}

bool Runner::control(Node& node, Group& group) {
  const Script& script = *group.script;
  if (script.control == Control::Wait && !group.parent->events.contains(script.event)) return false;
  if (!group.begun) ++counts(node).controls;
  begin(node, group);
  if (script.control == Control::Barrier) return barrier(node, group);
  if (script.control == Control::Signal) group.parent->events.insert(script.event);
  const std::string words = script.event.empty()
                                ? std::string("control")
                                : fmt::format("{} '{}'", model::name_of(script.control), script.event);
  log(node, level_of(node).se, group.name, words);
  group.ended = step_;
  return true;
}

// A group of level 0, and a move, have an array for themselves.
bool Runner::start_on_array(Node& node, Group& group) {
  const bool moves = group.script->kind == ScriptKind::Moving;
  for (Node::Copy& copy : node.copies) {
    const Array& array = *copy.array;
    if (copy.busy != nullptr || array.moves_data != moves) continue;
    if (!group.script->array.empty() && group.script->array != array.name) continue;
    begin(node, group);
    copy.busy = &group;
    copy.next = 0;
    copy.since = step_;
    group.dispatched = group.script->width;
    log(node, level_of(node).se, group.name, "dispatch to " + name_of(copy));
    if (!moves) return true;
    Operation move = operation(Verb::MoveBegin, node, group);
    move.unit = copy.first_unit;
    tell(move);
    ++counts(node).moves;
    return true;
  }
  return false;
}

bool Runner::has_room(const Node::Element& element, const Node& node, const Group& group) const {
  const Bytes room = model_.structure.levels[node.level - 1].memory_bytes;
  const Bytes used = element.inside != nullptr ? element.inside->memory_used : 0;
  return room == 0 || footprint(group) <= room - used;
}

// One instance to a PE with a place; all of a group go to one array (section 2.4).
bool Runner::dispatch(Node& node, Group& group) {
  for (Node::Copy& copy : node.copies) {
    const Array& array = *copy.array;
    if (array.moves_data || (!group.script->array.empty() && group.script->array != array.name)) continue;
    const auto number = static_cast<std::uint64_t>(&copy - node.copies.data());
    if (group.array != nullptr && group.copy != number) continue;
    for (std::uint64_t i = 0; i < array.width; ++i) {
      const std::uint64_t element = (copy.turn + i) % array.width;
      if (copy.elements[element].residents == array.places) continue;
      if (!has_room(copy.elements[element], node, group)) continue;
      begin(node, group);
      group.array = &array;
      group.copy = number;
      copy.turn = (element + 1) % array.width;
      ++copy.elements[element].residents;
      const std::uint64_t index = group.dispatched++;
      Node& inside = inside_of(node, copy, element);
      Instance& made = make_instance(inside, *model_.list(group.script->runs), &group, index);
      made.reserved = footprint(group);
      inside.memory_used += made.reserved;
      log(node, level_of(node).se, made.name, fmt::format("dispatch to {} {}", array.name, inside.unit));
      Operation told = operation(Verb::Dispatch, node, group);
      told.index = index;
      told.unit = inside.unit;
      tell(told);
      return true;
    }
  }
  return false;
}

void Runner::instance_ends(Node& node, Group& group, std::uint64_t index, std::uint64_t unit) {
  Operation finish = operation(Verb::Finish, node, group);
  finish.index = index;
  finish.unit = unit;
  tell(finish);
  ++counts(node).instances;
  if (++group.finished != group.script->width) return;
  group.ended = step_;
  place(group);
}

// So many instances as the array is wide, in a step.
bool Runner::wave(Node& node, Node::Copy& copy) {
  Group& group = *copy.busy;
  const std::uint64_t first = copy.next;
  const std::uint64_t end = std::min(first + copy.array->width, group.script->width);
  const std::string who =
      end - first == 1 && group.script->width == 1
          ? group.name
          : fmt::format("{}({}{})", group.name, first, end - first == 1 ? "" : fmt::format("-{}", end - 1));
  const std::string what =
      group.script->kind == ScriptKind::Moving
          ? fmt::format("{} of {}", model::name_of(group.script->movement), group.script->data)
          : "execute";
  log(node, name_of(copy), who, what);
  copy.next = end;
  if (group.script->kind == ScriptKind::Moving) {
    if (end != group.script->width) return true;
    Operation move = operation(Verb::MoveEnd, node, group);
    move.unit = copy.first_unit;
    tell(move);
    group.finished = end;
    group.ended = step_;
    place(group);
  } else {
    for (std::uint64_t index = first; index < end; ++index) {
      Operation told = operation(Verb::Dispatch, node, group);
      told.index = index;
      told.unit = copy.first_unit + index - first;
      tell(told);
      instance_ends(node, group, index, told.unit);
    }
  }
  if (group.ended != 0) copy.busy = nullptr;
  return true;
}

bool Runner::processing_elements(Node& node) {
  bool done = false;
  for (Node::Copy& copy : node.copies)
    if (copy.busy != nullptr && copy.since != step_) done = wave(node, copy) || done;
  return done;
}

}  // namespace duet::model
