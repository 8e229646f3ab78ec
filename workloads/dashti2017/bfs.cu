// dashti2017 Figure 4, bfs: the distance of each node of a graph from the first one. Per level a kernel walks the edges of the nodes in a mask,
// a second one makes the next mask and says by a flag whether there is one; the host clears and reads the flag. A thread a node; masks are
// bytes, and which nodes an edge leads to has no order. `bfs --nodes 65536`.
//
// `--cpus 4` (Figure 7): the GPU has the first half of the nodes, the cores the other, at the same time; with managed memory in turn. Each side
// has a next mask of its own, since its edges lead to nodes of both, and takes the other's in.
#include <atomic>

#include "../common/random.h"
#include "application.h"
#include "cores.h"

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

// A node of one half. What a side marks may be of the other half, so the distance is written by the node's own side.
__host__ __device__ void walk_node(const Node* nodes, const int* edges, Byte* mask, Byte* next, const Byte* visited, int own) {
  if (!mask[own]) return;
  mask[own] = 0;
  for (int i = nodes[own].first; i < nodes[own].first + nodes[own].edges; i++)
    if (!visited[edges[i]]) next[edges[i]] = 1;
}
__host__ __device__ bool advance_node(Byte* mask, const Byte* next, const Byte* next_of_other, Byte* visited, int* cost, int level, int own) {
  if (!next[own] && !next_of_other[own]) return false;
  mask[own] = visited[own] = 1;
  cost[own] = level;
  return true;
}

extern "C" __global__ void walk_half(const Node* nodes, const int* edges, Byte* mask, Byte* next, const Byte* visited, int count) {
  const int own = blockIdx.x * blockDim.x + threadIdx.x;
  if (own < count) walk_node(nodes, edges, mask, next, visited, own);
}

extern "C" __global__ void advance_half(Byte* mask, const Byte* next, const Byte* next_of_other, Byte* visited, int* cost, int level, Byte* more,
                                        int count) {
  const int own = blockIdx.x * blockDim.x + threadIdx.x;
  if (own < count && advance_node(mask, next, next_of_other, visited, cost, level, own)) *more = 1;
}

int main(int argc, char** argv) {
  dashti2017::Arguments arguments("bfs", "[--nodes N] [--cpus N] [--time all|offload]", argc, argv);
  const dashti2017::Method method = arguments.method();
  const int count = static_cast<int>(arguments.number("nodes", 4096, 2, 1u << 22));
  const auto cpus = static_cast<unsigned>(arguments.number("cpus", 0, 0, 64));
  const dashti2017::Timed timed(arguments);
  arguments.end();

  // How many edges each node has: one to ten, so that the list of edges has a length before it is filled.
  workload::Random degrees(1);
  std::vector<unsigned char> degree(count);
  int all = 0;
  for (auto& one : degree) all += one = static_cast<unsigned char>(1 + degrees.below(kMostEdges));
  dashti2017::Array<Node> nodes(method, count);
  dashti2017::Array<int> edges(method, all), cost(method, count);
  dashti2017::Array<Byte> mask(method, count), next(method, count), visited(method, count), more(method, 1),
      of_cpu(method, cpus > 0 ? count : 1);
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
  if (cpus > 0) memset(&of_cpu[0], 0, count);
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
  dashti2017::Cores cores(cpus);
  const bool in_turn = method == dashti2017::Method::kManaged, copied = method == dashti2017::Method::kDevice;
  const int middle = cpus == 0 ? count : count / 2 / kThreads * kThreads, blocks_of_half = middle / kThreads;
  // The first or second half of an array to the other side.
  const auto copy = [&](dashti2017::Array<Byte>& array, bool to_gpu) {
    if (copied && to_gpu) CHECK_CUDA(cudaMemcpy(array.device() + middle, &array[middle], count - middle, cudaMemcpyHostToDevice));
    if (copied && !to_gpu) CHECK_CUDA(cudaMemcpy(&array[0], array.device(), middle, cudaMemcpyDeviceToHost));
    array.give_up();
    array.take_back();
  };
  if (cpus > 0) of_cpu.to_device();
  do {
    more[0] = 0;
    more.to_device();
    if (cpus > 0) {
      std::atomic<bool> more_on_cpu{false};
      walk_half<<<blocks_of_half, kThreads>>>(nodes.device(), edges.device(), mask.device(), next.device(), visited.device(), middle);
      CHECK_LAUNCH("walk_half");
      if (in_turn) CHECK_CUDA(cudaDeviceSynchronize());
      cores.loop(middle, count, [&](int i) { walk_node(&nodes[0], &edges[0], &mask[0], &of_cpu[0], &visited[0], i); });
      CHECK_CUDA(cudaDeviceSynchronize());
      if (copied) {
        CHECK_CUDA(cudaMemcpy(&next[middle], next.device() + middle, count - middle, cudaMemcpyDeviceToHost));
        CHECK_CUDA(cudaMemcpy(of_cpu.device(), &of_cpu[0], middle, cudaMemcpyHostToDevice));
      }
      for (const auto* array : {&next, &of_cpu}) array->give_up(), array->take_back();
      advance_half<<<blocks_of_half, kThreads>>>(mask.device(), next.device(), of_cpu.device(), visited.device(), cost.device(), levels + 1,
                                                 more.device(), middle);
      CHECK_LAUNCH("advance_half");
      if (in_turn) CHECK_CUDA(cudaDeviceSynchronize());
      cores.loop(middle, count, [&](int i) {
        if (advance_node(&mask[0], &next[0], &of_cpu[0], &visited[0], &cost[0], levels + 1, i)) more_on_cpu = true;
      });
      more.to_host();
      if (more_on_cpu) more[0] = 1;
      copy(visited, true);
      copy(visited, false);
      CHECK_CUDA(cudaMemset(next.device(), 0, count));
      CHECK_CUDA(cudaDeviceSynchronize());
      memset(&of_cpu[0], 0, count);
      levels++;
      continue;
    }
    walk<<<blocks, threads>>>(nodes.device(), edges.device(), mask.device(), next.device(), visited.device(), cost.device(), count);
    CHECK_LAUNCH("walk");
    advance<<<blocks, threads>>>(mask.device(), next.device(), visited.device(), more.device(), count);
    CHECK_LAUNCH("advance");
    more.to_host();
    levels++;
  } while (more[0]);
  cost.to_host(middle);
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
