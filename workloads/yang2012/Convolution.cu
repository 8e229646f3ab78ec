// yang2012 Table 1, Convolution (Con): a picture of 1K x 1K and a mask of 3 x 3, 1M threads in blocks of 16
// x 16. As SimpleConvolution of the AMD APP SDK: a thread makes one pixel, pixels are unsigned words, the
// mask is of floats in global memory, the neighbours outside the picture are left out by the bounds of the
// loops, the sum is rounded to the nearest integer. The SDK has one dimension of threads and divides to find
// row and column; the blocks of Table 1 have two. Weights are multiples of 1/256, so that sums are exact and
// the check has no tolerance.
#include "benchmark.h"

namespace {

using namespace yang2012;

enum { kMask };
const Spec kSpec = {"Convolution",
                    "rows and columns, a multiple of 16",
                    1024,
                    16,
                    1u << 13,
                    16,
                    {{"--mask", "rows and columns of the mask, odd", 3, 1, 15}},
                    {}};
const unsigned kTile = 16;

}  // namespace

extern "C" __global__ void __launch_bounds__(kTile* kTile, kBlocksPerSm)
    convolution(unsigned* output, const unsigned* input, const float* mask, unsigned width, unsigned height,
                unsigned mask_size) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned reach = (mask_size - 1) / 2;
  const unsigned left = x < reach ? 0 : x - reach;
  const unsigned right = min(x + reach, width - 1);
  const unsigned top = y < reach ? 0 : y - reach;
  const unsigned bottom = min(y + reach, height - 1);
  float sum = 0;
#pragma unroll 1
  for (unsigned i = left; i <= right; i++)
#pragma unroll 1
    for (unsigned j = top; j <= bottom; j++)
      sum += static_cast<float>(input[j * width + i]) * mask[(j + reach - y) * mask_size + (i + reach - x)];
  output[y * width + x] = static_cast<unsigned>(sum + 0.5f);
}

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv, kSpec);
  const unsigned n = options.size, mask_size = options.extra[kMask];
  if (mask_size % 2 == 0) {
    fprintf(stderr, "%s: --mask must be odd, not %u\n", kSpec.program, mask_size);
    return 2;
  }
  const size_t count = static_cast<size_t>(n) * n;
  const unsigned weights = mask_size * mask_size;
  Array<unsigned> output(options.memory, count), input(options.memory, count);
  Array<float> mask(options.memory, weights);
  workload::Random random(options.seed);
  for (size_t i = 0; i < count; i++) input[i] = random.below(256);
  for (unsigned i = 0; i < weights; i++) mask[i] = static_cast<float>(random.below(29)) / 256.0f;

  const Geometry geometry = {dim3(n / kTile, n / kTile), dim3(kTile, kTile)};
  duetMark("data ready");
  input.to_device();
  mask.to_device();
  begin(options);
  for (unsigned i = 0; i < options.repeat; i++) {
    convolution<<<geometry.grid, geometry.block>>>(output.device(), input.device(), mask.device(), n, n,
                                                   mask_size);
    CHECK_LAUNCH("convolution");
  }
  output.to_host();
  duetMark("finish");

  Check check(kSpec);
  const int reach = static_cast<int>(mask_size / 2), side = static_cast<int>(n);
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++) {
      double sum = 0;
      for (int dy = -reach; dy <= reach; dy++)
        for (int dx = -reach; dx <= reach; dx++) {
          if (y + dy < 0 || y + dy >= side || x + dx < 0 || x + dx >= side) continue;
          sum += static_cast<double>(mask[(dy + reach) * mask_size + dx + reach]) *
                 input[static_cast<size_t>(y + dy) * n + (x + dx)];
        }
      const size_t i = static_cast<size_t>(y) * n + x;
      check.element("pixel", i, output[i], floor(sum + 0.5), 0);
    }
  return check.finish(options, geometry, "0");
}
