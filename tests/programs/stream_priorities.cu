// Blocks of a kernel in a stream of high priority go before those of kernels that came earlier; a launch may
// have a priority of its own. Asked for more than there is, a stream has the nearest there is.
#include "expect.h"

__device__ unsigned turns;

__global__ void work(unsigned* last, int rounds) {
  extern __shared__ volatile int count[];
  count[0] = 0;
  for (int i = 0; i < rounds; ++i) count[0] = count[0] + 1;
  if (threadIdx.x == 0) atomicMax(last, atomicAdd(&turns, 1));
}

int main() {
  int least = 9, greatest = 9, got = 9;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  REQUIRE(least == 0 && greatest <= 0);
  int supported = -1;
  CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrStreamPrioritiesSupported, 0));
  REQUIRE(supported == (greatest < 0));
  cudaStream_t low, high, other;
  CHECK(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, -100));
  CHECK(cudaStreamGetPriority(high, &got));
  REQUIRE(got == greatest);
  CHECK(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, 100));
  CHECK(cudaStreamGetPriority(low, &got));
  REQUIRE(got == 0);
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));

  // The first fills the machine eight times: blocks of the others would wait behind it.
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  const size_t shared = 40 << 10;
  const int many = 8 * device.multiProcessorCount * int(device.sharedMemPerMultiprocessor / shared);
  expect::Array<unsigned> last(3);
  work<<<many, 32, shared, low>>>(last.device(), 100);
  work<<<4, 32, shared, high>>>(last.device() + 1, 4);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributePriority;
  attribute.val.priority = greatest;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(4);
  config.blockDim = dim3(32);
  config.dynamicSmemBytes = shared;
  config.stream = other;
  config.attrs = &attribute;
  config.numAttrs = 1;
  unsigned* third = last.device() + 2;
  CHECK(cudaLaunchKernelEx(&config, work, third, 4));
  CHECK(cudaDeviceSynchronize());
  last.fetch();
  const unsigned half = unsigned(many) / 2;
  const bool before = last.host[1] < half && last.host[2] < half;
  REQUIRE(before == (greatest < 0));
  CHECK(cudaStreamDestroy(low));
  CHECK(cudaStreamDestroy(high));
  CHECK(cudaStreamDestroy(other));
  return expect::pass("stream_priorities");
}
