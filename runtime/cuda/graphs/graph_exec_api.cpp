// Calls about executable graphs: making, launching, updating.
#include <algorithm>

#include "cuda/graphs/graph_calls.h"
#include "cuda/graphs/graph_exec.h"
#include "cuda/streams/capture.h"

using duet::cuda::Session;
using duet::cuda::StreamUse;
using duet::cuda::ThreadState;
using duet::cuda::valid;

namespace {

// Uploading costs nothing here, freeing on launch concerns memory nodes, and priorities do not preempt.
constexpr unsigned long long kTaken = cudaGraphInstantiateFlagAutoFreeOnLaunch |
                                      cudaGraphInstantiateFlagUpload |
                                      cudaGraphInstantiateFlagUseNodePriority;

bool has_exec(const CUgraph_st& graph) {
  const auto& all = duet::cuda::live<CUgraphExec_st>();
  return std::any_of(all.begin(), all.end(), [&](const auto* exec) { return exec->made_of == graph.number; });
}

// A graph with memory of its own has one executable copy at a time.
cudaError_t make(Session& session, cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
  if (exec == nullptr || !valid(graph)) return cudaErrorInvalidValue;
  if ((flags & ~kTaken) != 0)
    return flags & cudaGraphInstantiateFlagDeviceLaunch ? cudaErrorNotSupported : cudaErrorInvalidValue;
  if (duet::cuda::has_memory_nodes(*graph) && has_exec(*graph)) return cudaErrorInvalidValue;
  auto made = duet::cuda::instantiate(session, *graph);
  if (made == nullptr) return cudaErrorInvalidValue;
  made->flags = flags;
  *exec = made.release();
  return cudaSuccess;
}

}  // namespace

cudaError_t duet::cuda::instantiate_graph(Session& session, cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return make(session, exec, graph, flags);
}
DUET_API(cudaGraphInstantiate, Other, (cudaGraphExec_t * exec, cudaGraph_t graph, unsigned long long flags)) {
  return duet::cuda::instantiate_graph(session, exec, graph, flags);
}
DUET_END
DUET_API(cudaGraphInstantiateWithFlags, Other,
         (cudaGraphExec_t * exec, cudaGraph_t graph, unsigned long long flags)) {
  return make(session, exec, graph, flags);
}
DUET_END
cudaError_t duet::cuda::instantiate_graph_with(Session& session, cudaGraphExec_t* exec, cudaGraph_t graph,
                                               cudaGraphInstantiateParams* params) {
  if (params == nullptr) return cudaErrorInvalidValue;
  const cudaError_t error = make(session, exec, graph, params->flags);
  params->errNode_out = nullptr;
  params->result_out = error == cudaSuccess             ? cudaGraphInstantiateSuccess
                       : error == cudaErrorNotSupported ? cudaGraphInstantiateNodeOperationNotSupported
                                                        : cudaGraphInstantiateInvalidStructure;
  return error;
}
DUET_API(cudaGraphInstantiateWithParams, Other,
         (cudaGraphExec_t * exec, cudaGraph_t graph, cudaGraphInstantiateParams* params)) {
  return duet::cuda::instantiate_graph_with(session, exec, graph, params);
}
DUET_END

cudaError_t duet::cuda::get_exec_flags(cudaGraphExec_t exec, unsigned long long* flags) {
  if (!valid(exec) || flags == nullptr) return cudaErrorInvalidValue;
  *flags = exec->flags;
  return cudaSuccess;
}
DUET_API(cudaGraphExecGetFlags, Other, (cudaGraphExec_t exec, unsigned long long* flags)) {
  return duet::cuda::get_exec_flags(exec, flags);
}
DUET_END

cudaError_t duet::cuda::destroy_exec(cudaGraphExec_t exec) {
  if (!valid(exec)) return cudaErrorInvalidValue;
  duet::cuda::destroy(std::unique_ptr<CUgraphExec_st>(exec));
  return cudaSuccess;
}
DUET_API(cudaGraphExecDestroy, Other, (cudaGraphExec_t exec)) { return duet::cuda::destroy_exec(exec); }
DUET_END

