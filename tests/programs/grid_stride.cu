// Grid-stride loops with grids smaller than, equal to and larger than the data, and a grid of many blocks.
#include "expect.h"

__global__ void fill(int* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] += i ^ 0x55;
}

__global__ void mark_block(unsigned char* out) {
  if (threadIdx.x == 0) out[blockIdx.x] += 1;
}

int main() {
  const int n = 5000;
  const int grids[] = {1, 3, 79, 200};
  for (int grid : grids) {
    expect::Array<int> out(n + 1, 9);
    fill<<<grid, 64>>>(out.device(), n);
    CHECK_LAUNCH();
    out.fetch();
    for (int i = 0; i < n; i++) expect::equal("out", i, out.host[i], (i ^ 0x55) + 9);
    expect::equal("beyond the end", n, out.host[n], 9);
  }
  const int blocks = 3000;
  expect::Array<unsigned char> seen(blocks);
  mark_block<<<blocks, 32>>>(seen.device());
  CHECK_LAUNCH();
  seen.fetch();
  for (int i = 0; i < blocks; i++) expect::equal("block", i, seen.host[i], static_cast<unsigned char>(1));
  return expect::pass("grid_stride");
}
