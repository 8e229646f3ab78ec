// Reads of DRAM and L2 by how wide a lane's access is, how many it has on their way, and how many blocks of 256 threads an SM has.
//     nvcc -cudart shared -arch=sm_90 -O2 widths.cu -o widths && ./widths
// Each line: what, bytes of a lane's read, reads at once of a thread, blocks of an SM: us, median of three.
#include <algorithm>
#include <cstdio>

constexpr int kBytes = 64 << 20, kSmall = 8 << 20, kThreads = 256;
static int sms = 0;

__device__ float sum_of(float v) { return v; }
__device__ float sum_of(float2 v) { return v.x + v.y; }
__device__ float sum_of(float4 v) { return v.x + v.y + v.z + v.w; }

template <typename T, int kAtOnce>
__global__ void read(const T* from, float* sums, int n, int rounds) {
  float sum = 0;
  const int step = gridDim.x * blockDim.x;
  for (int round = 0; round < rounds; ++round)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i + (kAtOnce - 1) * step < n; i += step * kAtOnce) {
      T values[kAtOnce];
#pragma unroll
      for (int u = 0; u < kAtOnce; ++u) values[u] = __ldcg(from + i + u * step);
#pragma unroll
      for (int u = 0; u < kAtOnce; ++u) sum += sum_of(values[u]);
    }
  if (sum == 12345.0f) sums[0] = sum;
}

template <typename T, int kAtOnce>
static void measure(const char* what, const float* from, float* sums, int bytes, int rounds, int blocks) {
  float times[3];
  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  for (int i = -1; i < 3; ++i) {
    cudaEventRecord(begin);
    read<T, kAtOnce><<<sms * blocks, kThreads>>>(reinterpret_cast<const T*>(from), sums, bytes / static_cast<int>(sizeof(T)), rounds);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    if (i >= 0) cudaEventElapsedTime(&times[i], begin, end);
  }
  std::sort(times, times + 3);
  std::printf("%s, %d bytes, %d at once, %d blocks: %.2f\n", what, static_cast<int>(sizeof(T)), kAtOnce, blocks, 1000 * times[1]);
}

int main() {
  float *from = nullptr, *sums = nullptr;
  cudaMalloc(&from, kBytes);
  cudaMalloc(&sums, sizeof *sums);
  cudaMemset(from, 0, kBytes);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  measure<float, 1>("DRAM", from, sums, kBytes, 1, 8);
  measure<float2, 1>("DRAM", from, sums, kBytes, 1, 8);
  measure<float4, 1>("DRAM", from, sums, kBytes, 1, 8);
  measure<float, 4>("DRAM", from, sums, kBytes, 1, 8);
  measure<float4, 4>("DRAM", from, sums, kBytes, 1, 8);
  measure<float4, 1>("DRAM", from, sums, kBytes, 1, 2);
  measure<float, 1>("L2", from, sums, kSmall, 4, 8);
  measure<float2, 1>("L2", from, sums, kSmall, 4, 8);
  measure<float4, 1>("L2", from, sums, kSmall, 4, 8);
  measure<float4, 1>("L2", from, sums, kSmall, 4, 4);
  measure<float4, 1>("L2", from, sums, kSmall, 4, 2);
  measure<float4, 1>("L2", from, sums, kSmall, 4, 1);
  measure<float, 1>("L2", from, sums, kSmall, 4, 1);
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
