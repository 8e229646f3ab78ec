// Executable graphs. Instantiation flattens child graphs and gives every node a lane: lane 0 is the stream of
// the launch, the others are streams of the runtime's own. A node goes to the lowest lane on which one of its
// dependencies is the last node so far, otherwise to a new one, so a chain is one lane and independent nodes
// may overlap; when there are no more lanes, behind the earliest node. An edge between lanes is an event
// record and a wait; they cost push-buffer bytes and a semaphore, but no time of the driver's
// (CallKind::GraphEdge). A launch costs its call once.
#pragma once

#include "cuda/graphs/graph.h"

namespace duet::cuda {

struct Step {
  CUgraphNode_st* node = nullptr;
  std::vector<std::size_t> after;  // steps
  unsigned lane = 0;
  std::vector<std::size_t> waits;  // steps of other lanes
  bool awaited = false;            // by a step of another lane, or by the end of the graph
  driver::EventId event = 0;       // when awaited
};

}  // namespace duet::cuda

struct CUgraphExec_st {
  std::unique_ptr<CUgraph_st> graph;  // its nodes' originals are the program's
  unsigned long long flags = 0;
  std::vector<duet::cuda::Step> steps;
  std::vector<duet::driver::StreamId> lanes;  // without lane 0
  std::vector<std::size_t> last;              // steps awaited by the launching stream at the end
  duet::driver::EventId start = 0;            // behind earlier work of the launching stream
  duet::driver::EventId end = 0;              // when the next launch is in another stream
  duet::driver::StreamId last_stream = 0;
  duet::driver::CommandId last_command = 0;
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
