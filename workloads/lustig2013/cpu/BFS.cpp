// lustig2013 Figure 1: breadth-first search of the graphs of BFS.cu, from node 0. --threads 0: one thread with a
// queue. --threads N: OpenMP as in Rodinia 2.0.1, openmp/bfs: two parallel loops over all nodes a level, with
// masks in place of the queue; the time contains the making of the threads.
#include <omp.h>

#include <memory>

#include "../graph.h"
#include "timed.h"

namespace {

using namespace lustig2013;

const char kUsage[] = "BFS [--size NODES] [--threads N]";

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
      for (int edge = graph.nodes[node].first_edge; edge < graph.nodes[node].first_edge + graph.nodes[node].edges;
           edge++) {
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
  unsigned long count = 4096, threads = 0;
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) usage(kUsage, argv[i]);
    if (std::strcmp(argv[i], "--size") == 0)
      count = number(argv[i + 1], 8, 1u << 22, kUsage);
    else if (std::strcmp(argv[i], "--threads") == 0)
      threads = number(argv[i + 1], 0, 256, kUsage);
    else
      usage(kUsage, argv[i]);
  }
  const Graph graph(static_cast<int>(count), 0, 1);
  const long long begin = now_ns();
  const std::vector<int> cost =
      threads == 0 ? search_on_cpu(graph, 0) : search_with_threads(graph, 0, static_cast<int>(threads));
  const long long end = now_ns();
  const std::vector<int> expected = threads == 0 ? search_with_threads(graph, 0, 1) : search_on_cpu(graph, 0);
  for (std::size_t i = 0; i < cost.size(); i++)
    if (cost[i] != expected[i]) {
      std::fprintf(stderr, "BFS: the cost of node %zu is %d, expected %d\n", i, cost[i], expected[i]);
      return 1;
    }
  return report(end - begin);
}
