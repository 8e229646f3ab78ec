// The lanes of a warp, the warps of a block and the blocks of a grid have very different work: as many rounds as a point of the plane takes to
// leave a circle (Mandelbrot 1980), 256 at most.
//     duet cc -O2 mandelbrot.cu -o mandelbrot && duet run ./mandelbrot 8       blocks of 32 by 8 threads
// experiments/hu2016/tables.py has it on machines with other warps and another dispatcher.
#include <cstdio>

#include "../common/check.h"

constexpr int kSide = 512, kMost = 256;
static int counts[kSide * kSide];

// No operation is fused, here and there.
__host__ __device__ float times(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fmul_rn(a, b);
#else
  volatile float product = a * b;
  return product;
#endif
}

__host__ __device__ int rounds_of(int x, int y) {
  const float cr = times(x, 3.0f / kSide) - 2.0f, ci = times(y, 2.4f / kSide) - 1.2f;
  float r = 0, i = 0;
  int n = 0;
  for (; n < kMost; ++n) {
    const float rr = times(r, r), ii = times(i, i);
    if (rr + ii >= 4) break;
    i = times(times(2, r), i) + ci;
    r = rr - ii + cr;
  }
  return n;
}

__global__ void mandelbrot(int* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y < kSide) out[y * kSide + x] = rounds_of(x, y);
}

int main(int count, char** words) {
  if (count != 2) workload::usage_error("mandelbrot", "takes the rows of a block, of 32 threads each, and not", count > 2 ? words[2] : "");
  const int rows = static_cast<int>(workload::parse_number("mandelbrot", "rows", words[1], 1, 32));
  int* out = nullptr;
  CHECK_CUDA(cudaMalloc(&out, sizeof counts));
  mandelbrot<<<dim3(kSide / 32, (kSide + rows - 1) / rows), dim3(32, rows)>>>(out);
  CHECK_LAUNCH("mandelbrot");
  CHECK_CUDA(cudaMemcpy(counts, out, sizeof counts, cudaMemcpyDeviceToHost));
  for (int y = 0; y < kSide; ++y)
    for (int x = 0; x < kSide; ++x)
      if (counts[y * kSide + x] != rounds_of(x, y)) {
        std::printf("FAIL mandelbrot at %d, %d: %d\n", x, y, counts[y * kSide + x]);
        return 1;
      }
  std::printf("PASS mandelbrot %d\n", kSide);
  return 0;
}
