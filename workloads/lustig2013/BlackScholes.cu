// lustig2013 Table 3, BlackScholes: prices of European call and put options (64K in the paper). Geometry,
// access pattern and mathematics are those of the NVIDIA GPU Computing SDK 4.2, C/src/BlackScholes: 480
// blocks of 128 threads for any number of options, so that a thread strides by the width of the grid
// (--blocks 0: one option a thread); exponentials and logarithms are the fast intrinsics, division and square
// root are rounded as IEEE has it; ranges of the inputs. The SDK launches the kernel 512 times to time it and
// copies only before and after; here an offload launches it once (--launches). The cumulative normal
// distribution on the GPU is the five-term polynomial of Abramowitz and Stegun, 26.2.17 (absolute error
// below 7.5e-8); the CPU uses erfc in double precision. Full/empty bits: the three inputs, emptied before an
// early launch; both results, emptied before the first of them is copied back early (offload.h).
#include "offload.h"
#include "prices.h"

namespace {

using namespace lustig2013;

enum { kBlocks, kLaunches };
const Spec kSpec = {
    "BlackScholes",
    "options",
    65536,
    1,
    1u << 25,
    1,
    {{"--blocks", "of the grid; 0: as many as there are options for", 480, 0, 65535},
     {"--launches", "of the kernel with the same inputs; the last one's results are copied back", 1, 1,
      1000}}};
const int kThreads = 128;

__device__ float normal_cdf(float x) {
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(x));
  float poly =
      k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  float tail = 0.39894228f * __expf(-0.5f * x * x) * poly;
  return x > 0.0f ? 1.0f - tail : tail;
}

__global__ void black_scholes(const float* price, const float* strike, const float* years, float* call,
                              float* put, int n, float rate, float volatility) {
  const int threads = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
    float s = price[i], x = strike[i], t = years[i];
    float deviation = volatility * sqrtf(t);
    float d1 = (__logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / deviation;
    float d2 = d1 - deviation;
    float n1 = normal_cdf(d1), n2 = normal_cdf(d2);
    float discounted = x * __expf(-rate * t);
    call[i] = s * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
  }
}

struct Problem {
  explicit Problem(const Options& given)
      : options(given),
        n(options.size),
        in(options, options.overlaps_start(), {n * sizeof(float), n * sizeof(float), n * sizeof(float)}),
        out(options, options.overlaps_finish(), {n * sizeof(float), n * sizeof(float)}),
        price(n, &in),
        strike(n, &in),
        years(n, &in),
        call(n, &out),
        put(n, &out),
        d_price(n, &in),
        d_strike(n, &in),
        d_years(n, &in),
        d_call(n, &out),
        d_put(n, &out) {
    if (options.extra[kLaunches] == 1) return;
    d_ignored_call = std::make_unique<Device<float>>(n);
    d_ignored_put = std::make_unique<Device<float>>(n);
  }

  void fill(unsigned long long seed) const {
    draw_options(seed, price, strike, years, n);
    call.poison();
    put.poison();
  }

  void run(const Streams& streams) const {
    const unsigned launches = options.extra[kLaunches];
    const unsigned blocks = options.extra[kBlocks] != 0
                                ? options.extra[kBlocks]
                                : static_cast<unsigned>((n + kThreads - 1) / kThreads);
    const auto price_options = [&](unsigned first, unsigned last, cudaStream_t stream) {
      for (unsigned i = first; i < last; i++) {
        const bool kept = i + 1 == launches;
        black_scholes<<<blocks, kThreads, 0, stream>>>(
            d_price.get(), d_strike.get(), d_years.get(), (kept ? d_call : *d_ignored_call).get(),
            (kept ? d_put : *d_ignored_put).get(), static_cast<int>(n), kRate, kVolatility);
        CHECK_LAUNCH("black_scholes");
      }
    };
    offload(
        options, streams, in, out, [&](cudaStream_t stream) { price_options(0, 1, stream); },
        [&](cudaStream_t stream) { price_options(1, launches, stream); });
  }

  int check() const {
    for (size_t i = 0; i < n; i++) {
      const ExactPrices exact(price[i], strike[i], years[i]);
      if (!(fabs(call[i] - exact.call) <= exact.tolerance))
        return report_mismatch(kSpec, "call", i, call[i], exact.call);
      if (!(fabs(put[i] - exact.put) <= exact.tolerance))
        return report_mismatch(kSpec, "put", i, put[i], exact.put);
    }
    return 0;
  }

  Options options;
  size_t n;
  Side in, out;
  Pinned<float> price, strike, years, call, put;
  Device<float> d_price, d_strike, d_years, d_call, d_put;
  std::unique_ptr<Device<float>> d_ignored_call, d_ignored_put;
};

}  // namespace

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv, kSpec);
  Problem problem(options);
  return run(kSpec, options, problem);
}
