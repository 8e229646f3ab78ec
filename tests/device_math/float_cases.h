// The single-precision functions under test: limit in ulp, interval of the dense samples, reference.
#ifndef DUET_TESTS_DEVICE_MATH_FLOAT_CASES_H
#define DUET_TESTS_DEVICE_MATH_FLOAT_CASES_H

#include "duet_math_float.h"
#include "judge.h"

inline void float_cases() {
  using D = double;
  const double pi = 3.14159265358979323846;
  auto sinpi = [=](D x) -> D {
    if (!std::isfinite(x)) return NAN;
    const D r = std::fmod(x, 2.0), q = std::rint(2 * r), t = r - q / 2;
    if (t == 0 && std::fmod(q, 2.0) == 0) return std::copysign(0.0, x);
    const int n = static_cast<int>(q) & 3;
    const D v = (n & 1) != 0 ? std::cos(pi * t) : std::sin(pi * t);
    return (n & 2) != 0 ? -v : v;
  };
  auto cospi = [=](D x) -> D {
    if (!std::isfinite(x)) return NAN;
    const D r = std::fmod(std::fabs(x), 2.0), q = std::rint(2 * r), t = r - q / 2;
    const int n = static_cast<int>(q) & 3;
    if (t == 0 && (n & 1) != 0) return 0;
    const D v = (n & 1) != 0 ? std::sin(pi * t) : std::cos(pi * t);
    return ((n + 1) & 2) != 0 ? -v : v;
  };
  sweep<float>("expf", 2, -104, 89, __nv_expf, [](D x) { return std::exp(x); });
  sweep<float>("exp2f", 2, -150, 129, __nv_exp2f, [](D x) { return std::exp2(x); });
  sweep<float>("exp10f", 2, -46, 39, __nv_exp10f, [](D x) { return exp10(x); });
  sweep<float>("expm1f", 1, -5, 5, __nv_expm1f, [](D x) { return std::expm1(x); });
  sweep<float>("logf", 1, 0, 3, __nv_logf, [](D x) { return std::log(x); });
  sweep<float>("log2f", 1, 0, 3, __nv_log2f, [](D x) { return std::log2(x); });
  sweep<float>("log10f", 2, 0, 3, __nv_log10f, [](D x) { return std::log10(x); });
  sweep<float>("log1pf", 1, -1, 3, __nv_log1pf, [](D x) { return std::log1p(x); });
  sweep<float>("sinf", 2, -100, 100, __nv_sinf, [](D x) { return std::sin(x); });
  sweep<float>("cosf", 2, -100, 100, __nv_cosf, [](D x) { return std::cos(x); });
  sweep<float>(
      "sincosf.sin", 2, -100, 100,
      [](float x) {
        float s, c;
        __nv_sincosf(x, &s, &c);
        return s;
      },
      [](D x) { return std::sin(x); });
  sweep<float>(
      "sincosf.cos", 2, -100, 100,
      [](float x) {
        float s, c;
        __nv_sincosf(x, &s, &c);
        return c;
      },
      [](D x) { return std::cos(x); });
  sweep<float>("tanf", 4, -100, 100, __nv_tanf, [](D x) { return std::tan(x); });
  sweep<float>("sinpif", 1, -4, 4, __nv_sinpif, sinpi);
  sweep<float>("cospif", 1, -4, 4, __nv_cospif, cospi);
  sweep<float>("asinf", 2, -1, 1, __nv_asinf, [](D x) { return std::asin(x); });
  sweep<float>("acosf", 2, -1, 1, __nv_acosf, [](D x) { return std::acos(x); });
  sweep<float>("atanf", 2, -4, 4, __nv_atanf, [](D x) { return std::atan(x); });
  sweep2<float>("atan2f", 3, -4, 4, -4, 4, __nv_atan2f, [](D y, D x) { return std::atan2(y, x); });
  sweep<float>("sinhf", 3, -4, 4, __nv_sinhf, [](D x) { return std::sinh(x); });
  sweep<float>("coshf", 2, -4, 4, __nv_coshf, [](D x) { return std::cosh(x); });
  sweep<float>("tanhf", 2, -4, 4, __nv_tanhf, [](D x) { return std::tanh(x); });
  sweep<float>("asinhf", 3, -4, 4, __nv_asinhf, [](D x) { return std::asinh(x); });
  sweep<float>("acoshf", 4, 1, 5, __nv_acoshf, [](D x) { return std::acosh(x); });
  sweep<float>("atanhf", 3, -1, 1, __nv_atanhf, [](D x) { return std::atanh(x); });
  sweep2<float>("powf", 4, 0, 4, -40, 40, __nv_powf, [](D x, D y) { return std::pow(x, y); });
  sweep2<float>(
      "powif", 4, -4, 4, -40, 40,
      [](float x, float n) {
        return __nv_powif(x, static_cast<int>(std::isfinite(n) && std::fabs(n) < 1e9f ? n : 3));
      },
      [](D x, D n) { return std::pow(x, std::isfinite(n) && std::fabs(n) < 1e9f ? std::trunc(n) : 3); });
  sweep<float>("rsqrtf", 2, 0, 4, __nv_rsqrtf, [](D x) { return 1 / std::sqrt(x); });
  sweep<float>("cbrtf", 1, -8, 8, __nv_cbrtf, [](D x) { return std::cbrt(x); });
  sweep<float>("rcbrtf", 1, -8, 8, __nv_rcbrtf, [](D x) { return 1 / std::cbrt(x); });
}

#endif
