// Breadth-first searches of one graph, from one node after the other: `./search [NODES [SEARCHES]]`. A kernel
// for each level takes the nodes of a queue and puts those that it finds into another one; the next level's
// takes these. So every address behind a queue depends on what the kernel before has written.
// Prints the sum of all distances, which it compares with the host's.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                               \
  do {                                                            \
    if (const cudaError_t error = (call); error != cudaSuccess) { \
      std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
      std::exit(1);                                               \
    }                                                             \
  } while (0)

constexpr int kThreads = 128, kDegree = 4;

extern "C" __global__ void expand(const int* queue, int size, const int* first_edge, const int* edges,
                                  int* distance, int* next, int* next_size, int now) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const int node = queue[i];
  for (int e = first_edge[node]; e < first_edge[node + 1]; e++) {
    const int found = edges[e];
    if (atomicCAS(&distance[found], -1, now + 1) == -1) next[atomicAdd(next_size, 1)] = found;
  }
}

struct Graph {
  std::vector<int> first_edge, edges;
};

unsigned next_random(unsigned& state) { return state = state * 1664525u + 1013904223u; }

Graph make_graph(int nodes) {
  Graph graph;
  unsigned state = 1;
  for (int node = 0; node < nodes; node++) {
    graph.first_edge.push_back(static_cast<int>(graph.edges.size()));
    for (int e = 0; e < kDegree; e++)
      graph.edges.push_back(static_cast<int>(next_random(state) >> 8) % nodes);
  }
  graph.first_edge.push_back(static_cast<int>(graph.edges.size()));
  return graph;
}

std::vector<int> search_on_host(const Graph& graph, int nodes, int start) {
  std::vector<int> distance(nodes, -1), queue{start};
  distance[start] = 0;
  for (std::size_t i = 0; i < queue.size(); i++)
    for (int e = graph.first_edge[queue[i]]; e < graph.first_edge[queue[i] + 1]; e++)
      if (int& found = distance[graph.edges[e]]; found == -1) {
        found = distance[queue[i]] + 1;
        queue.push_back(graph.edges[e]);
      }
  return distance;
}

template <typename T>
T* on_gpu(const std::vector<T>& values) {
  T* place;
  CHECK(cudaMalloc(&place, values.size() * sizeof(T)));
  CHECK(cudaMemcpy(place, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return place;
}

int main(int argc, char** argv) {
  const int nodes = argc > 1 ? std::atoi(argv[1]) : 4096, searches = argc > 2 ? std::atoi(argv[2]) : 2;
  const Graph graph = make_graph(nodes);
  const std::vector<int> none(nodes, -1);
  int* const first_edge = on_gpu(graph.first_edge);
  int* const edges = on_gpu(graph.edges);
  int* const distance = on_gpu(none);
  int* const queues[] = {on_gpu(none), on_gpu(none)};
  int* const next_size = on_gpu(std::vector<int>(1));
  long long sum = 0;
  for (int s = 0; s < searches; s++) {
    const int start = static_cast<int>(37ll * s % nodes), zero = 0;
    CHECK(cudaMemset(distance, 0xff, nodes * sizeof(int)));
    CHECK(cudaMemcpy(distance + start, &zero, sizeof zero, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(queues[0], &start, sizeof start, cudaMemcpyHostToDevice));
    for (int size = 1, now = 0; size != 0; now++) {
      CHECK(cudaMemset(next_size, 0, sizeof(int)));
      expand<<<(size + kThreads - 1) / kThreads, kThreads>>>(queues[now % 2], size, first_edge, edges,
                                                             distance, queues[(now + 1) % 2], next_size, now);
      CHECK(cudaMemcpy(&size, next_size, sizeof size, cudaMemcpyDeviceToHost));
    }
    std::vector<int> found(nodes);
    CHECK(cudaMemcpy(found.data(), distance, nodes * sizeof(int), cudaMemcpyDeviceToHost));
    if (found != search_on_host(graph, nodes, start)) {
      std::printf("wrong from %d\n", start);
      return 1;
    }
    for (const int one : found) sum += one;
  }
  std::printf("right %lld\n", sum);
}
