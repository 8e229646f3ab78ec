// A sink of the engine receives the events of tasks (base/task_event.h). A component asks the engine for the
// sink of a kind of event and, when there is one, calls it:
//
//   if (sim::EventSink* sink = engine().event_sink(TaskEventKind::Move))
//     sink->take({.kind = TaskEventKind::Move, .phase = TaskEventPhase::Begin, .time_ps = now, ...});
//
// Without a sink the cost is one comparison with null. Events of one component come in the order of time;
// events of several at one time in the order of ticks, which has no meaning.
#pragma once

#include <span>

#include "base/task_event.h"
#include "base/units.h"

namespace duet::sim {

class Component;

struct Event {
  TaskEventKind kind = TaskEventKind::Command;
  TaskEventPhase phase = TaskEventPhase::Moment;
  std::uint32_t stream = 0;
  std::uint32_t unit = 0;  // number of the channel, the reference counter, the SM, the engine, or the core
  Picoseconds time_ps = 0;
  std::uint64_t id = 0, parent = 0;
  std::uint64_t argument = 0;  // of a push-buffer command; a move's bytes, a kernel's blocks; command_work.h
  const Component* component = nullptr;  // where it happens
  const char* name = "";                 // valid until take() returns
  // Of an end: the increase of the component's statistics since the begin, in the order of their declaration;
  // empty: not known. Valid until take() returns.
  std::span<const std::uint64_t> counts{};
};

class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void take(const Event& event) = 0;
};

}  // namespace duet::sim
