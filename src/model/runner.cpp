#include "model/runner.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"

namespace duet::model {

namespace {
constexpr std::uint64_t kMostParts = 1'000'000;  // existing at once
}

Execution execute(const Model& model, const RunLimits& limits) {
  check(model);
  return Runner(model, limits).run();
}

Runner::Runner(const Model& model, const RunLimits& limits) : model_(model), limits_(limits) {
  execution_.counts.resize(model.structure.depth());
  Node& top = make_node(model.structure.depth() - 1, "");
  Instance& program = make_instance(top, model.program(), nullptr, 0);
  if (!model.structure.outside.empty()) return;
  for (const Data& data : model.data) {
    if (data.made) continue;
    program.data.insert(data.name);
    top.memory_used += data.bytes;
  }
  const Bytes room = level_of(top).memory_bytes;
  if (room != 0 && top.memory_used > room)
    throw Error(fmt::format("{}: {} bytes of data, and the topmost memory has {}", model.name,
                            top.memory_used, room));
}

Node& Runner::make_node(unsigned level, std::string name) {
  auto node = std::make_unique<Node>();
  node->level = level;
  node->name = std::move(name);
  const Level& of = model_.structure.levels[level];
  node->queues.resize(of.queues);
  std::uint64_t units = 0;
  for (const Array& array : of.arrays)
    for (std::uint64_t copy = 0; copy < array.count; ++copy) {
      Node::Copy& made = node->copies.emplace_back();
      made.array = &array;
      made.number = copy;
      made.first_unit = units;
      made.elements.resize(array.width);
      units += array.width;
    }
  node->units = units;
  parts_ += units + of.queues;
  if (parts_ > kMostParts)
    throw Error(fmt::format("{}: more than {} PEs and queues by step {}: take fewer of them", model_.name,
                            kMostParts, step_));
  return *nodes_.emplace_back(std::move(node));
}

// The node in a PE of a level above 0; made at its first use.
Node& Runner::inside_of(Node& node, Node::Copy& copy, std::uint64_t element) {
  Node::Element& seat = copy.elements[element];
  if (seat.inside != nullptr) return *seat.inside;
  const std::uint64_t unit = copy.first_unit + element;
  Node& inside = make_node(node.level - 1, fmt::format("{} {}{}", copy.array->name, unit,
                                                       node.name.empty() ? "" : " in " + node.name));
  inside.above = &node;
  inside.seat = &seat;
  inside.unit = unit;
  inside.number = node.number * node.units + unit;
  seat.inside = &inside;
  return inside;
}

Instance& Runner::make_instance(Node& node, const ScriptList& list, Group* group, std::uint64_t index) {
  auto made = std::make_unique<Instance>();
  made->list = &list;
  made->group = group;
  made->index = index;
  made->parent = group != nullptr ? group->parent : nullptr;
  made->node = &node;
  made->name = group != nullptr ? fmt::format("{}({})", group->name, index) : list.name;
  made->since = step_;
  node.residents.push_back(made.get());
  return *instances_.emplace_back(std::move(made));
}

void Runner::log(const Node& node, const std::string& unit, const std::string& instance,
                 std::string operation) {
  execution_.log.push_back({step_, node.level, unit + place_of(node), instance, std::move(operation)});
}

Operation Runner::operation(Verb verb, const Node& node, const Group& group) const {
  Operation operation;
  operation.verb = verb;
  operation.kind = group.script->kind;
  operation.movement = group.script->movement;
  operation.level = node.level;
  operation.time = step_;
  operation.node = node.number;
  operation.group = group.number;
  operation.channel = group.channel;
  operation.hardware_channel = group.channel % level_of(node).hardware_channels;
  operation.width = group.script->width;
  if (const Group* parent = group.parent->group; parent != nullptr) {
    operation.parent_group = parent->number;
    operation.parent_index = group.parent->index;
  }
  return operation;
}

void Runner::tell(const Operation& operation) {
  if (execution_.operations.size() == limits_.most_operations)
    throw Error(fmt::format("{}: more than {} operations by step {}: take smaller widths, or --steps",
                            model_.name, limits_.most_operations, step_));
  execution_.operations.push_back(operation);
}

Execution Runner::run() {
  while (!execution_.finished && (limits_.steps == 0 || step_ < limits_.steps)) {
    ++step_;
    bool progress = false;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {  // some are made meanwhile
      Node& node = *nodes_[i];
      const bool worked = processing_elements(node), scheduled = scheduling_element(node);
      progress = task_unit(node) || worked || scheduled || progress;
    }
    if (!progress)
      throw Error(fmt::format("{}: step {}: nothing can go on: {}", model_.name, step_, standstill()));
  }
  execution_.steps = step_;
  return std::move(execution_);
}

std::string Runner::why(const Node& node, const Group& group) const {
  if (group.script->kind == ScriptKind::Scheduling)
    return group.script->control == Control::Barrier
               ? fmt::format("barrier {} waits for the other channels", group.name)
               : fmt::format("{} waits for event '{}'", group.name, group.script->event);
  const std::string data = not_in_position(node, group);
  if (!data.empty()) return fmt::format("{} {}", group.name, data);
  if (node.level == 0 || group.script->kind == ScriptKind::Moving) return group.name + " waits for a PE";
  return fmt::format("{} waits for a PE with {} bytes of {}", group.name, footprint(group),
                     model_.structure.levels[node.level - 1].memory);
}

std::string Runner::standstill() const {
  std::string text;
  const auto add = [&](const std::string& one) { text += (text.empty() ? "" : "; ") + one; };
  for (const auto& node : nodes_) {
    for (const Node::Queue& queue : node->queues)
      if (!queue.groups.empty() && queue.groups.front()->ended == 0 &&
          queue.groups.front()->dispatched == queue.groups.front()->finished)
        add(why(*node, *queue.groups.front()));
    for (const Instance* resident : node->residents)
      for (const Instance::Feed& feed : resident->feeds)
        if (!feed.done() && feed.command + 1 >= feed.entries[feed.next].script->commands.size())
          add(fmt::format("{} waits for a queue of {}", feed.entries[feed.next].group->name,
                          level_of(*node).tb));
  }
  return text;
}

}  // namespace duet::model
