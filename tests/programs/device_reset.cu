// cudaDeviceReset leaves nothing of what the program had on the device, and the device may be used again.
// Arguments: driver, for a primary context that its last user releases; otherwise none.
#include <cuda.h>

#include "expect.h"

__device__ int counter = 3;
__constant__ int table[4] = {1, 2, 3, 4};

__global__ void count(int* out) {
  counter += 1;
  if (out != nullptr) *out = counter + table[3];
}
__global__ void take(void** out) { *out = malloc(16); }

static size_t free_bytes() {
  size_t free = 0, total = 0;
  CHECK(cudaMemGetInfo(&free, &total));
  return free;
}

static int counted() {
  int *device = nullptr, host = 0;
  CHECK(cudaMalloc(&device, sizeof host));
  count<<<1, 1>>>(device);
  CHECK(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));
  return host;
}

static const char kManaged[] =
    ".version 7.0\n.target sm_52\n.address_size 64\n"
    ".visible .global .attribute(.managed) .align 4 .u32 value = 9;\n";

static int released_by_the_driver() {
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUdeviceptr memory = 0;
  REQUIRE(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&device, 0) == CUDA_SUCCESS);
  REQUIRE(cuDevicePrimaryCtxRetain(&context, device) == CUDA_SUCCESS);
  REQUIRE(cuDevicePrimaryCtxRetain(&context, device) == CUDA_SUCCESS);
  REQUIRE(cuCtxSetCurrent(context) == CUDA_SUCCESS);
  REQUIRE(cuMemAlloc(&memory, 64) == CUDA_SUCCESS);
  REQUIRE(cuDevicePrimaryCtxRelease(device) == CUDA_SUCCESS);
  REQUIRE(cuMemsetD8(memory, 0, 64) == CUDA_SUCCESS);
  CUmodule module = nullptr;
  CUdeviceptr variable = 0;
  size_t bytes = 0;
  REQUIRE(cuModuleLoadData(&module, kManaged) == CUDA_SUCCESS);
  REQUIRE(cuModuleGetGlobal(&variable, &bytes, module, "value") == CUDA_SUCCESS && bytes == 4);
  REQUIRE(cuMemFree(variable) == CUDA_ERROR_INVALID_VALUE);  // the module's, not the program's
  REQUIRE(*reinterpret_cast<int*>(variable) == 9);
  REQUIRE(cuDevicePrimaryCtxRelease(device) == CUDA_SUCCESS);
  REQUIRE(cuMemAlloc(&memory, 64) == CUDA_ERROR_CONTEXT_IS_DESTROYED);
  unsigned flags = 0;
  int active = 1;
  REQUIRE(cuDevicePrimaryCtxGetState(device, &flags, &active) == CUDA_SUCCESS && active == 0);
  REQUIRE(cuDevicePrimaryCtxRelease(device) == CUDA_ERROR_INVALID_CONTEXT);
  REQUIRE(cuDevicePrimaryCtxRetain(&context, device) == CUDA_SUCCESS);
  REQUIRE(cuMemsetD8(memory, 0, 64) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(cuMemAlloc(&memory, 64) == CUDA_SUCCESS);
  return expect::pass("device_reset");
}

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "driver") == 0) return released_by_the_driver();
  REQUIRE(counted() == 8 && counted() == 9);
  const size_t before = free_bytes();
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  cudaMemPool_t pool = nullptr;
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  void *memory = nullptr, *pinned = nullptr, *managed = nullptr, *pooled = nullptr, *heap = nullptr;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaEventCreate(&event));
  CHECK(cudaMalloc(&memory, 1 << 20));
  CHECK(cudaMallocHost(&pinned, 4096));
  CHECK(cudaMallocManaged(&managed, 4096));
  CHECK(cudaMallocAsync(&pooled, 1 << 20, stream));
  CHECK(cudaMallocArray(&array, &channels, 64, 64));
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  take<<<1, 1, 0, cudaStreamPerThread>>>(static_cast<void**>(memory));
  CHECK(cudaMemcpy(&heap, memory, sizeof heap, cudaMemcpyDeviceToHost));
  REQUIRE(heap != nullptr);
  count<<<1, 1>>>(nullptr);  // still to run

  CHECK(cudaDeviceReset());
  REQUIRE(free_bytes() >= before);
  int value = 0;
  REQUIRE_STATUS(cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  REQUIRE_STATUS(cudaFree(memory), cudaErrorInvalidValue);
  REQUIRE_STATUS(cudaFree(managed), cudaErrorInvalidValue);
  REQUIRE_STATUS(cudaFree(pooled), cudaErrorInvalidValue);
  REQUIRE_STATUS(cudaFreeHost(pinned), cudaErrorInvalidValue);
  REQUIRE(cudaFreeArray(array) != cudaSuccess);
  REQUIRE_STATUS(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  REQUIRE_STATUS(cudaEventSynchronize(event), cudaErrorInvalidResourceHandle);
  size_t stack = 0;
  CHECK(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
  REQUIRE(stack == 1024);
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));  // no kernel has used the heap yet
  REQUIRE(counted() == 8);
  CHECK(cudaMalloc(&memory, 8));
  take<<<1, 1, 0, cudaStreamPerThread>>>(static_cast<void**>(memory));
  CHECK(cudaStreamSynchronize(cudaStreamPerThread));
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  unsigned long long used = 1;
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  REQUIRE(used == 0);

  // Variables are not the program's to free.
  void* address = nullptr;
  CHECK(cudaGetSymbolAddress(&address, counter));
  REQUIRE_STATUS(cudaFree(address), cudaErrorInvalidValue);
  REQUIRE(counted() == 9);
  return expect::pass("device_reset");
}
