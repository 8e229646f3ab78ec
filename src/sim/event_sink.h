// Who wants to know what happens to a task (base/task_event.h) is a sink of the engine. A component asks the
// engine for the sink of a kind of event and, when there is one, tells it:
//
//   if (sim::EventSink* sink = engine().event_sink(TaskEventKind::Move))
//     sink->take({.kind = TaskEventKind::Move, .phase = TaskEventPhase::Begin, .time_ps = now, ...});
//
// Where nobody looks that is one comparison with null, and nothing is kept for it. Events of one component
// come in the order of time; those of several at one time in the order of ticks, which means nothing.
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
  // Of an end: by how much the component's statistics rose since the begin, in the order in which it declares
  // them; empty: not told. Valid until take() returns.
  std::span<const std::uint64_t> counts{};
};

class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void take(const Event& event) = 0;
};

}  // namespace duet::sim
