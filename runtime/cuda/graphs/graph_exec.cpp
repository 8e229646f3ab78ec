#include "cuda/graphs/graph_exec.h"

#include <algorithm>
#include <optional>

#include "cuda/streams/host_work.h"
#include "cuda/streams/launch.h"

using duet::cuda::CallKind;
using duet::driver::Command;
using duet::driver::CommandKind;
using duet::driver::EventId;
using duet::driver::StreamId;

namespace duet::cuda {

namespace {

// The lanes and events of destroyed executable graphs, for the next ones.
struct Spare {
  std::vector<StreamId> lanes;
  std::vector<EventId> events;
};
Spare& spare() {
  static auto* const things = new Spare;
  return *things;
}

StreamId take_lane(Session& session) {
  if (spare().lanes.empty()) return session.driver().create_stream({});
  const StreamId lane = spare().lanes.back();
  spare().lanes.pop_back();
  return lane;
}

EventId take_event(Session& session) {
  if (spare().events.empty()) return session.driver().create_event();
  const EventId event = spare().events.back();
  spare().events.pop_back();
  return event;
}

// Appends the graph's steps; returns its last steps, behind all others. `before`: steps before all of it.
// Nothing when it has a cycle.
std::optional<std::vector<std::size_t>> flatten(const CUgraph_st& graph,
                                                const std::vector<std::size_t>& before,
                                                std::vector<Step>& steps) {
  if (graph.nodes.empty()) return before;
  const auto order = topological_order(graph);
  if (order.empty()) return std::nullopt;
  std::unordered_map<const CUgraphNode_st*, std::vector<std::size_t>> ends;  // a child graph has several
  std::unordered_set<const CUgraphNode_st*> followed;
  for (CUgraphNode_st* node : order) {
    std::vector<std::size_t> after;
    for (const CUgraphNode_st* earlier : node->after) {
      followed.insert(earlier);
      for (const std::size_t step : ends[earlier])
        if (std::find(after.begin(), after.end(), step) == after.end()) after.push_back(step);
    }
    if (node->after.empty()) after = before;
    if (const auto* child = std::get_if<ChildWork>(&node->work)) {
      auto inner = flatten(*child->graph, after, steps);
      if (!inner) return std::nullopt;
      ends[node] = std::move(*inner);
      continue;
    }
    ends[node] = {steps.size()};
    steps.push_back({node, std::move(after), 0, {}, false, 0});
  }
  std::vector<std::size_t> last;
  for (const CUgraphNode_st* node : order)
    if (!followed.contains(node))
      for (const std::size_t step : ends[node])
        if (std::find(last.begin(), last.end(), step) == last.end()) last.push_back(step);
  return last;
}

// As many as CUDA_DEVICE_MAX_CONNECTIONS can ask for.
constexpr unsigned kLanes = 32;

// Lanes by the rule at the top of graph_exec.h; returns the last step of each.
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

// One launch of an executable graph.
class Launch {
 public:
  Launch(Session& session, ThreadState& thread, CUgraphExec_st& exec, StreamId stream)
      : session_(session), thread_(thread), exec_(exec), stream_(stream) {}

  cudaError_t run() {
    if (const cudaError_t error = prepare(); error != cudaSuccess) {
      take_back_memory();
      return error;
    }
    thread_.host->stage_one(session_.cost(CallKind::GraphLaunch));
    follow_last_launch();
    const auto begins = [](const Step& step) { return step.lane != 0 && step.after.empty(); };
    if (std::any_of(exec_.steps.begin(), exec_.steps.end(), begins))
      edge(CommandKind::EventRecord, stream_, exec_.start);
    for (std::size_t i = 0; i < exec_.steps.size(); ++i) {
      const Step& step = exec_.steps[i];
      const StreamId id = lane(step.lane);
      if (begins(step)) edge(CommandKind::StreamWaitEvent, id, exec_.start);
      record_tail(step.lane);
      for (const std::size_t earlier : step.waits) wait_for(id, earlier);
      if (commands_[i].cost != nullptr) {
        const auto command = thread_.host->submit_further(std::move(commands_[i]));
        if (const auto* work = std::get_if<KernelWork>(&step.node->work))
          session_.core().launched(command, id, work->function->kernel->name);
      }
      if (step.awaited) unrecorded_[step.lane] = i;
    }
    for (const std::size_t last : exec_.last) wait_for(stream_, last);
    exec_.last_stream = stream_;
    exec_.last_command = session_.driver().last_submitted(stream_);
    return cudaSuccess;
  }

