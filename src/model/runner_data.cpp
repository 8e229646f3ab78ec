// Data in position (hu2016, section 2.5): an instance computes on data in its level's memory. The data of a
// script list's instance belong to it, and go with it.
#include <fmt/format.h>

#include "model/runner.h"

namespace duet::model {

// Columns have their own data, as threads have registers; shared data excepted.
std::string Runner::key_of(const Group& group, const std::string& data) const {
  const bool own = group.parent->list->columns > 1 && !model_.datum(data)->shared;
  return own ? fmt::format("{}@{}", data, group.channel) : data;
}

namespace {

// Into how many parts data has been divided above an instance's list.
std::uint64_t parts_of(const Instance* instance) {
  std::uint64_t parts = 1;
  for (; instance->group != nullptr; instance = instance->parent) parts *= instance->group->script->width;
  return parts;
}

Bytes part(Bytes bytes, std::uint64_t parts) { return (bytes + parts - 1) / parts; }

}  // namespace

// A Stage-In takes the instance's part of its parent's data.
Bytes Runner::piece_of(const Group& group, const std::string& data) const {
  const Data& datum = *model_.datum(data);
  const std::uint64_t columns = datum.shared ? 1 : group.parent->list->columns;
  return part(datum.bytes, parts_of(group.parent) * columns);
}

// The memory inside its PE that an instance of the group takes: all data that its list brings and makes
// there, and data from below (section 2.5: resource reservation).
Bytes Runner::footprint(const Group& group) const {
  const ScriptList& list = *model_.list(group.script->runs);
  std::set<std::string> names;
  for (const Script& script : list.scripts) {
    names.insert(script.makes.begin(), script.makes.end());
    if (script.kind == ScriptKind::Moving && script.movement == Movement::StageIn) names.insert(script.data);
    if (script.runs.empty()) continue;
    for (const Script& below : model_.list(script.runs)->scripts)
      if (below.kind == ScriptKind::Moving && below.movement == Movement::StageOut) names.insert(below.data);
  }
  const std::uint64_t parts = parts_of(group.parent) * group.script->width;
  Bytes bytes = 0;
  for (const std::string& name : names) {
    const Data& datum = *model_.datum(name);
    const std::uint64_t columns = datum.shared ? 1 : list.columns;
    bytes += columns * part(datum.bytes, parts * columns);
  }
  return bytes;
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
    const Bytes room = level_of(at).memory_bytes,
                wanted = piece_of(&owner == &parent ? group : *parent.group, data);
    if (room == 0 || owner.has_room_for(key) || wanted <= room - at.memory_used) return std::string();
    return fmt::format("waits for {} bytes of {} for '{}': {} of {} are used", wanted, level_of(at).memory,
                       data, at.memory_used, room);
  };
  if (script.kind == ScriptKind::Moving && script.movement == Movement::StageOut)
    return parent.parent == nullptr
               ? std::string()
               : lacks(*parent.parent->node, *parent.parent, key_of(*parent.group, script.data), script.data);
  std::string none;
  if (script.kind == ScriptKind::Moving && script.movement == Movement::StageIn)
    none = lacks(node, parent, key_of(group, script.data), script.data);
  for (const std::string& data : script.makes)
    if (none.empty()) none = lacks(node, parent, key_of(group, data), data);
  return none;
}

// Room for the data it brings or makes, from its begin on; they are in position at the end.
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
  Instance& parent = *group.parent;
  const auto put = [&](const std::string& data) { parent.data.insert(key_of(group, data)); };
  for (const std::string& data : script.makes) put(data);
  // The parts moved up by all instances make up the whole.
  for (const std::string& data : group.staged_out) put(data);
  if (script.kind != ScriptKind::Moving) return;
  if (script.movement == Movement::StageIn) put(script.data);
  if (script.movement != Movement::StageOut || parent.group == nullptr) return;
  Group& above = *parent.group;
  above.staged_out.insert(script.data);
  const std::string key = key_of(above, script.data);
  if (above.parent->has_room_for(key)) return;
  above.parent->on_the_way.insert(key);
  above.parent->node->memory_used += piece_of(above, script.data);
}

}  // namespace duet::model
