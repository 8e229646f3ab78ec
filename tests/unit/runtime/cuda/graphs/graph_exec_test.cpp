// Executable graphs: the lanes of their nodes, and what a graph that cannot be made says.
#include "cuda/graphs/graph_exec.h"

#include "unit/runtime/cuda/runtime_rig.h"

namespace duet::cuda {
namespace {

class GraphExec : public RuntimeTest {
 protected:
  CUgraphNode_st* add(const std::vector<CUgraphNode_st*>& after) {
    return add_node(graph_, EmptyWork{}, after);
  }
  // In the order of the steps.
  std::vector<unsigned> lanes() {
    exec_ = instantiate(session(), graph_);
    std::vector<unsigned> result;
    for (const core::Step& step : exec_->plan.steps) result.push_back(step.lane);
    return result;
  }

  CUgraph_st graph_;
  std::unique_ptr<CUgraphExec_st> exec_;
};

TEST_F(GraphExec, AChainIsOneLaneThatWaitsForNothing) {
  add({add({add({})})});
  EXPECT_EQ(lanes(), (std::vector<unsigned>{0, 0, 0}));
  for (const core::Step& step : exec_->plan.steps) EXPECT_FALSE(step.awaited);
  EXPECT_TRUE(exec_->plan.lanes.empty());
}

TEST_F(GraphExec, ADiamondsSidesHaveLanesAndItsEndWaits) {
  CUgraphNode_st* top = add({});
  CUgraphNode_st* left = add({top});
  CUgraphNode_st* right = add({top});
  add({left, right});
  EXPECT_EQ(lanes(), (std::vector<unsigned>{0, 0, 1, 0}));
  EXPECT_EQ(exec_->plan.steps[2].waits, std::vector<std::size_t>{0});
  EXPECT_EQ(exec_->plan.steps[3].waits, std::vector<std::size_t>{2});
  EXPECT_FALSE(exec_->plan.steps[1].awaited);
  EXPECT_TRUE(exec_->plan.last.empty());  // lane 0 has waited for the other
}

TEST_F(GraphExec, TheLaunchingStreamWaitsForLanesThatNobodyJoined) {
  add({});
  add({});
  EXPECT_EQ(lanes(), (std::vector<unsigned>{0, 1}));
  EXPECT_EQ(exec_->plan.last, std::vector<std::size_t>{1});
}

TEST_F(GraphExec, IndependentNodesBeyondTheLanesQueueBehindTheOldest) {
  for (int i = 0; i < 34; ++i) add({});
  const auto lane = lanes();
  EXPECT_EQ(lane[31], 31u);
  EXPECT_EQ(lane[32], 0u);
  EXPECT_EQ(lane[33], 1u);
}

TEST_F(GraphExec, AChildIsFlattenedBetweenItsNeighbours) {
  CUgraphNode_st* before = add({});
  ChildWork child{std::make_unique<CUgraph_st>()};
  add_node(*child.graph, EmptyWork{}, {});
  add_node(*child.graph, EmptyWork{}, {});
  CUgraphNode_st* middle = add_node(graph_, std::move(child), {before});
  add({middle});
  lanes();
  ASSERT_EQ(exec_->plan.steps.size(), 4u);
  EXPECT_EQ(exec_->plan.steps[1].after, std::vector<std::size_t>{0});
  EXPECT_EQ(exec_->plan.steps[2].after, std::vector<std::size_t>{0});
  EXPECT_EQ(exec_->plan.steps[3].after, (std::vector<std::size_t>{1, 2}));
}

TEST_F(GraphExec, ACycleCannotBeInstantiated) {
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t a = nullptr, b = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphAddEmptyNode(&a, graph, nullptr, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphAddEmptyNode(&b, graph, &a, 1), cudaSuccess);
  cudaGraphExec_t exec = nullptr;
  EXPECT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphAddDependencies(graph, &b, &a, nullptr, 1), cudaSuccess);
  EXPECT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaErrorInvalidValue);
}

TEST_F(GraphExec, AnUpdateTakesOnlyTheSameGraph) {
  cudaGraph_t graph = nullptr, other = nullptr;
  cudaGraphNode_t node = nullptr, fill = nullptr;
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 64), cudaSuccess);
  cudaMemsetParams params{};
  params.dst = memory;
  params.elementSize = 1;
  params.width = 64;
  params.height = 1;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &params), cudaSuccess);
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  cudaGraphExecUpdateResultInfo info{};
  params.value = 7;
  ASSERT_EQ(cudaGraphMemsetNodeSetParams(fill, &params), cudaSuccess);
  EXPECT_EQ(cudaGraphExecUpdate(exec, graph, &info), cudaSuccess);
  EXPECT_EQ(std::get<FillWork>(exec->graph->nodes[0]->work).parms.value, 7u);
  ASSERT_EQ(cudaGraphCreate(&other, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphAddEmptyNode(&node, other, nullptr, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphExecUpdate(exec, other, &info), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(info.result, cudaGraphExecUpdateErrorNodeTypeChanged);
}

}  // namespace
}  // namespace duet::cuda
