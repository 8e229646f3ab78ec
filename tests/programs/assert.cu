// assert in a kernel: a true one changes nothing; a false one fails the launch with cudaErrorAssert, which
// sticks.
#undef NDEBUG
#include <assert.h>

#include "expect.h"

__global__ void check_below(const int* values, int limit) { assert(values[threadIdx.x] < limit); }

int main() {
  int* values = nullptr;
  CHECK(cudaMalloc(reinterpret_cast<void**>(&values), 32 * sizeof(int)));
  CHECK(cudaMemset(values, 0, 32 * sizeof(int)));
  check_below<<<1, 32>>>(values, 1);
  CHECK_LAUNCH();
  CHECK(cudaDeviceSynchronize());
  check_below<<<1, 32>>>(values, 0);
  CHECK_LAUNCH();
  REQUIRE_STATUS(cudaDeviceSynchronize(), cudaErrorAssert);
  REQUIRE_STATUS(cudaDeviceSynchronize(), cudaErrorAssert);
  REQUIRE_STATUS(cudaMemset(values, 0, 4), cudaErrorAssert);
  return expect::pass("assert");
}
