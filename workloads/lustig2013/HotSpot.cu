// lustig2013 Table 3, HotSpot: transient temperature of a chip on a square grid (64 x 64 in the paper). A
// cell exchanges heat with its four neighbours and with the ambient and receives power; cells outside the
// chip have the temperature of the border. Explicit Euler steps, one kernel a step, two temperature buffers
// in turn, a tile with its halo in shared memory. Temperatures are kept relative to the ambient.
// Full/empty bits: temperature and power, emptied before an early launch; only the first step waits for them.
// The result, emptied before an early copy back: the last step alone writes it, as a grid that takes part in
// the turns would give away an early step. The grids between have none.
#include "offload.h"

namespace {

using namespace lustig2013;

const Spec kSpec = {"HotSpot", "rows and columns of the grid",         64, 16, 4096,
                    16,        {{"--steps", "time steps", 6, 1, 1000}}};
const int kTile = 16;
const float kAlongX = 0.125f;
const float kAlongY = 0.1f;
const float kToAmbient = 0.02f;
const float kPowerGain = 0.5f;

__global__ void heat_step(const float* temperature, const float* power, float* next, int n) {
  __shared__ float tile[kTile + 2][kTile + 2];
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  const float centre = temperature[y * n + x];
  tile[ty][tx] = centre;
  if (threadIdx.x == 0) tile[ty][0] = temperature[y * n + max(x - 1, 0)];
  if (threadIdx.x == kTile - 1) tile[ty][kTile + 1] = temperature[y * n + min(x + 1, n - 1)];
  if (threadIdx.y == 0) tile[0][tx] = temperature[max(y - 1, 0) * n + x];
  if (threadIdx.y == kTile - 1) tile[kTile + 1][tx] = temperature[min(y + 1, n - 1) * n + x];
  __syncthreads();
  float along_x = tile[ty][tx - 1] + tile[ty][tx + 1] - 2.0f * centre;
  float along_y = tile[ty - 1][tx] + tile[ty + 1][tx] - 2.0f * centre;
  next[y * n + x] =
      centre + kAlongX * along_x + kAlongY * along_y - kToAmbient * centre + kPowerGain * power[y * n + x];
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
      out.place_device(reinterpret_cast<char*>((options.extra[0] % 2 == 0 ? d_even : d_odd).get()),
                       result.bytes());
    } else {
      d_spare = std::make_unique<Device<float>>(count);
      d_result = std::make_unique<Device<float>>(count, &out);
    }
  }

  void fill(unsigned long long seed) const {
    workload::Random random(seed);
    for (size_t i = 0; i < count; i++) {
      temperature[i] = random.uniform(0.0f, 20.0f);
      power[i] = random.uniform(0.0f, 1.0f);
    }
    result.poison();
  }

  // What step reads (0: the input) and, at step + 1, what it writes.
  float* buffer(unsigned step) const {
    if (options.variant == Variant::kBaseline) return (step % 2 == 0 ? d_even : d_odd).get();
    if (step == 0) return d_even.get();
    if (step == options.extra[0]) return d_result->get();
    return step % 2 == 0 ? d_spare->get() : d_odd.get();
  }

  void run(const Streams& streams) const {
    const auto steps = [&](unsigned first, unsigned last, cudaStream_t stream) {
      dim3 grid(n / kTile, n / kTile), block(kTile, kTile);
      for (unsigned step = first; step < last; step++) {
        heat_step<<<grid, block, 0, stream>>>(buffer(step), d_power.get(), buffer(step + 1), n);
        CHECK_LAUNCH("heat_step");
      }
    };
    offload(
        options, streams, in, out, [&](cudaStream_t stream) { steps(0, 1, stream); },
        [&](cudaStream_t stream) { steps(1, options.extra[0], stream); });
  }

  std::vector<double> simulate_on_cpu() const;

  int check() const {
    const std::vector<double> expected = simulate_on_cpu();
    for (size_t i = 0; i < count; i++)
      if (!(fabs(result[i] - expected[i]) <= 5e-5))
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

std::vector<double> Problem::simulate_on_cpu() const {
  std::vector<double> now(temperature.get(), temperature.get() + count), next(count);
  auto at = [&](int y, int x) {
    y = y < 0 ? 0 : y >= n ? n - 1 : y;
    x = x < 0 ? 0 : x >= n ? n - 1 : x;
    return now[static_cast<size_t>(y) * n + x];
  };
  for (int step = 0; step < static_cast<int>(options.extra[0]); step++) {
    for (int y = 0; y < n; y++)
      for (int x = 0; x < n; x++) {
        size_t i = static_cast<size_t>(y) * n + x;
        next[i] = now[i] + kAlongX * (at(y, x - 1) + at(y, x + 1) - 2 * now[i]) +
                  kAlongY * (at(y - 1, x) + at(y + 1, x) - 2 * now[i]) - kToAmbient * now[i] +
                  kPowerGain * power[i];
      }
    now.swap(next);
  }
  return now;
}

}  // namespace

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv, kSpec);
  Problem problem(options);
  return run(kSpec, options, problem);
}
