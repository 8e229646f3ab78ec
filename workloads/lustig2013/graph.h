// The graphs of BFS, and the search of one thread. A graph is drawn like Rodinia's data/bfs/graph4096.txt:
// connected, three times as many undirected edges as nodes, each listed with both of its ends, none twice and
// no loops; of 4096 nodes all are reached from node 0 in 7 steps.
#pragma once

#include <algorithm>
#include <vector>

#include "../common/random.h"

namespace lustig2013 {

const int kEdgesPerNode = 3;  // undirected
const int kUnreached = -1;

struct Node {
  int first_edge;
  int edges;
};

struct Graph {
  Graph(int count, int isolated, unsigned long long seed) : nodes(count) {
    workload::Random random(seed);
    const int connected = count - isolated;
    std::vector<std::vector<int>> neighbours(count);
    const auto join = [&](int a, int b) {
      neighbours[a].push_back(b);
      neighbours[b].push_back(a);
    };
    // A tree that holds them together, whose nodes come in random order; then any two.
    std::vector<int> order(connected);
    for (int i = 0; i < connected; i++) {
      const int at = static_cast<int>(random.below(i + 1));
      order[i] = order[at];
      order[at] = i;
    }
    for (int i = 1; i < connected; i++) join(order[i], order[random.below(i)]);
    for (long long left = static_cast<long long>(kEdgesPerNode) * connected - (connected - 1); left > 0;) {
      const int a = static_cast<int>(random.below(connected)), b = static_cast<int>(random.below(connected));
      if (a == b || std::count(neighbours[a].begin(), neighbours[a].end(), b) != 0) continue;
      join(a, b);
      left--;
    }
    for (int node = 0; node < count; node++) {
      nodes[node] = {static_cast<int>(edges.size()), static_cast<int>(neighbours[node].size())};
      edges.insert(edges.end(), neighbours[node].begin(), neighbours[node].end());
    }
  }
  std::vector<Node> nodes;
  std::vector<int> edges;
};

inline std::vector<int> search_on_cpu(const Graph& graph, int source) {
  std::vector<int> cost(graph.nodes.size(), kUnreached), queue;
  cost[source] = 0;
  queue.push_back(source);
  for (size_t head = 0; head < queue.size(); head++) {
    const Node& node = graph.nodes[queue[head]];
    for (int edge = node.first_edge; edge < node.first_edge + node.edges; edge++) {
      const int target = graph.edges[edge];
      if (cost[target] != kUnreached) continue;
      cost[target] = cost[queue[head]] + 1;
      queue.push_back(target);
    }
  }
  return cost;
}

}  // namespace lustig2013
