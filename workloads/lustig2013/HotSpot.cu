// lustig2013 Table 3, HotSpot: transient temperature of a chip on a square grid (64 x 64 in the paper). A
// cell exchanges heat with its four neighbours and with the ambient and receives power; cells outside the
// chip have the temperature of the border. Explicit Euler steps, one kernel a step, two temperature buffers
// in turn, a tile with its halo in shared memory. Temperatures are kept relative to the ambient.
#include "common.h"

namespace {

using namespace lustig2013;

const Spec kSpec = {"HotSpot", "rows and columns of the grid", 64, 16, 4096, 16};
const int kTile = 16;
const int kSteps = 6;
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
  explicit Problem(const Options& options)
      : n(options.size),
        count(static_cast<size_t>(n) * n),
        temperature(count),
        power(count),
        result(count),
        d_even(count),
        d_odd(count),
        d_power(count) {
    workload::Random random(options.seed);
    for (size_t i = 0; i < count; i++) {
      temperature[i] = random.uniform(0.0f, 20.0f);
      power[i] = random.uniform(0.0f, 1.0f);
    }
  }
  int n;
  size_t count;
  Pinned<float> temperature, power, result;
  Device<float> d_even, d_odd, d_power;
};

// Runs all steps; the result of the last one is in the returned buffer.
const Device<float>& launch(const Problem& p, const Stream& stream) {
  dim3 grid(p.n / kTile, p.n / kTile), block(kTile, kTile);
  const Device<float>*from = &p.d_even, *to = &p.d_odd;
  for (int step = 0; step < kSteps; step++) {
    heat_step<<<grid, block, 0, stream.get()>>>(from->get(), p.d_power.get(), to->get(), p.n);
    CHECK_LAUNCH("heat_step");
    const Device<float>* written = to;
    to = from;
    from = written;
  }
  return *from;
}

void offload_baseline(const Problem& p, const Stream& stream) {
  duetMark("data ready");
  copy_in(p.d_even, p.temperature, stream);
  copy_in(p.d_power, p.power, stream);
  const Device<float>& last = launch(p, stream);
  copy_out(p.result, last, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream.get()));
  duetMark("finish");
}

std::vector<double> simulate_on_cpu(const Problem& p) {
  const int n = p.n;
  std::vector<double> now(p.temperature.get(), p.temperature.get() + p.count), next(p.count);
  auto at = [&](int y, int x) {
    y = y < 0 ? 0 : y >= n ? n - 1 : y;
    x = x < 0 ? 0 : x >= n ? n - 1 : x;
    return now[static_cast<size_t>(y) * n + x];
  };
  for (int step = 0; step < kSteps; step++) {
    for (int y = 0; y < n; y++)
      for (int x = 0; x < n; x++) {
        size_t i = static_cast<size_t>(y) * n + x;
        next[i] = now[i] + kAlongX * (at(y, x - 1) + at(y, x + 1) - 2 * now[i]) +
                  kAlongY * (at(y - 1, x) + at(y + 1, x) - 2 * now[i]) - kToAmbient * now[i] +
                  kPowerGain * p.power[i];
      }
    now.swap(next);
  }
  return now;
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
  std::vector<double> expected = simulate_on_cpu(problem);
  for (size_t i = 0; i < problem.count; i++)
    if (!(fabs(problem.result[i] - expected[i]) <= 5e-5))
      return report_mismatch(kSpec, "cell", i, problem.result[i], expected[i]);
  printf("PASS HotSpot %u\n", options.size);
  return 0;
}
