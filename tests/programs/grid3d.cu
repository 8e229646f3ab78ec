// Three-dimensional grids and blocks: every thread reports its ids and the dimensions.
#include "expect.h"

__global__ void record(unsigned* out) {
  unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  unsigned i = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
  out[i] = blockIdx.x | blockIdx.y << 4 | blockIdx.z << 8 | threadIdx.x << 12 | threadIdx.y << 16 |
           threadIdx.z << 20 | (gridDim.x + gridDim.y + gridDim.z + warpSize) << 24;
}

int main() {
  const dim3 grid(3, 4, 5), block(7, 2, 3);
  expect::Array<unsigned> out(60 * 42);
  record<<<grid, block>>>(out.device());
  CHECK_LAUNCH();
  out.fetch();
  unsigned i = 0;
  for (unsigned bz = 0; bz < 5; bz++)
    for (unsigned by = 0; by < 4; by++)
      for (unsigned bx = 0; bx < 3; bx++)
        for (unsigned tz = 0; tz < 3; tz++)
          for (unsigned ty = 0; ty < 2; ty++)
            for (unsigned tx = 0; tx < 7; tx++, i++)
              expect::equal("out", i, out.host[i],
                            bx | by << 4 | bz << 8 | tx << 12 | ty << 16 | tz << 20 | (12u + 32u) << 24);
  return expect::pass("grid3d");
}
