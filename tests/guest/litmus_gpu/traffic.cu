// A program whose threads, copies and kernels are all at work at once, on memory that is touched for the first time meanwhile: what
// determinism_test.py compares.
// Usage: traffic THREADS. Ends with 1 if a result is wrong.
#include <cuda_runtime.h>
#include <pthread.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kWords = 1 << 13, kMostThreads = 4, kRounds = 3;

__global__ void add(const int* a, const int* b, int* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}
__global__ void count(int* counters, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counters[i % 16], 1);
}

#ifndef __CUDA_ARCH__
static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(3);
}

static int* counters;  // mapped
static int* counters_of_gpu;
static long wrong;

// Each with memory and a stream of its own; the first half with pinned memory, the others with pageable.
static void* work(void* argument) {
  const long me = (long)argument;
  cudaStream_t stream;
  check(cudaStreamCreate(&stream));
  int *device_a, *device_b, *device_sum;
  check(cudaMalloc((void**)&device_a, kWords * sizeof(int)));
  check(cudaMalloc((void**)&device_b, kWords * sizeof(int)));
  check(cudaMalloc((void**)&device_sum, kWords * sizeof(int)));
  for (int round = 0; round < kRounds; ++round) {
    int *a, *b, *sum;
    int** const all[] = {&a, &b, &sum};
    for (int** const one : all)
      if (me % 2 == 0)
        check(cudaHostAlloc((void**)one, kWords * sizeof(int), cudaHostAllocDefault));
      else
        *one = (int*)malloc(kWords * sizeof(int));
    for (int i = 0; i < kWords; ++i) {
      a[i] = i * (int)(me + 1);
      b[i] = round - i;
    }
    check(cudaMemcpyAsync(device_a, a, kWords * sizeof(int), cudaMemcpyHostToDevice, stream));
    check(cudaMemcpyAsync(device_b, b, kWords * sizeof(int), cudaMemcpyHostToDevice, stream));
    add<<<kWords / 256, 256, 0, stream>>>(device_a, device_b, device_sum, kWords);
    count<<<2, 64, 0, stream>>>(counters_of_gpu, 128);
    check(cudaMemcpyAsync(sum, device_sum, kWords * sizeof(int), cudaMemcpyDeviceToHost, stream));
    for (int i = 0; i < 50; ++i) __atomic_fetch_add(&counters[i % 16], 1, __ATOMIC_RELAXED);
    check(cudaStreamSynchronize(stream));
    long differ = 0;
    for (int i = 0; i < kWords; ++i) differ += sum[i] != a[i] + b[i];
    if (differ != 0) __atomic_fetch_add(&wrong, differ, __ATOMIC_RELAXED);
    for (int** const one : all)
      if (me % 2 == 0)
        check(cudaFreeHost(*one));
      else
        free(*one);
  }
  return nullptr;
}

int main(int arguments, char** words) {
  const long threads = arguments == 2 ? atol(words[1]) : 0;
  if (threads < 1 || threads > kMostThreads) return 2;
  check(cudaHostAlloc((void**)&counters, 4096, cudaHostAllocMapped));
  check(cudaHostGetDevicePointer((void**)&counters_of_gpu, counters, 0));
  for (int i = 0; i < 16; ++i) counters[i] = 0;
  pthread_t made[kMostThreads];
  for (long i = 1; i < threads; ++i) pthread_create(&made[i], nullptr, work, (void*)i);
  work((void*)0);
  for (long i = 1; i < threads; ++i) pthread_join(made[i], nullptr);
  long counted = 0;
  for (int i = 0; i < 16; ++i) counted += counters[i];
  const long lost = threads * kRounds * (128 + 50) - counted;
  printf("%ld wrong, %ld lost\n", wrong, lost);
  return wrong != 0 || lost != 0;
}
#endif
