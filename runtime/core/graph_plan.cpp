#include "core/graph_plan.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>

namespace duet::core {

namespace {

using driver::Command;
using driver::CommandKind;
using driver::EventId;
using driver::StreamId;

// The lanes and events of released plans, for the next ones.
struct Spare {
  std::vector<StreamId> lanes;
  std::vector<EventId> events;
};
Spare& spare() {
  static auto* const things = new Spare;
  return *things;
}

StreamId take_lane(Runtime& runtime) {
  if (spare().lanes.empty()) return runtime.driver().create_stream({});
  const StreamId lane = spare().lanes.back();
  spare().lanes.pop_back();
  return lane;
}

EventId take_event(Runtime& runtime) {
  if (spare().events.empty()) return runtime.driver().create_event();
  const EventId event = spare().events.back();
  spare().events.pop_back();
  return event;
}

// As many as a GPU has hardware channels.
constexpr unsigned kLanes = 32;

// Lanes by the rule at the top of graph_plan.h; returns the last step of each.
std::vector<std::size_t> assign_lanes(std::vector<Step>& steps) {
  std::vector<std::size_t> tail;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Step& step = steps[i];
    step.lane = kLanes;
    for (const std::size_t earlier : step.after)
      if (tail[steps[earlier].lane] == earlier) step.lane = std::min(step.lane, steps[earlier].lane);
    if (step.lane == kLanes && tail.size() == kLanes)
      step.lane = static_cast<unsigned>(std::min_element(tail.begin(), tail.end()) - tail.begin());
    if (step.lane == kLanes) {
      step.lane = static_cast<unsigned>(tail.size());
      tail.emplace_back();
    }
    tail[step.lane] = i;
    for (const std::size_t earlier : step.after) {
      if (steps[earlier].lane == step.lane) continue;
      step.waits.push_back(earlier);
      steps[earlier].awaited = true;
    }
  }
  return tail;
}

// The ends of the other lanes, but for ends that lane 0 has waited for.
std::vector<std::size_t> lane_ends(const std::vector<Step>& steps, const std::vector<std::size_t>& tail) {
  std::unordered_set<std::size_t> known;
  for (const Step& step : steps)
    if (step.lane == 0) known.insert(step.waits.begin(), step.waits.end());
  std::vector<std::size_t> result;
  for (std::size_t lane = 1; lane < tail.size(); ++lane)
    if (!known.contains(tail[lane])) result.push_back(tail[lane]);
  return result;
}

// One launch of a plan.
class Launch {
 public:
  Launch(Runtime& runtime, host::HostThread& host, GraphPlan& plan, StreamId stream)
      : runtime_(runtime), host_(host), plan_(plan), stream_(stream) {}

  void run(std::vector<Command> commands) {
    host_.stage_one(runtime_.cost(CallKind::GraphLaunch));
    follow_last_launch();
    const auto begins = [](const Step& step) { return step.lane != 0 && step.after.empty(); };
    if (std::any_of(plan_.steps.begin(), plan_.steps.end(), begins))
      edge(CommandKind::EventRecord, stream_, plan_.start);
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      const Step& step = plan_.steps[i];
      const StreamId id = lane(step.lane);
      if (begins(step)) edge(CommandKind::StreamWaitEvent, id, plan_.start);
      record_tail(step.lane);
      for (const std::size_t earlier : step.waits) wait_for(id, earlier);
      if (commands[i].cost != nullptr) submit(std::move(commands[i]), id);
      if (step.awaited) unrecorded_[step.lane] = i;
    }
    for (const std::size_t last : plan_.last) wait_for(stream_, last);
    plan_.last_stream = stream_;
    plan_.last_command = runtime_.driver().last_submitted(stream_);
  }

 private:
  StreamId lane(unsigned number) const { return number == 0 ? stream_ : plan_.lanes[number - 1]; }
  void submit(Command command, StreamId stream) {
    command.stream = stream;
    const ptx::Kernel* const kernel = command.grid != nullptr ? command.grid->kernel : nullptr;
    if (kernel != nullptr) runtime_.maintenance().before_launch(host_, command);
    if (command.kind == CommandKind::Copy) runtime_.maintenance().before_copy(host_, command);
    if (command.kind == CommandKind::HostFunction)
      runtime_.maintenance().ahead_of_host_function(host_, stream);
    const driver::CommandId id = host_.submit_further(std::move(command));
    if (kernel != nullptr) runtime_.launched(id, stream, kernel->name);
  }
  void edge(CommandKind kind, StreamId stream, EventId event) {
    Command command;
    command.kind = kind;
    command.cost = &runtime_.cost(CallKind::GraphEdge);
    command.event = event;
    submit(std::move(command), stream);
  }

