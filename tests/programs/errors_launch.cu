// Launches that must be refused: nothing runs, the launch reports it through the last error, and the context
// lives on.
#include "expect.h"

__global__ void touch(int* out) { out[0] = 1; }

int main() {
  expect::Array<int> out(1);
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, 0));
  touch<<<1, p.maxThreadsPerBlock * 2>>>(out.device());
  REQUIRE_STATUS(cudaGetLastError(), cudaErrorInvalidConfiguration);
  touch<<<1, dim3(1, 1, p.maxThreadsDim[2] + 1)>>>(out.device());
  REQUIRE_STATUS(cudaGetLastError(), cudaErrorInvalidConfiguration);
  touch<<<0, 32>>>(out.device());
  REQUIRE_STATUS(cudaGetLastError(), cudaErrorInvalidConfiguration);
  touch<<<1, 0>>>(out.device());
  REQUIRE_STATUS(cudaGetLastError(), cudaErrorInvalidConfiguration);
  touch<<<1, 32, 1 << 24>>>(out.device());
  REQUIRE(cudaGetLastError() != cudaSuccess);
  // More than 48 KB only when the program has asked for it, also where there is more.
  REQUIRE(p.sharedMemPerBlock <= 49152 && p.sharedMemPerBlock <= p.sharedMemPerBlockOptin);
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, touch));
  REQUIRE(attributes.maxDynamicSharedSizeBytes == int(p.sharedMemPerBlock));
  touch<<<1, 32, p.sharedMemPerBlock + 16>>>(out.device());
  REQUIRE_STATUS(cudaGetLastError(), cudaErrorInvalidValue);
  CHECK(cudaDeviceSynchronize());
  out.fetch();
  expect::equal("out", 0, out.host[0], 0);
  touch<<<1, 32>>>(out.device());
  CHECK_LAUNCH();
  out.fetch();
  expect::equal("out", 0, out.host[0], 1);
  const int most = int(p.sharedMemPerBlockOptin);
  REQUIRE_STATUS(cudaFuncSetAttribute(touch, cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1),
                 cudaErrorInvalidValue);
  REQUIRE_STATUS(cudaGetLastError(), cudaErrorInvalidValue);
  CHECK(cudaFuncSetAttribute(touch, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
  touch<<<1, 32, most>>>(out.device());
  CHECK_LAUNCH();
  CHECK(cudaDeviceSynchronize());
  return expect::pass("errors_launch");
}
