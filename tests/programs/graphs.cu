// CUDA graphs: a diamond of a copy, kernels, a memset and a host function computes what the calls in a stream
// would; copies to and from pageable memory belong to their nodes; clones, child graphs, updates, enabled and
// disabled nodes, looking at nodes and edges, and what is refused.
#include "expect.h"

constexpr int kCount = 1000;

__global__ void scale(int* to, const int* from, int factor, int add) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) to[i] = from[i] * factor + add;
}
__global__ void sum(int* to, const int* a, const int* b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) to[i] = a[i] + b[i];
}
// Long enough that who does not wait for it sees what was there before.
__global__ void slow_increment(int* data, int steps) {
  unsigned noise = threadIdx.x;
  for (int i = 0; i < steps; i++) noise = noise * 1664525u + 1013904223u;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) data[i] += noise == 0x12345678u && steps == -1 ? 2 : 1;
}
__device__ int offset_of_all;
__global__ void add_symbol(int* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) data[i] += offset_of_all;
}

struct Seen {
  const int* data;
  int calls, first, last;
};
void look(void* pointer) {
  Seen* seen = static_cast<Seen*>(pointer);
  seen->calls++;
  seen->first = seen->data[0];
  seen->last = seen->data[kCount - 1];
}

template <typename... Arguments>
struct Kernel {
  void* pointers[sizeof...(Arguments)];
  cudaKernelNodeParams params{};
  Kernel(const void* function, Arguments&... arguments) : pointers{&arguments...} {
    params.func = const_cast<void*>(function);
    params.gridDim = dim3(8);
    params.blockDim = dim3(128);
    params.kernelParams = pointers;
  }
};

struct Diamond {
  std::vector<int> in = std::vector<int>(kCount), out = std::vector<int>(kCount);
  int *source, *left, *right, *result;
  int factor_left = 3, factor_right = 5, add = 7;
  Seen seen{};
  cudaGraph_t graph;
  cudaGraphNode_t copy_in, node_left, node_right, join, copy_out, host;

  Diamond() {
    for (int** p : {&source, &left, &right, &result})
      CHECK(cudaMalloc(reinterpret_cast<void**>(p), kCount * sizeof(int)));
    seen.data = out.data();
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemcpyNode1D(&copy_in, graph, nullptr, 0, source, in.data(), kCount * sizeof(int),
                                   cudaMemcpyHostToDevice));
    Kernel<int*, int*, int, int> to_left(reinterpret_cast<void*>(scale), left, source, factor_left, add);
    Kernel<int*, int*, int, int> to_right(reinterpret_cast<void*>(scale), right, source, factor_right, add);
    CHECK(cudaGraphAddKernelNode(&node_left, graph, &copy_in, 1, &to_left.params));
    CHECK(cudaGraphAddKernelNode(&node_right, graph, &copy_in, 1, &to_right.params));
    Kernel<int*, int*, int*> joined(reinterpret_cast<void*>(sum), result, left, right);
    CHECK(cudaGraphAddKernelNode(&join, graph, nullptr, 0, &joined.params));
    const cudaGraphNode_t from[] = {node_left, node_right}, to[] = {join, join};
    CHECK(cudaGraphAddDependencies(graph, from, to, nullptr, 2));
    cudaMemcpy3DParms parms{};
    parms.srcPtr = make_cudaPitchedPtr(result, kCount * sizeof(int), kCount, 1);
    parms.dstPtr = make_cudaPitchedPtr(out.data(), kCount * sizeof(int), kCount, 1);
    parms.extent = make_cudaExtent(kCount * sizeof(int), 1, 1);
    parms.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaGraphAddMemcpyNode(&copy_out, graph, &join, 1, &parms));
    cudaHostNodeParams function{look, &seen};
    CHECK(cudaGraphAddHostNode(&host, graph, &copy_out, 1, &function));
  }
  void fill(int by) {
    for (int i = 0; i < kCount; i++) in[i] = i * by;
  }
  void check(const char* what, int by, int left_factor) {
    for (int i = 0; i < kCount; i++)
      expect::equal(what, i, out[i], i * by * (left_factor + factor_right) + 2 * add);
  }
};