  // A record is submitted when somebody waits for it or its lane goes on: on a machine with one hardware
  // channel it would otherwise hold up the nodes behind it until its own node is complete.
  void wait_for(StreamId stream, std::size_t step) {
    const auto open = unrecorded_.find(plan_.steps[step].lane);
    if (open != unrecorded_.end() && open->second == step) record_tail(plan_.steps[step].lane);
    edge(CommandKind::StreamWaitEvent, stream, plan_.steps[step].event);
  }
  void record_tail(unsigned lane_number) {
    const auto open = unrecorded_.find(lane_number);
    if (open == unrecorded_.end()) return;
    edge(CommandKind::EventRecord, lane(lane_number), plan_.steps[open->second].event);
    unrecorded_.erase(open);
  }

  // Launches of one executable graph run one after the other, in whatever streams.
  void follow_last_launch() {
    driver::Driver& driver = runtime_.driver();
    if (plan_.last_command == 0 || plan_.last_stream == stream_ || driver.complete(plan_.last_command))
      return;
    if (!driver.stream_exists(plan_.last_stream)) {
      host_.wait(runtime_.cost(CallKind::GraphLaunch), [&] { return driver.complete(plan_.last_command); });
      return;
    }
    edge(CommandKind::EventRecord, plan_.last_stream, plan_.end);
    edge(CommandKind::StreamWaitEvent, stream_, plan_.end);
  }

  Runtime& runtime_;
  host::HostThread& host_;
  GraphPlan& plan_;
  const StreamId stream_;
  std::unordered_map<unsigned, std::size_t> unrecorded_;  // by lane: its latest step, awaited
};

}  // namespace

std::vector<std::size_t> topological_order(const StepEdges& after) {
  std::vector<std::size_t> missing(after.size());
  StepEdges dependents(after.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    missing[i] = after[i].size();
    for (const std::size_t earlier : after[i]) dependents[earlier].push_back(i);
  }
  std::vector<std::size_t> order, ready;  // ready: a heap, the earliest first
  for (std::size_t i = after.size(); i-- > 0;)
    if (after[i].empty()) ready.push_back(i);
  std::make_heap(ready.begin(), ready.end(), std::greater<>());
  while (!ready.empty()) {
    std::pop_heap(ready.begin(), ready.end(), std::greater<>());
    const std::size_t at = ready.back();
    ready.pop_back();
    order.push_back(at);
    for (const std::size_t later : dependents[at]) {
      if (--missing[later] != 0) continue;
      ready.push_back(later);
      std::push_heap(ready.begin(), ready.end(), std::greater<>());
    }
  }
  if (order.size() != after.size()) order.clear();
  return order;
}

GraphPlan make_plan(Runtime& runtime, StepEdges after) {
  GraphPlan plan;
  for (auto& edges : after) plan.steps.emplace_back().after = std::move(edges);
  const std::vector<std::size_t> tail = assign_lanes(plan.steps);
  for (std::size_t i = 1; i < tail.size(); ++i) plan.lanes.push_back(take_lane(runtime));
  plan.last = lane_ends(plan.steps, tail);
  for (const std::size_t last : plan.last) plan.steps[last].awaited = true;
  for (Step& step : plan.steps)
    if (step.awaited) step.event = take_event(runtime);
  plan.start = take_event(runtime);
  plan.end = take_event(runtime);
  return plan;
}

void release_plan(GraphPlan& plan) {
  spare().lanes.insert(spare().lanes.end(), plan.lanes.begin(), plan.lanes.end());
  for (const Step& step : plan.steps)
    if (step.event != 0) spare().events.push_back(step.event);
  spare().events.push_back(plan.start);
  spare().events.push_back(plan.end);
}

void launch(Runtime& runtime, host::HostThread& host, GraphPlan& plan, StreamId stream,
            std::vector<Command> commands) {
  Launch(runtime, host, plan, stream).run(std::move(commands));
}

}  // namespace duet::core
