// Copies: between kinds of host memory and the device, of odd sizes and places, with pitches, in three
// dimensions, from host to host, to and from variables.
#include <cstring>
#include <vector>

#include "check.h"

namespace {

__constant__ int table[64];
__device__ double total[3];

__global__ void use(const int* values, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += static_cast<double>(values[i]) * table[i % 64];
  total[1] = sum;
}

std::vector<unsigned char> pattern(std::size_t n, unsigned seed) {
  std::vector<unsigned char> bytes(n);
  for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<unsigned char>((i * 31 + seed) ^ (i >> 8));
  return bytes;
}

void linear() {
  unsigned char *pinned = nullptr, *there = nullptr, *managed = nullptr;
  constexpr std::size_t kBytes = 300000;
  CHECK(cudaMallocHost(&pinned, kBytes));
  CHECK(cudaMalloc(&there, kBytes));
  CHECK(cudaMallocManaged(&managed, kBytes));
  std::vector<unsigned char> source = pattern(kBytes, 3), back(kBytes);
  for (const std::size_t bytes : {1ul, 7ul, 127ul, 129ul, 4097ul, 65535ul, kBytes - 9}) {
    std::memset(pinned, 0, kBytes);
    CHECK(cudaMemset(there, 0x5a, kBytes));
    CHECK(cudaMemcpy(there + 5, source.data() + 3, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(pinned + 1, there + 2, bytes + 3, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpyAsync(managed, pinned, bytes + 4, cudaMemcpyDefault));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(back.data(), managed, bytes + 4, cudaMemcpyHostToHost));
    std::printf("%zu: %llx %llx\n", bytes, hash_of(pinned, kBytes), hash_of(back.data(), bytes + 4));
  }
  CHECK(cudaFreeHost(pinned));
  CHECK(cudaFree(there));
  CHECK(cudaFree(managed));
}

void registered() {
  std::vector<unsigned char> memory = pattern(50000, 9);
  unsigned char* const odd = memory.data() + 13;  // at no particular address
  CHECK(cudaHostRegister(odd, 40001, cudaHostRegisterMapped));
  unsigned char* there = nullptr;
  CHECK(cudaMalloc(&there, 40001));
  CHECK(cudaMemcpyAsync(there, odd, 40001, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyAsync(odd + 1, there, 40000, cudaMemcpyDeviceToHost));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaHostUnregister(odd));
  std::printf("registered: %llx\n", hash_of(memory.data(), memory.size()));
  CHECK(cudaFree(there));
}

void pitched() {
  constexpr std::size_t kWidth = 100, kRows = 37, kPitch = 113;
  std::vector<unsigned char> source = pattern(kPitch * kRows, 1), back(kPitch * kRows, 0);
  unsigned char* there = nullptr;
  std::size_t pitch = 0;
  CHECK(cudaMallocPitch(&there, &pitch, kWidth, kRows));
  CHECK(cudaMemset2D(there, pitch, 0xee, kWidth, kRows));
  CHECK(cudaMemcpy2D(there, pitch, source.data() + 1, kPitch, kWidth - 2, kRows - 1, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy2DAsync(back.data(), kPitch, there, pitch, kWidth, kRows, cudaMemcpyDeviceToHost));
  CHECK(cudaDeviceSynchronize());
  std::printf("pitch %zu: %llx\n", pitch, hash_of(back.data(), back.size()));
  CHECK(cudaMemcpy2D(back.data() + 2, kPitch, source.data(), kPitch, 50, kRows, cudaMemcpyHostToHost));
  std::printf("host to host: %llx\n", hash_of(back.data(), back.size()));
  CHECK(cudaFree(there));
}

void boxes() {
  constexpr std::size_t kX = 24, kY = 11, kZ = 5;
  std::vector<unsigned char> source = pattern(kX * kY * kZ, 4), back(kX * kY * kZ, 0);
  cudaPitchedPtr there{};
  CHECK(cudaMalloc3D(&there, make_cudaExtent(kX, kY, kZ)));
  CHECK(cudaMemset3D(there, 0x11, make_cudaExtent(kX, kY, kZ)));
  cudaMemcpy3DParms to{};
  to.srcPtr = make_cudaPitchedPtr(source.data(), kX, kX, kY);
  to.srcPos = make_cudaPos(1, 2, 0);
  to.dstPtr = there;
  to.dstPos = make_cudaPos(3, 0, 1);
  to.extent = make_cudaExtent(kX - 5, kY - 3, kZ - 2);
  to.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&to));
  cudaMemcpy3DParms from{};
  from.srcPtr = there;
  from.dstPtr = make_cudaPitchedPtr(back.data(), kX, kX, kY);
  from.extent = make_cudaExtent(kX, kY, kZ);
  from.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3DAsync(&from));
  CHECK(cudaDeviceSynchronize());
  std::printf("box: %llx\n", hash_of(back.data(), back.size()));
  CHECK(cudaFree(there.ptr));
}

void variables() {
  int numbers[64];
  for (int i = 0; i < 64; ++i) numbers[i] = i - 20;
  CHECK(cudaMemcpyToSymbol(table, numbers, sizeof numbers));
  const double start[2] = {0.5, 2};
  CHECK(cudaMemcpyToSymbolAsync(total, start, sizeof start, sizeof(double), cudaMemcpyHostToDevice));
  int* there = nullptr;
  CHECK(cudaMalloc(&there, sizeof numbers));
  CHECK(cudaMemcpy(there, numbers, sizeof numbers, cudaMemcpyHostToDevice));
  use<<<1, 1>>>(there, 64);
  double result[3] = {};
  CHECK(cudaMemcpyFromSymbol(result, total, sizeof result));
  void* address = nullptr;
  std::size_t bytes = 0;
  CHECK(cudaGetSymbolAddress(&address, total));
  CHECK(cudaGetSymbolSize(&bytes, table));
  double middle = 0;
  CHECK(cudaMemcpy(&middle, static_cast<double*>(address) + 1, sizeof middle, cudaMemcpyDeviceToHost));
  std::printf("variables: %g %g %g, %g, %zu bytes\n", result[0], result[1], result[2], middle, bytes);
}

}  // namespace

int main() {
  linear();
  registered();
  pitched();
  boxes();
  variables();
  return 0;
}
