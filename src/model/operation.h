// The operations on groups of task instances, in the model's words. An execution of a model (run.h) and the
// task events of a simulated run (task_events.h) both become such operations, and the rules (rules.h) judge
// both.
#pragma once

#include <array>
#include <cstdint>

#include "model/scripts.h"

namespace duet::model {

enum class Verb : std::uint8_t {
  Submit,     // a group's script stands in its list, in a channel
  Fetch,      // TU: begins to read the script
  Enter,      // TU: the group stands in a queue of the TB
  Begin,      // TU: its context is allocated; its first task instance may go
  Dispatch,   // SE: a task instance goes to a PE
  Finish,     // PE: the task instance has ended, its place is free
  MoveBegin,  // PE_D: a move of the group's data
  MoveEnd,
  End,   // TU: the group has ended, its context is given back
  Leave  // TU: it has left the queue
};
const char* name_of(Verb verb);  // "dispatch"

inline constexpr std::uint64_t kNobody = ~std::uint64_t{0};

// The resources of a PE that a task instance takes beside a place.
enum class Resource : std::uint8_t { Warps, Threads, Registers, SharedBytes };
inline constexpr std::size_t kResources = 4;
using Resources = std::array<std::uint64_t, kResources>;
const char* name_of(Resource resource);  // "registers"

struct Operation {
  Verb verb = Verb::Submit;
  ScriptKind kind = ScriptKind::Computing;
  Movement movement = Movement::StageIn;  // of a PS_D
  unsigned level = 0;                     // of the task instances
  std::uint64_t time = 0;                 // a step of a model's execution, or picoseconds
  std::uint64_t node = 0;                 // the PE of the level above with this level; 0 in the topmost
  std::uint64_t group = 0;                // unique
  std::uint64_t index = 0;                // of the task instance in its group; of a move in its group
  // Of a Submit: the task instance in whose list the script stands; kNobody: in the program.
  std::uint64_t parent_group = kNobody, parent_index = 0;
  std::uint64_t channel = 0, hardware_channel = 0;  // logical channels are numbered in their parent
  std::uint64_t width = 1;                          // of a Submit: instances of the group
  // The PE; of an Enter and a Leave the queue; of a Begin the context (reference counter), or kNobody.
  std::uint64_t unit = 0;
};

}  // namespace duet::model
