// The double-precision functions under test: limit in ulp, interval of the dense samples, reference.
#ifndef DUET_TESTS_DEVICE_MATH_DOUBLE_CASES_H
#define DUET_TESTS_DEVICE_MATH_DOUBLE_CASES_H

#include "duet_math_double.h"
#include "judge.h"

using Long = long double;

/// sin(pi x) for shift 0 and cos(pi x) for shift 1, by an exact reduction.
inline Long trigonometric_pi(Long x, int shift) {
  if (!std::isfinite(x)) return NAN;
  const Long r = std::fmod(shift != 0 ? std::fabs(x) : x, 2.0L), q = std::rint(2 * r), t = r - q / 2;
  const int n = static_cast<int>(q) + shift;
  if (t == 0 && (n & 1) == 0) return shift != 0 ? 0.0L : std::copysign(0.0L, x);
  const Long v = (n & 1) != 0 ? std::cos(3.14159265358979323846264338327950288L * t)
                              : std::sin(3.14159265358979323846264338327950288L * t);
  return (n & 2) != 0 ? -v : v;
}

inline void double_cases() {
  sweep<double>("exp", 1, -746, 710, __nv_exp, [](Long x) { return std::exp(x); });
  sweep<double>("exp2", 1, -1075, 1025, __nv_exp2, [](Long x) { return std::exp2(x); });
  sweep<double>("exp10", 1, -324, 309, __nv_exp10, [](Long x) { return exp10l(x); });
  sweep<double>("expm1", 1, -5, 5, __nv_expm1, [](Long x) { return std::expm1(x); });
  sweep<double>("log", 1, 0, 3, __nv_log, [](Long x) { return std::log(x); });
  sweep<double>("log2", 1, 0, 3, __nv_log2, [](Long x) { return std::log2(x); });
  sweep<double>("log10", 1, 0, 3, __nv_log10, [](Long x) { return std::log10(x); });
  sweep<double>("log1p", 1, -1, 3, __nv_log1p, [](Long x) { return std::log1p(x); });
  sweep<double>("sin", 2, -100, 100, __nv_sin, [](Long x) { return std::sin(x); });
  sweep<double>("cos", 2, -100, 100, __nv_cos, [](Long x) { return std::cos(x); });
  sweep<double>(
      "sincos.sin", 2, -1e6, 1e6,
      [](double x) {
        double s, c;
        __nv_sincos(x, &s, &c);
        return s;
      },
      [](Long x) { return std::sin(x); });
  sweep<double>(
      "sincos.cos", 2, -1e6, 1e6,
      [](double x) {
        double s, c;
        __nv_sincos(x, &s, &c);
        return c;
      },
      [](Long x) { return std::cos(x); });
  sweep<double>("tan", 2, -100, 100, __nv_tan, [](Long x) { return std::tan(x); });
  sweep<double>("sinpi", 2, -4, 4, __nv_sinpi, [](Long x) { return trigonometric_pi(x, 0); });
  sweep<double>("cospi", 2, -4, 4, __nv_cospi, [](Long x) { return trigonometric_pi(x, 1); });
  sweep<double>("asin", 2, -1, 1, __nv_asin, [](Long x) { return std::asin(x); });
  sweep<double>("acos", 2, -1, 1, __nv_acos, [](Long x) { return std::acos(x); });
  sweep<double>("atan", 2, -4, 4, __nv_atan, [](Long x) { return std::atan(x); });
  sweep2<double>("atan2", 2, -4, 4, -4, 4, __nv_atan2, [](Long y, Long x) { return std::atan2(y, x); });
  sweep<double>("sinh", 2, -4, 4, __nv_sinh, [](Long x) { return std::sinh(x); });
  sweep<double>("cosh", 1, -4, 4, __nv_cosh, [](Long x) { return std::cosh(x); });
  sweep<double>("tanh", 1, -4, 4, __nv_tanh, [](Long x) { return std::tanh(x); });
  sweep<double>("asinh", 3, -4, 4, __nv_asinh, [](Long x) { return std::asinh(x); });
  sweep<double>("acosh", 3, 1, 5, __nv_acosh, [](Long x) { return std::acosh(x); });
  sweep<double>("atanh", 2, -1, 1, __nv_atanh, [](Long x) { return std::atanh(x); });
  sweep2<double>("pow", 2, 0, 4, -400, 400, __nv_pow, [](Long x, Long y) { return std::pow(x, y); });
  sweep<double>("rsqrt", 1, 0, 4, __nv_rsqrt, [](Long x) { return 1 / std::sqrt(x); });
  sweep<double>("cbrt", 1, -8, 8, __nv_cbrt, [](Long x) { return std::cbrt(x); });
  sweep<double>("rcbrt", 1, -8, 8, __nv_rcbrt, [](Long x) { return 1 / std::cbrt(x); });
}

#endif