void looking(Diamond& d) {
  size_t count = 0;
  CHECK(cudaGraphGetNodes(d.graph, nullptr, &count));
  REQUIRE(count == 6);
  cudaGraphNode_t nodes[8];
  count = 8;
  CHECK(cudaGraphGetNodes(d.graph, nodes, &count));
  REQUIRE(count == 6 && nodes[0] == d.copy_in && nodes[5] == d.host && nodes[6] == nullptr);
  CHECK(cudaGraphGetRootNodes(d.graph, nullptr, &count));
  REQUIRE(count == 1);
  cudaGraphNode_t from[8], to[8];
  cudaGraphEdgeData data[8];
  CHECK(cudaGraphGetEdges(d.graph, nullptr, nullptr, nullptr, &count));
  REQUIRE(count == 6);
  CHECK(cudaGraphGetEdges(d.graph, from, to, data, &count));
  REQUIRE(count == 6 && from[0] == d.copy_in && to[0] == d.node_left && data[0].type == 0);
  count = 8;
  CHECK(cudaGraphNodeGetDependencies(d.join, nodes, nullptr, &count));
  REQUIRE(count == 2 && nodes[0] == d.node_left && nodes[1] == d.node_right);
  count = 8;
  CHECK(cudaGraphNodeGetDependentNodes(d.copy_in, nodes, nullptr, &count));
  REQUIRE(count == 2);
  cudaGraphNodeType type;
  CHECK(cudaGraphNodeGetType(d.host, &type));
  REQUIRE(type == cudaGraphNodeTypeHost);
  cudaKernelNodeParams params;
  CHECK(cudaGraphKernelNodeGetParams(d.node_left, &params));
  REQUIRE(params.func == reinterpret_cast<void*>(scale) && params.blockDim.x == 128);
  REQUIRE(*static_cast<int*>(params.kernelParams[2]) == 3);
}

void launching(Diamond& d, cudaStream_t stream) {
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, d.graph, 0));
  for (int by = 1; by <= 3; by++) {
    d.fill(by);
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    d.check("diamond", by, 3);
    REQUIRE(d.seen.calls == by && d.seen.first == 14 && d.seen.last == d.out[kCount - 1]);
  }
  // Parameters of one node, in the executable graph alone.
  int factor = 11;
  Kernel<int*, int*, int, int> changed(reinterpret_cast<void*>(scale), d.left, d.source, factor, d.add);
  CHECK(cudaGraphExecKernelNodeSetParams(exec, d.node_left, &changed.params));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  d.check("executable node", 3, 11);
  // From a graph with the same nodes and edges.
  factor = 13;
  CHECK(cudaGraphKernelNodeSetParams(d.node_left, &changed.params));
  cudaGraphExecUpdateResultInfo info;
  CHECK(cudaGraphExecUpdate(exec, d.graph, &info));
  REQUIRE(info.result == cudaGraphExecUpdateSuccess);
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  d.check("update", 3, 13);
  // A disabled node leaves what was there: the left side of the launch before.
  d.fill(2);
  CHECK(cudaGraphNodeSetEnabled(exec, d.node_left, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < kCount; i++) expect::equal("disabled", i, d.out[i], i * 3 * 13 + 7 + i * 2 * 5 + 7);
  CHECK(cudaGraphExecDestroy(exec));
}

