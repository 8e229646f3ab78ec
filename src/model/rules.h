// The interoperation rules of hu2016 (sections 2.1, 2.2, 2.4, 2.5) on a sequence of operations, from an
// execution of a model or from a simulated run.
//
//   Rules rules(limits_of(model.structure), [](const Violation& v) { std::puts(v.text.c_str()); });
//   for (const Operation& operation : run.operations) rules.take(operation);
//   rules.finish();
//
// Dependent operations come in their order; the order of independent ones at one time has no meaning. The
// rules keep the present state, and groups until they have left. Exceptions from the rules: exceptions.h.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "model/model.h"
#include "model/operation.h"

namespace duet::model {

enum class Rule : std::uint8_t {
  Atomicity,        // of task instances: a task ends when all below it has, each instance is there once
  Locality,         // an instance acts where it is, and related groups have a common father
  Fifo,             // groups of one channel go in order
  Synchronization,  // a group begins when all instances of its predecessors have ended
  InPosition,       // data staged in before a group is there when it begins
  Capacity          // queues, contexts, places and resources of instances
};
inline constexpr std::size_t kRules = 6;
const char* name_of(Rule rule);  // "in_position"

struct Violation {
  Rule rule = Rule::Atomicity;
  std::uint64_t time = 0;
  unsigned level = 0;
  std::uint64_t group = 0;  // the group that broke it
  std::string text;         // the group, and the violation
};

// Of a level's parts; 0: no limit.
struct LevelLimits {
  std::uint64_t queues = 0, depth = 0;  // TB
  std::uint64_t contexts = 0;           // of begun groups (reference counters)
  std::uint64_t units = 0, places = 0;  // computing PEs, and instances in each
  Resources resources{};                // of each such PE
  std::uint64_t movers = 0;             // PEs for moving data
};
std::vector<LevelLimits> limits_of(const Structure& structure);

class Rules {
 public:
  using Report = std::function<void(const Violation&)>;
  using Names = std::function<std::string(unsigned level, std::uint64_t group)>;
  // `names`: the name of a group; without it "group 5 of level 1".
  Rules(std::vector<LevelLimits> limits, Report report, Names names = {});

  void take(const Operation& operation);
  // The resources that an instance of the group takes; before its first Dispatch.
  void needs(unsigned level, std::uint64_t group, const Resources& resources);
  // Beside its channel's order: the group begins when the earlier one has ended. After its Submit.
  void after(unsigned level, std::uint64_t group, std::uint64_t earlier);
  // A fault has ended a task: from now on groups may end without all of their instances.
  void fault() { fault_ = true; }
  // Reports a violation of this rule by a group.
  void report(Rule rule, std::uint64_t time, unsigned level, std::uint64_t group, std::string what);
  // The sequence ends: no begun group may be open.
  void finish();

  std::uint64_t taken() const { return taken_; }  // operations
  // Submitted, and not ended.
  bool open(unsigned level, std::uint64_t group) const;

 private:
  struct Resident {
    std::uint64_t unit = 0;
    std::uint64_t inside = 0;    // the node of the level below in this PE
    std::uint64_t children = 0;  // groups of the level below in its queues
  };
  struct Group {
    Operation submitted;
    std::uint64_t order = 0;  // of all submitted
    bool fetched = false, entered = false, begun = false, ended = false, left = false;
    bool moved_first = false;  // a computing one: data moved for it, and it has not got its context yet
    std::uint64_t context = kNobody, queue = kNobody, enter_node = 0;
    std::uint64_t dispatched = 0, finished = 0, moving = 0;
    Resources needs{};
    std::vector<bool> seen;  // dispatched instances
    std::unordered_map<std::uint64_t, Resident> residents;
    std::vector<std::uint64_t> before;  // its predecessors, without control scripts
  };
  struct Channel {
    std::uint64_t last = kNobody;          // submitted to it
    std::uint64_t entered = 0, begun = 0;  // orders of the last groups that did
  };
  struct Queue {
    std::uint64_t groups = 0;
    std::tuple<std::uint64_t, std::uint64_t, std::uint64_t> owner;  // parent, and channel
  };
  struct Unit {
    std::uint64_t residents = 0;
    Resources used{};
  };
  struct Node {
    std::vector<Queue> queues;
    std::unordered_map<std::uint64_t, std::uint64_t> fetched;  // by hardware channel: order of the last one
    std::unordered_map<std::uint64_t, Unit> units;
    std::unordered_map<std::uint64_t, std::uint64_t> movers;    // busy movers, and their groups
    std::unordered_map<std::uint64_t, std::uint64_t> contexts;  // taken contexts, and their groups
  };
  struct State {
    std::unordered_map<std::uint64_t, Group> groups;
    std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, Channel> channels;
    std::unordered_map<std::uint64_t, Node> nodes;
  };

  Group* known(const Operation& operation);
  Group& submit(const Operation& operation);
  void fetch(const Operation& operation, Group& group);
  void enter(const Operation& operation, Group& group);
  void begin(const Operation& operation, Group& group);
  void dispatch(const Operation& operation, Group& group);
  void finish(const Operation& operation, Group& group);
  void move_begins(const Operation& operation, Group& group);
  void move_ends(const Operation& operation, Group& group);
  void end(const Operation& operation, Group& group);
  void leave(const Operation& operation, Group& group);
  void check_before(const Operation& operation, Group& group);
  void take_room(const Operation& operation, const Group& group);
  Resident* parent_of(const Operation& operation);
  Channel& channel_of(const Operation& operation);
  void forget(const Operation& operation, Group& group);
  std::string name(unsigned level, std::uint64_t group) const;
  template <typename... Words>
  void broken(Rule rule, const Operation& operation, const char* format, const Words&... words);

  const std::vector<LevelLimits> limits_;
  const Report report_;
  const Names names_;
  std::vector<State> levels_;
  std::uint64_t next_order_ = 1, taken_ = 0, last_time_ = 0;
  bool fault_ = false;
};

}  // namespace duet::model
