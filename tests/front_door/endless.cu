// Launches a kernel that does not end by itself, or many that do, after one that does. Arguments: which kernel, and how the
// host waits.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

__global__ void add_one(int* data) { data[threadIdx.x] += 1; }
__global__ void spin(int* data) {
  if (blockIdx.x != 0)
    for (;;) asm volatile("");
  data[threadIdx.x] = 7;
}
__global__ void wait_for_flag(volatile int* flag) {
  while (*flag == 0) {
  }
}
__global__ void half_a_barrier() {
  if (threadIdx.x < 32) asm volatile("bar.sync 3, 64;");
}

int main(int argc, char** argv) {
  const char* kernel = argc > 1 ? argv[1] : "spin";
  const char* how = argc > 2 ? argv[2] : "wait";
  int* data;
  if (cudaMalloc(&data, 4096) != cudaSuccess || cudaMemset(data, 0, 4096) != cudaSuccess) return 77;
  add_one<<<1, 32>>>(data);
  if (cudaMemset(data, 0, 4096) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess) return 77;
  if (!strcmp(kernel, "spin")) spin<<<4, 64>>>(data);
  if (!strcmp(kernel, "wait_for_flag")) wait_for_flag<<<2, 32>>>(data);
  if (!strcmp(kernel, "many"))
    for (int i = 0; i < 200; ++i) add_one<<<1, 32>>>(data);
  if (!strcmp(kernel, "half_a_barrier")) half_a_barrier<<<2, 96>>>();
  if (!strcmp(how, "wait")) cudaDeviceSynchronize();
  if (!strcmp(how, "poll"))
    while (cudaStreamQuery(nullptr) == cudaErrorNotReady) {
    }
  if (!strcmp(how, "sleep")) sleep(100);
  return 3;
}
