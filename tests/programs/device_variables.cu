// __device__ variables: initial values, changes by a kernel that the host sees, changes by the host that a
// kernel sees, an array and a pointer to another variable.
#include "expect.h"

__device__ int counter = 41;
__device__ float weights[4] = {0.5f, 1.5f, -2.0f, 8.0f};
__device__ int scratch[32];
__device__ int* scratch_pointer = scratch;

__global__ void first() {
  if (threadIdx.x == 0) counter++;
  scratch_pointer[threadIdx.x] = threadIdx.x * threadIdx.x;
}

__global__ void second(float* out) {
  out[threadIdx.x] = weights[threadIdx.x % 4] * counter + scratch[threadIdx.x];
}

int main() {
  first<<<1, 32>>>();
  CHECK_LAUNCH();
  int value = 0, squares[32];
  CHECK(cudaMemcpyFromSymbol(&value, counter, sizeof(value)));
  expect::equal("counter", 0, value, 42);
  CHECK(cudaMemcpyFromSymbol(squares, scratch, sizeof(squares)));
  for (int i = 0; i < 32; i++) expect::equal("scratch", i, squares[i], i * i);
  value = 10;
  CHECK(cudaMemcpyToSymbol(counter, &value, sizeof(value)));
  expect::Array<float> out(32);
  second<<<1, 32>>>(out.device());
  CHECK_LAUNCH();
  const float host_weights[4] = {0.5f, 1.5f, -2.0f, 8.0f};
  out.fetch();
  for (int i = 0; i < 32; i++) expect::equal("out", i, out.host[i], host_weights[i % 4] * 10 + i * i);
  return expect::pass("device_variables");
}
