// __managed__ variables: initial values, reached by host and kernels, by symbol and by pointer. Clang has no
// such variables for NVIDIA's GPUs, so this is built with nvcc alone.
#include <cstdio>

__managed__ int counter = 5;
__device__ __managed__ float table[4] = {1, 2, 3, 4};
__device__ __managed__ int* pointer;
__device__ int other = 3;

__global__ void change() {
  atomicAdd(&counter, other);
  table[threadIdx.x] *= 2;
  if (threadIdx.x == 0) atomicAdd(pointer, 100);
}

int main() {
  bool right = counter == 5 && table[3] == 4 && pointer == nullptr;
  pointer = &counter;
  counter += 10;
  table[1] = 7;
  change<<<1, 4>>>();
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  right &= counter == 15 + 4 * 3 + 100 && table[0] == 2 && table[1] == 14 && table[3] == 8;
  int* address = nullptr;
  int value = 40;
  right &=
      cudaGetSymbolAddress(reinterpret_cast<void**>(&address), counter) == cudaSuccess && address == &counter;
  right &= cudaMemcpyToSymbol(counter, &value, sizeof value) == cudaSuccess && counter == 40;
  std::puts(right ? "right" : "wrong");
  return 0;
}
