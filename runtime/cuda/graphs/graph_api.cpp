// Calls about a graph's shape: making, copying and destroying graphs, edges, and looking at them.
#include <algorithm>
#include <cstdio>
#include <fstream>

#include "cuda/graphs/graph.h"
#include "cuda/graphs/graph_calls.h"

using duet::cuda::ChildWork;
using duet::cuda::KernelWork;
using duet::cuda::Session;
using duet::cuda::ThreadState;
using duet::cuda::valid;

namespace {

// Gives as many as fit into `to`; with null only the number. Places behind the last become null.
template <typename List>
cudaError_t give(const List& nodes, cudaGraphNode_t* to, size_t* count) {
  if (count == nullptr) return cudaErrorInvalidValue;
  if (to != nullptr) {
    for (size_t i = 0; i < *count; ++i) to[i] = i < nodes.size() ? nodes[i] : nullptr;
    *count = std::min(*count, nodes.size());
  } else {
    *count = nodes.size();
  }
  return cudaSuccess;
}

std::vector<cudaGraphNode_t> dependents_of(const CUgraphNode_st* node) {
  std::vector<cudaGraphNode_t> result;
  for (const auto& other : node->graph.nodes)
    if (std::find(other->after.begin(), other->after.end(), node) != other->after.end())
      result.push_back(other.get());
  return result;
}

void clear(cudaGraphEdgeData* edges, const size_t* count) {
  if (edges != nullptr && count != nullptr) std::fill(edges, edges + *count, cudaGraphEdgeData{});
}

bool pairs_in(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, size_t count) {
  if (!valid(graph)) return false;
  if (count != 0 && (from == nullptr || to == nullptr)) return false;
  for (size_t i = 0; i < count; ++i)
    if (!valid(from[i]) || !valid(to[i]) || &from[i]->graph != graph || &to[i]->graph != graph ||
        from[i] == to[i])
      return false;
  return true;
}

const char* const kTypeNames[] = {"kernel",     "memcpy",       "memset", "host", "graph",      "empty",
                                  "event wait", "event record", "",       "",     "allocation", "free"};

void write_dot(std::ofstream& file, const CUgraph_st& graph, const std::string& prefix) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const CUgraphNode_st& node = *graph.nodes[i];
    const std::string name = prefix + std::to_string(i);
    file << "  n" << name << " [label=\"" << name << ": " << kTypeNames[node.work.index()];
    if (const auto* kernel = std::get_if<KernelWork>(&node.work)) file << " " << kernel->function->name;
    file << "\"];\n";
    for (const CUgraphNode_st* earlier : node.after) {
      const auto at = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                   [&](const auto& other) { return other.get() == earlier; });
      file << "  n" << prefix << at - graph.nodes.begin() << " -> n" << name << ";\n";
    }
    if (const auto* child = std::get_if<ChildWork>(&node.work)) write_dot(file, *child->graph, name + "_");
  }
}

}  // namespace

cudaError_t duet::cuda::create_graph(cudaGraph_t* graph, unsigned flags) {
  if (graph == nullptr || flags != 0) return cudaErrorInvalidValue;
  *graph = new CUgraph_st;
  return cudaSuccess;
}
DUET_API(cudaGraphCreate, Other, (cudaGraph_t * graph, unsigned flags)) {
  return duet::cuda::create_graph(graph, flags);
}
DUET_END

cudaError_t duet::cuda::destroy_graph(cudaGraph_t graph) {
  if (!valid(graph) || graph->embedded) return cudaErrorInvalidValue;
  delete graph;
  return cudaSuccess;
}
DUET_API(cudaGraphDestroy, Other, (cudaGraph_t graph)) { return duet::cuda::destroy_graph(graph); }
DUET_END

cudaError_t duet::cuda::clone_graph(cudaGraph_t* clone, cudaGraph_t graph) {
  if (clone == nullptr || !valid(graph)) return cudaErrorInvalidValue;
  if (duet::cuda::has_memory_nodes(*graph)) return cudaErrorNotSupported;
  *clone = duet::cuda::copy_of(*graph).release();
  return cudaSuccess;
}
DUET_API(cudaGraphClone, Other, (cudaGraph_t * clone, cudaGraph_t graph)) {
  return duet::cuda::clone_graph(clone, graph);
}
DUET_END

cudaError_t duet::cuda::find_node_in_clone(cudaGraphNode_t* node, cudaGraphNode_t original,
                                           cudaGraph_t clone) {
  if (node == nullptr || !valid(original) || !valid(clone)) return cudaErrorInvalidValue;
  *node = duet::cuda::find_copy(*clone, original);
  return *node != nullptr ? cudaSuccess : cudaErrorInvalidValue;
}
DUET_API(cudaGraphNodeFindInClone, Other,
         (cudaGraphNode_t * node, cudaGraphNode_t original, cudaGraph_t clone)) {
  return duet::cuda::find_node_in_clone(node, original, clone);
}
DUET_END

cudaError_t duet::cuda::destroy_node(cudaGraphNode_t node) {
  if (!valid(node)) return cudaErrorInvalidValue;
  if (duet::cuda::has_memory_nodes(node->graph)) return cudaErrorNotSupported;
  auto& nodes = node->graph.nodes;
  for (const auto& other : nodes) std::erase(other->after, node);
  std::erase_if(nodes, [&](const auto& other) { return other.get() == node; });
  return cudaSuccess;
}
DUET_API(cudaGraphDestroyNode, Other, (cudaGraphNode_t node)) { return duet::cuda::destroy_node(node); }
DUET_END