void clones_and_children(Diamond& d, cudaStream_t stream) {
  cudaGraph_t clone;
  cudaGraphNode_t left;
  CHECK(cudaGraphClone(&clone, d.graph));
  CHECK(cudaGraphNodeFindInClone(&left, d.node_left, clone));
  REQUIRE(left != d.node_left);
  int factor = 17;
  Kernel<int*, int*, int, int> changed(reinterpret_cast<void*>(scale), d.left, d.source, factor, d.add);
  CHECK(cudaGraphKernelNodeSetParams(left, &changed.params));

  // The clone as a child, between two kernels and behind an empty node.
  cudaGraph_t outer;
  CHECK(cudaGraphCreate(&outer, 0));
  cudaGraphNode_t empty, child, after, symbol, copy;
  CHECK(cudaGraphAddEmptyNode(&empty, outer, nullptr, 0));
  CHECK(cudaGraphAddChildGraphNode(&child, outer, &empty, 1, clone));
  int value = 100000;
  CHECK(cudaGraphAddMemcpyNodeToSymbol(&symbol, outer, nullptr, 0, offset_of_all, &value, sizeof value, 0,
                                       cudaMemcpyHostToDevice));
  Kernel<int*> add(reinterpret_cast<void*>(add_symbol), d.result);
  const cudaGraphNode_t both[] = {child, symbol};
  CHECK(cudaGraphAddKernelNode(&after, outer, both, 2, &add.params));
  std::vector<int> out(kCount);
  CHECK(cudaGraphAddMemcpyNode1D(&copy, outer, &after, 1, out.data(), d.result, kCount * sizeof(int),
                                 cudaMemcpyDeviceToHost));
  CHECK(cudaGraphDestroy(clone));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, outer, 0));
  CHECK(cudaGraphDestroy(outer));
  CHECK(cudaGraphUpload(exec, stream));
  d.fill(1);
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  d.check("child", 1, 17);
  for (int i = 0; i < kCount; i++) expect::equal("behind the child", i, out[i], d.out[i] + 100000);
  CHECK(cudaGraphExecDestroy(exec));
}

// Launches keep the order of their streams, and those of one executable graph follow each other.
void order(cudaStream_t first, cudaStream_t second) {
  const int steps = 2000;
  expect::Array<int> data(kCount, 0);
  int* pointer = data.device();
  int n = steps;
  Kernel<int*, int> increment(reinterpret_cast<void*>(slow_increment), pointer, n);
  cudaGraph_t graph;
  cudaGraphNode_t node, previous = nullptr, recorded;
  CHECK(cudaGraphCreate(&graph, 0));
  for (int i = 0; i < 3; i++) {
    CHECK(cudaGraphAddKernelNode(&node, graph, previous ? &previous : nullptr, previous ? 1 : 0,
                                 &increment.params));
    previous = node;
  }
  cudaEvent_t event;
  CHECK(cudaEventCreate(&event));
  CHECK(cudaGraphAddEventRecordNode(&recorded, graph, &previous, 1, event));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  slow_increment<<<8, 128, 0, first>>>(pointer, steps);
  CHECK(cudaGraphLaunch(exec, first));
  CHECK(cudaGraphLaunch(exec, second));
  CHECK(cudaGraphLaunch(exec, first));
  CHECK(cudaStreamWaitEvent(second, event, 0));
  slow_increment<<<8, 128, 0, second>>>(pointer, 1);
  CHECK(cudaDeviceSynchronize());
  data.fetch();
  for (int i = 0; i < kCount; i++) expect::equal("order", i, data.host[i], 11);
  // A memset of half words, in front of a kernel.
  cudaMemsetParams fill{};
  fill.dst = pointer;
  fill.elementSize = 2;
  fill.value = 0x0102;
  fill.width = 2 * kCount;
  fill.height = 1;
  cudaGraphNode_t memset_node, first_node;
  CHECK(cudaGraphAddMemsetNode(&memset_node, graph, nullptr, 0, &fill));
  size_t one = 1;
  CHECK(cudaGraphGetRootNodes(graph, &first_node, &one));
  CHECK(cudaGraphAddDependencies(graph, &memset_node, &first_node, nullptr, 1));
  cudaGraphExecUpdateResultInfo info;
  REQUIRE_STATUS(cudaGraphExecUpdate(exec, graph, &info), cudaErrorGraphExecUpdateFailure);
  REQUIRE(info.result == cudaGraphExecUpdateErrorTopologyChanged);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, 0));
  CHECK(cudaStreamSynchronize(0));
  data.fetch();
  for (int i = 0; i < kCount; i++) expect::equal("memset", i, data.host[i], 0x01020102 + 3);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaEventDestroy(event));
}

