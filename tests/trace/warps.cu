// A block of 96 threads whose warps end one after the other, and one of 40. Beside them a copy each way.
#include <stdio.h>

__global__ void staggered(int* data) {
  int value = data[threadIdx.x];
  for (unsigned i = 0; i <= threadIdx.x / 32 * 100; ++i) value = value * 3 + 1;
  data[threadIdx.x] = value;
}

int main() {
  int host[96] = {}, *data;
  if (cudaMalloc(&data, sizeof host) != cudaSuccess) return 77;
  cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
  staggered<<<3, 96>>>(data);
  staggered<<<1, 40>>>(data);
  cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
  return host[0] == 0;
}
