// yang2012 Table 1, Matrix Multiplication (MM): C = A B, square, 512 x 512 with 256K threads in blocks of 16
// x 16. The paper takes it from Bakhoda et al. (ISPASS 2009). Of that program we have no copy; this is the
// tiled kernel of the CUDA programming guide, which has the table's geometry: a block brings a 16 x 16 tile
// of A and one of B into shared memory (2 KB), and each thread adds 16 products from them before the next
// pair.
#include "benchmark.h"

namespace {

using namespace yang2012;

const Spec kSpec = {"MM", "rows and columns, a multiple of 16", 512, 16, 1u << 13, 16, {}, {}};
const unsigned kTile = 16;

}  // namespace

extern "C" __global__ void __launch_bounds__(kTile* kTile, kBlocksPerSm)
    mm(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * kTile + y, col = blockIdx.x * kTile + x;
  float sum = 0;
  for (int first = 0; first < n; first += kTile) {
    tile_a[y][x] = a[row * n + first + x];
    tile_b[y][x] = b[(first + y) * n + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < static_cast<int>(kTile); k++) sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv, kSpec);
  const unsigned n = options.size;
  const size_t count = static_cast<size_t>(n) * n;
  Array<float> a(options.memory, count), b(options.memory, count), c(options.memory, count);
  workload::Random random(options.seed);
  for (size_t i = 0; i < count; i++) {
    a[i] = random.uniform(-1.0f, 1.0f);
    b[i] = random.uniform(-1.0f, 1.0f);
  }

  const Geometry geometry = {dim3(n / kTile, n / kTile), dim3(kTile, kTile)};
  duetMark("data ready");
  a.to_device();
  b.to_device();
  begin(options);
  for (unsigned i = 0; i < options.repeat; i++) {
    mm<<<geometry.grid, geometry.block>>>(a.device(), b.device(), c.device(), static_cast<int>(n));
    CHECK_LAUNCH("mm");
  }
  c.to_host();
  duetMark("finish");

  Check check(kSpec);
  std::vector<double> sum(n), magnitude(n);
  for (unsigned row = 0; row < n; row++) {
    for (unsigned col = 0; col < n; col++) sum[col] = magnitude[col] = 0;
    for (unsigned k = 0; k < n; k++)
      for (unsigned col = 0; col < n; col++) {
        const double term =
            static_cast<double>(a[static_cast<size_t>(row) * n + k]) * b[static_cast<size_t>(k) * n + col];
        sum[col] += term;
        magnitude[col] += fabs(term);
      }
    for (unsigned col = 0; col < n; col++) {
      const size_t i = static_cast<size_t>(row) * n + col;
      check.element("element", i, c[i], sum[col], 6e-8 * (n + 1) * magnitude[col]);
    }
  }
  return check.finish(options, geometry, "(size+1)*6e-8*sum|a*b|");
}
