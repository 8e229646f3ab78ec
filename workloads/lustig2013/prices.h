// BlackScholes' options, drawn from the ranges of the NVIDIA GPU Computing SDK 4.2 (C/src/BlackScholes), and
// their exact prices (erfc, double precision) that results are checked against.
#pragma once

#include <math.h>
#include <stddef.h>

#include "../common/random.h"

namespace lustig2013 {

const float kRate = 0.02f;
const float kVolatility = 0.30f;

template <typename Floats>
void draw_options(unsigned long long seed, Floats& price, Floats& strike, Floats& years, size_t count) {
  workload::Random random(seed);
  for (size_t i = 0; i < count; i++) {
    price[i] = random.uniform(5.0f, 30.0f);
    strike[i] = random.uniform(1.0f, 100.0f);
    years[i] = random.uniform(0.25f, 10.0f);
  }
}

struct ExactPrices {
  ExactPrices(double s, double x, double t) {
    const auto normal_cdf = [](double d) { return 0.5 * erfc(-d * 0.70710678118654752440); };
    double deviation = kVolatility * sqrt(t);
    double d1 = (log(s / x) + (kRate + 0.5 * kVolatility * kVolatility) * t) / deviation;
    double d2 = d1 - deviation;
    double discounted = x * exp(-kRate * t);
    call = s * normal_cdf(d1) - discounted * normal_cdf(d2);
    put = discounted * normal_cdf(-d2) - s * normal_cdf(-d1);
    // The five-term distribution and its float evaluation are good to a few 1e-7 and get multiplied by price
    // and strike.
    tolerance = 1e-6 * (s + x);
  }
  double call, put, tolerance;
};

}  // namespace lustig2013
