// lustig2013 Table 3, HotSpot: transient temperature of a chip on a square grid (64 x 64 in the paper) as in
// Rodinia 2.0.1, cuda/hotspot/hotspot.cu, with the arguments of its `run`: pyramid height 2, 2 time steps, so
// one kernel. A cell exchanges heat with its four neighbours and with the ambient and receives power; cells
// outside the chip have the temperature of the border. A block of 16 x 16 threads loads temperature and power
// of its square into shared memory, takes as many steps as the pyramid is high, with one ring of threads less
// in each, and stores what is left: squares overlap by twice the height, and a grid of 64 x 64 takes 36
// blocks. More steps take more kernels, with two temperature buffers in turn. Chip and constants are
// Rodinia's; temperatures and powers are generated, the powers large enough for a wrong one to show.
// Arithmetic is single precision (HOTSPOT_REAL). The source has one constant in double precision, 2.0; its
// Makefile names no architecture, and nvcc 4's default has no double precision and demotes it.
// Full/empty bits: temperature and power, emptied before an early launch; only the first kernel waits for
// them. The result, emptied before an early copy back: the last kernel alone writes it, as a grid that takes
// part in the turns would give away an early step. The grids between have none.
#include "chip.h"
#include "offload.h"

#ifndef HOTSPOT_REAL
#define HOTSPOT_REAL float
#endif

namespace {

using namespace lustig2013;
using Real = HOTSPOT_REAL;

enum { kSteps, kPyramid };
const int kBlock = 16;
const Spec kSpec = {"HotSpot",
                    "rows and columns of the grid",
                    64,
                    16,
                    4096,
                    16,
                    {{"--steps", "time steps", 2, 1, 1000},
                     {"--pyramid", "time steps in a kernel (pyramid height)", 2, 1, kBlock / 2 - 1}}};

__global__ void heat(int steps, const float* power, const float* temperature, float* next, int n, int border,
                     Chip chip) {
  __shared__ float now[kBlock][kBlock], powers[kBlock][kBlock], later[kBlock][kBlock];
  const float step_per_capacity = chip.step / chip.capacity;
  const float per_x = 1 / chip.resistance_x, per_y = 1 / chip.resistance_y, per_z = 1 / chip.resistance_z;
  const int tx = threadIdx.x, ty = threadIdx.y;
  // The square of this block; only what is left after the last step does not overlap with others.
  const int left = (kBlock - 2 * steps) * blockIdx.x - border,
            top = (kBlock - 2 * steps) * blockIdx.y - border;
  const int x = left + tx, y = top + ty;
  const bool inside = x >= 0 && x < n && y >= 0 && y < n;
  if (inside) {
    now[ty][tx] = temperature[y * n + x];
    powers[ty][tx] = power[y * n + x];
  }
  __syncthreads();
  // Neighbours, where the chip ends the cell itself.
  const int north = max(ty - 1, max(-top, 0)), south = min(ty + 1, min(n - 1 - top, kBlock - 1));
  const int west = max(tx - 1, max(-left, 0)), east = min(tx + 1, min(n - 1 - left, kBlock - 1));
  bool computed = false;
  for (int step = 1;; step++) {
    computed = inside && tx >= step && tx < kBlock - step && ty >= step && ty < kBlock - step;
    if (computed)
      later[ty][tx] = now[ty][tx] +
                      step_per_capacity * (powers[ty][tx] +
                                           (now[south][tx] + now[north][tx] - Real(2) * now[ty][tx]) * per_y +
                                           (now[ty][east] + now[ty][west] - Real(2) * now[ty][tx]) * per_x +
                                           (kAmbient - now[ty][tx]) * per_z);
    __syncthreads();
    if (step == steps) break;
    if (computed) now[ty][tx] = later[ty][tx];
    __syncthreads();
  }
  if (computed) next[y * n + x] = later[ty][tx];
}

struct Problem {
  explicit Problem(const Options& given)
      : options(given),
        n(static_cast<int>(options.size)),
        count(static_cast<size_t>(n) * n),
        in(options, options.overlaps_start(), {count * sizeof(float), count * sizeof(float)}),
        out(options, options.overlaps_finish(), {count * sizeof(float)}),
        temperature(count, &in),
        power(count, &in),
        result(count, &out),
        d_even(count, &in),
        d_odd(count),
        d_power(count, &in) {
    if (options.variant == Variant::kBaseline) {  // two buffers in turn; one of them ends with the result
      out.place_device(reinterpret_cast<char*>((kernels() % 2 == 0 ? d_even : d_odd).get()), result.bytes());
    } else {
      d_spare = std::make_unique<Device<float>>(count);
      d_result = std::make_unique<Device<float>>(count, &out);
    }
  }

  void fill(unsigned long long seed) const {
    draw_chip(seed, temperature, power, count);
    result.poison();
  }

  unsigned kernels() const {
    return (options.extra[kSteps] + options.extra[kPyramid] - 1) / options.extra[kPyramid];
  }

  // What a kernel reads (0: the input) and, at kernel + 1, what it writes.
  float* buffer(unsigned kernel) const {
    if (options.variant == Variant::kBaseline) return (kernel % 2 == 0 ? d_even : d_odd).get();
    if (kernel == 0) return d_even.get();
    if (kernel == kernels()) return d_result->get();
    return kernel % 2 == 0 ? d_spare->get() : d_odd.get();
  }

  void run(const Streams& streams) const {
    const unsigned height = options.extra[kPyramid];
    const auto launch = [&](unsigned first, unsigned last, cudaStream_t stream) {
      const unsigned kept = kBlock - 2 * height, blocks = (static_cast<unsigned>(n) + kept - 1) / kept;
      dim3 grid(blocks, blocks), block(kBlock, kBlock);
      for (unsigned kernel = first; kernel < last; kernel++) {
        const unsigned left = options.extra[kSteps] - kernel * height;
        heat<<<grid, block, 0, stream>>>(static_cast<int>(left < height ? left : height), d_power.get(),
                                         buffer(kernel), buffer(kernel + 1), n, static_cast<int>(height),
                                         Chip(n));
        CHECK_LAUNCH("heat");
      }
    };
    offload(
        options, streams, in, out, [&](cudaStream_t stream) { launch(0, 1, stream); },
        [&](cudaStream_t stream) { launch(1, kernels(), stream); });
  }

  int check() const {
    const std::vector<double> expected =
        simulate_chip(temperature.get(), power.get(), n, options.extra[kSteps]);
    const double tolerance = chip_tolerance(options.extra[kSteps]);
    for (size_t i = 0; i < count; i++)
      if (!(fabs(result[i] - expected[i]) <= tolerance))
        return report_mismatch(kSpec, "cell", i, result[i], expected[i]);
    return 0;
  }

  Options options;
  int n;
  size_t count;
  Side in, out;
  Pinned<float> temperature, power, result;
  Device<float> d_even, d_odd, d_power;
  std::unique_ptr<Device<float>> d_spare, d_result;
};

}  // namespace

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv, kSpec);
  Problem problem(options);
  return run(kSpec, options, problem);
}
