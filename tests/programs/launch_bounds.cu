// __launch_bounds__(n) without a number of blocks leaves each thread as many registers as let one block of n
// threads fit on an SM, as ptxas does: a kernel of more than 32 registers starts with 1,024 threads on an SM
// of 32,768. Without launch bounds the same kernel has all its registers, and a block that does not fit is
// cudaErrorLaunchOutOfResources.
#include "expect.h"

// 40 values at a time: more than 32 registers of 32 bits.
__device__ void sum_of_rounds(float* out, const float* in, int n) {
  float v[40];
#pragma unroll
  for (int i = 0; i < 40; i++) v[i] = in[i];
  for (int k = 0; k < n; k++)
#pragma unroll
    for (int i = 0; i < 40; i++) v[i] = v[(i + 1) % 40] * v[i];
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 40; i++) sum += v[i];
  out[threadIdx.x] = sum;
}
__global__ void free_of_bounds(float* out, const float* in, int n) { sum_of_rounds(out, in, n); }
template <int N>
__global__ void __launch_bounds__(N) block_of(float* out, const float* in, int n) {
  sum_of_rounds(out, in, n);
}
__global__ void __launch_bounds__(1024, 100) more_blocks_than_fit(float* out, const float* in, int n) {
  sum_of_rounds(out, in, n);
}

using Kernel = void (*)(float*, const float*, int);
static int registers_of(Kernel kernel) {
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, kernel));
  return attributes.numRegs;
}
static int blocks_of(Kernel kernel, int threads) {
  int blocks = -1;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0));
  return blocks;
}

// Warps are given registers in units of 64, and go in pairs.
template <int N>
static void check_block_of(int all) {
  const int warps = (N + 63) / 64 * 2;
  const int most = 32768 / warps / 64 * 64 / 32;
  REQUIRE(registers_of(block_of<N>) == (all < most ? all : most));
  REQUIRE(blocks_of(block_of<N>, N) == 1);
}

#ifdef ONE_LAUNCH  // for tests of `duet run --registers`
int main(int argc, char**) {
  std::vector<float> values(40, 1.0f);
  expect::Array<float> in(values), out(1024, 0.0f);
  block_of<1024><<<1, argc > 1 ? 32 : 1024>>>(out.device(), in.device(), 3);
  CHECK_LAUNCH();
  return 0;
}
#else
int main() {
  std::vector<float> values(40, 1.0f);
  expect::Array<float> in(values), out(1024, 0.0f);
  const int all = registers_of(free_of_bounds);
  REQUIRE(all > 40 && all <= 63);
  REQUIRE(registers_of(block_of<1024>) == 32);
  check_block_of<1024>(all);
  check_block_of<1023>(all);
  check_block_of<961>(all);
  check_block_of<960>(all);
  check_block_of<897>(all);
  check_block_of<896>(all);
  check_block_of<833>(all);
  check_block_of<832>(all);
  check_block_of<769>(all);
  check_block_of<768>(all);
  REQUIRE(registers_of(block_of<512>) == all);  // 16 warps have room for 64
  REQUIRE(registers_of(more_blocks_than_fit) == 32);
  REQUIRE(blocks_of(free_of_bounds, 1024) == 0);

  for (const Kernel kernel : {block_of<1024>, more_blocks_than_fit}) {
    kernel<<<1, 1024>>>(out.device(), in.device(), 3);
    CHECK_LAUNCH();
    out.fetch();
    for (int i = 0; i < 1024; i++) expect::equal("sum", i, out.host[i], 40.0f);
  }
  block_of<1023><<<1, 1023>>>(out.device(), in.device(), 3);
  CHECK_LAUNCH();
  block_of<1023><<<1, 1024>>>(out.device(), in.device(), 3);  // beyond its bounds
  REQUIRE(cudaGetLastError() == cudaErrorInvalidValue);

  // The most threads that fit, and one more.
  const int fitting = 32768 / ((all * 32 + 63) / 64 * 64) / 2 * 2 * 32;
  REQUIRE(blocks_of(free_of_bounds, fitting) == 1 && blocks_of(free_of_bounds, fitting + 1) == 0);
  free_of_bounds<<<1, fitting>>>(out.device(), in.device(), 3);
  CHECK_LAUNCH();
  free_of_bounds<<<1, fitting + 1>>>(out.device(), in.device(), 3);
  REQUIRE(cudaGetLastError() == cudaErrorLaunchOutOfResources);
  return expect::pass("launch_bounds");
}
#endif
