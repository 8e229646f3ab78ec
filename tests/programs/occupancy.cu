// The occupancy and function-attribute interfaces: limits by threads and by shared memory, and that they fall
// when a kernel needs more.
#include "expect.h"

__global__ void small(int* out) { out[threadIdx.x] = threadIdx.x; }

__global__ void with_shared(int* out) {
  __shared__ int tile[512];
  tile[threadIdx.x % 512] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[(threadIdx.x + 1) % 512];
}

int main() {
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, 0));
  int by_threads = 0, by_more_threads = 0, by_shared = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&by_threads, small, 128, 0));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&by_more_threads, small, 512, 0));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&by_shared, small, 128, p.sharedMemPerBlock));
  REQUIRE(by_threads >= 1 && by_threads * 128 <= p.maxThreadsPerMultiProcessor);
  REQUIRE(by_more_threads >= 1 && by_more_threads * 512 <= p.maxThreadsPerMultiProcessor);
  REQUIRE(by_more_threads <= by_threads);
  REQUIRE(by_shared >= 1 && by_shared * p.sharedMemPerBlock <= p.sharedMemPerMultiprocessor);
  REQUIRE(by_shared < by_threads);
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, with_shared));
  REQUIRE(attributes.sharedSizeBytes == 512 * sizeof(int));
  REQUIRE(attributes.maxThreadsPerBlock >= 64 && attributes.maxThreadsPerBlock <= p.maxThreadsPerBlock);
  REQUIRE(attributes.numRegs > 0);
  expect::Array<int> data(32);
  small<<<1, 32>>>(data.device());
  CHECK_LAUNCH();
  with_shared<<<1, 32>>>(data.device());
  CHECK_LAUNCH();
  data.fetch();
  for (int i = 0; i < 31; i++) expect::equal("data", i, data.host[i], i + 1);
  return expect::pass("occupancy");
}
