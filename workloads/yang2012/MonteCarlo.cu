// yang2012 Table 1, MonteCarlo (MC): prices of European call options as means over 256K sampled paths, with
// 128K threads, 256 a block. As the NVIDIA SDK's sample of 2010 (release 3 and 4): the samples are normally
// distributed and lie in memory; all options read the same ones. Thread i of the B blocks of an option takes
// the paths i, i + 256 B, i + 512 B, ... (kernel monte_carlo), a loop with a global load: an HWST kernel of
// section 4.3. It stores a sum and a sum of squares, and monte_carlo_reduce adds those of an option. With one
// block an option both happen in one kernel (monte_carlo_one_block).
//
// Table 1 names 256K, the SDK's number of paths, and 128K threads, but no number of options. The SDK's own,
// 256, has a block each: 64K threads. Its sweep (--shmoo) starts at 8 options, with 64 blocks each: 128K
// threads, the default here. Also 128K: --options 32 --blocks 16 and --options 512 --blocks 1, as the SDK
// would, and --options 1 --blocks 512, which reads each path once. A turn's stride is 1 KB times the number
// of blocks: a power of two, so that where address bits below it choose the memory partition, a warp's loads
// go to the same one in every turn.
#include "benchmark.h"

namespace {

using namespace yang2012;

enum { kOptions, kBlocks };
const Spec kSpec = {
    "MonteCarlo",
    "paths",
    1u << 18,
    256,
    1u << 26,
    1,
    {{"--options", "to price with the same paths", 8, 1, 512}, {"--blocks", "of an option", 64, 1, 4096}},
    {}};
const unsigned kThreads = 256;
const unsigned kMostOptions = 512;

struct Terms {  // of one option
  float price, strike, drift, spread;
};

struct Sums {
  float payoffs, squares;
};

__constant__ Terms option_terms[kMostOptions];

// Adds what every thread of a block has; thread 0 stores it.
__device__ void add_block(Sums mine, Sums* total) {
  __shared__ float payoffs[kThreads], squares[kThreads];
  payoffs[threadIdx.x] = mine.payoffs;
  squares[threadIdx.x] = mine.squares;
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x >= half) continue;
    payoffs[threadIdx.x] += payoffs[threadIdx.x + half];
    squares[threadIdx.x] += squares[threadIdx.x + half];
  }
  if (threadIdx.x == 0) {
    total->payoffs = payoffs[0];
    total->squares = squares[0];
  }
}

__device__ Sums walk(const float* samples, int paths, int first, int stride, const Terms& terms) {
  Sums sums = {0, 0};
#pragma unroll 1
  for (int i = first; i < paths; i += stride) {
    const float at_end = terms.price * __expf(terms.drift + terms.spread * samples[i]);
    const float payoff = fmaxf(at_end - terms.strike, 0.0f);
    sums.payoffs += payoff;
    sums.squares += payoff * payoff;
  }
  return sums;
}

}  // namespace

extern "C" __global__ void monte_carlo(Sums* partial, const float* samples, int paths) {
  const int thread = blockIdx.x * kThreads + threadIdx.x, threads = kThreads * gridDim.x;
  partial[blockIdx.y * threads + thread] = walk(samples, paths, thread, threads, option_terms[blockIdx.y]);
}

extern "C" __global__ void monte_carlo_reduce(Sums* totals, const Sums* partial, int threads) {
  Sums mine = {0, 0};
#pragma unroll 1
  for (int i = threadIdx.x; i < threads; i += kThreads) {
    const Sums other = partial[blockIdx.x * threads + i];
    mine.payoffs += other.payoffs;
    mine.squares += other.squares;
  }
  add_block(mine, totals + blockIdx.x);
}

extern "C" __global__ void monte_carlo_one_block(Sums* totals, const float* samples, int paths) {
  add_block(walk(samples, paths, threadIdx.x, kThreads, option_terms[blockIdx.x]), totals + blockIdx.x);
}

namespace {

// Box and Muller's.
void draw_samples(workload::Random& random, const Array<float>& samples) {
  for (size_t i = 0; i < samples.size(); i++) {
    const double radius = sqrt(-2 * log((random.next() + 1.0) / 4294967296.0));
    samples[i] = static_cast<float>(radius * cos(2 * 3.14159265358979323846 * random.next() / 4294967296.0));
  }
}

// The ranges of the SDK's sample: rate 0.06, volatility 0.10.
std::vector<Terms> draw_options(workload::Random& random, unsigned count) {
  std::vector<Terms> options(count);
  for (Terms& option : options) {
    option.price = random.uniform(5.0f, 50.0f);
    option.strike = random.uniform(10.0f, 25.0f);
    const float years = random.uniform(1.0f, 5.0f);
    option.drift = (0.06f - 0.5f * 0.10f * 0.10f) * years;
    option.spread = 0.10f * sqrtf(years);
  }
  return options;
}

// Sums in double precision. A payoff may be off by some ulp of the price at the end, the sums by some of
// theirs.
void check_option(Check& check, unsigned index, const Terms& terms, const Array<float>& samples,
                  const Sums& found) {
  double payoffs = 0, squares = 0, prices = 0, products = 0;
  for (size_t i = 0; i < samples.size(); i++) {
    const double at_end = terms.price * exp(terms.drift + static_cast<double>(terms.spread) * samples[i]);
    const double payoff = fmax(at_end - terms.strike, 0.0);
    payoffs += payoff;
    squares += payoff * payoff;
    prices += at_end;
    products += payoff * at_end;
  }
  check.element("payoffs of option", index, found.payoffs, payoffs, 2e-6 * prices);
  check.element("squares of option", index, found.squares, squares, 4e-6 * products);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv, kSpec);
  const unsigned paths = options.size, count = options.extra[kOptions], blocks = options.extra[kBlocks];
  workload::Random random(options.seed);
  const std::vector<Terms> terms = draw_options(random, count);
  Array<float> samples(options.memory, paths);
  draw_samples(random, samples);
  const unsigned threads = blocks * kThreads;
  Array<Sums> partial(options.memory, blocks == 1 ? 1 : static_cast<size_t>(count) * threads);
  Array<Sums> totals(options.memory, count);

  const Geometry geometry = {dim3(blocks, count), kThreads};
  duetMark("data ready");
  samples.to_device();
  CHECK_CUDA(cudaMemcpyToSymbol(option_terms, terms.data(), count * sizeof(Terms)));
  begin(options);
  for (unsigned i = 0; i < options.repeat; i++) {
    if (blocks == 1) {
      monte_carlo_one_block<<<count, kThreads>>>(totals.device(), samples.device(), static_cast<int>(paths));
    } else {
      monte_carlo<<<geometry.grid, geometry.block>>>(partial.device(), samples.device(),
                                                     static_cast<int>(paths));
      CHECK_LAUNCH("monte_carlo");
      monte_carlo_reduce<<<count, kThreads>>>(totals.device(), partial.device(), static_cast<int>(threads));
    }
    CHECK_LAUNCH("monte_carlo");
  }
  totals.to_host();
  duetMark("finish");

  Check check(kSpec);
  for (unsigned i = 0; i < count; i++) check_option(check, i, terms[i], samples, totals[i]);
  return check.finish(options, geometry, "2e-6*sum(price at the end)");
}
