// What the device says about itself: counts and sizes that hold for every CUDA device, agreement between
// cudaGetDeviceProperties and cudaDeviceGetAttribute, memory information that moves with an allocation.
#include "expect.h"

int attribute(cudaDeviceAttr which) {
  int value = -1;
  CHECK(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

int main() {
  int count = 0, current = -1;
  CHECK(cudaGetDeviceCount(&count));
  REQUIRE(count >= 1);
  CHECK(cudaSetDevice(0));
  CHECK(cudaGetDevice(&current));
  REQUIRE(current == 0);
  REQUIRE_STATUS(cudaSetDevice(count), cudaErrorInvalidDevice);
  REQUIRE_STATUS(cudaGetLastError(), cudaErrorInvalidDevice);

  cudaDeviceProp p;
  memset(&p, 0xff, sizeof(p));
  CHECK(cudaGetDeviceProperties(&p, 0));
  REQUIRE(strnlen(p.name, sizeof(p.name)) > 0 && strnlen(p.name, sizeof(p.name)) < sizeof(p.name));
  REQUIRE(p.major >= 1 && p.minor >= 0);
  REQUIRE(p.warpSize == 32);
  REQUIRE(p.multiProcessorCount >= 1);
  REQUIRE(p.maxThreadsPerBlock >= 512 && p.maxThreadsPerMultiProcessor >= p.maxThreadsPerBlock);
  REQUIRE(p.maxThreadsDim[0] >= 512 && p.maxThreadsDim[2] >= 64);
  REQUIRE(p.maxGridSize[0] >= 65535 && p.maxGridSize[1] >= 65535);
  REQUIRE(p.sharedMemPerBlock >= 16384 && p.sharedMemPerBlock <= p.sharedMemPerMultiprocessor);
  REQUIRE(p.regsPerBlock >= 8192);
  REQUIRE(p.totalConstMem == 65536);
  REQUIRE(p.totalGlobalMem >= 64u << 20);
  REQUIRE(p.memoryBusWidth > 0);
  REQUIRE(attribute(cudaDevAttrMultiProcessorCount) == p.multiProcessorCount);
  REQUIRE(attribute(cudaDevAttrMaxThreadsPerBlock) == p.maxThreadsPerBlock);
  REQUIRE(attribute(cudaDevAttrWarpSize) == p.warpSize);
  REQUIRE(attribute(cudaDevAttrComputeCapabilityMajor) == p.major);
  REQUIRE(attribute(cudaDevAttrComputeCapabilityMinor) == p.minor);
  REQUIRE(attribute(cudaDevAttrMaxSharedMemoryPerBlock) == static_cast<int>(p.sharedMemPerBlock));
  REQUIRE(attribute(cudaDevAttrClockRate) > 0);

  size_t free_before = 0, free_after = 0, total = 0;
  void* memory = nullptr;
  CHECK(cudaMemGetInfo(&free_before, &total));
  REQUIRE(free_before <= total && total <= p.totalGlobalMem);
  CHECK(cudaMalloc(&memory, 32 << 20));
  CHECK(cudaMemGetInfo(&free_after, &total));
  REQUIRE(free_before - free_after >= 32u << 20);
  CHECK(cudaFree(memory));
  int runtime = 0, driver = 0;
  CHECK(cudaRuntimeGetVersion(&runtime));
  CHECK(cudaDriverGetVersion(&driver));
  REQUIRE(runtime >= 1000 && driver >= runtime);
  return expect::pass("device_properties");
}
