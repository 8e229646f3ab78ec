// Second translation unit: a kernel and a __constant__ variable of its own; `helper` also exists in main.cu.
#include "kernels.h"

#include "../expect.h"

__constant__ int offset_of_unit;

static __global__ void helper(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * in[i] + offset_of_unit;
}

void launch_square(const int* in, int* out, int n) {
  helper<<<(n + 63) / 64, 64>>>(in, out, n);
  CHECK_LAUNCH();
}

void set_offset(int offset) { CHECK(cudaMemcpyToSymbol(offset_of_unit, &offset, sizeof(offset))); }
