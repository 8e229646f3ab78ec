/* The error function and its relatives, and the gamma function. The error functions are one template for both
 * precisions; their inverses and the gamma functions in single precision are the double ones rounded, since
 * programs hardly use them. Largest errors: the table of the CUDA C++ Programming Guide, which
 * tests/device_math checks. */
#ifndef DUET_MATH_SPECIAL_H
#define DUET_MATH_SPECIAL_H

#include "duet_math_double.h"
#include "duet_math_float.h"

/* ---- error functions ---- */
DUET_MATH float duet_exp_scaled(float hi, float lo, int shift) { return duet_expf_core(hi, lo, shift); }
DUET_MATH double duet_exp_scaled(double hi, double lo, int shift) { return duet_exp_core(hi, lo, shift); }
DUET_MATH float duet_erf_poly(float z) { return duet_poly(z, DUET_ERF_F); }
DUET_MATH double duet_erf_poly(double z) { return duet_poly(z, DUET_ERF_D); }
DUET_MATH float duet_erfcx_poly(float t) { return duet_poly(t, DUET_ERFCX_F); }
DUET_MATH double duet_erfcx_poly(double t) { return duet_poly(t, DUET_ERFCX_D); }

/** exp(x x) erfc(x) for x >= 0. */
template <class T>
DUET_MATH T duet_erfcx_positive(T x) {
  if (x > (T)1e10) return (T)0x1.20dd750429b6dp-1 / x;
  // Near 0 the rounding of t would show.
  if (x < (T)0.5) return duet_exp_scaled(x * x, (T)0, 0) * ((T)1 - duet_fma(x, duet_erf_poly(x * x), x));
  const T t = (x - (T)4) / (x + (T)4);
  return duet_erfcx_poly(t) / ((T)1 + x + x);
}
/** erfc(x + low) for x >= 1/2. The scale keeps the product normal, so that a subnormal result rounds once. */
template <class T>
DUET_MATH T duet_erfc_positive(T x, T low) {
  if (x > (sizeof(T) == 4 ? (T)10.3 : (T)27.5)) return (T)0;
  const int shift = 2 * DuetFormat<T>::significand_bits;
  const DuetPair<T> square = duet_product(x, x);
  const T e = duet_exp_scaled(-square.hi, -duet_fma((T)2 * x, low, square.lo), shift);
  return e * duet_erfcx_positive(x) * duet_pow2<T>(-shift);
}
template <class T>
DUET_MATH T duet_erf(T x) {
  const T a = duet_abs(x);
  if (a < (T)1) return duet_fma(x, duet_erf_poly(x * x), x);
  if (a != a) return x;
  return duet_copysign((T)1 - duet_erfc_positive(a, (T)0), x);
}
/** erfc(x + low), |low| at most an ulp of x. */
template <class T>
DUET_MATH T duet_erfc(T x, T low) {
  if (x != x) return x;
  if (duet_abs(x) < (T)0.5) return (T)1 - (duet_erf(x) + (T)0x1.20dd750429b6dp+0 * low);
  return x > (T)0 ? duet_erfc_positive(x, low) : (T)2 - duet_erfc_positive(-x, -low);
}
template <class T>
DUET_MATH T duet_erfcx(T x) {
  if (x != x) return x;
  if (x >= (T)0) return duet_erfcx_positive(x);
  if (x < (T)-30) return duet_inf<T>();
  // 2 exp(x x) - erfcx(-x); the exponential is halved against overflow.
  const DuetPair<T> square = duet_product(x, x);
  const T half = duet_exp_scaled(square.hi, square.lo, -1);
  return (T)4 * (half - (T)0.25 * duet_erfcx_positive(-x));
}
/** The normal distribution: erfc(-x / sqrt 2) / 2, the argument with its rounding error. */
template <class T>
DUET_MATH T duet_normcdf(T x, T root_hi, T root_lo) {
  if (!(duet_abs(x) < (T)40)) return x != x ? x : x > (T)0 ? (T)1 : (T)0;
  const DuetPair<T> p = duet_product(-x, root_hi);
  const T low = duet_fma(-x, root_lo, p.lo);
  // Half of a subnormal erfc would round twice.
  if (p.hi < (T)0.5) return (T)0.5 * duet_erfc(p.hi, low);
  const int shift = 2 * DuetFormat<T>::significand_bits;
  const DuetPair<T> square = duet_product(p.hi, p.hi);
  const T e = duet_exp_scaled(-square.hi, -duet_fma((T)2 * p.hi, low, square.lo), shift);
  return e * duet_erfcx_positive(p.hi) * duet_pow2<T>(-shift - 1);
}
DUET_MATH float __nv_erff(float x) { return duet_erf(x); }
DUET_MATH double __nv_erf(double x) { return duet_erf(x); }
DUET_MATH float __nv_erfcf(float x) { return duet_erfc(x, 0.f); }
DUET_MATH double __nv_erfc(double x) { return duet_erfc(x, 0.0); }
DUET_MATH float __nv_erfcxf(float x) { return duet_erfcx(x); }
DUET_MATH double __nv_erfcx(double x) { return duet_erfcx(x); }
DUET_MATH float __nv_normcdff(float x) { return duet_normcdf(x, DUET_SQRT_HALF_F_HI, DUET_SQRT_HALF_F_LO); }
DUET_MATH double __nv_normcdf(double x) { return duet_normcdf(x, DUET_SQRT_HALF_D_HI, DUET_SQRT_HALF_D_LO); }

