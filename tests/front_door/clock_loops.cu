// Kernels that wait for a clock. Arguments: which, and how long (cycles or nanoseconds). Prints what they
// saw.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "duet.h"

using Value = long long;

__global__ void clock64_rises(Value wait, Value* out) {
  const Value start = clock64();
  while (clock64() - start < wait) {
  }
  if (threadIdx.x % 32 == 0) atomicAdd(reinterpret_cast<unsigned long long*>(out), clock64() - start);
}
__global__ void clock64_falls(Value wait, Value* out) {
  const Value end = clock64() + wait + threadIdx.x / 32 * 1000;
  Value left;
  do left = end - clock64();
  while (left > 0);
  if (threadIdx.x % 32 == 0) atomicAdd(reinterpret_cast<unsigned long long*>(out), left);
}
// As in cuda-samples' simpleStreams and concurrentKernels: 32 bits of the clock.
__global__ void clock32(Value wait, Value* out) {
  const unsigned start = clock();
  Value passed = 0;
  while (passed < wait) {
    const unsigned now = clock();
    passed = now - start;
  }
  if (threadIdx.x % 32 == 0) atomicAdd(reinterpret_cast<unsigned long long*>(out), passed);
}
__global__ void timer(Value wait, Value* out) {
  Value start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  while (now - start < wait);
  if (threadIdx.x % 32 == 0) atomicAdd(reinterpret_cast<unsigned long long*>(out), now - start);
}
__global__ void naps(Value wait, Value* out) {
  const Value start = clock64();
  while (clock64() - start < wait) asm volatile("nanosleep.u32 700;");
  if (threadIdx.x % 32 == 0) atomicAdd(reinterpret_cast<unsigned long long*>(out), clock64() - start);
}
// Not all lanes, not all warps, and not for the same time: others load, store and meet at a barrier.
__global__ void some(Value wait, Value* out) {
  const Value start = clock64();
  Value sum = 0;
  if (threadIdx.x / 32 % 2 == 0) {
    if (threadIdx.x % 3 == 0)
      while (clock64() - start < wait + blockIdx.x * 777) {
      }
  } else {
    for (int i = 0; i < 40; ++i) sum += out[(threadIdx.x * 97 + i * 1031) % 4096 + 8];
  }
  __syncthreads();
  out[threadIdx.x + 4200] = sum + (clock64() - start > wait);
}
// Looks like one, but what it does to the clock does not keep its order.
__global__ void bits(Value wait, Value* out) {
  int rounds = 0;
  Value now;
  do now = clock64(), ++rounds;
  while ((now & 0xff0) != (wait & 0xff0));
  if (threadIdx.x % 32 == 0) atomicAdd(reinterpret_cast<unsigned long long*>(out), rounds);
}
__global__ void fails_later(Value wait, Value* out) {
  const Value start = clock64();
  while (clock64() - start < wait) {
  }
  if (blockIdx.x == 3) asm volatile("trap;");
  while (clock64() - start < 1000000000000) {
  }
}
__global__ void one_nap(Value wait, Value* out) {
  const Value start = clock64();
  asm volatile("nanosleep.u32 %0;" ::"r"(static_cast<int>(wait)));
  if (threadIdx.x == 0) *out = clock64() - start;
}
__global__ void add(Value* out) { atomicAdd(reinterpret_cast<unsigned long long*>(out + 1), 1); }

int main(int, char** arguments) {
  const std::pair<const char*, void (*)(Value, Value*)> kernels[] = {{"clock64_rises", clock64_rises},
                                                                     {"clock64_falls", clock64_falls},
                                                                     {"clock32", clock32},
                                                                     {"timer", timer},
                                                                     {"naps", naps},
                                                                     {"some", some},
                                                                     {"bits", bits},
                                                                     {"fails_later", fails_later},
                                                                     {"one_nap", one_nap}};
  const Value wait = std::atoll(arguments[2]);
  const unsigned blocks = std::atoi(arguments[3]), threads = std::atoi(arguments[4]);
  Value* out;
  cudaMalloc(&out, 1 << 20);
  cudaMemset(out, 0, 1 << 20);
  cudaStream_t one, two;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  for (const auto& [name, kernel] : kernels)
    if (std::strcmp(name, arguments[1]) == 0) kernel<<<blocks, threads, 0, one>>>(wait, out);
  // Blocks come beside the ones that wait, and somebody looks at what has been counted.
  for (int i = 0; i < 3; ++i) {
    add<<<i + 1, 40, 0, two>>>(out);
    cudaStreamSynchronize(two);
  }
  const cudaError_t result = cudaDeviceSynchronize();
  Value host[2] = {};
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d %lld %lld\n", result, host[0], host[1]);
}
