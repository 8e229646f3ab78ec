// Graphs as data: edges, the order that they leave, copies.
#include "cuda/graphs/graph.h"

#include <gtest/gtest.h>

namespace duet::cuda {
namespace {

using Nodes = std::vector<CUgraphNode_st*>;

TEST(Graph, AnEdgeGivenTwiceIsOne) {
  CUgraph_st graph;
  CUgraphNode_st* first = add_node(graph, EmptyWork{}, {});
  CUgraphNode_st* second = add_node(graph, EmptyWork{}, {first, first});
  EXPECT_EQ(second->after, Nodes{first});
}

TEST(Graph, OrderPutsDependenciesFirstAndOtherwiseKeepsTheOrderOfMaking) {
  CUgraph_st graph;
  CUgraphNode_st* a = add_node(graph, EmptyWork{}, {});
  CUgraphNode_st* b = add_node(graph, EmptyWork{}, {});
  CUgraphNode_st* c = add_node(graph, EmptyWork{}, {});
  CUgraphNode_st* d = add_node(graph, EmptyWork{}, {});
  EXPECT_EQ(topological_order(graph), (Nodes{a, b, c, d}));
  a->after = {d};  // a waits for d, and c for a
  c->after = {a};
  EXPECT_EQ(topological_order(graph), (Nodes{b, d, a, c}));
}

TEST(Graph, ACycleHasNoOrder) {
  CUgraph_st graph;
  CUgraphNode_st* a = add_node(graph, EmptyWork{}, {});
  CUgraphNode_st* b = add_node(graph, EmptyWork{}, {a});
  add_node(graph, EmptyWork{}, {});
  EXPECT_EQ(topological_order(graph).size(), 3u);
  a->after = {b};
  EXPECT_TRUE(topological_order(graph).empty());
}

TEST(Graph, ACopyHasItsOwnNodesAndTheSameEdges) {
  CUgraph_st graph;
  CUgraphNode_st* a = add_node(graph, HostWork{nullptr, &graph}, {});
  CUgraphNode_st* b = add_node(graph, EmptyWork{}, {a});
  b->enabled = false;
  const auto copy = copy_of(graph);
  ASSERT_EQ(copy->nodes.size(), 2u);
  CUgraphNode_st* a2 = copy->nodes[0].get();
  CUgraphNode_st* b2 = copy->nodes[1].get();
  EXPECT_EQ(a2->original, a);
  EXPECT_EQ(b2->original, b);
  EXPECT_EQ(&a2->graph, copy.get());
  EXPECT_EQ(b2->after, Nodes{a2});
  EXPECT_TRUE(a2->enabled);
  EXPECT_FALSE(b2->enabled);
  EXPECT_EQ(std::get<HostWork>(a2->work).data, &graph);
}

TEST(Graph, AChildIsCopiedAndFoundInside) {
  CUgraph_st graph;
  ChildWork child{std::make_unique<CUgraph_st>()};
  const CUgraphNode_st* inner = add_node(*child.graph, EmptyWork{}, {});
  const CUgraph_st* inside = child.graph.get();
  add_node(graph, std::move(child), {});
  const auto copy = copy_of(graph);
  const CUgraph_st* copied = std::get<ChildWork>(copy->nodes[0]->work).graph.get();
  EXPECT_NE(copied, inside);
  EXPECT_TRUE(copied->embedded);
  EXPECT_EQ(find_copy(*copy, inner), copied->nodes[0].get());
  EXPECT_EQ(find_copy(graph, inner), nullptr);  // the graph itself is no copy
}

TEST(Graph, MemoryNodesAreSeen) {
  CUgraph_st graph;
  add_node(graph, EmptyWork{}, {});
  EXPECT_FALSE(has_memory_nodes(graph));
  add_node(graph, MemFreeWork{}, {});
  EXPECT_TRUE(has_memory_nodes(graph));
}

TEST(Graph, TypesAreCudasNumbers) {
  CUgraph_st graph;
  EXPECT_EQ(add_node(graph, KernelWork{}, {})->type(), cudaGraphNodeTypeKernel);
  EXPECT_EQ(add_node(graph, CopyWork{}, {})->type(), cudaGraphNodeTypeMemcpy);
  EXPECT_EQ(add_node(graph, FillWork{}, {})->type(), cudaGraphNodeTypeMemset);
  EXPECT_EQ(add_node(graph, HostWork{}, {})->type(), cudaGraphNodeTypeHost);
  EXPECT_EQ(add_node(graph, EmptyWork{}, {})->type(), cudaGraphNodeTypeEmpty);
  EXPECT_EQ(add_node(graph, WaitWork{}, {})->type(), cudaGraphNodeTypeWaitEvent);
  EXPECT_EQ(add_node(graph, RecordWork{}, {})->type(), cudaGraphNodeTypeEventRecord);
  EXPECT_EQ(add_node(graph, MemAllocWork{}, {})->type(), cudaGraphNodeTypeMemAlloc);
  EXPECT_EQ(add_node(graph, MemFreeWork{}, {})->type(), cudaGraphNodeTypeMemFree);
}

TEST(Graph, HandlesAreValidWhileTheirOwnersLive) {
  const CUgraph_st* handle = nullptr;
  const CUgraphNode_st* node = nullptr;
  {
    CUgraph_st graph;
    handle = &graph;
    node = add_node(graph, EmptyWork{}, {});
    EXPECT_TRUE(valid(handle));
    EXPECT_TRUE(valid(node));
  }
  EXPECT_FALSE(valid(handle));
  EXPECT_FALSE(valid(node));
}

TEST(Graph, EdgesWithPortsAreNotPlain) {
  cudaGraphEdgeData edges[2] = {};
  EXPECT_TRUE(plain(nullptr, 2));
  EXPECT_TRUE(plain(edges, 2));
  edges[1].from_port = 1;
  EXPECT_FALSE(plain(edges, 2));
  EXPECT_TRUE(plain(edges, 1));
}

}  // namespace
}  // namespace duet::cuda
