// Calls that add nodes to graphs, and read and set their work, in graphs and in executable copies.
#include <algorithm>

#include "cuda/graphs/graph_calls.h"
#include "cuda/graphs/graph_exec.h"

using duet::cuda::ChildWork;
using duet::cuda::CopyWork;
using duet::cuda::EmptyWork;
using duet::cuda::FillWork;
using duet::cuda::HostWork;
using duet::cuda::KernelWork;
using duet::cuda::linear_parms;
using duet::cuda::MemAllocWork;
using duet::cuda::MemFreeWork;
using duet::cuda::RecordWork;
using duet::cuda::Session;
using duet::cuda::symbol_range;
using duet::cuda::ThreadState;
using duet::cuda::valid;
using duet::cuda::WaitWork;
using duet::cuda::Work;

namespace {

// `make` makes a Work from parameters: cudaError_t(Work&). It gets the old value, so parts without parameters
// (a cooperative launch) stay.
template <typename Make>
cudaError_t add(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                Work work, Make&& make) {
  if (node == nullptr || !valid(graph) || (after == nullptr && count != 0)) return cudaErrorInvalidValue;
  const bool own = std::all_of(after, after + count, [&](cudaGraphNode_t earlier) {
    return valid(earlier) && &earlier->graph == graph;
  });
  if (!own) return cudaErrorInvalidValue;
  if (const cudaError_t error = make(work); error != cudaSuccess) return error;
  *node = duet::cuda::add_node(*graph, std::move(work), {after, after + count});
  return cudaSuccess;
}

template <typename Kind, typename Make>
cudaError_t set(cudaGraphNode_t node, Make&& make) {
  if (!valid(node) || !std::holds_alternative<Kind>(node->work)) return cudaErrorInvalidValue;
  return make(node->work);
}

template <typename Kind, typename Make>
cudaError_t set(cudaGraphExec_t exec, cudaGraphNode_t node, Make&& make) {
  if (!valid(exec) || !valid(node)) return cudaErrorInvalidValue;
  CUgraphNode_st* copy = duet::cuda::find_copy(*exec->graph, node);
  if (copy == nullptr || !std::holds_alternative<Kind>(copy->work)) return cudaErrorInvalidValue;
  return make(copy->work);
}

template <typename Kind>
Kind* work_of(cudaGraphNode_t node) {
  return valid(node) ? std::get_if<Kind>(&node->work) : nullptr;
}

auto kernel(Session& session, const cudaKernelNodeParams* params) {
  return [&session, params](Work& work) {
    return params == nullptr ? cudaErrorInvalidValue
                             : duet::cuda::kernel_work(session, *params, std::get<KernelWork>(work));
  };
}
auto copy_of_box(Session& session, const cudaMemcpy3DParms* parms) {
  return [&session, parms](Work& work) {
    return parms == nullptr ? cudaErrorInvalidValue
                            : duet::cuda::copy_work(session, *parms, std::get<CopyWork>(work));
  };
}
auto linear(Session& session, void* to, const void* from, size_t count, cudaMemcpyKind kind) {
  return [=, &session](Work& work) {
    return duet::cuda::copy_work(session, linear_parms(to, from, count, kind), std::get<CopyWork>(work));
  };
}
// The variable's place is found when the node is made.
auto to_symbol(Session& session, const void* symbol, const void* from, size_t count, size_t offset,
               cudaMemcpyKind kind) {
  return [=, &session](Work& work) {
    duet::VirtualAddress to;
    if (const cudaError_t error = symbol_range(session, symbol, offset, count, to); error != cudaSuccess)
      return error;
    return linear(session, duet::pointer_of(to), from, count, kind)(work);
  };
}
auto from_symbol(Session& session, void* to, const void* symbol, size_t count, size_t offset,
                 cudaMemcpyKind kind) {
  return [=, &session](Work& work) {
    duet::VirtualAddress from;
    if (const cudaError_t error = symbol_range(session, symbol, offset, count, from); error != cudaSuccess)
      return error;
    return linear(session, to, duet::pointer_of(from), count, kind)(work);
  };
}
auto fill(Session& session, const cudaMemsetParams* parms) {
  return [&session, parms](Work& work) {
    return parms == nullptr ? cudaErrorInvalidValue
                            : duet::cuda::fill_work(session, *parms, std::get<FillWork>(work));
  };
}
auto host_call(const cudaHostNodeParams* params) {
  return [params](Work& work) {
    if (params == nullptr || params->fn == nullptr) return cudaErrorInvalidValue;
    work = HostWork{params->fn, params->userData};
    return cudaSuccess;
  };
}
template <typename Kind>
auto event_of(Session& session, cudaEvent_t event) {
  return [&session, event](Work& work) {
    if (!session.valid_event(event)) return cudaErrorInvalidResourceHandle;
    work = Kind{event};
    return cudaSuccess;
  };
}
auto child(cudaGraph_t graph) {
  return [graph](Work& work) {
    if (!valid(graph)) return cudaErrorInvalidValue;
    if (duet::cuda::has_memory_nodes(*graph)) return cudaErrorNotSupported;
    ChildWork made{duet::cuda::copy_of(*graph)};
    made.graph->embedded = true;
    work = std::move(made);
    return cudaSuccess;
  };
}
template <typename Params>
auto allocation(Session& session, Params* params) {
  return [&session, params](Work& work) {
    if (params == nullptr) return cudaErrorInvalidValue;
    cudaMemAllocNodeParams first{params->poolProps, params->accessDescs, params->accessDescCount,
                                 params->bytesize, nullptr};
    const cudaError_t error = duet::cuda::allocation_work(session, first, std::get<MemAllocWork>(work));
    params->dptr = first.dptr;
    return error;
  };
}
auto release(void* pointer) {
  return [pointer](Work& work) {
    auto memory = duet::core::graph_memory_of(duet::virtual_address(pointer));
    if (memory == nullptr) return cudaErrorInvalidValue;
    work = MemFreeWork{std::move(memory)};
    return cudaSuccess;
  };
}
cudaError_t nothing(Work&) { return cudaSuccess; }

cudaKernelNodeParams first_version(const cudaKernelNodeParamsV2& p) {
  return {p.func, p.gridDim, p.blockDim, p.sharedMemBytes, p.kernelParams, p.extra};
}
cudaMemsetParams first_version(const cudaMemsetParamsV2& p) {
  return {p.dst, p.pitch, p.value, p.elementSize, p.width, p.height};
}
cudaHostNodeParams first_version(const cudaHostNodeParamsV2& p) { return {p.fn, p.userData}; }

// Whose parameters stay as they were made.
bool is_memory(cudaGraphNodeType type) {
  return type == cudaGraphNodeTypeMemAlloc || type == cudaGraphNodeTypeMemFree;
}

// Calls `use(empty work, make)` for the parameters' node.
template <typename Use>
cudaError_t by_type(Session& session, cudaGraphNodeParams& p, Use&& use) {
  switch (p.type) {
    case cudaGraphNodeTypeKernel: {
      const cudaKernelNodeParams params = first_version(p.kernel);
      return use(KernelWork{}, kernel(session, &params));
    }
    case cudaGraphNodeTypeMemcpy:
      return use(CopyWork{}, copy_of_box(session, &p.memcpy.copyParams));
    case cudaGraphNodeTypeMemset: {
      const cudaMemsetParams params = first_version(p.memset);
      return use(FillWork{}, fill(session, &params));
    }
    case cudaGraphNodeTypeHost: {
      const cudaHostNodeParams params = first_version(p.host);
      return use(HostWork{}, host_call(&params));
    }
    case cudaGraphNodeTypeGraph:
      if (p.graph.ownership != cudaGraphChildGraphOwnershipClone) return cudaErrorNotSupported;
      return use(ChildWork{}, child(p.graph.graph));
    case cudaGraphNodeTypeEmpty:
      return use(EmptyWork{}, nothing);
    case cudaGraphNodeTypeWaitEvent:
      return use(WaitWork{}, event_of<WaitWork>(session, p.eventWait.event));
    case cudaGraphNodeTypeEventRecord:
      return use(RecordWork{}, event_of<RecordWork>(session, p.eventRecord.event));
    case cudaGraphNodeTypeMemAlloc:
      return use(MemAllocWork{}, allocation(session, &p.alloc));
    case cudaGraphNodeTypeMemFree:
      return use(MemFreeWork{}, release(p.free.dptr));
    default:
      return cudaErrorNotSupported;
  }
}

}  // namespace

