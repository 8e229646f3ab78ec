// Attributes of streams and of kernel nodes are kept, read back and copied, in both interfaces; a priority counts for
// the work that is given to the stream behind it.
#include <cuda.h>

#include "expect.h"

__device__ unsigned turns;

__global__ void work(unsigned* last, int rounds) {
  extern __shared__ volatile int count[];
  count[0] = 0;
  for (int i = 0; i < rounds; ++i) count[0] = count[0] + 1;
  if (threadIdx.x == 0) atomicMax(last, atomicAdd(&turns, 1));
}

// A function of the driver interface, found by name.
template <typename Function>
static Function* driver(Function*, const char* name) {
  void* found = nullptr;
  CHECK(cudaGetDriverEntryPointByVersion(name, &found, 13000, cudaEnableDefault));
  return reinterpret_cast<Function*>(found);
}
#define DRIVER(function, ...) driver(decltype(&function)(nullptr), #function)(__VA_ARGS__)

static int window_target[64];

static cudaStreamAttrValue window(float ratio) {
  cudaStreamAttrValue value = {};
  value.accessPolicyWindow.base_ptr = window_target;
  value.accessPolicyWindow.num_bytes = sizeof window_target;
  value.accessPolicyWindow.hitRatio = ratio;
  value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  return value;
}

static bool same_window(const cudaStreamAttrValue& one, const cudaStreamAttrValue& other) {
  return memcmp(&one.accessPolicyWindow, &other.accessPolicyWindow, sizeof one.accessPolicyWindow) == 0;
}

static cudaStreamAttrValue get(cudaStream_t stream, cudaStreamAttrID id) {
  cudaStreamAttrValue value;
  memset(&value, 0x55, sizeof value);
  CHECK(cudaStreamGetAttribute(stream, id, &value));
  return value;
}

static void set_all(cudaStream_t stream, int greatest) {
  const cudaStreamAttrValue part = window(0.25f);
  CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &part));
  cudaStreamAttrValue value = {};
  value.syncPolicy = cudaSyncPolicyBlockingSync;
  CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeSynchronizationPolicy, &value));
  value = {};
  value.priority = greatest;
  CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributePriority, &value));
  value = {};
  value.memSyncDomain = cudaLaunchMemSyncDomainRemote;
  CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeMemSyncDomain, &value));
}

static void require_all(cudaStream_t stream, int greatest) {
  REQUIRE(same_window(get(stream, cudaStreamAttributeAccessPolicyWindow), window(0.25f)));
  REQUIRE(get(stream, cudaStreamAttributeSynchronizationPolicy).syncPolicy == cudaSyncPolicyBlockingSync);
  REQUIRE(get(stream, cudaStreamAttributePriority).priority == greatest);
  REQUIRE(get(stream, cudaStreamAttributeMemSyncDomain).memSyncDomain == cudaLaunchMemSyncDomainRemote);
  int priority = 9;
  CHECK(cudaStreamGetPriority(stream, &priority));
  REQUIRE(priority == greatest);
}

static void require_first(cudaStream_t stream) {
  const cudaStreamAttrValue none = {};
  REQUIRE(same_window(get(stream, cudaStreamAttributeAccessPolicyWindow), none));
  REQUIRE(get(stream, cudaStreamAttributeSynchronizationPolicy).syncPolicy == cudaSyncPolicyAuto);
  REQUIRE(get(stream, cudaStreamAttributePriority).priority == 0);
}

