// dashti2017 Figure 4, bfs: the distance of each node of a graph from the first one. Per level a kernel walks the edges of the nodes in a mask,
// a second one makes the next mask and says by a flag whether there is one; the host clears and reads the flag. A thread a node; masks are
// bytes, and which nodes an edge leads to has no order. `bfs --nodes 65536`.
#include "../common/random.h"
#include "application.h"

namespace {

using Byte = unsigned char;
struct Node {
  int first, edges;
};
const int kThreads = 512, kMostEdges = 10;

}  // namespace

extern "C" __global__ void walk(const Node* nodes, const int* edges, Byte* mask, Byte* next, const Byte* visited, int* cost, int count) {
  const int own = blockIdx.x * blockDim.x + threadIdx.x;
  if (own >= count || !mask[own]) return;
  mask[own] = 0;
  for (int i = nodes[own].first; i < nodes[own].first + nodes[own].edges; i++) {
    const int other = edges[i];
    if (visited[other]) continue;
    cost[other] = cost[own] + 1;
    next[other] = 1;
  }
}

extern "C" __global__ void advance(Byte* mask, Byte* next, Byte* visited, Byte* more, int count) {
  const int own = blockIdx.x * blockDim.x + threadIdx.x;
  if (own >= count || !next[own]) return;
  mask[own] = 1;
  visited[own] = 1;
  *more = 1;
  next[own] = 0;
}

int main(int argc, char** argv) {
  dashti2017::Arguments arguments("bfs", "[--nodes N] [--time all|offload]", argc, argv);
  const dashti2017::Method method = arguments.method();
  const int count = static_cast<int>(arguments.number("nodes", 4096, 2, 1u << 22));
  const dashti2017::Timed timed(arguments);
  arguments.end();

  // How many edges each node has: one to ten, so that the list of edges has a length before it is filled.
  workload::Random degrees(1);
  std::vector<unsigned char> degree(count);
  int all = 0;
  for (auto& one : degree) all += one = static_cast<unsigned char>(1 + degrees.below(kMostEdges));
  dashti2017::Array<Node> nodes(method, count);
  dashti2017::Array<int> edges(method, all), cost(method, count);
  dashti2017::Array<Byte> mask(method, count), next(method, count), visited(method, count), more(method, 1);
  std::vector<int> result(count);
  CHECK_CUDA(cudaDeviceSynchronize());
  timed.inputs();
  workload::Random random(2);
  for (int i = 0, first = 0; i < count; i++) {
    nodes[i] = {first, degree[i]};
    mask[i] = next[i] = visited[i] = 0;
    first += degree[i];
  }
  for (int i = 0; i < all; i++) edges[i] = static_cast<int>(random.below(count));
  for (int i = 0; i < count; i++) cost[i] = -1;
  mask[0] = visited[0] = 1;
  cost[0] = 0;
  timed.offload();
  nodes.to_device();
  edges.to_device();
  mask.to_device();
  next.to_device();
  visited.to_device();
  cost.to_device();
  const int threads = count < kThreads ? count : kThreads, blocks = (count + threads - 1) / threads;
  int levels = 0;
  do {
    more[0] = 0;
    more.to_device();
    walk<<<blocks, threads>>>(nodes.device(), edges.device(), mask.device(), next.device(), visited.device(), cost.device(), count);
    CHECK_LAUNCH("walk");
    advance<<<blocks, threads>>>(mask.device(), next.device(), visited.device(), more.device(), count);
    CHECK_LAUNCH("advance");
    more.to_host();
    levels++;
  } while (more[0]);
  cost.to_host();
  timed.offloaded();
  for (int i = 0; i < count; i++) result[i] = cost[i];
  timed.results();

  workload::Random again(2);
  std::vector<int> first(count + 1), to(all), expected(count, -1), queue{0};
  for (int i = 0; i < count; i++) first[i + 1] = first[i] + degree[i];
  for (int& one : to) one = static_cast<int>(again.below(count));
  expected[0] = 0;
  for (size_t i = 0; i < queue.size(); i++)
    for (int edge = first[queue[i]]; edge < first[queue[i] + 1]; edge++)
      if (expected[to[edge]] < 0) {
        expected[to[edge]] = expected[queue[i]] + 1;
        queue.push_back(to[edge]);
      }
  for (int i = 0; i < count; i++)
    if (result[i] != expected[i]) return dashti2017::wrong("bfs", "the distance of node", i, result[i], expected[i]);
  printf("PASS bfs method=%s nodes=%d edges=%d levels=%d\n", dashti2017::name_of(method), count, all, levels);
  return 0;
}