/* ---- their inverses ---- */
/** About erfinv(sqrt(1 - s)), within half a percent, from the logarithm of s. */
DUET_MATH double duet_erfinv_guess(double log_s) {
  const double a = 0.147, t = 2.0 / (3.14159265358979 * a) + 0.5 * log_s;
  return duet_sqrt(duet_sqrt(t * t - log_s / a) - t);
}
/** w with erf(w) = x for |x| <= 1/2: two steps of Halley's method, each cubing the error. */
DUET_MATH double duet_erfinv_inner(double x) {
  if (duet_abs(x) < 0x1p-28) return x * 0x1.c5bf891b4ef6bp-1;
  double w = duet_copysign(duet_erfinv_guess(__nv_log1p(-x * x)), x);
  for (int i = 0; i < 2; i++) {
    const double u = (duet_erf(w) - x) * 0x1.c5bf891b4ef6bp-1 * duet_exp_core(w * w, 0.0, 0);
    w -= u / duet_fma(w, u, 1.0);
  }
  return w;
}
/** w with erfc(w) = y for 0 < y <= 1/2, by the same method on the scaled function. */
DUET_MATH double duet_erfcinv_outer(double y) {
  const DuetPair<double> log_y = duet_log_pair(y);
  double w = duet_erfinv_guess(log_y.hi + __nv_log(2.0 - y));
  // Far out, erfc(w) is exp(-w w) / (w sqrt(pi)).
  if (y < 1e-10) w = duet_sqrt(-log_y.hi - __nv_log(1.7724538509055159 * w));
  for (int i = 0; i < 2; i++) {
    const DuetPair<double> exponent = duet_add(duet_product(w, w), log_y);
    const double u =
        (duet_exp_core(exponent.hi, exponent.lo, 0) - duet_erfcx_positive(w)) * 0x1.c5bf891b4ef6bp-1;
    w -= u / duet_fma(w, u, 1.0);
  }
  return w;
}
DUET_MATH double __nv_erfinv(double x) {
  const double a = duet_abs(x);
  if (!(a < 1.0)) return a == 1.0 ? duet_copysign(duet_inf<double>(), x) : duet_nan<double>();
  return a <= 0.5 ? duet_erfinv_inner(x) : duet_copysign(duet_erfcinv_outer(1.0 - a), x);
}
DUET_MATH double __nv_erfcinv(double y) {
  if (!(y > 0.0 && y < 2.0)) {
    return y == 0.0 ? duet_inf<double>() : y == 2.0 ? -duet_inf<double>() : duet_nan<double>();
  }
  if (y >= 0.5 && y <= 1.5) return duet_erfinv_inner(1.0 - y);
  return y < 0.5 ? duet_erfcinv_outer(y) : -duet_erfcinv_outer(2.0 - y);
}
DUET_MATH double __nv_normcdfinv(double p) {
  if (p < 0.25)
    return p > 0.0    ? -1.4142135623730951 * duet_erfcinv_outer(2.0 * p)
           : p == 0.0 ? -duet_inf<double>()
                      : duet_nan<double>();
  return -1.4142135623730951 * __nv_erfcinv(2.0 * p);
}
DUET_MATH float __nv_erfinvf(float x) { return (float)__nv_erfinv(x); }
DUET_MATH float __nv_erfcinvf(float y) { return (float)__nv_erfcinv(y); }
DUET_MATH float __nv_normcdfinvf(float p) { return (float)__nv_normcdfinv(p); }