 private:
  StreamId lane(unsigned number) const { return number == 0 ? stream_ : exec_.lanes[number - 1]; }
  void submit(Command command) { thread_.host->submit_further(std::move(command)); }
  void edge(CommandKind kind, StreamId stream, EventId event) {
    Command command;
    command.kind = kind;
    command.cost = &session_.cost(CallKind::GraphEdge);
    command.stream = stream;
    command.event = event;
    submit(std::move(command));
  }

  // A record is submitted when somebody waits for it or its lane goes on: on a machine with one hardware
  // channel it would otherwise hold up the nodes behind it until its own node is complete.
  void wait_for(StreamId stream, std::size_t step) {
    const auto open = unrecorded_.find(exec_.steps[step].lane);
    if (open != unrecorded_.end() && open->second == step) record_tail(exec_.steps[step].lane);
    edge(CommandKind::StreamWaitEvent, stream, exec_.steps[step].event);
  }
  void record_tail(unsigned lane_number) {
    const auto open = unrecorded_.find(lane_number);
    if (open == unrecorded_.end()) return;
    edge(CommandKind::EventRecord, lane(lane_number), exec_.steps[open->second].event);
    unrecorded_.erase(open);
  }

  // Every possible failure comes before the first command. No cost: the node does nothing.
  cudaError_t prepare() {
    for (const Step& step : exec_.steps) {
      Command& command = commands_.emplace_back();
      if (!step.node->enabled) continue;
      if (const cudaError_t error =
              std::visit([&](auto& work) { return make(work, command); }, step.node->work);
          error != cudaSuccess)
        return error;
      command.stream = lane(step.lane);
    }
    return cudaSuccess;
  }
  cudaError_t make(KernelWork& work, Command& command) {
    return error_of(core::prepare_launch(session_.core(), *work.function,
                                         shape_of(work.grid, work.block, work.shared_bytes, work.cooperative),
                                         work.parameters, command));
  }
  cudaError_t make(CopyWork& work, Command& command) { return copy_command(session_, work.parms, command); }
  cudaError_t make(FillWork& work, Command& command) { return fill_command(session_, work.parms, command); }
  cudaError_t make(HostWork& work, Command& command) {
    command = core::host_function_command(session_.core(), host_function(work.function, work.data));
    return cudaSuccess;
  }
  cudaError_t make(WaitWork& work, Command& command) {
    if (!session_.valid_event(work.event)) return cudaErrorInvalidResourceHandle;
    command.kind = CommandKind::StreamWaitEvent;
    command.cost = &session_.cost(CallKind::StreamWaitEvent);
    command.event = work.event->id;
    return cudaSuccess;
  }
  cudaError_t make(RecordWork& work, Command& command) {
    if (!session_.valid_event(work.event)) return cudaErrorInvalidResourceHandle;
    command.kind = CommandKind::EventRecord;
    command.cost = &session_.cost(CallKind::EventRecord);
    command.event = work.event->id;
    work.event->captured.reset();
    return cudaSuccess;
  }
  // In the order of the launch: a node finds the state that the previous one left.
  cudaError_t make(MemAllocWork& work, Command&) {
    const bool was = work.memory->allocated;
    const bool free_first = (exec_.flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0;
    const cudaError_t error = error_of(core::allocate_graph_memory(work.memory, free_first));
    if (error == cudaSuccess) memory_before_.emplace_back(work.memory, was);
    return error;
  }
  cudaError_t make(MemFreeWork& work, Command&) {
    const cudaError_t error = error_of(core::free_graph_memory(work.memory));
    if (error == cudaSuccess) memory_before_.emplace_back(work.memory, true);
    return error;
  }
  // The launch failed: nothing of it has happened.
  void take_back_memory() {
    for (; !memory_before_.empty(); memory_before_.pop_back()) {
      const auto& [memory, was] = memory_before_.back();
      (void)(was ? core::allocate_graph_memory(memory, true) : core::free_graph_memory(memory));
    }
  }
  cudaError_t make(ChildWork&, Command&) { return cudaSuccess; }  // flattened
  cudaError_t make(EmptyWork&, Command&) { return cudaSuccess; }

  // Launches of one executable graph run one after the other, in whatever streams.
  void follow_last_launch() {
    driver::Driver& driver = session_.driver();
    if (exec_.last_command == 0 || exec_.last_stream == stream_ || driver.complete(exec_.last_command))
      return;
    if (!driver.stream_exists(exec_.last_stream)) {
      thread_.host->wait(session_.cost(CallKind::GraphLaunch),
                         [&] { return driver.complete(exec_.last_command); });
      return;
    }
    edge(CommandKind::EventRecord, exec_.last_stream, exec_.end);
    edge(CommandKind::StreamWaitEvent, stream_, exec_.end);
  }

  Session& session_;
  ThreadState& thread_;
  CUgraphExec_st& exec_;
  const StreamId stream_;
  std::vector<Command> commands_;  // by step
  std::vector<std::pair<std::shared_ptr<core::GraphMemory>, bool>>
      memory_before_;                                     // whether it was allocated
  std::unordered_map<unsigned, std::size_t> unrecorded_;  // by lane: its latest step, awaited
};

bool same_edges(const CUgraph_st& one, const CUgraph_st& other, std::size_t at) {
  const auto position = [](const CUgraph_st& graph, const CUgraphNode_st* node) {
    return std::find_if(graph.nodes.begin(), graph.nodes.end(),
                        [&](const auto& owned) { return owned.get() == node; }) -
           graph.nodes.begin();
  };
  const auto edges = [&](const CUgraph_st& graph) {
    std::vector<std::ptrdiff_t> result;
    for (const CUgraphNode_st* earlier : graph.nodes[at]->after) result.push_back(position(graph, earlier));
    std::sort(result.begin(), result.end());
    return result;
  };
  return edges(one) == edges(other);
}

cudaGraphExecUpdateResult compare(const CUgraph_st& own, const CUgraph_st& other,
                                  cudaGraphExecUpdateResultInfo& info) {
  for (std::size_t i = 0; i < std::min(own.nodes.size(), other.nodes.size()); ++i) {
    info.errorNode = other.nodes[i].get();
    if (own.nodes[i]->type() != other.nodes[i]->type()) return cudaGraphExecUpdateErrorNodeTypeChanged;
    if (!same_edges(own, other, i)) return cudaGraphExecUpdateErrorTopologyChanged;
    if (const auto* kernel = std::get_if<KernelWork>(&own.nodes[i]->work);
        kernel != nullptr && kernel->cooperative != std::get<KernelWork>(other.nodes[i]->work).cooperative)
      return cudaGraphExecUpdateErrorAttributesChanged;
    if (const auto* child = std::get_if<ChildWork>(&own.nodes[i]->work))
      if (const auto result = compare(*child->graph, *std::get<ChildWork>(other.nodes[i]->work).graph, info);
          result != cudaGraphExecUpdateSuccess)
        return result;
  }
  info.errorNode = nullptr;
  return own.nodes.size() == other.nodes.size() ? cudaGraphExecUpdateSuccess
                                                : cudaGraphExecUpdateErrorTopologyChanged;
}

// The graph's steps point to its nodes, so they stay; only their work is replaced.
void take_over(CUgraph_st& own, const CUgraph_st& other) {
  for (std::size_t i = 0; i < own.nodes.size(); ++i) {
    if (auto* child = std::get_if<ChildWork>(&own.nodes[i]->work))
      take_over(*child->graph, *std::get<ChildWork>(other.nodes[i]->work).graph);
    else
      own.nodes[i]->work = copy_of(other.nodes[i]->work);
  }
}

}  // namespace

std::unique_ptr<CUgraphExec_st> instantiate(Session& session, const CUgraph_st& graph) {
  auto exec = std::make_unique<CUgraphExec_st>();
  exec->graph = copy_of(graph);
  if (!flatten(*exec->graph, {}, exec->steps)) return nullptr;
  const std::vector<std::size_t> tail = assign_lanes(exec->steps);
  for (std::size_t i = 1; i < tail.size(); ++i) exec->lanes.push_back(take_lane(session));
  exec->last = lane_ends(exec->steps, tail);
  for (const std::size_t last : exec->last) exec->steps[last].awaited = true;
  for (Step& step : exec->steps)
    if (step.awaited) step.event = take_event(session);
  exec->start = take_event(session);
  exec->end = take_event(session);
  return exec;
}

// Running launches go on: commands refer to records, not to events, and a lane's next owner comes behind.
void destroy(std::unique_ptr<CUgraphExec_st> exec) {
  spare().lanes.insert(spare().lanes.end(), exec->lanes.begin(), exec->lanes.end());
  for (const Step& step : exec->steps)
    if (step.event != 0) spare().events.push_back(step.event);
  spare().events.push_back(exec->start);
  spare().events.push_back(exec->end);
}

cudaError_t launch(Session& session, ThreadState& thread, CUgraphExec_st& exec, StreamId stream) {
  return Launch(session, thread, exec, stream).run();
}

cudaError_t update(CUgraph_st& own, const CUgraph_st& graph, cudaGraphExecUpdateResultInfo& info) {
  info = {};
  info.result = compare(own, graph, info);
  if (info.result != cudaGraphExecUpdateSuccess) return cudaErrorGraphExecUpdateFailure;
  take_over(own, graph);
  return cudaSuccess;
}

}  // namespace duet::cuda
