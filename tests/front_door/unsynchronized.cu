// Ends before its commands do. Argument: `all` waits for them first.
#include <stdio.h>
#include <string.h>

__global__ void long_one(int* data) {
  for (int i = 0; i < 10000; ++i) atomicAdd(data, 1);
}

int main(int argc, char** argv) {
  int *device, *host;
  cudaEvent_t event;
  if (cudaMalloc(&device, 4096) != cudaSuccess || cudaMallocHost(&host, 4096) != cudaSuccess || cudaEventCreate(&event) != cudaSuccess)
    return 77;
  long_one<<<1, 32>>>(device);
  long_one<<<1, 32>>>(device);
  long_one<<<1, 32>>>(device);
  cudaMemcpyAsync(host, device, 4096, cudaMemcpyDeviceToHost);
  cudaMemsetAsync(device, 0, 4096);
  cudaEventRecord(event);
  if (argc > 1 && cudaDeviceSynchronize() != cudaSuccess) return 78;
  return 3;
}
