// Calls about executable graphs: making, launching, updating.
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

cudaError_t make(Session& session, cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
  if (exec == nullptr || !valid(graph)) return cudaErrorInvalidValue;
  if ((flags & ~kTaken) != 0)
    return flags & cudaGraphInstantiateFlagDeviceLaunch ? cudaErrorNotSupported : cudaErrorInvalidValue;
  auto made = duet::cuda::instantiate(session, *graph);
  if (made == nullptr) return cudaErrorInvalidValue;
  made->flags = flags;
  *exec = made.release();
  return cudaSuccess;
}

}  // namespace

DUET_API(cudaGraphInstantiate, Other, (cudaGraphExec_t * exec, cudaGraph_t graph, unsigned long long flags)) {
  return make(session, exec, graph, flags);
}
DUET_END
DUET_API(cudaGraphInstantiateWithFlags, Other,
         (cudaGraphExec_t * exec, cudaGraph_t graph, unsigned long long flags)) {
  return make(session, exec, graph, flags);
}
DUET_END
DUET_API(cudaGraphInstantiateWithParams, Other,
         (cudaGraphExec_t * exec, cudaGraph_t graph, cudaGraphInstantiateParams* params)) {
  if (params == nullptr) return cudaErrorInvalidValue;
  const cudaError_t error = make(session, exec, graph, params->flags);
  params->errNode_out = nullptr;
  params->result_out = error == cudaSuccess             ? cudaGraphInstantiateSuccess
                       : error == cudaErrorNotSupported ? cudaGraphInstantiateNodeOperationNotSupported
                                                        : cudaGraphInstantiateInvalidStructure;
  return error;
}
DUET_END

DUET_API(cudaGraphExecGetFlags, Other, (cudaGraphExec_t exec, unsigned long long* flags)) {
  if (!valid(exec) || flags == nullptr) return cudaErrorInvalidValue;
  *flags = exec->flags;
  return cudaSuccess;
}
DUET_END

DUET_API(cudaGraphExecDestroy, Other, (cudaGraphExec_t exec)) {
  if (!valid(exec)) return cudaErrorInvalidValue;
  duet::cuda::destroy(std::unique_ptr<CUgraphExec_st>(exec));
  return cudaSuccess;
}
DUET_END

DUET_API(cudaGraphUpload, Other, (cudaGraphExec_t exec, cudaStream_t stream)) {
  if (!valid(exec)) return cudaErrorInvalidValue;
  StreamUse use;
  return duet::cuda::enter_stream(session, stream, use);
}
DUET_END

// In a capturing stream the graph becomes a child of the captured one.
DUET_API(cudaGraphLaunch, GraphLaunch, (cudaGraphExec_t exec, cudaStream_t stream)) {
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
DUET_END

DUET_API(cudaGraphExecUpdate, Other,
         (cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* info)) {
  if (!valid(exec) || !valid(graph) || info == nullptr) return cudaErrorInvalidValue;
  return duet::cuda::update(*exec, *graph, *info);
}
DUET_END

DUET_API(cudaGraphExecChildGraphNodeSetParams, Other,
         (cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t graph)) {
  if (!valid(exec) || !valid(node) || !valid(graph)) return cudaErrorInvalidValue;
  CUgraphNode_st* copy = duet::cuda::find_copy(*exec->graph, node);
  if (copy == nullptr || copy->type() != cudaGraphNodeTypeGraph) return cudaErrorInvalidValue;
  cudaGraphExecUpdateResultInfo info;
  const cudaError_t error =
      duet::cuda::update(*std::get<duet::cuda::ChildWork>(copy->work).graph, *graph, info);
  return error == cudaSuccess ? cudaSuccess : cudaErrorInvalidValue;
}
DUET_END

// Only kernels, copies and fills can be left out.
DUET_API(cudaGraphNodeSetEnabled, Other, (cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled)) {
  if (!valid(exec) || !valid(node)) return cudaErrorInvalidValue;
  CUgraphNode_st* copy = duet::cuda::find_copy(*exec->graph, node);
  if (copy == nullptr || copy->type() > cudaGraphNodeTypeMemset) return cudaErrorInvalidValue;
  copy->enabled = enabled != 0;
  return cudaSuccess;
}
DUET_END
DUET_API(cudaGraphNodeGetEnabled, Other, (cudaGraphExec_t exec, cudaGraphNode_t node, unsigned* enabled)) {
  if (!valid(exec) || !valid(node) || enabled == nullptr) return cudaErrorInvalidValue;
  const CUgraphNode_st* copy = duet::cuda::find_copy(*exec->graph, node);
  if (copy == nullptr) return cudaErrorInvalidValue;
  *enabled = copy->enabled;
  return cudaSuccess;
}
DUET_END
