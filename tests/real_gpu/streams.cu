// Kernels that do nothing but move memory, and one that does nothing: what a real GPU's DRAM and L2 give.
//     nvcc -cudart shared -arch=sm_75 -O2 streams.cu -o streams && ./streams
#include <cstdio>

__global__ void nothing() {}

__global__ void read_all(const float4* from, float* sums, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float4 v = from[i];
    sum += v.x + v.y + v.z + v.w;
  }
  if (sum == 12345.0f) sums[0] = sum;
}

// The same bytes again and again: less than L2 holds.
__global__ void reread(const float4* from, float* sums, int n) {
  float sum = 0;
  for (int round = 0; round < 4; ++round)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
      const float4 v = __ldcg(from + i);
      sum += v.x + v.y + v.z + v.w;
    }
  if (sum == 12345.0f) sums[0] = sum;
}

__global__ void copy(const float* from, float* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

__global__ void triad(const float* a, const float* b, float* c, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + factor * b[i];
}

__global__ void store(float* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = 1;
}

int main() {
  const int n = 1 << 24, small = 1 << 21;  // 64 MiB, 8 MiB
  float *a = nullptr, *b = nullptr, *c = nullptr;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMalloc(&c, n * sizeof(float));
  cudaMemset(a, 0, n * sizeof(float));
  cudaMemset(b, 0, n * sizeof(float));
  for (int round = 0; round < 3; ++round) {
    nothing<<<1, 32>>>();
    store<<<n / 256, 256>>>(c, n);
    read_all<<<132 * 8, 256>>>(reinterpret_cast<const float4*>(a), c, n / 4);
    copy<<<n / 256, 256>>>(a, c, n);
    triad<<<n / 256, 256>>>(a, b, c, 2, n);
    reread<<<132 * 8, 256>>>(reinterpret_cast<const float4*>(b), c, small / 4);
  }
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) {
    std::printf("%s\n", cudaGetErrorString(error));
    return 1;
  }
  std::printf("passed\n");
  return 0;
}
