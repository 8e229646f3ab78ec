// Memory nodes of graphs, made by hand and by capture, what CUDA's rules say of memory that a launch leaves
// allocated, and copies of arrays as nodes.
#include "expect.h"

constexpr int kCount = 1000;

__global__ void count_up(int* data, int first) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) data[i] = first + i;
}

static cudaMemAllocNodeParams of_bytes(size_t bytes) {
  cudaMemAllocNodeParams params{};
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location.type = cudaMemLocationTypeDevice;
  params.bytesize = bytes;
  return params;
}

static unsigned long long used() {
  unsigned long long bytes = 0;
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &bytes));
  return bytes;
}

static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t after, void* data, int first) {
  void* parameters[] = {&data, &first};
  cudaKernelNodeParams params{};
  params.func = reinterpret_cast<void*>(count_up);
  params.gridDim = dim3(8);
  params.blockDim = dim3(128);
  params.kernelParams = parameters;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddKernelNode(&node, graph, &after, 1, &params));
  return node;
}

static void inside_one_graph() {
  cudaGraph_t graph;
  cudaGraphNode_t allocation, kernel, copy, release;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams params = of_bytes(kCount * 4);
  CHECK(cudaGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &params));
  REQUIRE(params.dptr != nullptr);
  kernel = add_kernel(graph, allocation, params.dptr, 7);
  std::vector<int> host(kCount);
  CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, host.data(), params.dptr, kCount * 4,
                                 cudaMemcpyDeviceToHost));
  REQUIRE_STATUS(cudaGraphAddMemFreeNode(&release, graph, &copy, 1, host.data()), cudaErrorInvalidValue);
  CHECK(cudaGraphAddMemFreeNode(&release, graph, &copy, 1, params.dptr));
  cudaGraphNodeType type;
  CHECK(cudaGraphNodeGetType(release, &type));
  REQUIRE(type == cudaGraphNodeTypeMemFree);
  void* freed;
  CHECK(cudaGraphMemFreeNodeGetParams(release, &freed));
  REQUIRE(freed == params.dptr);
  cudaGraph_t clone;
  REQUIRE_STATUS(cudaGraphClone(&clone, graph), cudaErrorNotSupported);
  REQUIRE_STATUS(cudaGraphDestroyNode(copy), cudaErrorNotSupported);
  cudaGetLastError();
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 2; i++) {  // it frees what it allocates: launched again at will
    std::fill(host.begin(), host.end(), 0);
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    for (int k = 0; k < kCount; k++) expect::equal("inside", k, host[k], 7 + k);
    REQUIRE(used() == 0);
  }
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

static void left_allocated() {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  int* data;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMallocAsync(reinterpret_cast<void**>(&data), kCount * 4, stream));
  count_up<<<8, 128, 0, stream>>>(data, 100);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  REQUIRE_STATUS(cudaFree(data), cudaErrorInvalidValue);  // not allocated yet
  cudaGetLastError();
  for (int i = 0; i < 2; i++) {
    CHECK(cudaGraphLaunch(exec, stream));
    REQUIRE(used() >= kCount * 4);
    REQUIRE_STATUS(cudaGraphLaunch(exec, stream), cudaErrorInvalidValue);
    cudaGetLastError();
    std::vector<int> host(kCount);
    CHECK(cudaMemcpyAsync(host.data(), data, kCount * 4, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int k = 0; k < kCount; k++) expect::equal("left", k, host[k], 100 + k);
    if (i == 0)
      CHECK(cudaFreeAsync(data, stream));
    else
      CHECK(cudaFree(data));
    REQUIRE(used() == 0);
  }
  CHECK(cudaGraphExecDestroy(exec));
  // What a launch leaves is freed by the next one where the flag asks for that.
  CHECK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  // It stays when its graphs are gone.
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaMemset(data, 0, kCount * 4));
  CHECK(cudaFree(data));
  REQUIRE(used() == 0);
  REQUIRE_STATUS(cudaFree(data), cudaErrorInvalidValue);
  cudaGetLastError();
}

// A launch that is refused leaves the memory of its other nodes as it was.
static void refused_whole() {
  cudaGraph_t graph;
  cudaGraphNode_t kept, freed, release;
  cudaGraphExec_t exec;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams second = of_bytes(64), first = of_bytes(64);
  CHECK(cudaGraphAddMemAllocNode(&freed, graph, nullptr, 0, &second));
  CHECK(cudaGraphAddMemAllocNode(&kept, graph, &freed, 1, &first));
  CHECK(cudaGraphAddMemFreeNode(&release, graph, &kept, 1, second.dptr));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, 0));
  const unsigned long long before = used();
  REQUIRE_STATUS(cudaGraphLaunch(exec, 0), cudaErrorInvalidValue);
  cudaGetLastError();
  REQUIRE(used() == before);
  CHECK(cudaFree(first.dptr));
  CHECK(cudaGraphLaunch(exec, 0));
  CHECK(cudaFree(first.dptr));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

static void arrays() {
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<int>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &channels, 8, 4));
  int in[4][8], out[2][3];
  for (int i = 0; i < 32; i++) in[0][i] = i;
  cudaMemcpy3DParms to{}, from{};
  to.srcPtr = make_cudaPitchedPtr(in, 32, 8, 4);
  to.dstArray = array;
  to.extent = make_cudaExtent(8, 4, 1);
  to.kind = cudaMemcpyHostToDevice;
  from.srcArray = array;
  from.srcPos = make_cudaPos(2, 1, 0);
  from.dstPtr = make_cudaPitchedPtr(out, 12, 3, 2);
  from.extent = make_cudaExtent(3, 2, 1);
  from.kind = cudaMemcpyDeviceToHost;
  cudaGraph_t graph;
  cudaGraphNode_t first, second;
  cudaGraphExec_t exec;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddMemcpyNode(&first, graph, nullptr, 0, &to));
  CHECK(cudaGraphAddMemcpyNode(&second, graph, &first, 1, &from));
  from.extent.height = 4;
  REQUIRE_STATUS(cudaGraphMemcpyNodeSetParams(second, &from), cudaErrorInvalidValue);
  cudaGetLastError();
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, 0));
  CHECK(cudaDeviceSynchronize());
  for (int y = 0; y < 2; y++)
    for (int x = 0; x < 3; x++) REQUIRE(out[y][x] == (y + 1) * 8 + x + 2);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFreeArray(array));
}

int main() {
  inside_one_graph();
  left_allocated();
  refused_whole();
  arrays();
  return expect::pass("graph_memory");
}
