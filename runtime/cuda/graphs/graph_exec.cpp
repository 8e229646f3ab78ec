#include "cuda/graphs/graph_exec.h"

#include <algorithm>
#include <optional>

#include "core/copies.h"
#include "cuda/streams/host_work.h"
#include "cuda/streams/launch.h"

using duet::cuda::CallKind;
using duet::driver::Command;
using duet::driver::CommandKind;
using duet::driver::StreamId;

namespace duet::cuda {

namespace {

// Appends the graph's steps; returns its last steps, behind all others. `before`: steps before all of it.
// Nothing when it has a cycle.
std::optional<std::vector<std::size_t>> flatten(const CUgraph_st& graph,
                                                const std::vector<std::size_t>& before,
                                                std::vector<CUgraphNode_st*>& nodes, core::StepEdges& steps) {
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
      auto inner = flatten(*child->graph, after, nodes, steps);
      if (!inner) return std::nullopt;
      ends[node] = std::move(*inner);
      continue;
    }
    ends[node] = {steps.size()};
    nodes.push_back(node);
    steps.push_back(std::move(after));
  }
  std::vector<std::size_t> last;
  for (const CUgraphNode_st* node : order)
    if (!followed.contains(node))
      for (const std::size_t step : ends[node])
        if (std::find(last.begin(), last.end(), step) == last.end()) last.push_back(step);
  return last;
}

// The commands of one launch.
class Commands {
 public:
  Commands(Session& session, CUgraphExec_st& exec) : session_(session), exec_(exec) {}

  // Every possible failure comes before the first command. No cost: the node does nothing.
  cudaError_t prepare() {
    for (CUgraphNode_st* node : exec_.nodes) {
      Command& command = commands_.emplace_back();
      if (!node->enabled) continue;
      if (const cudaError_t error = std::visit([&](auto& work) { return make(work, command); }, node->work);
          error != cudaSuccess) {
        take_back_memory();
        return error;
      }
    }
    return cudaSuccess;
  }
  std::vector<Command> take() { return std::move(commands_); }

 private:
  cudaError_t make(KernelWork& work, Command& command) {
    if ((exec_.flags & cudaGraphInstantiateFlagUseNodePriority) != 0) command.priority = work.priority;
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

  Session& session_;
  CUgraphExec_st& exec_;
  std::vector<Command> commands_;  // by step
  std::vector<std::pair<std::shared_ptr<core::GraphMemory>, bool>>
      memory_before_;  // whether it was allocated
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
  exec->made_of = graph.number;
  core::StepEdges steps;
  if (!flatten(*exec->graph, {}, exec->nodes, steps)) return nullptr;
  exec->plan = core::make_plan(session.core(), std::move(steps));
  return exec;
}

void destroy(std::unique_ptr<CUgraphExec_st> exec) { core::release_plan(exec->plan); }

cudaError_t launch(Session& session, ThreadState& thread, CUgraphExec_st& exec, StreamId stream) {
  Commands commands(session, exec);
  if (const cudaError_t error = commands.prepare(); error != cudaSuccess) return error;
  core::launch(session.core(), *thread.host, exec.plan, stream, commands.take());
  return cudaSuccess;
}

cudaError_t update(CUgraph_st& own, const CUgraph_st& graph, cudaGraphExecUpdateResultInfo& info) {
  info = {};
  info.result = compare(own, graph, info);
  if (info.result != cudaGraphExecUpdateSuccess) return cudaErrorGraphExecUpdateFailure;
  take_over(own, graph);
  return cudaSuccess;
}

}  // namespace duet::cuda
