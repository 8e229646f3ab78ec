// lustig2013 Figure 1 and section 7.1: breadth-first search of the graphs of BFS.cu, from node 0. --threads
// 0: one thread with a queue. --threads N: OpenMP as in Rodinia 2.0.1, openmp/bfs: two parallel loops over
// all nodes a level, with masks in place of the queue. What a search allocates is part of its time.
#include <memory>

#include "../graph.h"
#include "timed.h"

namespace {

using namespace lustig2013;

const Program kProgram = {"BFS", "NODES", 4096, 8, 1ul << 22};

std::vector<int> search_with_threads(const Graph& graph, int source, int threads) {
  const int count = static_cast<int>(graph.nodes.size());
  std::vector<int> cost(graph.nodes.size(), kUnreached);
  const auto mask = std::make_unique<bool[]>(graph.nodes.size());
  const auto updating = std::make_unique<bool[]>(graph.nodes.size());
  const auto visited = std::make_unique<bool[]>(graph.nodes.size());
  mask[source] = visited[source] = true;
  cost[source] = 0;
  omp_set_num_threads(threads);
  for (bool again = true; again;) {
    again = false;
#pragma omp parallel for
    for (int node = 0; node < count; node++) {
      if (!mask[node]) continue;
      mask[node] = false;
      for (int edge = graph.nodes[node].first_edge;
           edge < graph.nodes[node].first_edge + graph.nodes[node].edges; edge++) {
        const int target = graph.edges[edge];
        if (visited[target]) continue;
        cost[target] = cost[node] + 1;
        updating[target] = true;
      }
    }
#pragma omp parallel for
    for (int node = 0; node < count; node++) {
      if (!updating[node]) continue;
      mask[node] = visited[node] = true;
      again = true;
      updating[node] = false;
    }
  }
  return cost;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = kProgram.parse(argc, argv);
  const Graph drawn(static_cast<int>(options.size), 0, 1);
  Graph graph = drawn;
  std::vector<int> cost;
  int source = 0;
  const auto fill = [&](unsigned long long
                            seed) {  // the same graph, written again; from another node before it is measured
    graph.nodes = drawn.nodes;
    graph.edges = drawn.edges;
    source = static_cast<int>((seed - 1) % options.size);
  };
  measure(options, fill, [&] {
    cost = options.threads == 0 ? search_on_cpu(graph, source)
                                : search_with_threads(graph, source, static_cast<int>(options.threads));
  });
  const std::vector<int> expected =
      options.threads == 0 ? search_with_threads(graph, 0, 1) : search_on_cpu(graph, 0);
  for (std::size_t i = 0; i < cost.size(); i++)
    if (cost[i] != expected[i]) return kProgram.wrong("the cost of node", i, cost[i], expected[i]);
}