/* ---- gamma function ---- */
/** log gamma(x) for x >= 8 by Stirling's series, as a pair. */
DUET_MATH DuetPair<double> duet_stirling(double x) {
  const DuetPair<double> l = duet_log_pair(x);
  const double inverse = 1.0 / x;
  const double series = inverse * duet_poly(inverse * inverse, DUET_STIRLING_D);
  // x (log x - 1) - log(x)/2 + log(2 pi)/2
  DuetPair<double> sum = duet_mul(duet_add(l, DuetPair<double>{-1.0, 0.0}), x);
  sum = duet_add(sum, DuetPair<double>{-0.5 * l.hi, -0.5 * l.lo});
  return duet_add(sum, duet_sum(0x1.d67f1c864beb5p-1, series - 0x1.65b5a1b7ff5dfp-55));
}
/** log gamma(x) for 1 <= x <= 2.5, given x - 1 and x - 2. */
DUET_MATH double duet_lgamma_middle(double x, double less1, double less2) {
  const double p = x < 1.5   ? duet_poly(x - 1.25, DUET_LGAMMA1_D)
                   : x < 2.0 ? duet_poly(x - 1.75, DUET_LGAMMA2_D)
                             : duet_poly(x - 2.25, DUET_LGAMMA3_D);
  return less1 * less2 * p + 0.0;
}
DUET_MATH double duet_lgamma_positive(double x) {
  if (x > 1e300) return x < duet_inf<double>() ? x * (__nv_log(x) - 1.0) : x;
  if (x >= 8.0) return duet_stirling(x).hi;
  if (x < 1.0) return duet_lgamma_middle(1.0 + x, x, x - 1.0) - __nv_log(x);
  double product = 1.0;
  while (x > 2.5) {
    x -= 1.0;
    product *= x;
  }
  const double rest = duet_lgamma_middle(x, x - 1.0, x - 2.0);
  return product == 1.0 ? rest : __nv_log(product) + rest;
}
DUET_MATH double __nv_lgamma(double x) {
  if (x > 0.0) return duet_lgamma_positive(x);
  if (x != x) return x;
  if (duet_trunc(x) == x) return duet_inf<double>();
  if (x > -0x1p-60) return -__nv_log(-x);
  // gamma(x) gamma(-x) = -pi / (x sin(pi x))
  return __nv_log(3.1415926535897931 / duet_abs(x * __nv_sinpi(x))) - duet_lgamma_positive(-x);
}
DUET_MATH double __nv_tgamma(double x) {
  if (!(duet_abs(x) < duet_inf<double>())) return x > 0.0 || x != x ? x : duet_nan<double>();
  if (x == 0.0) return 1.0 / x;
  if (x < 0.0 && duet_trunc(x) == x) return duet_nan<double>();
  if (x > 180.0) return duet_inf<double>();
  if (x >= 20.0) {
    const DuetPair<double> l = duet_stirling(x);
    return duet_exp_core(l.hi, l.lo, 0);
  }
  if (x < -20.0) {
    if (x < -190.0) return duet_fma(0.5, duet_floor(x), 0.0) == duet_floor(0.5 * duet_floor(x)) ? 0.0 : -0.0;
    const DuetPair<double> l = duet_stirling(-x);
    const double factor = -3.1415926535897931 / (x * __nv_sinpi(x));
    // The scale keeps the product normal, so that a subnormal result rounds once.
    return duet_exp_core(-l.hi, -l.lo, 120) * factor * 0x1p-120;
  }
  // Down or up to [1, 2], with the product of what was passed in twice the precision.
  DuetPair<double> product = {1.0, 0.0}, u = {x, 0.0};
  const bool up = x < 1.0;
  while (u.hi > 2.0) {
    u.hi -= 1.0;
    product = duet_mul(product, u.hi);
  }
  while (u.hi < 1.0) {
    product = duet_mul(product, u);
    u = duet_add(u, DuetPair<double>{1.0, 0.0});
  }
  const double g = duet_poly((u.hi - 1.5) + u.lo, DUET_GAMMA_D);
  return up ? g / product.hi : g * product.hi;
}
DUET_MATH float __nv_lgammaf(float x) { return (float)__nv_lgamma(x); }
DUET_MATH float __nv_tgammaf(float x) { return (float)__nv_tgamma(x); }

#endif