// Many nodes that nothing orders, then one that all of them precede.
void wide(cudaStream_t stream) {
  const int nodes = 48;
  expect::Array<int> data(nodes * kCount, 1);
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  std::vector<cudaGraphNode_t> all(nodes);
  int steps = 10;
  for (int n = 0; n < nodes; n++) {
    int* part = data.device() + n * kCount;
    Kernel<int*, int> increment(reinterpret_cast<void*>(slow_increment), part, steps);
    CHECK(cudaGraphAddKernelNode(&all[n], graph, nullptr, 0, &increment.params));
  }
  std::vector<int> out(nodes * kCount);
  cudaGraphNode_t copy;
  CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, all.data(), nodes, out.data(), data.device(),
                                 out.size() * sizeof(int), cudaMemcpyDeviceToHost));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < nodes * kCount; i++) expect::equal("wide", i, out[i], 3);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

// Milliseconds of a graph of kernels, each in a block of its own; in a chain or with nothing that orders
// them.
float time_of(bool chain, cudaStream_t stream) {
  const int nodes = 4;
  expect::Array<int> data(nodes * kCount, 0);
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t node, previous = nullptr;
  int steps = 20000;
  for (int n = 0; n < nodes; n++) {
    int* part = data.device() + n * kCount;
    Kernel<int*, int> increment(reinterpret_cast<void*>(slow_increment), part, steps);
    increment.params.gridDim = dim3(1);
    CHECK(cudaGraphAddKernelNode(&node, graph, &previous, chain && n > 0 ? 1 : 0, &increment.params));
    previous = node;
  }
  cudaGraphExec_t exec;
  cudaEvent_t start, end;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaEventRecord(start, stream));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaEventRecord(end, stream));
  CHECK(cudaEventSynchronize(end));
  data.fetch();
  for (int n = 0; n < nodes; n++) expect::equal("timed", n, data.host[n * kCount], 1);
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, start, end));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  return milliseconds;
}

void refused(Diamond& d) {
  cudaGraphExec_t exec;
  const cudaGraphNode_t from = d.host, to = d.copy_in;
  cudaGraph_t clone;
  CHECK(cudaGraphClone(&clone, d.graph));
  cudaGraphNode_t a, b;
  CHECK(cudaGraphNodeFindInClone(&a, from, clone));
  CHECK(cudaGraphNodeFindInClone(&b, to, clone));
  REQUIRE_STATUS(cudaGraphAddDependencies(d.graph, &a, &b, nullptr, 1), cudaErrorInvalidValue);
  REQUIRE_STATUS(cudaGraphMemcpyNodeSetParams1D(d.host, d.source, d.in.data(), 4, cudaMemcpyHostToDevice),
                 cudaErrorInvalidValue);
  Kernel<int*> bad(reinterpret_cast<void*>(add_symbol), d.result);
  bad.params.blockDim = dim3(100000);
  cudaGraphNode_t node;
  REQUIRE(cudaGraphAddKernelNode(&node, d.graph, nullptr, 0, &bad.params) != cudaSuccess);
  CHECK(cudaGraphDestroyNode(b));
  size_t count = 0;
  CHECK(cudaGraphGetRootNodes(clone, nullptr, &count));
  REQUIRE(count == 2);
  cudaGraphExecUpdateResultInfo info;
  CHECK(cudaGraphInstantiate(&exec, d.graph, 0));
  REQUIRE_STATUS(cudaGraphExecUpdate(exec, clone, &info), cudaErrorGraphExecUpdateFailure);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(clone));
  // A cycle: told at the edge or when the graph is made executable.
  if (cudaGraphAddDependencies(d.graph, &from, &to, nullptr, 1) == cudaSuccess)
    REQUIRE_STATUS(cudaGraphInstantiate(&exec, d.graph, 0), cudaErrorInvalidValue);
  cudaGetLastError();
}

int main() {
  cudaStream_t first, second;
  CHECK(cudaStreamCreate(&first));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  Diamond diamond;
  looking(diamond);
  launching(diamond, first);
  clones_and_children(diamond, second);
  order(first, second);
  wide(second);
  const float chain = time_of(true, second), free = time_of(false, second);
  if (!(free > 0 && free < chain / 2)) {
    fprintf(stderr, "independent nodes take %g ms, a chain of them %g ms\n", free, chain);
    return 1;
  }
  refused(diamond);
  CHECK(cudaGraphDestroy(diamond.graph));
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
  return expect::pass("graphs");
}