#define DUET_ADD_PARAMETERS \
  cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t after_count

cudaError_t duet::cuda::add_kernel_node(Session& session, cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* after, size_t after_count,
                                        const cudaKernelNodeParams* params) {
  return add(node, graph, after, after_count, KernelWork{}, kernel(session, params));
}
DUET_API(cudaGraphAddKernelNode, Other, (DUET_ADD_PARAMETERS, const cudaKernelNodeParams* params)) {
  return duet::cuda::add_kernel_node(session, node, graph, after, after_count, params);
}
DUET_END
cudaError_t duet::cuda::add_memcpy_node(Session& session, cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* after, size_t after_count,
                                        const cudaMemcpy3DParms* parms) {
  return add(node, graph, after, after_count, CopyWork{}, copy_of_box(session, parms));
}
DUET_API(cudaGraphAddMemcpyNode, Other, (DUET_ADD_PARAMETERS, const cudaMemcpy3DParms* parms)) {
  return duet::cuda::add_memcpy_node(session, node, graph, after, after_count, parms);
}
DUET_END
DUET_API(cudaGraphAddMemcpyNode1D, Other,
         (DUET_ADD_PARAMETERS, void* to, const void* from, size_t count, cudaMemcpyKind kind)) {
  return add(node, graph, after, after_count, CopyWork{}, linear(session, to, from, count, kind));
}
DUET_END
DUET_API(cudaGraphAddMemcpyNodeToSymbol, Other,
         (DUET_ADD_PARAMETERS, const void* symbol, const void* from, size_t count, size_t offset,
          cudaMemcpyKind kind)) {
  return add(node, graph, after, after_count, CopyWork{},
             to_symbol(session, symbol, from, count, offset, kind));
}
DUET_END
DUET_API(cudaGraphAddMemcpyNodeFromSymbol, Other,
         (DUET_ADD_PARAMETERS, void* to, const void* symbol, size_t count, size_t offset,
          cudaMemcpyKind kind)) {
  return add(node, graph, after, after_count, CopyWork{},
             from_symbol(session, to, symbol, count, offset, kind));
}
DUET_END
cudaError_t duet::cuda::add_memset_node(Session& session, cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* after, size_t after_count,
                                        const cudaMemsetParams* parms) {
  return add(node, graph, after, after_count, FillWork{}, fill(session, parms));
}
DUET_API(cudaGraphAddMemsetNode, Other, (DUET_ADD_PARAMETERS, const cudaMemsetParams* parms)) {
  return duet::cuda::add_memset_node(session, node, graph, after, after_count, parms);
}
DUET_END
cudaError_t duet::cuda::add_host_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                      size_t after_count, const cudaHostNodeParams* params) {
  return add(node, graph, after, after_count, HostWork{}, host_call(params));
}
DUET_API(cudaGraphAddHostNode, Other, (DUET_ADD_PARAMETERS, const cudaHostNodeParams* params)) {
  return duet::cuda::add_host_node(node, graph, after, after_count, params);
}
DUET_END
cudaError_t duet::cuda::add_child_graph_node(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* after, size_t after_count,
                                             cudaGraph_t child_graph) {
  return add(node, graph, after, after_count, ChildWork{}, child(child_graph));
}
DUET_API(cudaGraphAddChildGraphNode, Other, (DUET_ADD_PARAMETERS, cudaGraph_t child_graph)) {
  return duet::cuda::add_child_graph_node(node, graph, after, after_count, child_graph);
}
DUET_END
cudaError_t duet::cuda::add_empty_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                       size_t after_count) {
  return add(node, graph, after, after_count, EmptyWork{}, nothing);
}
DUET_API(cudaGraphAddEmptyNode, Other, (DUET_ADD_PARAMETERS)) {
  return duet::cuda::add_empty_node(node, graph, after, after_count);
}
DUET_END
cudaError_t duet::cuda::add_event_record_node(Session& session, cudaGraphNode_t* node, cudaGraph_t graph,
                                              const cudaGraphNode_t* after, size_t after_count,
                                              cudaEvent_t event) {
  return add(node, graph, after, after_count, RecordWork{}, event_of<RecordWork>(session, event));
}
DUET_API(cudaGraphAddEventRecordNode, Other, (DUET_ADD_PARAMETERS, cudaEvent_t event)) {
  return duet::cuda::add_event_record_node(session, node, graph, after, after_count, event);
}
DUET_END
cudaError_t duet::cuda::add_event_wait_node(Session& session, cudaGraphNode_t* node, cudaGraph_t graph,
                                            const cudaGraphNode_t* after, size_t after_count,
                                            cudaEvent_t event) {
  return add(node, graph, after, after_count, WaitWork{}, event_of<WaitWork>(session, event));
}
DUET_API(cudaGraphAddEventWaitNode, Other, (DUET_ADD_PARAMETERS, cudaEvent_t event)) {
  return duet::cuda::add_event_wait_node(session, node, graph, after, after_count, event);
}
DUET_END

