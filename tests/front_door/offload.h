// One offload: a copy to the GPU, a kernel, a copy back. 0 when its result is right.
#pragma once

__global__ void add_one(int* data) { data[threadIdx.x] += 1; }

inline int offload() {
  int host[32] = {}, *device = nullptr;
  if (cudaMalloc(&device, sizeof host) != cudaSuccess) return 1;
  cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
  add_one<<<1, 32>>>(device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  for (int value : host)
    if (value != 1) return 1;
  return 0;
}
