// yang2012 Table 1, Blackscholes (BSc): European call and put prices of 1M options with 1M threads, 128 a
// block. The mathematics is that of the NVIDIA SDK's sample: two values of the cumulative normal distribution
// by the five-term polynomial of Abramowitz and Stegun, 26.2.17, with fast exponentials and logarithms. The
// SDK launches 480 blocks whose threads stride over the options; Table 1 has a thread an option, so there is
// no loop here. Division and square root are the approximate instructions: what a compiler made of the SDK's
// source for the processors of 2011 without IEEE division. lustig2013/BlackScholes.cu has the loop and IEEE
// arithmetic.
#include "../lustig2013/prices.h"
#include "benchmark.h"

namespace {

using namespace yang2012;

const Spec kSpec = {"BlackScholes", "options, a multiple of 128", 1u << 20, 128, 1u << 25, 128, {}, {}};
const unsigned kThreads = 128;

__device__ float normal_cdf(float x) {
  const float k = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(x));
  const float poly =
      k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float tail = 0.39894228f * __expf(-0.5f * x * x) * poly;
  return x > 0.0f ? 1.0f - tail : tail;
}

}  // namespace

extern "C" __global__ void black_scholes(float* call, float* put, const float* price, const float* strike,
                                         const float* years, float rate, float volatility, int n) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i >= n) return;
  const float s = price[i], x = strike[i], t = years[i];
  const float deviation = volatility * t * rsqrtf(t);
  const float d1 =
      __fdividef(__logf(__fdividef(s, x)) + (rate + 0.5f * volatility * volatility) * t, deviation);
  const float n1 = normal_cdf(d1), n2 = normal_cdf(d1 - deviation);
  const float discounted = x * __expf(-rate * t);
  call[i] = s * n1 - discounted * n2;
  put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
}

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv, kSpec);
  const unsigned n = options.size;
  Array<float> price(options.memory, n), strike(options.memory, n), years(options.memory, n);
  Array<float> call(options.memory, n), put(options.memory, n);
  lustig2013::draw_options(options.seed, price, strike, years, n);

  const Geometry geometry = {n / kThreads, kThreads};
  duetMark("data ready");
  price.to_device();
  strike.to_device();
  years.to_device();
  begin(options);
  for (unsigned i = 0; i < options.repeat; i++) {
    black_scholes<<<geometry.grid, geometry.block>>>(call.device(), put.device(), price.device(),
                                                     strike.device(), years.device(), lustig2013::kRate,
                                                     lustig2013::kVolatility, static_cast<int>(n));
    CHECK_LAUNCH("black_scholes");
  }
  call.to_host();
  put.to_host();
  duetMark("finish");

  Check check(kSpec);
  for (unsigned i = 0; i < n; i++) {
    const lustig2013::ExactPrices exact(price[i], strike[i], years[i]);
    check.element("call", i, call[i], exact.call, exact.tolerance);
    check.element("put", i, put[i], exact.put, exact.tolerance);
  }
  return check.finish(options, geometry, "1e-6*(price+strike)");
}