cudaError_t duet::cuda::add_mem_alloc_node(Session& session, cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* after, size_t after_count,
                                           cudaMemAllocNodeParams* params) {
  return add(node, graph, after, after_count, MemAllocWork{}, allocation(session, params));
}
DUET_API(cudaGraphAddMemAllocNode, Other, (DUET_ADD_PARAMETERS, cudaMemAllocNodeParams* params)) {
  return duet::cuda::add_mem_alloc_node(session, node, graph, after, after_count, params);
}
DUET_END
cudaError_t duet::cuda::add_mem_free_node(cudaGraphNode_t* node, cudaGraph_t graph,
                                          const cudaGraphNode_t* after, size_t after_count, void* pointer) {
  return add(node, graph, after, after_count, MemFreeWork{}, release(pointer));
}
DUET_API(cudaGraphAddMemFreeNode, Other, (DUET_ADD_PARAMETERS, void* pointer)) {
  return duet::cuda::add_mem_free_node(node, graph, after, after_count, pointer);
}
DUET_END
cudaError_t duet::cuda::get_mem_alloc_node(cudaGraphNode_t node, cudaMemAllocNodeParams* params) {
  const auto* work = work_of<MemAllocWork>(node);
  if (work == nullptr || params == nullptr) return cudaErrorInvalidValue;
  *params = work->params;
  return cudaSuccess;
}
DUET_API(cudaGraphMemAllocNodeGetParams, Other, (cudaGraphNode_t node, cudaMemAllocNodeParams* params)) {
  return duet::cuda::get_mem_alloc_node(node, params);
}
DUET_END
cudaError_t duet::cuda::get_mem_free_node(cudaGraphNode_t node, void* pointer) {
  const auto* work = work_of<MemFreeWork>(node);
  if (work == nullptr || pointer == nullptr) return cudaErrorInvalidValue;
  *static_cast<void**>(pointer) = duet::pointer_of(work->memory->address);
  return cudaSuccess;
}
DUET_API(cudaGraphMemFreeNodeGetParams, Other, (cudaGraphNode_t node, void* pointer)) {
  return duet::cuda::get_mem_free_node(node, pointer);
}
DUET_END

