#include "cuda/graphs/graph.h"

#include <algorithm>
#include <cstring>

#include "core/graph_plan.h"
#include "cuda/streams/launch.h"

namespace duet::cuda {

bool plain(const cudaGraphEdgeData* edges, std::size_t count) {
  return edges == nullptr || std::all_of(edges, edges + count, [](const cudaGraphEdgeData& edge) {
           return edge.from_port == 0 && edge.to_port == 0 && edge.type == 0;
         });
}

cudaGraphNode_t add_node(CUgraph_st& graph, Work work, const std::vector<CUgraphNode_st*>& after) {
  graph.nodes.push_back(std::make_unique<CUgraphNode_st>(graph, std::move(work)));
  CUgraphNode_st* node = graph.nodes.back().get();
  for (CUgraphNode_st* earlier : after)
    if (std::find(node->after.begin(), node->after.end(), earlier) == node->after.end())
      node->after.push_back(earlier);
  return node;
}

Work copy_of(const Work& work) {
  return std::visit(
      [](const auto& one) -> Work {
        if constexpr (std::is_same_v<std::decay_t<decltype(one)>, ChildWork>) {
          ChildWork child{copy_of(*one.graph)};
          child.graph->embedded = true;
          return child;
        } else {
          return one;
        }
      },
      work);
}

std::unique_ptr<CUgraph_st> copy_of(const CUgraph_st& graph) {
  auto result = std::make_unique<CUgraph_st>();
  std::unordered_map<const CUgraphNode_st*, CUgraphNode_st*> copies;
  for (const auto& node : graph.nodes) {
    CUgraphNode_st* copy = add_node(*result, copy_of(node->work), {});
    copy->original = node.get();
    copy->enabled = node->enabled;
    copies[node.get()] = copy;
  }
  for (const auto& node : graph.nodes)
    for (CUgraphNode_st* earlier : node->after) copies[node.get()]->after.push_back(copies[earlier]);
  return result;
}

bool has_memory_nodes(const CUgraph_st& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const auto& node) {
    return std::holds_alternative<MemAllocWork>(node->work) ||
           std::holds_alternative<MemFreeWork>(node->work);
  });
}

std::vector<CUgraphNode_st*> topological_order(const CUgraph_st& graph) {
  std::unordered_map<const CUgraphNode_st*, std::size_t> place;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) place[graph.nodes[i].get()] = i;
  core::StepEdges edges(graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    for (const CUgraphNode_st* earlier : graph.nodes[i]->after) edges[i].push_back(place.at(earlier));
  std::vector<CUgraphNode_st*> order;
  for (const std::size_t at : core::topological_order(edges)) order.push_back(graph.nodes[at].get());
  return order;
}

CUgraphNode_st* find_copy(const CUgraph_st& graph, const CUgraphNode_st* original) {
  for (const auto& node : graph.nodes) {
    if (node->original == original) return node.get();
    if (const auto* child = std::get_if<ChildWork>(&node->work))
      if (CUgraphNode_st* found = find_copy(*child->graph, original)) return found;
  }
  return nullptr;
}

cudaError_t kernel_work(Session& session, const cudaKernelNodeParams& params, KernelWork& work) {
  Function* function = session.modules().function_of(params.func);
  if (function == nullptr) return cudaErrorInvalidDeviceFunction;
  if (const core::Status status = core::check_launch(
          session.core(), *function,
          shape_of(params.gridDim, params.blockDim, params.sharedMemBytes, work.cooperative));
      status.failed())
    return error_of(status);
  const ptx::Kernel& kernel = *function->kernel;
  std::vector<std::byte> parameters;
  if (const cudaError_t error = take_parameters(kernel, params.kernelParams, params.extra, parameters);
      error != cudaSuccess)
    return error;
  work.function = function;
  work.grid = params.gridDim;
  work.block = params.blockDim;
  work.shared_bytes = params.sharedMemBytes;
  work.parameters = std::move(parameters);
  work.pointers.clear();
  return cudaSuccess;
}

cudaError_t copy_work(Session& session, const cudaMemcpy3DParms& parms, CopyWork& work) {
  driver::Command command;
  if (const cudaError_t error = copy_command(session, parms, command); error != cudaSuccess) return error;
  work.parms = parms;
  return cudaSuccess;
}

cudaError_t fill_work(Session& session, const cudaMemsetParams& parms, FillWork& work) {
  driver::Command command;
  if (const cudaError_t error = fill_command(session, parms, command); error != cudaSuccess) return error;
  work.parms = parms;
  return cudaSuccess;
}

cudaError_t allocation_work(Session& session, cudaMemAllocNodeParams& params, MemAllocWork& work) {
  const cudaMemPoolProps& pool = params.poolProps;
  if (params.bytesize == 0 || pool.allocType != cudaMemAllocationTypePinned) return cudaErrorInvalidValue;
  if (pool.handleTypes != cudaMemHandleTypeNone || pool.location.type != cudaMemLocationTypeDevice)
    return cudaErrorNotSupported;
  if (pool.location.id != 0) return cudaErrorInvalidDevice;
  if (const core::Status status = core::make_graph_memory(session.core(), params.bytesize, work.memory);
      status.failed())
    return error_of(status);
  params.dptr = duet::pointer_of(work.memory->address);
  work.params = params;
  return cudaSuccess;
}

cudaMemcpy3DParms linear_parms(void* to, const void* from, std::size_t count, cudaMemcpyKind kind) {
  cudaMemcpy3DParms parms{};
  parms.dstPtr = {to, count, count, 1};
  parms.srcPtr = {const_cast<void*>(from), count, count, 1};
  parms.extent = {count, 1, 1};
  parms.kind = kind;
  return parms;
}

}  // namespace duet::cuda

std::uint64_t CUgraph_st::next_number() {
  static std::uint64_t graphs = 0;
  return ++graphs;
}
