// lustig2013 section 7.1: prices of European call and put options. As in NVIDIA's own reference
// (BlackScholesCPU of the SDK's BlackScholes) inputs and results are single precision, what lies between is
// double precision with the C library's functions, and the cumulative normal distribution is the five-term
// polynomial of Abramowitz and Stegun, 26.2.17. -DREAL=float: single precision throughout.
#include "../prices.h"

#include <cmath>
#include <vector>

#include "timed.h"

#ifndef REAL
#define REAL double
#endif

namespace {

using namespace lustig2013;
using Real = REAL;

const Program kProgram = {"BlackScholes", "OPTIONS", 65536, 1, 1ul << 25};

Real normal_cdf(Real x) {
  const Real k = 1 / (1 + Real(0.2316419) * std::fabs(x));
  const Real poly =
      k *
      (Real(0.319381530) +
       k * (Real(-0.356563782) + k * (Real(1.781477937) + k * (Real(-1.821255978) + k * Real(1.330274429)))));
  const Real tail = Real(0.39894228040143268) * std::exp(Real(-0.5) * x * x) * poly;
  return x > 0 ? 1 - tail : tail;
}

struct Arrays {
  explicit Arrays(std::size_t n) : price(n), strike(n), years(n), call(n), put(n) {}
  std::vector<float> price, strike, years, call, put;
};

[[gnu::noinline]] void price_options(Arrays& arrays, std::size_t first, std::size_t last) {
  const Real rate = kRate, volatility = kVolatility;
  for (std::size_t i = first; i < last; i++) {
    const Real s = arrays.price[i], x = arrays.strike[i], t = arrays.years[i];
    const Real deviation = volatility * std::sqrt(t);
    const Real d1 = (std::log(s / x) + (rate + Real(0.5) * volatility * volatility) * t) / deviation;
    const Real n1 = normal_cdf(d1), n2 = normal_cdf(d1 - deviation);
    const Real discounted = x * std::exp(-rate * t);
    arrays.call[i] = static_cast<float>(s * n1 - discounted * n2);
    arrays.put[i] = static_cast<float>(discounted * (1 - n2) - s * (1 - n1));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = kProgram.parse(argc, argv);
  const std::size_t n = options.size;
  Arrays arrays(n);
  measure(
      options,
      [&](unsigned long long seed) { draw_options(seed, arrays.price, arrays.strike, arrays.years, n); },
      [&] {
        in_parts(options, n,
                 [&](std::size_t first, std::size_t last) { price_options(arrays, first, last); });
      });
  for (std::size_t i = 0; i < n; i++) {
    const ExactPrices exact(arrays.price[i], arrays.strike[i], arrays.years[i]);
    if (!(std::fabs(arrays.call[i] - exact.call) <= exact.tolerance))
      return kProgram.wrong("call", i, arrays.call[i], exact.call);
    if (!(std::fabs(arrays.put[i] - exact.put) <= exact.tolerance))
      return kProgram.wrong("put", i, arrays.put[i], exact.put);
  }
}
