// Kernels of three names whose results need one another, some of them in two streams at once.
#include <cstdio>
#include <cstdlib>

__global__ void fill(unsigned* data, unsigned value) { data[blockIdx.x * blockDim.x + threadIdx.x] = value; }
__global__ void twice(unsigned* data) { data[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }
__global__ void sum_up(const unsigned* data, unsigned* sum, unsigned n) {
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(sum, data[i]);
}

int main() {
  constexpr unsigned kBlocks = 64, kThreads = 128, kAll = kBlocks * kThreads;
  unsigned *data[2], *sums;
  cudaStream_t streams[2];
  cudaMalloc(&sums, 2 * sizeof *sums);
  cudaMemset(sums, 0, 2 * sizeof *sums);
  for (unsigned s = 0; s < 2; ++s) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&data[s], kAll * sizeof(unsigned));
  }
  for (unsigned s = 0; s < 2; ++s) fill<<<kBlocks, kThreads, 0, streams[s]>>>(data[s], 1 + s);
  for (unsigned round = 0; round < 5; ++round)
    for (unsigned s = 0; s < 2; ++s) twice<<<kBlocks, kThreads, 0, streams[s]>>>(data[s]);
  for (unsigned s = 0; s < 2; ++s) sum_up<<<4, kThreads, 0, streams[s]>>>(data[s], sums + s, kAll);
  unsigned found[2];
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  cudaMemcpy(found, sums, sizeof found, cudaMemcpyDeviceToHost);
  for (unsigned s = 0; s < 2; ++s)
    if (found[s] != 4 * 32 * (1 + s) * kAll) {
      std::printf("FAIL stream %u: %u\n", s, found[s]);
      return 1;
    }
  std::printf("PASS\n");
  return 0;
}
