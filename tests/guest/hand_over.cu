// A program whose threads work one after the other, each after the one before it has ended: hand_over.rv THREADS.
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

constexpr int kElements = 1 << 16;

__global__ void add(int* values) { values[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

int main(int, char** arguments) {
  std::vector<int> values(kElements);
  int* device = nullptr;
  cudaMalloc(&device, kElements * sizeof(int));
  for (int i = 0; i < std::atoi(arguments[1]); ++i) {
    std::thread([&] {
      cudaMemcpy(device, values.data(), kElements * sizeof(int), cudaMemcpyHostToDevice);
      add<<<kElements / 256, 256>>>(device);
      cudaMemcpy(values.data(), device, kElements * sizeof(int), cudaMemcpyDeviceToHost);
    }).join();
  }
  cudaFree(device);
  bool right = true;
  for (const int value : values) right = right && value == std::atoi(arguments[1]);
  std::puts(right ? "right" : "wrong");
}