cudaError_t duet::cuda::get_node_type(cudaGraphNode_t node, cudaGraphNodeType* type) {
  if (!valid(node) || type == nullptr) return cudaErrorInvalidValue;
  *type = node->type();
  return cudaSuccess;
}
DUET_API(cudaGraphNodeGetType, Other, (cudaGraphNode_t node, cudaGraphNodeType* type)) {
  return duet::cuda::get_node_type(node, type);
}
DUET_END

cudaError_t duet::cuda::get_nodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  if (!valid(graph)) return cudaErrorInvalidValue;
  std::vector<cudaGraphNode_t> all;
  for (const auto& node : graph->nodes) all.push_back(node.get());
  return give(all, nodes, count);
}
DUET_API(cudaGraphGetNodes, Other, (cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count)) {
  return duet::cuda::get_nodes(graph, nodes, count);
}
DUET_END

cudaError_t duet::cuda::get_root_nodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  if (!valid(graph)) return cudaErrorInvalidValue;
  std::vector<cudaGraphNode_t> roots;
  for (const auto& node : graph->nodes)
    if (node->after.empty()) roots.push_back(node.get());
  return give(roots, nodes, count);
}
DUET_API(cudaGraphGetRootNodes, Other, (cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count)) {
  return duet::cuda::get_root_nodes(graph, nodes, count);
}
DUET_END

cudaError_t duet::cuda::get_edges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                  cudaGraphEdgeData* data, size_t* count) {
  if (!valid(graph) || count == nullptr || (from == nullptr) != (to == nullptr)) return cudaErrorInvalidValue;
  std::vector<cudaGraphNode_t> starts, ends;
  for (const auto& node : graph->nodes)
    for (const cudaGraphNode_t earlier : node->after) {
      starts.push_back(earlier);
      ends.push_back(node.get());
    }
  if (from != nullptr) clear(data, count);
  size_t again = *count;
  give(starts, from, count);
  return give(ends, to, &again);
}
DUET_API(cudaGraphGetEdges, Other,
         (cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData* data,
          size_t* count)) {
  return duet::cuda::get_edges(graph, from, to, data, count);
}
DUET_END

cudaError_t duet::cuda::get_dependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                         cudaGraphEdgeData* data, size_t* count) {
  if (!valid(node)) return cudaErrorInvalidValue;
  if (nodes != nullptr) clear(data, count);
  return give(node->after, nodes, count);
}
DUET_API(cudaGraphNodeGetDependencies, Other,
         (cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData* data, size_t* count)) {
  return duet::cuda::get_dependencies(node, nodes, data, count);
}
DUET_END

cudaError_t duet::cuda::get_dependent_nodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                            cudaGraphEdgeData* data, size_t* count) {
  if (!valid(node)) return cudaErrorInvalidValue;
  if (nodes != nullptr) clear(data, count);
  return give(dependents_of(node), nodes, count);
}
DUET_API(cudaGraphNodeGetDependentNodes, Other,
         (cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData* data, size_t* count)) {
  return duet::cuda::get_dependent_nodes(node, nodes, data, count);
}
DUET_END

// An existing edge is an error, and so is a missing one below.
cudaError_t duet::cuda::add_dependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                         const cudaGraphNode_t* to, const cudaGraphEdgeData* data,
                                         size_t count) {
  if (!pairs_in(graph, from, to, count)) return cudaErrorInvalidValue;
  if (!duet::cuda::plain(data, count)) return cudaErrorNotSupported;
  for (size_t i = 0; i < count; ++i) {
    auto& after = to[i]->after;
    if (std::find(after.begin(), after.end(), from[i]) != after.end()) return cudaErrorInvalidValue;
    after.push_back(from[i]);
  }
  return cudaSuccess;
}
DUET_API(cudaGraphAddDependencies, Other,
         (cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
          const cudaGraphEdgeData* data, size_t count)) {
  return duet::cuda::add_dependencies(graph, from, to, data, count);
}
DUET_END

cudaError_t duet::cuda::remove_dependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                            const cudaGraphNode_t* to, const cudaGraphEdgeData* data,
                                            size_t count) {
  if (!pairs_in(graph, from, to, count) || !duet::cuda::plain(data, count)) return cudaErrorInvalidValue;
  if (duet::cuda::has_memory_nodes(*graph)) return cudaErrorNotSupported;
  for (size_t i = 0; i < count; ++i)
    if (std::erase(to[i]->after, from[i]) == 0) return cudaErrorInvalidValue;
  return cudaSuccess;
}
DUET_API(cudaGraphRemoveDependencies, Other,
         (cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
          const cudaGraphEdgeData* data, size_t count)) {
  return duet::cuda::remove_dependencies(graph, from, to, data, count);
}
DUET_END

cudaError_t duet::cuda::get_child_graph(cudaGraphNode_t node, cudaGraph_t* graph) {
  if (!valid(node) || graph == nullptr) return cudaErrorInvalidValue;
  const auto* child = std::get_if<ChildWork>(&node->work);
  if (child == nullptr) return cudaErrorInvalidValue;
  *graph = child->graph.get();
  return cudaSuccess;
}
DUET_API(cudaGraphChildGraphNodeGetGraph, Other, (cudaGraphNode_t node, cudaGraph_t* graph)) {
  return duet::cuda::get_child_graph(node, graph);
}
DUET_END

// Node numbers, types, kernels' names and edges, whatever the flags ask for.
cudaError_t duet::cuda::print_graph(cudaGraph_t graph, const char* path) {
  if (!valid(graph) || path == nullptr) return cudaErrorInvalidValue;
  std::ofstream file(path);
  file << "digraph graph_1 {\n";
  write_dot(file, *graph, "");
  file << "}\n";
  return file.good() ? cudaSuccess : cudaErrorOperatingSystem;
}
DUET_API(cudaGraphDebugDotPrint, Other, (cudaGraph_t graph, const char* path, unsigned)) {
  return duet::cuda::print_graph(graph, path);
}
DUET_END
