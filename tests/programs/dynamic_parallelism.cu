// Kernels that launch kernels, by the calls that nvcc makes of <<<>>> in device code (clang makes none): order in
// a stream of a block, tail launches, nesting, copies, memory that the parent's end makes visible, errors.
#include <stdint.h>

#include "expect.h"

extern "C" __device__ void* __cudaCDP2GetParameterBufferV2(void* kernel, dim3 grid, dim3 block, unsigned shared);
extern "C" __device__ cudaError_t __cudaCDP2LaunchDeviceV2(void* buffer, cudaStream_t stream);
extern "C" __device__ cudaError_t __cudaCDP2StreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
extern "C" __device__ cudaError_t __cudaCDP2StreamDestroy(cudaStream_t stream);
extern "C" __device__ cudaError_t __cudaCDP2MemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                                        cudaStream_t stream);
extern "C" __device__ cudaError_t __cudaCDP2Malloc(void** pointer, size_t bytes);
extern "C" __device__ cudaError_t __cudaCDP2Free(void* pointer);
extern "C" __device__ cudaError_t __cudaCDP2GetLastError();
extern "C" __device__ cudaError_t __cudaCDP2PeekAtLastError();

// A kernel's address, which clang does not take in device code.
#define ADDRESS_OF(kernel)                                    \
  [] {                                                        \
    void* address;                                            \
    asm("mov.u64 %0, " #kernel ";" : "=l"(address));          \
    return address;                                           \
  }()
#define TAIL reinterpret_cast<cudaStream_t>(3)
#define FIRE_AND_FORGET reinterpret_cast<cudaStream_t>(4)

struct Arguments {
  int* out;
  int value, depth;
};

__device__ cudaError_t launch(void* kernel, dim3 grid, dim3 block, cudaStream_t stream, Arguments arguments) {
  void* const buffer = __cudaCDP2GetParameterBufferV2(kernel, grid, block, 0);
  if (buffer == nullptr) return __cudaCDP2PeekAtLastError();
  *static_cast<Arguments*>(buffer) = arguments;
  return __cudaCDP2LaunchDeviceV2(buffer, stream);
}

// Each sees what those before it in its stream have left.
extern "C" __global__ void times_ten(Arguments a) {
  if (threadIdx.x == 0 && blockIdx.x == 0) *a.out = *a.out * 10 + a.value;
}
extern "C" __global__ void add(Arguments a) { atomicAdd(a.out, a.value); }
extern "C" __global__ void nested(Arguments a) {
  atomicAdd(a.out, 1);
  if (a.depth > 0) launch(ADDRESS_OF(nested), dim3(1), dim3(2), 0, {a.out, 0, a.depth - 1});
}

__global__ void in_order(int* out) {
  for (int i = 1; i <= 5; i++) launch(ADDRESS_OF(times_ten), dim3(2), dim3(33), 0, {out, i, 0});
}
__global__ void tail(int* out) {
  if (threadIdx.x == 0) launch(ADDRESS_OF(times_ten), dim3(1), dim3(1), TAIL, {out, 7, 0});
  launch(ADDRESS_OF(add), dim3(2, 2, 2), dim3(4, 2, 4), FIRE_AND_FORGET, {out, 1, 0});
}
__global__ void streams(int* out, int* errors) {
  cudaStream_t stream[2];
  for (int i = 0; i < 2; i++) *errors += __cudaCDP2StreamCreateWithFlags(&stream[i], cudaStreamNonBlocking);
  *errors += stream[0] == stream[1];
  for (int i = 0; i < 3; i++)
    for (int s = 0; s < 2; s++) launch(ADDRESS_OF(times_ten), dim3(1), dim3(1), stream[s], {out + s, i + 1 + 4 * s, 0});
  *errors += __cudaCDP2MemcpyAsync(out + 2, out, 4, cudaMemcpyDeviceToDevice, stream[0]);
  *errors += __cudaCDP2MemcpyAsync(reinterpret_cast<char*>(out + 4) + 1, out + 6, 3, cudaMemcpyDeviceToDevice, stream[1]);
  for (int i = 0; i < 2; i++) *errors += __cudaCDP2StreamDestroy(stream[i]);
}
__global__ void memory(int* out, int* errors) {
  int* own = nullptr;
  *errors += __cudaCDP2Malloc(reinterpret_cast<void**>(&own), 4);
  *own = 41;
  launch(ADDRESS_OF(add), dim3(1), dim3(1), 0, {own, 1, 0});
  *errors += __cudaCDP2MemcpyAsync(out, own, 4, cudaMemcpyDeviceToDevice, 0);
  void* none = out;
  *errors += __cudaCDP2Malloc(&none, size_t{1} << 40) != cudaErrorMemoryAllocation || none != nullptr;
}
__global__ void errors(int* out) {
  out[0] = launch(reinterpret_cast<void*>(uintptr_t{64}), dim3(1), dim3(1), 0, {});
  out[1] = __cudaCDP2GetLastError();
  out[2] = __cudaCDP2GetLastError();
  out[3] = launch(ADDRESS_OF(add), dim3(1), dim3(4096), 0, {out, 1, 0});
  out[4] = launch(ADDRESS_OF(add), dim3(0), dim3(1), 0, {out, 1, 0});
  int accepted = 0;
  // None of these starts before this kernel has ended.
  while (launch(ADDRESS_OF(add), dim3(1), dim3(1), TAIL, {out + 7, 1, 0}) == cudaSuccess) ++accepted;
  out[5] = accepted;
  out[6] = __cudaCDP2GetLastError();
}

int main() {
  int *out, *wrong, found[8];
  CHECK(cudaMalloc(&out, sizeof found));
  CHECK(cudaMalloc(&wrong, 4));
  CHECK(cudaMemset(wrong, 0, 4));
  const auto result = [&](auto&& run) {
    CHECK(cudaMemset(out, 0, sizeof found));
    run();
    CHECK(cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost));
  };
  result([&] { in_order<<<1, 1>>>(out); });
  expect::equal("found[0]", 0, found[0], 12345);
  // 8 blocks of 32 threads for each of 3 threads, then the tail.
  result([&] { tail<<<1, 3>>>(out); });
  expect::equal("found[0]", 0, found[0], 3 * 8 * 32 * 10 + 7);
  // Each thread launches two, three levels deep.
  result([&] { nested<<<1, 2>>>({out, 0, 3}); });
  expect::equal("found[0]", 0, found[0], 2 + 4 + 8 + 16);
  result([&] { streams<<<1, 1>>>(out, wrong); });
  expect::equal("found[0]", 0, found[0], 123);
  expect::equal("found[1]", 0, found[1], 567);
  expect::equal("found[2]", 0, found[2], 123);
  result([&] { memory<<<1, 1>>>(out, wrong); });
  expect::equal("found[0]", 0, found[0], 42);
  CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 20));
  result([&] { errors<<<1, 1>>>(out); });
  expect::equal("found[0]", 0, found[0], int(cudaErrorInvalidDeviceFunction));
  expect::equal("found[1]", 0, found[1], int(cudaErrorInvalidDeviceFunction));
  expect::equal("found[2]", 0, found[2], int(cudaSuccess));
  expect::equal("found[3]", 0, found[3], int(cudaErrorInvalidConfiguration));
  expect::equal("found[4]", 0, found[4], int(cudaErrorInvalidConfiguration));
  expect::equal("found[6]", 0, found[6], int(cudaErrorLaunchPendingCountExceeded));
  REQUIRE(found[5] >= 20);
  expect::equal("found[7]", 0, found[7], found[5]);
  int count = 0;
  CHECK(cudaMemcpy(&count, wrong, 4, cudaMemcpyDeviceToHost));
  expect::equal("count", 0, count, 0);
  return expect::pass("dynamic_parallelism");
}
