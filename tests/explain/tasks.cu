// For explain_test.py: two streams, a kernel with more blocks than a machine has room for, an event between the
// streams, copies, the default stream.
#include <cstdio>

__global__ void wave(float* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = data[i] * 2 + blockIdx.x % 7;
  for (int k = 0; k < int(blockIdx.x % 5) * 8; ++k) __syncthreads();
}

__global__ void add(float* to, const float* from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] += from[i];
}

int main() {
  const int n = 1 << 17;
  float *host, *a, *b;
  cudaMallocHost(reinterpret_cast<void**>(&host), n * sizeof(float));
  cudaMalloc(reinterpret_cast<void**>(&a), n * sizeof(float));
  cudaMalloc(reinterpret_cast<void**>(&b), n * sizeof(float));
  for (int i = 0; i < n; ++i) host[i] = 1;
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  cudaEvent_t ready;
  cudaEventCreate(&ready);
  cudaMemcpyAsync(a, host, n * sizeof(float), cudaMemcpyHostToDevice, first);
  wave<<<n / 256, 256, 0, first>>>(a, n);  // 512 blocks
  cudaEventRecord(ready, first);
  cudaMemsetAsync(b, 0, n * sizeof(float), second);
  cudaStreamWaitEvent(second, ready, 0);
  add<<<n / 512, 512, 0, second>>>(b, a, n);
  wave<<<3, 64>>>(b, 192);  // the default stream waits for both
  cudaMemcpy(host, b, n * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%g\n", host[1000]);
}
