// A run with known overlap. "hidden": copies of one stream beside a kernel of another that takes longer.
// "serial": the same, one after the other; "queued": in one stream. "names": kernels whose names begin alike.
// "threads": two threads.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

__global__ void chain(int* data, int steps) {
  int value = data[threadIdx.x];
  for (int i = 0; i < steps; ++i) value = value * 3 + i;
  data[threadIdx.x] = value;
}

template <int kNumber>
__global__ void a_kernel_whose_name_takes_much_more_room_than_the_table_has(int* data) {
  data[threadIdx.x] += kNumber;
}
__global__ void overloaded(int* data) { data[threadIdx.x] += 1; }
__global__ void overloaded(int* data, int by) { data[threadIdx.x] += by; }

static constexpr int kBytes = 64 * 1024, kCopies = 4;

static int offload(bool serial, bool queued) {
  cudaStream_t compute, copies;
  int *data, *buffer;
  void* host;
  if (cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking) != cudaSuccess ||
      cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking) != cudaSuccess || cudaMalloc(&data, 4096) != cudaSuccess ||
      cudaMalloc(&buffer, kBytes) != cudaSuccess || cudaMallocHost(&host, kBytes) != cudaSuccess)
    return 77;
  memset(host, 0, kBytes);
  if (queued) compute = copies;
  chain<<<1, 32, 0, compute>>>(data, 10000);
  if (serial) cudaStreamSynchronize(compute);
  for (int i = 0; i < kCopies; ++i) {
    cudaMemcpyAsync(buffer, host, kBytes, cudaMemcpyHostToDevice, copies);
    if (serial) cudaStreamSynchronize(copies);
  }
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}

static int names() {
  int* data;
  if (cudaMalloc(&data, 4096) != cudaSuccess) return 77;
  a_kernel_whose_name_takes_much_more_room_than_the_table_has<1><<<1, 32>>>(data);
  a_kernel_whose_name_takes_much_more_room_than_the_table_has<2><<<1, 32>>>(data);
  overloaded<<<1, 32>>>(data);
  overloaded<<<1, 32>>>(data, 2);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}

static void* work(void*) {
  int* data;
  if (cudaMalloc(&data, 4096) != cudaSuccess) return NULL;
  for (int i = 0; i < 5; ++i) {
    chain<<<1, 32, 0, cudaStreamPerThread>>>(data, 100);
    cudaStreamSynchronize(cudaStreamPerThread);
  }
  return data;
}

static int threads() {
  pthread_t others[2];
  void *first, *second;
  for (pthread_t& other : others) pthread_create(&other, NULL, work, NULL);
  pthread_join(others[0], &first);
  pthread_join(others[1], &second);
  return first != NULL && second != NULL ? 0 : 1;
}

int main(int argc, char** argv) {
  if (argc > 1 && !strcmp(argv[1], "names")) return names();
  if (argc > 1 && !strcmp(argv[1], "threads")) return threads();
  const char* way = argc > 1 ? argv[1] : "";
  return offload(!strcmp(way, "serial"), !strcmp(way, "queued"));
}
