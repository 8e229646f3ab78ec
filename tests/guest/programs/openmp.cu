// The host's half of a sum in an object that GCC made with OpenMP (openmp_host.cpp), the other on the GPU.
#include <vector>

#include "check.h"

double sum_of_squares(const double* values, long n, int threads, int* used);

namespace {

__global__ void squares(double* values, long n) {
  const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= values[i];
}

}  // namespace

int main() {
  constexpr long kCount = 20000, kHalf = kCount / 2;
  std::vector<double> values(kCount);
  for (long i = 0; i < kCount; ++i) values[i] = static_cast<double>(i % 97) / 4;
  double* there = nullptr;
  CHECK(cudaMalloc(&there, kHalf * sizeof(double)));
  CHECK(cudaMemcpy(there, values.data(), kHalf * sizeof(double), cudaMemcpyHostToDevice));
  squares<<<(kHalf + 255) / 256, 256>>>(there, kHalf);
  int used = 0;
  double sum = sum_of_squares(values.data() + kHalf, kHalf, 3, &used);
  CHECK(cudaMemcpy(values.data(), there, kHalf * sizeof(double), cudaMemcpyDeviceToHost));
  for (long i = 0; i < kHalf; ++i) sum += values[i];
  std::printf("%.4f, %d threads\n", sum, used);
  return 0;
}
