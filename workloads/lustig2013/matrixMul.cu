// lustig2013 Table 3, matrixMul: C = A B for square single-precision matrices (64 x 64 in the paper).
// Geometry and access pattern are those of the NVIDIA GPU Computing SDK 4.2, C/src/matrixMul: a block
// computes a tile of C, one element a thread, and stages tiles of A and B in shared memory; tiles are 32 x 32
// on devices of compute capability 2.0 and later, 16 x 16 before (--tile); elements from 0 to 1. The SDK
// launches the kernel 30 times to time it and copies only before and after; here an offload launches it once
// (--launches). Full/empty bits: A and B, emptied before an early launch; C, emptied before an early copy
// back (offload.h).
#include "offload.h"
#include "product.h"

namespace {

using namespace lustig2013;

enum { kTileOption, kLaunches };
const Spec kSpec = {
    "matrixMul",
    "rows and columns, a multiple of --tile",
    64,
    16,
    4096,
    16,
    {{"--tile", "16 or 32: rows and columns of a block", 32, 16, 32},
     {"--launches", "of the kernel with the same inputs; the last one's result is copied back", 1, 1, 1000}}};

// Both tiles are one array, so that a thread's places in them differ by a constant: of 32,768 registers on an
// SM of Fermi a thread of 1,024 may have 32.
template <int kTile>
__global__ void matrix_mul(const float* a, const float* b, float* c, int n) {
  __shared__ float tiles[2 * kTile * kTile];
  float* const own = tiles + threadIdx.y * kTile + threadIdx.x;
  const float* const row_of_a = tiles + threadIdx.y * kTile;
  const float* const column_of_b = tiles + kTile * kTile + threadIdx.x;
  const int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
  float sum = 0.0f;
  for (int start = 0; start < n; start += kTile) {
    own[0] = a[row * n + start + threadIdx.x];
    own[kTile * kTile] = b[(start + threadIdx.y) * n + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; k++) sum += row_of_a[k] * column_of_b[k * kTile];
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
        d_c(count, &out) {
    if (options.extra[kLaunches] > 1) d_ignored = std::make_unique<Device<float>>(count);
  }

  void fill(unsigned long long seed) const {
    workload::Random random(seed);
    for (size_t i = 0; i < count; i++) {
      a[i] = random.uniform(0.0f, 1.0f);
      b[i] = random.uniform(0.0f, 1.0f);
    }
    c.poison();
  }

  void run(const Streams& streams) const {
    const unsigned tile = options.extra[kTileOption], launches = options.extra[kLaunches];
    const auto multiply = [&](unsigned first, unsigned last, cudaStream_t stream) {
      const unsigned tiles = static_cast<unsigned>(n / tile);
      const dim3 grid(tiles, tiles), block(tile, tile);
      for (unsigned i = first; i < last; i++) {
        float* result = i + 1 == launches ? d_c.get() : d_ignored->get();
        if (tile == 32)
          matrix_mul<32><<<grid, block, 0, stream>>>(d_a.get(), d_b.get(), result, static_cast<int>(n));
        else
          matrix_mul<16><<<grid, block, 0, stream>>>(d_a.get(), d_b.get(), result, static_cast<int>(n));
        CHECK_LAUNCH("matrix_mul");
      }
    };
    offload(
        options, streams, in, out, [&](cudaStream_t stream) { multiply(0, 1, stream); },
        [&](cudaStream_t stream) { multiply(1, launches, stream); });
  }

  int check() const {
    const auto wrong = [&](size_t i, double expected) {
      report_mismatch(kSpec, "element", i, c[i], expected);
    };
    return is_product(a, b, c, n, wrong) ? 0 : 1;
  }

  Options options;
  size_t n;
  size_t count;
  Side in, out;
  Pinned<float> a, b, c;
  Device<float> d_a, d_b, d_c;
  std::unique_ptr<Device<float>> d_ignored;
};

void require_whole_tiles(const Options& options) {
  const unsigned tile = options.extra[kTileOption];
  if (tile != 16 && tile != 32) {
    fprintf(stderr, "matrixMul: --tile must be 16 or 32, not %u\n", tile);
    exit(2);
  }
  if (options.size % tile != 0) {
    fprintf(stderr, "matrixMul: --size must be a multiple of --tile (%u), not %u\n", tile, options.size);
    exit(2);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv, kSpec);
  require_whole_tiles(options);
  Problem problem(options);
  return run(kSpec, options, problem);
}
