// lustig2013 Table 3, matrixMul: C = A B for square single-precision matrices (64 x 64 in the paper), one 16
// x 16 thread block a tile of C, tiles of A and B staged in shared memory. Full/empty bits: A and B, emptied
// before an early launch; C, emptied before an early copy back (offload.h).
#include "offload.h"

namespace {

using namespace lustig2013;

const Spec kSpec = {"matrixMul", "rows and columns", 64, 16, 4096, 16, {}};
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
  explicit Problem(const Options& given)
      : options(given),
        n(options.size),
        count(n * n),
        in(options, options.overlaps_start(), {count * sizeof(float), count * sizeof(float)}),
        out(options, options.overlaps_finish(), {count * sizeof(float)}),
        a(count, &in),
        b(count, &in),
        c(count, &out),
        d_a(count, &in),
        d_b(count, &in),
        d_c(count, &out) {}

  void fill(unsigned long long seed) const {
    workload::Random random(seed);
    for (size_t i = 0; i < count; i++) {
      a[i] = random.uniform(-1.0f, 1.0f);
      b[i] = random.uniform(-1.0f, 1.0f);
    }
    c.poison();
  }

  void run(const Streams& streams) const {
    const auto multiply = [&](cudaStream_t stream) {
      const unsigned tiles = static_cast<unsigned>(n / kTile);
      dim3 grid(tiles, tiles), block(kTile, kTile);
      matrix_mul<<<grid, block, 0, stream>>>(d_a.get(), d_b.get(), d_c.get(), static_cast<int>(n));
      CHECK_LAUNCH("matrix_mul");
    };
    offload(options, streams, in, out, multiply, [](cudaStream_t) {});
  }

  int check() const {
    std::vector<double> sum(n), magnitude(n);
    for (size_t row = 0; row < n; row++) {
      for (size_t col = 0; col < n; col++) sum[col] = magnitude[col] = 0;
      for (size_t k = 0; k < n; k++)
        for (size_t col = 0; col < n; col++) {
          double term = static_cast<double>(a[row * n + k]) * b[k * n + col];
          sum[col] += term;
          magnitude[col] += fabs(term);
        }
      for (size_t col = 0; col < n; col++) {
        // n + 1 roundings of at most half an ulp each, relative to the sum of magnitudes.
        size_t i = row * n + col;
        if (!(fabs(c[i] - sum[col]) <= 6e-8 * (n + 1) * magnitude[col]))
          return report_mismatch(kSpec, "element", i, c[i], sum[col]);
      }
    }
    return 0;
  }

  Options options;
  size_t n;
  size_t count;
  Side in, out;
  Pinned<float> a, b, c;
  Device<float> d_a, d_b, d_c;
};

}  // namespace

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv, kSpec);
  Problem problem(options);
  return run(kSpec, options, problem);
}