static void of_the_driver(cudaStream_t stream, cudaStream_t other) {
  CUstreamAttrValue value = {};
  value.syncPolicy = CU_SYNC_POLICY_SPIN;
  REQUIRE(DRIVER(cuStreamSetAttribute, stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value) == CUDA_SUCCESS);
  REQUIRE(get(stream, cudaStreamAttributeSynchronizationPolicy).syncPolicy == cudaSyncPolicySpin);
  REQUIRE(DRIVER(cuStreamCopyAttributes, other, stream) == CUDA_SUCCESS);
  value = {};
  REQUIRE(DRIVER(cuStreamGetAttribute, other, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value) == CUDA_SUCCESS);
  REQUIRE(value.syncPolicy == CU_SYNC_POLICY_SPIN);
  REQUIRE(DRIVER(cuStreamSetAttribute, stream, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(DRIVER(cuStreamGetAttribute, stream, CUstreamAttrID(99), &value) == CUDA_ERROR_INVALID_VALUE);
}

static void of_nodes(cudaStream_t stream, unsigned* last, int greatest) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeAccessPolicyWindow;
  attribute.val = window(0.5f);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(32);
  config.dynamicSmemBytes = 64;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  cudaGraph_t graph;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaLaunchKernelEx(&config, work, last, 1));
  CHECK(cudaLaunchKernelEx(&config, work, last, 2));
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphNode_t nodes[2];
  size_t count = 2;
  CHECK(cudaGraphGetNodes(graph, nodes, &count));
  REQUIRE(count == 2);
  cudaKernelNodeAttrValue value = {};
  CHECK(cudaGraphKernelNodeGetAttribute(nodes[0], cudaKernelNodeAttributeAccessPolicyWindow, &value));
  REQUIRE(same_window(value, window(0.5f)));
  CHECK(cudaGraphKernelNodeGetAttribute(nodes[0], cudaKernelNodeAttributePriority, &value));
  REQUIRE(value.priority == greatest);
  value = window(0.75f);
  CHECK(cudaGraphKernelNodeSetAttribute(nodes[0], cudaKernelNodeAttributeAccessPolicyWindow, &value));
  CHECK(cudaGraphKernelNodeCopyAttributes(nodes[1], nodes[0]));
  CUkernelNodeAttrValue of_driver = {};
  REQUIRE(DRIVER(cuGraphKernelNodeGetAttribute, nodes[1], CU_KERNEL_NODE_ATTRIBUTE_ACCESS_POLICY_WINDOW, &of_driver) ==
          CUDA_SUCCESS);
  REQUIRE(of_driver.accessPolicyWindow.hitRatio == 0.75f);
  value = window(2);
  REQUIRE_STATUS(cudaGraphKernelNodeSetAttribute(nodes[0], cudaKernelNodeAttributeAccessPolicyWindow, &value),
                 cudaErrorInvalidValue);
  REQUIRE_STATUS(cudaGraphKernelNodeSetAttribute(nodes[0], cudaKernelNodeAttrID(99), &value), cudaErrorInvalidValue);
  REQUIRE_STATUS(cudaGraphKernelNodeGetAttribute(nodes[0], cudaLaunchAttributeSynchronizationPolicy, &value),
                 cudaErrorInvalidValue);
  cudaGetLastError();
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

// As in stream_priorities, but the stream has its priority by the attribute.
static void order(cudaStream_t low, cudaStream_t high, int greatest) {
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  const size_t shared = 40 << 10;
  const int many = 8 * device.multiProcessorCount * int(device.sharedMemPerMultiprocessor / shared);
  const unsigned none = 0;
  CHECK(cudaMemcpyToSymbol(turns, &none, sizeof none));
  expect::Array<unsigned> last(2);
  work<<<many, 32, shared, low>>>(last.device(), 100);
  work<<<4, 32, shared, high>>>(last.device() + 1, 4);
  CHECK(cudaDeviceSynchronize());
  last.fetch();
  REQUIRE((last.host[1] < unsigned(many) / 2) == (greatest < 0));
}

int main() {
  int least = 9, greatest = 9;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t first, second, third;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking));
  require_first(first);
  set_all(first, greatest);
  require_all(first, greatest);
  require_first(second);
  CHECK(cudaStreamCopyAttributes(second, first));
  require_all(second, greatest);
  require_first(nullptr);
  require_first(cudaStreamPerThread);
  set_all(cudaStreamPerThread, greatest);
  require_all(cudaStreamPerThread, greatest);
  require_first(cudaStreamLegacy);
  order(third, first, greatest);
  order(third, second, greatest);
  expect::Array<unsigned> last(1);
  of_nodes(first, last.device(), greatest);
  of_the_driver(first, third);
  return expect::pass("stream_attributes");
}