DUET_API(cudaGraphAddNode, Other,
         (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t* after,
          const cudaGraphEdgeData* edges, size_t count, cudaGraphNodeParams* params)) {
  if (params == nullptr) return cudaErrorInvalidValue;
  if (!duet::cuda::plain(edges, count)) return cudaErrorNotSupported;
  return by_type(session, *params,
                 [&](auto work, auto make) { return add(node, graph, after, count, std::move(work), make); });
}
DUET_END
DUET_API(cudaGraphNodeSetParams, Other, (cudaGraphNode_t node, cudaGraphNodeParams* params)) {
  if (params == nullptr || is_memory(params->type)) return cudaErrorInvalidValue;
  return by_type(session, *params, [&](auto work, auto make) { return set<decltype(work)>(node, make); });
}
DUET_END
DUET_API(cudaGraphExecNodeSetParams, Other,
         (cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraphNodeParams* params)) {
  if (params == nullptr || is_memory(params->type)) return cudaErrorInvalidValue;
  if (params->type == cudaGraphNodeTypeGraph) return cudaErrorNotSupported;
  return by_type(session, *params,
                 [&](auto work, auto make) { return set<decltype(work)>(exec, node, make); });
}
DUET_END

// The pointers point into the node, as CUDA's do.
cudaError_t duet::cuda::get_kernel_node(cudaGraphNode_t node, cudaKernelNodeParams* params) {
  if (params == nullptr || work_of<KernelWork>(node) == nullptr) return cudaErrorInvalidValue;
  auto& work = std::get<KernelWork>(node->work);
  work.pointers.clear();
  for (const auto& parameter : work.function->kernel->parameters)
    work.pointers.push_back(work.parameters.data() + parameter.offset);
  *params = {const_cast<void*>(work.function->handle),
             work.grid,
             work.block,
             work.shared_bytes,
             work.pointers.data(),
             nullptr};
  return cudaSuccess;
}
DUET_API(cudaGraphKernelNodeGetParams, Other, (cudaGraphNode_t node, cudaKernelNodeParams* params)) {
  return duet::cuda::get_kernel_node(node, params);
}
DUET_END
cudaError_t duet::cuda::set_kernel_node(Session& session, cudaGraphNode_t node,
                                        const cudaKernelNodeParams* params) {
  return set<KernelWork>(node, kernel(session, params));
}
DUET_API(cudaGraphKernelNodeSetParams, Other, (cudaGraphNode_t node, const cudaKernelNodeParams* params)) {
  return duet::cuda::set_kernel_node(session, node, params);
}
DUET_END
cudaError_t duet::cuda::set_exec_kernel_node(Session& session, cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* params) {
  return set<KernelWork>(exec, node, kernel(session, params));
}
DUET_API(cudaGraphExecKernelNodeSetParams, Other,
         (cudaGraphExec_t exec, cudaGraphNode_t node, const cudaKernelNodeParams* params)) {
  return duet::cuda::set_exec_kernel_node(session, exec, node, params);
}
DUET_END

