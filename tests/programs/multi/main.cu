// A program of two translation units, each with a kernel of the same internal name and with variables of its
// own.
#include "../expect.h"
#include "kernels.h"

__device__ int calls = 0;

static __global__ void helper(int* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) calls++;
  if (i < n) data[i] = data[i] - 1;
}

int main() {
  const int n = 100;
  std::vector<int> values(n);
  for (int i = 0; i < n; i++) values[i] = i - 50;
  expect::Array<int> in(values), out(n);
  set_offset(7);
  launch_square(in.device(), out.device(), n);
  helper<<<2, 64>>>(out.device(), n);
  CHECK_LAUNCH();
  out.fetch();
  for (int i = 0; i < n; i++) expect::equal("out", i, out.host[i], values[i] * values[i] + 6);
  int called = 0;
  CHECK(cudaMemcpyFromSymbol(&called, calls, sizeof(called)));
  expect::equal("calls", 0, called, 1);
  return expect::pass("multi");
}