cudaError_t duet::cuda::upload_exec(Session& session, cudaGraphExec_t exec, cudaStream_t stream) {
  if (!valid(exec)) return cudaErrorInvalidValue;
  StreamUse use;
  return duet::cuda::enter_stream(session, stream, use);
}
DUET_API(cudaGraphUpload, Other, (cudaGraphExec_t exec, cudaStream_t stream)) {
  return duet::cuda::upload_exec(session, exec, stream);
}
DUET_END

// In a capturing stream the graph becomes a child of the captured one.
cudaError_t duet::cuda::launch_exec(Session& session, ThreadState& thread, cudaGraphExec_t exec,
                                    cudaStream_t stream) {
  if (!valid(exec)) return cudaErrorInvalidValue;
  StreamUse use;
  if (const cudaError_t error = duet::cuda::enter_stream(session, stream, use); error != cudaSuccess)
    return error;
  if (use.capture != nullptr) {
    duet::cuda::ChildWork child{duet::cuda::copy_of(*exec->graph)};
    child.graph->embedded = true;
    return duet::cuda::capture(use, std::move(child));
  }
  return duet::cuda::launch(session, thread, *exec, use.id);
}
DUET_API(cudaGraphLaunch, GraphLaunch, (cudaGraphExec_t exec, cudaStream_t stream)) {
  return duet::cuda::launch_exec(session, thread, exec, stream);
}
DUET_END

cudaError_t duet::cuda::update_exec(cudaGraphExec_t exec, cudaGraph_t graph,
                                    cudaGraphExecUpdateResultInfo* info) {
  if (!valid(exec) || !valid(graph) || info == nullptr) return cudaErrorInvalidValue;
  return duet::cuda::update(*exec, *graph, *info);
}
DUET_API(cudaGraphExecUpdate, Other,
         (cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* info)) {
  return duet::cuda::update_exec(exec, graph, info);
}
DUET_END

cudaError_t duet::cuda::set_exec_child_graph_node(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                  cudaGraph_t graph) {
  if (!valid(exec) || !valid(node) || !valid(graph)) return cudaErrorInvalidValue;
  CUgraphNode_st* copy = duet::cuda::find_copy(*exec->graph, node);
  if (copy == nullptr || copy->type() != cudaGraphNodeTypeGraph) return cudaErrorInvalidValue;
  cudaGraphExecUpdateResultInfo info;
  const cudaError_t error =
      duet::cuda::update(*std::get<duet::cuda::ChildWork>(copy->work).graph, *graph, info);
  return error == cudaSuccess ? cudaSuccess : cudaErrorInvalidValue;
}
DUET_API(cudaGraphExecChildGraphNodeSetParams, Other,
         (cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t graph)) {
  return duet::cuda::set_exec_child_graph_node(exec, node, graph);
}
DUET_END

// Only kernels, copies and fills can be left out.
cudaError_t duet::cuda::set_node_enabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
  if (!valid(exec) || !valid(node)) return cudaErrorInvalidValue;
  CUgraphNode_st* copy = duet::cuda::find_copy(*exec->graph, node);
  if (copy == nullptr || copy->type() > cudaGraphNodeTypeMemset) return cudaErrorInvalidValue;
  copy->enabled = enabled != 0;
  return cudaSuccess;
}
DUET_API(cudaGraphNodeSetEnabled, Other, (cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled)) {
  return duet::cuda::set_node_enabled(exec, node, enabled);
}
DUET_END
cudaError_t duet::cuda::get_node_enabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned* enabled) {
  if (!valid(exec) || !valid(node) || enabled == nullptr) return cudaErrorInvalidValue;
  const CUgraphNode_st* copy = duet::cuda::find_copy(*exec->graph, node);
  if (copy == nullptr) return cudaErrorInvalidValue;
  *enabled = copy->enabled;
  return cudaSuccess;
}
DUET_API(cudaGraphNodeGetEnabled, Other, (cudaGraphExec_t exec, cudaGraphNode_t node, unsigned* enabled)) {
  return duet::cuda::get_node_enabled(exec, node, enabled);
}
DUET_END
