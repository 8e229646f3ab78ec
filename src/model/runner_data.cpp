// Data in position (hu2016, section 2.5): an instance computes on what lies in its level's memory. What a
// script list's instance has there belongs to it, and goes with it.
#include <fmt/format.h>

#include "model/runner.h"

namespace duet::model {

// Columns have their own, as threads have registers; but for what is shared.
std::string Runner::key_of(const Group& group, const std::string& data) const {
  const bool own = group.parent->list->columns > 1 && !model_.datum(data)->shared;
  return own ? fmt::format("{}@{}", data, group.channel) : data;
}

// A Stage-In takes the instance's part of what its parent has.
Bytes Runner::piece_of(const Group& group, const std::string& data) const {
  Bytes bytes = model_.datum(data)->bytes;
  std::uint64_t parts = 1;
  for (const Instance* at = group.parent; at->group != nullptr; at = at->parent)
    parts *= at->group->script->width;
  if (group.parent->list->columns > 1 && !model_.datum(data)->shared) parts *= group.parent->list->columns;
  return (bytes + parts - 1) / parts;
}

// In the memory above: another instance's, or, of the program, the memory outside.
bool Runner::has_source(const Group& group) const {
  const Instance* const above = group.parent->parent;
  if (above == nullptr) return !model_.datum(group.script->data)->made;
  if (above->data.contains(group.script->data)) return true;
  return group.parent->group != nullptr &&
         above->data.contains(key_of(*group.parent->group, group.script->data));
}

std::string Runner::not_in_position(const Node& node, const Group& group) const {
  const Script& script = *group.script;
  const auto missing = [&](const std::string& data) {
    return !group.parent->data.contains(key_of(group, data));
  };
  for (const std::string& data : script.needs)
    if (missing(data)) return fmt::format("waits for '{}', which is not in position", data);
  if (script.kind == ScriptKind::Moving) {
    if (script.movement == Movement::StageIn ? !has_source(group) : missing(script.data))
      return fmt::format("waits for '{}', which is not where it moves from", script.data);
  }
  const Instance& parent = *group.parent;
  const auto lacks = [&](const Node& at, const Instance& owner, const std::string& key,
                         const std::string& data) {
    const Bytes room = level_of(at).memory_bytes, wanted = piece_of(group, data);
    if (room == 0 || owner.has_room_for(key) || wanted <= room - at.memory_used) return std::string();
    return fmt::format("waits for {} bytes of {} for '{}': {} of {} are used", wanted, level_of(at).memory,
                       data, at.memory_used, room);
  };
  if (script.kind == ScriptKind::Moving && script.movement == Movement::StageOut)
    return parent.parent == nullptr ? std::string()
                                    : lacks(*parent.parent->node, *parent.parent, script.data, script.data);
  std::string none;
  if (script.kind == ScriptKind::Moving && script.movement == Movement::StageIn)
    none = lacks(node, parent, key_of(group, script.data), script.data);
  for (const std::string& data : script.makes)
    if (none.empty()) none = lacks(node, parent, key_of(group, data), data);
  return none;
}

// Room for what it brings or makes, from its begin on; it is in position at the end.
void Runner::reserve(Node& node, Group& group) {
  const Script& script = *group.script;
  const auto take = [&](const std::string& data) {
    const std::string key = key_of(group, data);
    if (group.parent->has_room_for(key)) return;
    node.memory_used += piece_of(group, data);
    group.parent->on_the_way.insert(key);
  };
  if (script.kind == ScriptKind::Moving && script.movement == Movement::StageIn) take(script.data);
  for (const std::string& data : script.makes) take(data);
}

void Runner::place(Group& group) {
  const Script& script = *group.script;
  const auto put = [&](const std::string& data) {
    group.parent->on_the_way.erase(key_of(group, data));
    group.parent->data.try_emplace(key_of(group, data), piece_of(group, data));
  };
  for (const std::string& data : script.makes) put(data);
  if (script.kind != ScriptKind::Moving) return;
  if (script.movement == Movement::StageIn) put(script.data);
  Instance* const above = group.parent->parent;
  if (script.movement != Movement::StageOut || above == nullptr) return;
  // The parts of all instances make up one piece of data there.
  if (above->data.contains(script.data)) return;
  const Bytes bytes = piece_of(*group.parent->group, script.data);
  above->data[script.data] = bytes;
  if (!above->on_the_way.contains(script.data)) above->node->memory_used += bytes;
}

void Runner::release(Node& node, Instance& instance) {
  for (const auto& [name, bytes] : instance.data) node.memory_used -= bytes;
}

}  // namespace duet::model
