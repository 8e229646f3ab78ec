// Executes a model step by step (run.h). Each unit is a function of runner_*.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/machine_state.h"
#include "model/run.h"

namespace duet::model {

class Runner {
 public:
  Runner(const Model& model, const RunLimits& limits);
  Execution run();

 private:
  // One step of a unit at a node; whether it has done anything.
  bool task_unit(Node& node);
  bool scheduling_element(Node& node);
  bool processing_elements(Node& node);

  // TU
  bool retire(Node& node);
  bool deallocate(Node& node);
  bool allocate(Node& node);
  bool read(Node& node);
  bool read(Node& node, Instance& instance, Instance::Feed& feed);
  Node::Queue* queue_for(Node& node, const Instance& instance, std::uint64_t channel);
  void make_feeds(Node& node, Instance& instance);
  // SE
  bool schedule(Node& node, Group& group);
  bool control(Node& node, Group& group);
  bool start_on_array(Node& node, Group& group);
  bool dispatch(Node& node, Group& group);
  void begin(Node& node, Group& group);
  bool barrier(Node& node, Group& group);
  // PE
  bool wave(Node& node, Node::Copy& copy);
  void instance_ends(Node& node, Group& group, std::uint64_t index, std::uint64_t unit);

  // Data (runner_data.cpp): why the group's data is not in position, or has no room; empty: it is.
  std::string not_in_position(const Node& node, const Group& group) const;
  std::string key_of(const Group& group, const std::string& data) const;
  bool has_source(const Group& group) const;
  Bytes piece_of(const Group& group, const std::string& data) const;
  void reserve(Node& node, Group& group);
  void place(Group& group);
  Bytes footprint(const Group& group) const;
  bool has_room(const Node::Element& element, const Node& node, const Group& group) const;

  Node& make_node(unsigned level, std::string name);
  Node& inside_of(Node& node, Node::Copy& copy, std::uint64_t element);
  Instance& make_instance(Node& node, const ScriptList& list, Group* group, std::uint64_t index);
  const Level& level_of(const Node& node) const { return model_.structure.levels[node.level]; }
  std::string place_of(const Node& node) const { return node.name.empty() ? "" : " of " + node.name; }
  void log(const Node& node, const std::string& unit, const std::string& instance, std::string operation);
  Operation operation(Verb verb, const Node& node, const Group& group) const;
  void tell(const Operation& operation);
  std::string standstill() const;
  std::string why(const Node& node, const Group& group) const;
  LevelCounts& counts(const Node& node) { return execution_.counts[node.level]; }

  const Model& model_;
  const RunLimits limits_;
  Execution execution_;
  std::uint64_t step_ = 0, next_group_ = 0;
  std::uint64_t parts_ = 0;                   // PEs and queues of all nodes
  std::vector<std::unique_ptr<Node>> nodes_;  // in the order of their making
  std::vector<std::unique_ptr<Instance>> instances_;
  std::vector<std::unique_ptr<Group>> groups_;
};

}  // namespace duet::model
