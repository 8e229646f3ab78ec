// Executable graphs: a copy of a graph, and the plan of its launches (core/graph_plan.h). Instantiation
// flattens child graphs; a launch makes each node's command anew.
#pragma once

#include "core/graph_plan.h"
#include "cuda/graphs/graph.h"

struct CUgraphExec_st {
  std::unique_ptr<CUgraph_st> graph;  // its nodes' originals are the program's
  unsigned long long flags = 0;
  std::uint64_t made_of = 0;           // the number of the program's graph
  std::vector<CUgraphNode_st*> nodes;  // by step, child graphs' among them
  duet::core::GraphPlan plan;
  duet::cuda::Live<CUgraphExec_st> live{this};
};

namespace duet::cuda {

// Null when the graph has a cycle.
std::unique_ptr<CUgraphExec_st> instantiate(Session& session, const CUgraph_st& graph);
void destroy(std::unique_ptr<CUgraphExec_st> exec);
cudaError_t launch(Session& session, ThreadState& thread, CUgraphExec_st& exec, driver::StreamId stream);
// Takes over the parameters of a graph with the same nodes and edges; `own` is an executable graph's or a
// child's of it.
cudaError_t update(CUgraph_st& own, const CUgraph_st& graph, cudaGraphExecUpdateResultInfo& info);
inline cudaError_t update(CUgraphExec_st& exec, const CUgraph_st& graph,
                          cudaGraphExecUpdateResultInfo& info) {
  return update(*exec.graph, graph, info);
}

}  // namespace duet::cuda
