// lustig2013 Table 3, BFS: breadth-first search from node 0 of a generated directed graph (4K nodes in the
// paper), one kernel a level and one thread a node. The host copies a flag back after every level and stops
// when no node was reached. Threads that reach the same node write the same level, so the race between them
// is harmless.
#include <algorithm>

#include "common.h"

namespace {

using namespace lustig2013;

const Spec kSpec = {"BFS", "nodes", 4096, 1, 1u << 22, 1};
const int kThreads = 256;
const int kMinDegree = 2;
const int kMaxDegree = 10;
const int kUnreached = -1;

__global__ void visit_level(const int* first_edge, const int* targets, int* levels, int* found, int level,
                            int nodes) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || levels[node] != level) return;
  for (int edge = first_edge[node]; edge < first_edge[node + 1]; edge++) {
    int target = targets[edge];
    if (levels[target] == kUnreached) {
      levels[target] = level + 1;
      *found = 1;
    }
  }
}

// Compressed rows: the edges of node v are targets[first_edge[v]] to targets[first_edge[v + 1] - 1].
struct Graph {
  Graph(int nodes, unsigned long long seed) : first_edge(nodes + 1) {
    workload::Random random(seed);
    for (int node = 0; node < nodes; node++) {
      first_edge[node] = static_cast<int>(targets.size());
      int degree = kMinDegree + static_cast<int>(random.below(kMaxDegree - kMinDegree + 1));
      for (int k = 0; k < degree; k++) targets.push_back(static_cast<int>(random.below(nodes)));
    }
    first_edge[nodes] = static_cast<int>(targets.size());
  }
  std::vector<int> first_edge, targets;
};

struct Problem {
  Problem(const Graph& graph, int node_count)
      : nodes(node_count),
        first_edge(graph.first_edge.size()),
        targets(graph.targets.size()),
        levels(nodes),
        found(1),
        d_first_edge(first_edge.size()),
        d_targets(targets.size()),
        d_levels(nodes),
        d_found(1) {
    std::copy(graph.first_edge.begin(), graph.first_edge.end(), first_edge.get());
    std::copy(graph.targets.begin(), graph.targets.end(), targets.get());
    std::fill_n(levels.get(), nodes, kUnreached);
    levels[0] = 0;
  }
  int nodes;
  Pinned<int> first_edge, targets, levels, found;
  Device<int> d_first_edge, d_targets, d_levels, d_found;
};

void launch(const Problem& p, int level, const Stream& stream) {
  visit_level<<<(p.nodes + kThreads - 1) / kThreads, kThreads, 0, stream.get()>>>(
      p.d_first_edge.get(), p.d_targets.get(), p.d_levels.get(), p.d_found.get(), level, p.nodes);
  CHECK_LAUNCH("visit_level");
}

// Returns the number of levels that were launched.
int offload_baseline(const Problem& p, const Stream& stream) {
  duetMark("data ready");
  copy_in(p.d_first_edge, p.first_edge, stream);
  copy_in(p.d_targets, p.targets, stream);
  copy_in(p.d_levels, p.levels, stream);
  int level = 0;
  do {
    p.found[0] = 0;
    copy_in(p.d_found, p.found, stream);
    launch(p, level++, stream);
    copy_out(p.found, p.d_found, stream);
    CHECK_CUDA(cudaStreamSynchronize(stream.get()));
  } while (p.found[0] != 0);
  copy_out(p.levels, p.d_levels, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream.get()));
  duetMark("finish");
  return level;
}

std::vector<int> search_on_cpu(const Graph& graph, int nodes) {
  std::vector<int> levels(nodes, kUnreached), queue;
  levels[0] = 0;
  queue.push_back(0);
  for (size_t head = 0; head < queue.size(); head++) {
    int node = queue[head];
    for (int edge = graph.first_edge[node]; edge < graph.first_edge[node + 1]; edge++) {
      int target = graph.targets[edge];
      if (levels[target] != kUnreached) continue;
      levels[target] = levels[node] + 1;
      queue.push_back(target);
    }
  }
  return levels;
}

}  // namespace

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv, kSpec);
  const int nodes = static_cast<int>(options.size);
  Graph graph(nodes, options.seed);
  Problem problem(graph, nodes);
  Stream stream;
  int launched = 0;
  switch (options.variant) {
    case Variant::kBaseline:
      launched = offload_baseline(problem, stream);
      break;
  }
  std::vector<int> expected = search_on_cpu(graph, nodes);
  for (int node = 0; node < nodes; node++)
    if (problem.levels[node] != expected[node])
      return report_mismatch(kSpec, "level of node", node, problem.levels[node], expected[node]);
  int expected_launches = *std::max_element(expected.begin(), expected.end()) + 1;
  if (launched != expected_launches)
    return report_mismatch(kSpec, "number of levels, counted from", 0, launched, expected_launches);
  printf("PASS BFS %u\n", options.size);
  return 0;
}
