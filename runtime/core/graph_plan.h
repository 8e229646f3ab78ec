// Graphs of commands: steps with dependencies, launched together again and again.
//
//   GraphPlan plan = make_plan(runtime, {{}, {0}, {0}, {1, 2}});  // a diamond
//   launch(runtime, host, plan, stream, std::move(commands));     // one a step
//
// Every step has a lane: lane 0 is the stream of the launch, the others are streams of the plan's own. A step
// goes to the lowest lane on which one of its dependencies is the last step so far, otherwise to a new one,
// so a chain is one lane and independent steps may overlap; when there are no more lanes, behind the earliest
// step. An edge between lanes is an event's record and a wait; they cost push-buffer bytes and a semaphore,
// but no time of the driver's (CallKind::GraphEdge). A launch costs its call once. Left out: the steps' work.
// An API keeps it, and makes commands of it.
#pragma once

#include <vector>

#include "core/runtime.h"

namespace duet::core {

// The dependencies of each step, by the steps' places.
using StepEdges = std::vector<std::vector<std::size_t>>;
// Dependencies before dependents, otherwise in their own order; empty with a cycle.
std::vector<std::size_t> topological_order(const StepEdges& after);

struct Step {
  std::vector<std::size_t> after;  // steps
  unsigned lane = 0;
  std::vector<std::size_t> waits;  // steps of other lanes
  bool awaited = false;            // by a step of another lane, or by the end of the graph
  driver::EventId event = 0;       // when awaited
};

struct GraphPlan {
  std::vector<Step> steps;
  std::vector<driver::StreamId> lanes;  // without lane 0
  std::vector<std::size_t> last;        // steps awaited by the launching stream at the end
  driver::EventId start = 0;            // behind earlier work of the launching stream
  driver::EventId end = 0;              // when the next launch is in another stream
  driver::StreamId last_stream = 0;
  driver::CommandId last_command = 0;
};

// Dependencies come before their dependents.
GraphPlan make_plan(Runtime& runtime, StepEdges after);
// Running launches go on: commands refer to records, not to events, and a lane's next owner comes behind.
void release_plan(GraphPlan& plan);
// The whole call. `commands` are all but their streams; a step whose command has no cost does nothing.
void launch(Runtime& runtime, host::HostThread& host, GraphPlan& plan, driver::StreamId stream,
            std::vector<driver::Command> commands);

}  // namespace duet::core
