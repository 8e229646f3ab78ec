// The error functions, their inverses and the gamma function under test: limit in ulp, interval of the dense
// samples, reference. An inverse is judged against two Newton steps in long double that start from it.
#ifndef DUET_TESTS_DEVICE_MATH_SPECIAL_CASES_H
#define DUET_TESTS_DEVICE_MATH_SPECIAL_CASES_H

#include "duet_math_special.h"
#include "judge.h"

namespace special {
using L = long double;
constexpr L root_pi = 1.77245385090551602729816748334114518280L;

inline L erfcx(L x) {
  if (x < 10) return std::exp(x * x) * std::erfc(x);
  if (std::isinf(x)) return 0;
  L tail = 1, term = 1;
  for (int k = 1; k < 30 && std::fabs(term) > 1e-22L; k++) {
    term *= -(2 * k - 1) / (2 * x * x);
    tail += term;
  }
  return tail / (x * root_pi);
}
inline L erfinv(L x, L start) {
  if (!std::isfinite(start)) return start;
  for (int i = 0; i < 2; i++) start -= (std::erf(start) - x) * root_pi / 2 * std::exp(start * start);
  return x == 0 ? x : start;
}
inline L erfcinv(L y, L start) {
  if (!std::isfinite(start)) return start;
  if (y > 0.5L) return y == 1 ? 0 : erfinv(1 - y, start);
  for (int i = 0; i < 2; i++) start += (erfcx(start) - std::exp(start * start + std::log(y))) * root_pi / 2;
  return start;
}
}  // namespace special

inline void special_cases() {
  using D = double;
  using L = long double;
  sweep<float>("erff", 2, -4, 4, __nv_erff, [](D x) { return std::erf(x); });
  sweep<float>("erfcf", 4, -4, 11, __nv_erfcf, [](D x) { return std::erfc(x); });
  sweep<float>("erfcxf", 4, -9.4f, 11, __nv_erfcxf, [](D x) { return static_cast<D>(special::erfcx(x)); });
  sweep<float>("normcdff", 5, -15, 6, __nv_normcdff,
               [](D x) { return static_cast<D>(std::erfc(-static_cast<L>(x) * std::sqrt(0.5L)) / 2); });
  sweep<float>("erfinvf", 2, -1, 1, __nv_erfinvf,
               [](D x) { return static_cast<D>(special::erfinv(x, __nv_erfinv(x))); });
  sweep<float>("erfcinvf", 4, 0, 2, __nv_erfcinvf,
               [](D y) { return static_cast<D>(special::erfcinv(y, __nv_erfcinv(y))); });
  sweep<float>("normcdfinvf", 5, 0, 1, __nv_normcdfinvf, [](D p) {
    return static_cast<D>(-std::sqrt(2.0L) * special::erfcinv(2 * p, __nv_erfcinv(2 * p)));
  });
  // Between its zeros on the negative side the guide gives no limit.
  sweep<float>(
      "lgammaf", 6, -2, 60, [](float x) { return x > -10.001f && x < -2.264f ? 0 : __nv_lgammaf(x); },
      [](D x) { return x > -10.001f && x < -2.264f ? 0 : std::lgamma(x); });
  sweep<float>("tgammaf", 5, -40, 36, __nv_tgammaf,
               [](D x) { return x == std::trunc(x) && x < 0 ? NAN : std::tgamma(x); });

  sweep<double>("erf", 2, -6, 6, __nv_erf, [](L x) { return std::erf(x); });
  sweep<double>("erfc", 5, -6, 28, __nv_erfc, [](L x) { return std::erfc(x); });
  sweep<double>("erfcx", 4, -26.7, 30, __nv_erfcx, [](L x) { return special::erfcx(x); });
  sweep<double>("normcdf", 5, -39, 8, __nv_normcdf, [](L x) { return std::erfc(-x * std::sqrt(0.5L)) / 2; });
  sweep<double>("erfinv", 5, -1, 1, __nv_erfinv,
                [](L x) { return special::erfinv(x, __nv_erfinv(static_cast<double>(x))); });
  sweep<double>("erfcinv", 6, 0, 2, __nv_erfcinv,
                [](L y) { return special::erfcinv(y, __nv_erfcinv(static_cast<double>(y))); });
  sweep<double>("normcdfinv", 8, 0, 1, __nv_normcdfinv, [](L p) {
    return -std::sqrt(2.0L) * special::erfcinv(2 * p, __nv_erfcinv(static_cast<double>(2 * p)));
  });
  sweep<double>(
      "lgamma", 4, 0, 60, [](double x) { return __nv_lgamma(std::fabs(x)); },
      [](L x) { return std::lgamma(std::fabs(x)); });
  sweep<double>("tgamma", 10, -180, 172, __nv_tgamma,
                [](L x) { return x == std::trunc(x) && x < 0 ? NAN : std::tgamma(x); });
}

#endif