cudaError_t duet::cuda::get_memcpy_node(cudaGraphNode_t node, cudaMemcpy3DParms* parms) {
  const auto* work = work_of<CopyWork>(node);
  if (work == nullptr || parms == nullptr) return cudaErrorInvalidValue;
  *parms = work->parms;
  return cudaSuccess;
}
DUET_API(cudaGraphMemcpyNodeGetParams, Other, (cudaGraphNode_t node, cudaMemcpy3DParms* parms)) {
  return duet::cuda::get_memcpy_node(node, parms);
}
DUET_END
cudaError_t duet::cuda::set_memcpy_node(Session& session, cudaGraphNode_t node,
                                        const cudaMemcpy3DParms* parms) {
  return set<CopyWork>(node, copy_of_box(session, parms));
}
DUET_API(cudaGraphMemcpyNodeSetParams, Other, (cudaGraphNode_t node, const cudaMemcpy3DParms* parms)) {
  return duet::cuda::set_memcpy_node(session, node, parms);
}
DUET_END
DUET_API(cudaGraphMemcpyNodeSetParams1D, Other,
         (cudaGraphNode_t node, void* to, const void* from, size_t count, cudaMemcpyKind kind)) {
  return set<CopyWork>(node, linear(session, to, from, count, kind));
}
DUET_END
DUET_API(cudaGraphMemcpyNodeSetParamsToSymbol, Other,
         (cudaGraphNode_t node, const void* symbol, const void* from, size_t count, size_t offset,
          cudaMemcpyKind kind)) {
  return set<CopyWork>(node, to_symbol(session, symbol, from, count, offset, kind));
}
DUET_END
DUET_API(cudaGraphMemcpyNodeSetParamsFromSymbol, Other,
         (cudaGraphNode_t node, void* to, const void* symbol, size_t count, size_t offset,
          cudaMemcpyKind kind)) {
  return set<CopyWork>(node, from_symbol(session, to, symbol, count, offset, kind));
}
DUET_END
cudaError_t duet::cuda::set_exec_memcpy_node(Session& session, cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parms) {
  return set<CopyWork>(exec, node, copy_of_box(session, parms));
}
DUET_API(cudaGraphExecMemcpyNodeSetParams, Other,
         (cudaGraphExec_t exec, cudaGraphNode_t node, const cudaMemcpy3DParms* parms)) {
  return duet::cuda::set_exec_memcpy_node(session, exec, node, parms);
}
DUET_END
DUET_API(cudaGraphExecMemcpyNodeSetParams1D, Other,
         (cudaGraphExec_t exec, cudaGraphNode_t node, void* to, const void* from, size_t count,
          cudaMemcpyKind kind)) {
  return set<CopyWork>(exec, node, linear(session, to, from, count, kind));
}
DUET_END
DUET_API(cudaGraphExecMemcpyNodeSetParamsToSymbol, Other,
         (cudaGraphExec_t exec, cudaGraphNode_t node, const void* symbol, const void* from, size_t count,
          size_t offset, cudaMemcpyKind kind)) {
  return set<CopyWork>(exec, node, to_symbol(session, symbol, from, count, offset, kind));
}
DUET_END
DUET_API(cudaGraphExecMemcpyNodeSetParamsFromSymbol, Other,
         (cudaGraphExec_t exec, cudaGraphNode_t node, void* to, const void* symbol, size_t count,
          size_t offset, cudaMemcpyKind kind)) {
  return set<CopyWork>(exec, node, from_symbol(session, to, symbol, count, offset, kind));
}
DUET_END

