// The state of a running model: nodes (the inside of a PE), task instances in them, and groups in queues.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/run.h"

namespace duet::model {

struct Node;
struct Group;

// A running instance of a script list, TI^(i+1), whose scripts a node of level i consumes.
struct Instance {
  const ScriptList* list = nullptr;
  Group* group = nullptr;  // null: the program
  std::uint64_t index = 0;
  Instance* parent = nullptr;
  Node* node = nullptr;  // the node that consumes its scripts
  std::string name;      // "smooth(2)"
  std::uint64_t since = 0;
  bool allocated = false;
  // For each hardware channel the scripts to read, in order, and the position.
  struct Entry {
    const Script* script;
    std::uint64_t channel;
    Group* group;
  };
  struct Feed {
    std::vector<Entry> entries;
    std::size_t next = 0, command = 0;
    std::uint64_t step = 0;  // the step of its last read
    bool done() const { return next == entries.size(); }
  };
  std::vector<Feed> feeds;
  std::size_t open_groups = 0;
  std::set<std::string> events;                       // signalled
  std::map<const Script*, std::uint64_t> at_barrier;  // arrived channels
  // Its data in position, and data with reserved room. An instance on a PE has room for all data of its list
  // from its dispatch on; the program takes room when it needs some.
  std::set<std::string> data, on_the_way;
  Bytes reserved = 0;
  bool has_room_for(const std::string& name) const {
    return group != nullptr || data.contains(name) || on_the_way.contains(name);
  }
  bool read_all() const {
    for (const Feed& feed : feeds)
      if (!feed.done()) return false;
    return true;
  }
};

struct Group {
  std::uint64_t number = 0;
  const Script* script = nullptr;
  Instance* parent = nullptr;
  std::uint64_t channel = 0;
  std::string name;
  std::uint64_t entered = 0;  // step
  std::uint64_t queue = 0;
  bool begun = false, arrived = false;  // arrived: at a barrier
  const Array* array = nullptr;         // the array that executes it, and the copy
  std::uint64_t copy = 0;
  std::uint64_t dispatched = 0, finished = 0;
  std::set<std::string> staged_out;  // by its instances
  std::uint64_t ended = 0;           // step in which the last instance finished; 0: not yet
};

// The inside of a PE: all of a level. Its children are the PEs of its level.
struct Node {
  unsigned level = 0;
  std::uint64_t number = 0;  // unique among the nodes of its level; 0: the topmost
  std::string name;
  std::vector<Instance*> residents;
  struct Queue {
    const Instance* of = nullptr;  // whose channel has it; null: free
    std::uint64_t channel = 0;
    std::vector<Group*> groups;  // the first is the head
  };
  std::vector<Queue> queues;
  struct Element {
    std::uint64_t residents = 0;  // its instances
    Node* inside = nullptr;       // of a PE_C above level 0
  };
  struct Copy {
    const Array* array;
    std::uint64_t number;      // among the copies of its array
    std::uint64_t first_unit;  // number of its first PE in the node
    std::vector<Element> elements;
    Group* busy = nullptr;   // level 0 and PE_D: the executed group
    std::uint64_t next = 0;  // first instance of its next wave
    std::uint64_t since = 0, turn = 0;
  };
  std::vector<Copy> copies;
  std::uint64_t units = 0;  // PEs of all of them
  Bytes memory_used = 0;
  // The PE around it: of this node, its place there and its number.
  Node* above = nullptr;
  Element* seat = nullptr;
  std::uint64_t unit = 0;
  std::size_t turn = 0, feed_turn = 0;  // round robin of SE and TU
};

}  // namespace duet::model
