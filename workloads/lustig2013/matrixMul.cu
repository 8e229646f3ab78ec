// lustig2013 Table 3, matrixMul: C = A B for square single-precision matrices (64 x 64 in the paper), one 16
// x 16 thread block a tile of C, tiles of A and B staged in shared memory.
#include "common.h"

namespace {

using namespace lustig2013;

const Spec kSpec = {"matrixMul", "rows and columns", 64, 16, 4096, 16};
const int kTile = 16;

__global__ void matrix_mul(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  int row = blockIdx.y * kTile + threadIdx.y;
  int col = blockIdx.x * kTile + threadIdx.x;
  float sum = 0.0f;
  for (int start = 0; start < n; start += kTile) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * n + start + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * n + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; k++) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

struct Problem {
  explicit Problem(const Options& options)
      : n(options.size),
        count(static_cast<size_t>(n) * n),
        a(count),
        b(count),
        c(count),
        d_a(count),
        d_b(count),
        d_c(count) {
    workload::Random random(options.seed);
    for (size_t i = 0; i < count; i++) {
      a[i] = random.uniform(-1.0f, 1.0f);
      b[i] = random.uniform(-1.0f, 1.0f);
    }
  }
  int n;
  size_t count;
  Pinned<float> a, b, c;
  Device<float> d_a, d_b, d_c;
};

void launch(const Problem& p, const Stream& stream) {
  dim3 grid(p.n / kTile, p.n / kTile), block(kTile, kTile);
  matrix_mul<<<grid, block, 0, stream.get()>>>(p.d_a.get(), p.d_b.get(), p.d_c.get(), p.n);
  CHECK_LAUNCH("matrix_mul");
}

void offload_baseline(const Problem& p, const Stream& stream) {
  duetMark("data ready");
  copy_in(p.d_a, p.a, stream);
  copy_in(p.d_b, p.b, stream);
  launch(p, stream);
  copy_out(p.c, p.d_c, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream.get()));
  duetMark("finish");
}

}  // namespace

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv, kSpec);
  Problem problem(options);
  Stream stream;
  switch (options.variant) {
    case Variant::kBaseline:
      offload_baseline(problem, stream);
      break;
  }
  const size_t n = problem.n;
  std::vector<double> sum(n), magnitude(n);
  for (size_t row = 0; row < n; row++) {
    for (size_t col = 0; col < n; col++) sum[col] = magnitude[col] = 0;
    for (size_t k = 0; k < n; k++)
      for (size_t col = 0; col < n; col++) {
        double term = static_cast<double>(problem.a[row * n + k]) * problem.b[k * n + col];
        sum[col] += term;
        magnitude[col] += fabs(term);
      }
    for (size_t col = 0; col < n; col++) {
      // n + 1 roundings of at most half an ulp each, relative to the sum of magnitudes.
      size_t i = row * n + col;
      if (!(fabs(problem.c[i] - sum[col]) <= 6e-8 * (n + 1) * magnitude[col]))
        return report_mismatch(kSpec, "element", i, problem.c[i], sum[col]);
    }
  }
  printf("PASS matrixMul %u\n", options.size);
  return 0;
}