cudaError_t duet::cuda::get_memset_node(cudaGraphNode_t node, cudaMemsetParams* parms) {
  const auto* work = work_of<FillWork>(node);
  if (work == nullptr || parms == nullptr) return cudaErrorInvalidValue;
  *parms = work->parms;
  return cudaSuccess;
}
DUET_API(cudaGraphMemsetNodeGetParams, Other, (cudaGraphNode_t node, cudaMemsetParams* parms)) {
  return duet::cuda::get_memset_node(node, parms);
}
DUET_END
cudaError_t duet::cuda::set_memset_node(Session& session, cudaGraphNode_t node,
                                        const cudaMemsetParams* parms) {
  return set<FillWork>(node, fill(session, parms));
}
DUET_API(cudaGraphMemsetNodeSetParams, Other, (cudaGraphNode_t node, const cudaMemsetParams* parms)) {
  return duet::cuda::set_memset_node(session, node, parms);
}
DUET_END
cudaError_t duet::cuda::set_exec_memset_node(Session& session, cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams* parms) {
  return set<FillWork>(exec, node, fill(session, parms));
}
DUET_API(cudaGraphExecMemsetNodeSetParams, Other,
         (cudaGraphExec_t exec, cudaGraphNode_t node, const cudaMemsetParams* parms)) {
  return duet::cuda::set_exec_memset_node(session, exec, node, parms);
}
DUET_END

