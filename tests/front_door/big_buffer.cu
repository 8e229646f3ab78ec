// Argument N: a buffer of N MiB beside one that lay there before; both hold what was written into them.
#include <stdio.h>
#include <stdlib.h>

__global__ void write(int* data, size_t step, int value) { data[threadIdx.x * step] = value + threadIdx.x; }

int main(int, char** argv) {
  const size_t bytes = size_t(atoi(argv[1])) << 20, step = (bytes - 4) / 31 / sizeof(int);
  int *before, *big, found[32];
  if (cudaMalloc(&before, 4096) != cudaSuccess) return 77;
  write<<<1, 32>>>(before, 1, 1000);
  if (cudaMalloc(&big, bytes) != cudaSuccess) return 78;
  write<<<1, 32>>>(before, 2, 3000);  // by the same instructions, wherever memory lies now
  write<<<1, 32>>>(big, step, 2000);
  if (cudaDeviceSynchronize() != cudaSuccess) return 79;
  for (int i = 0; i < 32; ++i) {
    if (cudaMemcpy(found, big + i * step, 4, cudaMemcpyDeviceToHost) != cudaSuccess || found[0] != 2000 + i) return 1;
    if (cudaMemcpy(found, before + 2 * i, 4, cudaMemcpyDeviceToHost) != cudaSuccess || found[0] != 3000 + i) return 2;
  }
  puts("right");
  return 0;
}
