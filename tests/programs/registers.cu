// A kernel that wants more registers a thread than the machine has runs, as after an assembler's spilling,
// with the machine's count; occupancy counts with that too. Launched twice, it is said once. Launch bounds
// that ask for several blocks leave each thread as many as these have room for.
#include "expect.h"

__device__ void sum_of_rounds(double* out, const double* in, int n) {
  double v[64];
#pragma unroll
  for (int i = 0; i < 64; i++) v[i] = in[i];
  for (int k = 0; k < n; k++)
#pragma unroll
    for (int i = 0; i < 64; i++) v[i] = v[(i + 1) % 64] * 1.0 + 0.0 * v[i];
  double sum = 0;
#pragma unroll
  for (int i = 0; i < 64; i++) sum += v[i];
  out[threadIdx.x] = sum;
}
__global__ void many(double* out, const double* in, int n) { sum_of_rounds(out, in, n); }
__global__ void __launch_bounds__(256, 6) bounded(double* out, const double* in, int n) {
  sum_of_rounds(out, in, n);
}

int main() {
  std::vector<double> values(64);
  for (int i = 0; i < 64; i++) values[i] = i;
  expect::Array<double> in(values), out(32, 0.0);
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, many));
  REQUIRE(attributes.numRegs == 63);
  int blocks = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, many, 256, 0));
  REQUIRE(blocks == 2);  // 63 * 32 = 2016 in units of 64: 8 warps of 2048 of 32768
  CHECK(cudaFuncGetAttributes(&attributes, bounded));
  REQUIRE(attributes.numRegs == 20);  // 20 * 32 = 640: 6 blocks of 8 warps; 21 take 704
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 256, 0));
  REQUIRE(blocks == 6);
  for (int launch = 0; launch < 2; launch++) {
    many<<<1, 32>>>(out.device(), in.device(), 3);
    CHECK_LAUNCH();
  }
  out.fetch();
  // Each round moves the values by one place; the last place gets what the first has become: 0, 1, 2 are gone
  // and 1, 2, 3 come twice.
  for (int i = 0; i < 32; i++) expect::equal("sum", i, out.host[i], 2019.0 + 0.0);
  return expect::pass("registers");
}