cudaError_t duet::cuda::get_host_node(cudaGraphNode_t node, cudaHostNodeParams* params) {
  const auto* work = work_of<HostWork>(node);
  if (work == nullptr || params == nullptr) return cudaErrorInvalidValue;
  *params = {work->function, work->data};
  return cudaSuccess;
}
DUET_API(cudaGraphHostNodeGetParams, Other, (cudaGraphNode_t node, cudaHostNodeParams* params)) {
  return duet::cuda::get_host_node(node, params);
}
DUET_END
cudaError_t duet::cuda::set_host_node(cudaGraphNode_t node, const cudaHostNodeParams* params) {
  return set<HostWork>(node, host_call(params));
}
DUET_API(cudaGraphHostNodeSetParams, Other, (cudaGraphNode_t node, const cudaHostNodeParams* params)) {
  return duet::cuda::set_host_node(node, params);
}
DUET_END
cudaError_t duet::cuda::set_exec_host_node(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams* params) {
  return set<HostWork>(exec, node, host_call(params));
}
DUET_API(cudaGraphExecHostNodeSetParams, Other,
         (cudaGraphExec_t exec, cudaGraphNode_t node, const cudaHostNodeParams* params)) {
  return duet::cuda::set_exec_host_node(exec, node, params);
}
DUET_END

cudaError_t duet::cuda::get_event_record_node(cudaGraphNode_t node, cudaEvent_t* event) {
  const auto* work = work_of<RecordWork>(node);
  if (work == nullptr || event == nullptr) return cudaErrorInvalidValue;
  *event = work->event;
  return cudaSuccess;
}
DUET_API(cudaGraphEventRecordNodeGetEvent, Other, (cudaGraphNode_t node, cudaEvent_t* event)) {
  return duet::cuda::get_event_record_node(node, event);
}
DUET_END
cudaError_t duet::cuda::get_event_wait_node(cudaGraphNode_t node, cudaEvent_t* event) {
  const auto* work = work_of<WaitWork>(node);
  if (work == nullptr || event == nullptr) return cudaErrorInvalidValue;
  *event = work->event;
  return cudaSuccess;
}
DUET_API(cudaGraphEventWaitNodeGetEvent, Other, (cudaGraphNode_t node, cudaEvent_t* event)) {
  return duet::cuda::get_event_wait_node(node, event);
}
DUET_END
cudaError_t duet::cuda::set_event_record_node(Session& session, cudaGraphNode_t node, cudaEvent_t event) {
  return set<RecordWork>(node, event_of<RecordWork>(session, event));
}
DUET_API(cudaGraphEventRecordNodeSetEvent, Other, (cudaGraphNode_t node, cudaEvent_t event)) {
  return duet::cuda::set_event_record_node(session, node, event);
}
DUET_END
cudaError_t duet::cuda::set_event_wait_node(Session& session, cudaGraphNode_t node, cudaEvent_t event) {
  return set<WaitWork>(node, event_of<WaitWork>(session, event));
}
DUET_API(cudaGraphEventWaitNodeSetEvent, Other, (cudaGraphNode_t node, cudaEvent_t event)) {
  return duet::cuda::set_event_wait_node(session, node, event);
}
DUET_END
cudaError_t duet::cuda::set_exec_event_record_node(Session& session, cudaGraphExec_t exec,
                                                   cudaGraphNode_t node, cudaEvent_t event) {
  return set<RecordWork>(exec, node, event_of<RecordWork>(session, event));
}
DUET_API(cudaGraphExecEventRecordNodeSetEvent, Other,
         (cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event)) {
  return duet::cuda::set_exec_event_record_node(session, exec, node, event);
}
DUET_END
cudaError_t duet::cuda::set_exec_event_wait_node(Session& session, cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaEvent_t event) {
  return set<WaitWork>(exec, node, event_of<WaitWork>(session, event));
}
DUET_API(cudaGraphExecEventWaitNodeSetEvent, Other,
         (cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event)) {
  return duet::cuda::set_exec_event_wait_node(session, exec, node, event);
}
DUET_END
