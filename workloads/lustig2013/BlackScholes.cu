// lustig2013 Table 3, BlackScholes: prices of European call and put options (64K in the paper), one option a
// thread. The cumulative normal distribution on the GPU is the five-term polynomial of Abramowitz and
// Stegun, 26.2.17 (absolute error below 7.5e-8); the CPU uses erfc in double precision.
#include "common.h"

namespace {

using namespace lustig2013;

const Spec kSpec = {"BlackScholes", "options", 65536, 1, 1u << 25, 1};
const int kThreads = 128;
const float kRate = 0.02f;
const float kVolatility = 0.30f;

__device__ float normal_cdf(float x) {
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(x));
  float poly =
      k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  float tail = 0.39894228f * expf(-0.5f * x * x) * poly;
  return x > 0.0f ? 1.0f - tail : tail;
}

__global__ void black_scholes(const float* price, const float* strike, const float* years, float* call,
                              float* put, int n, float rate, float volatility) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = price[i], x = strike[i], t = years[i];
  float deviation = volatility * sqrtf(t);
  float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / deviation;
  float d2 = d1 - deviation;
  float n1 = normal_cdf(d1), n2 = normal_cdf(d2);
  float discounted = x * expf(-rate * t);
  call[i] = s * n1 - discounted * n2;
  put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
}

struct Problem {
  explicit Problem(const Options& options)
      : n(options.size),
        price(n),
        strike(n),
        years(n),
        call(n),
        put(n),
        d_price(n),
        d_strike(n),
        d_years(n),
        d_call(n),
        d_put(n) {
    workload::Random random(options.seed);
    for (int i = 0; i < n; i++) {
      price[i] = random.uniform(5.0f, 30.0f);
      strike[i] = random.uniform(1.0f, 100.0f);
      years[i] = random.uniform(0.25f, 10.0f);
    }
  }
  int n;
  Pinned<float> price, strike, years, call, put;
  Device<float> d_price, d_strike, d_years, d_call, d_put;
};

void launch(const Problem& p, const Stream& stream) {
  black_scholes<<<(p.n + kThreads - 1) / kThreads, kThreads, 0, stream.get()>>>(
      p.d_price.get(), p.d_strike.get(), p.d_years.get(), p.d_call.get(), p.d_put.get(), p.n, kRate,
      kVolatility);
  CHECK_LAUNCH("black_scholes");
}

void offload_baseline(const Problem& p, const Stream& stream) {
  duetMark("data ready");
  copy_in(p.d_price, p.price, stream);
  copy_in(p.d_strike, p.strike, stream);
  copy_in(p.d_years, p.years, stream);
  launch(p, stream);
  copy_out(p.call, p.d_call, stream);
  copy_out(p.put, p.d_put, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream.get()));
  duetMark("finish");
}

double exact_normal_cdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }

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
  for (int i = 0; i < problem.n; i++) {
    double s = problem.price[i], x = problem.strike[i], t = problem.years[i];
    double deviation = kVolatility * sqrt(t);
    double d1 = (log(s / x) + (kRate + 0.5 * kVolatility * kVolatility) * t) / deviation;
    double d2 = d1 - deviation;
    double discounted = x * exp(-kRate * t);
    double call = s * exact_normal_cdf(d1) - discounted * exact_normal_cdf(d2);
    double put = discounted * exact_normal_cdf(-d2) - s * exact_normal_cdf(-d1);
    // The distribution and its float evaluation are good to a few 1e-7 and get multiplied by price and
    // strike.
    double tolerance = 1e-6 * (s + x);
    if (!(fabs(problem.call[i] - call) <= tolerance))
      return report_mismatch(kSpec, "call", i, problem.call[i], call);
    if (!(fabs(problem.put[i] - put) <= tolerance))
      return report_mismatch(kSpec, "put", i, problem.put[i], put);
  }
  printf("PASS BlackScholes %u\n", options.size);
  return 0;
}
