// What malloc and free of device code take: cycles of a call, by how many call at once and for how much.
//     nvcc -cudart shared -arch=sm_90 -O2 device_heap.cu -o device_heap && ./device_heap
// Each line: what, bytes, blocks, threads: cycles of the SM, mean of all calls of the last of three rounds.
#include <cstdio>
#include <initializer_list>

constexpr int kMost = 132 * 32;

__global__ void calls(int bytes, long long* of_malloc, long long* of_free) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  const long long begin = clock64();
  char* memory = static_cast<char*>(malloc(bytes));
  if (memory != nullptr) *memory = 1;
  asm volatile("" : "+l"(memory));  // or a compiler leaves both out
  const long long middle = clock64();
  __syncthreads();
  const long long again = clock64();
  free(memory);
  of_free[number] = clock64() - again;
  of_malloc[number] = memory == nullptr ? 0 : middle - begin;
}

int main() {
  long long* found = nullptr;
  cudaMallocManaged(&found, 2 * kMost * sizeof *found);
  for (const int bytes : {16, 256, 4096})
    for (const int blocks : {1, 132})
      for (const int threads : {1, 32}) {
        double sums[2] = {};
        for (int round = 0; round < 3; ++round) {
          calls<<<blocks, threads>>>(bytes, found, found + kMost);
          if (cudaDeviceSynchronize() != cudaSuccess) return 1;
        }
        for (int i = 0; i < blocks * threads; ++i) sums[0] += found[i], sums[1] += found[kMost + i];
        std::printf("malloc, %d bytes, %d blocks, %d threads: %.0f\n", bytes, blocks, threads, sums[0] / (blocks * threads));
        std::printf("free, %d bytes, %d blocks, %d threads: %.0f\n", bytes, blocks, threads, sums[1] / (blocks * threads));
      }
  return 0;
}
