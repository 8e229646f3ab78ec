// Accesses of kernels beside allocations: in device memory that is mapped all the same, or far from it.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

// As Rodinia's srad_v2 does: the neighbour above is loaded, and then replaced in the first row.
__global__ void neighbours(const volatile int* in, int* out, int columns) {
  const int i = threadIdx.x;
  int above = in[i - columns];
  if (i < columns) above = in[i];
  out[i] = in[i] - above;
}

__global__ void write_past(int* data, int n, int value) { data[n + threadIdx.x] = value; }
__global__ void read_past(const int* data, int n, int* out) { out[threadIdx.x] = data[n + threadIdx.x]; }
__global__ void add_past(int* data, int n) { atomicAdd(&data[n], 1); }
__global__ void read_far(const int* data, int* out, long long distance) {
  out[threadIdx.x] = data[distance + threadIdx.x];
}

int main(int argc, char** argv) {
  constexpr int kThreads = 128, kColumns = 64, kPage = 4096 / sizeof(int);
  const char* how = argc > 1 ? argv[1] : "neighbours";
  int in[kThreads], out[kThreads] = {};
  for (int i = 0; i < kThreads; ++i) in[i] = i * 3;
  int *from = nullptr, *to = nullptr;
  cudaMalloc(&from, sizeof in);
  cudaMalloc(&to, sizeof out);
  cudaMemcpy(from, in, sizeof in, cudaMemcpyHostToDevice);
  if (!strcmp(how, "neighbours")) {
    for (int launch = 0; launch < 3; ++launch) neighbours<<<1, kThreads>>>(from, to, kColumns);
  } else if (!strcmp(how, "past")) {
    write_past<<<1, 32>>>(from, kPage, 7);
    add_past<<<1, 32>>>(from, kPage);
    read_past<<<1, 32>>>(from, kPage, to);
  } else if (!strcmp(how, "inside")) {
    read_past<<<1, 32>>>(from, 0, to);
  } else {
    read_far<<<1, 32>>>(from, to, atoll(how));
  }
  const cudaError_t error = cudaMemcpy(out, to, sizeof out, cudaMemcpyDeviceToHost);
  printf("%d\n", static_cast<int>(error));
  for (int i = 0; i < kThreads; ++i) printf("%d ", out[i]);
  printf("\n");
  return 0;
}
