/* Elementary functions in double precision: exponentials, logarithms, powers, trigonometric and hyperbolic
 * functions and their inverses, roots. Logarithms and powers share one logarithm that carries about 66 bits.
 * Largest errors: the table of the CUDA C++ Programming Guide, which tests/device_math checks. */
#ifndef DUET_MATH_DOUBLE_H
#define DUET_MATH_DOUBLE_H

#include "duet_math_base.h"
#include "duet_math_float.h"

/* ---- exponentials ---- */
/** exp(hi + lo) / 2^*k as a pair. */
DUET_MATH DuetPair<double> duet_exp_pair(double hi, double lo, int* k) {
  const double n = duet_rint(hi * DUET_LOG2E_D_HI);
  const double part = duet_fma(-n, DUET_LN2_D_HI, hi), main = duet_fma(-n, DUET_LN2_D_LO, part);
  // `lo` may be large against an ulp of the remainder; the rest below must not be.
  const DuetPair<double> reduced = duet_sum(main, duet_fma(-n, DUET_LN2_D_LO, part - main) + lo);
  const double r = reduced.hi, rest = reduced.lo;
  *k = (int)n;
  const DuetPair<double> sum = duet_fast_sum(1.0, r);
  return duet_fast_sum(sum.hi, sum.lo + duet_fma(r * r, duet_poly(r, DUET_EXP_D), duet_fma(r, rest, rest)));
}
/** exp(hi + lo) * 2^shift. Beyond +-800 the result is 0 or infinity. */
DUET_MATH double duet_exp_core(double hi, double lo, int shift) {
  if (!(hi > -800.0)) return hi != hi ? hi : 0.0;
  if (hi > 800.0) return duet_inf<double>();
  int k;
  const DuetPair<double> e = duet_exp_pair(hi, lo, &k);
  return duet_scale(e.hi, k + shift);
}
DUET_MATH double __nv_exp(double x) { return duet_exp_core(x, 0.0, 0); }
DUET_MATH double __nv_exp2(double x) {
  if (!(x > -1200.0)) return x != x ? x : 0.0;
  if (x > 1200.0) return duet_inf<double>();
  const double k = duet_rint(x), r = x - k;
  return duet_scale(duet_fma(r, duet_poly(r, DUET_EXP2_D), 1.0), (int)k);
}
DUET_MATH double __nv_exp10(double x) {
  if (!(x > -350.0)) return x != x ? x : 0.0;
  if (x > 350.0) return duet_inf<double>();
  const double k = duet_rint(x * 0x1.a934f0979a371p+1);
  const double part = duet_fma(-k, DUET_LG2_D_HI, x), r = duet_fma(-k, DUET_LG2_D_LO, part);
  const double rest = duet_fma(-k, DUET_LG2_D_LO, part - r);
  const DuetPair<double> product = duet_product(r, DUET_LN10_D_HI);
  const double low = product.lo + duet_fma(r, DUET_LN10_D_LO, rest * DUET_LN10_D_HI);
  int zero;
  const DuetPair<double> e = duet_exp_pair(product.hi, low, &zero);
  return duet_scale(e.hi, (int)k + zero);
}
/** expm1(x) as a pair, for |x| < 40. */
DUET_MATH DuetPair<double> duet_expm1_pair(double x) {
  const double n = duet_abs(x) < 0.34 ? 0.0 : duet_rint(x * DUET_LOG2E_D_HI);
  const double part = duet_fma(-n, DUET_LN2_D_HI, x), r = duet_fma(-n, DUET_LN2_D_LO, part);
  const double rest = duet_fma(-n, DUET_LN2_D_LO, part - r);
  const double tail = duet_fma(r * r, duet_poly(r, DUET_EXP_D), duet_fma(r, rest, rest));
  const double scale = duet_pow2<double>((int)n);
  const DuetPair<double> power = duet_sum(scale, -1.0), sum = duet_sum(power.hi, scale * r);
  return duet_fast_sum(sum.hi, sum.lo + duet_fma(scale, tail, power.lo));
}
DUET_MATH double __nv_expm1(double x) {
  if (!(x > -40.0)) return x != x ? x : -1.0;
  if (x > 40.0) return duet_exp_core(x, 0.0, 0);
  return x == 0.0 ? x : duet_expm1_pair(x).hi;
}

/* ---- logarithms ---- */
/** log of a positive finite number, accurate to about 2^-66 of it. */
DUET_MATH DuetPair<double> duet_log_pair(double x) {
  int e;
  double m = duet_split(x, &e);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    e++;
  }
  const double f = m - 1.0;
  const DuetPair<double> q = duet_div<double>({f, 0.0}, duet_fast_sum(2.0, f));
  const DuetPair<double> z = duet_mul(q, q);
  // log m = 2 q + 2/3 q^3 + q^5 P(q^2); the first two terms as pairs.
  const DuetPair<double> cubic =
      duet_mul(duet_mul(q, z), DuetPair<double>{0x1.5555555555555p-1, 0x1.5555555555555p-55});
  const double tail = q.hi * z.hi * z.hi * duet_poly(z.hi, DUET_LOGQ_D);
  const DuetPair<double> twice = {2.0 * q.hi, 2.0 * q.lo};
  const DuetPair<double> head = duet_fast_sum(twice.hi, cubic.hi);
  const DuetPair<double> log_m = duet_fast_sum(head.hi, head.lo + (cubic.lo + tail + twice.lo));
  if (e == 0) return log_m;
  const double k = (double)e;
  const DuetPair<double> low = duet_product(k, DUET_LN2_D_LO);
  return duet_add(duet_add(DuetPair<double>{k * DUET_LN2_D_HI, 0.0}, low), log_m);
}
/** The logarithm's value where it is no finite number's; returns whether x is such a case. */
DUET_MATH bool duet_log_special(double x, double* special) {
  if (x > 0.0 && x < duet_inf<double>()) return false;
  *special = x == 0.0 ? -duet_inf<double>() : x < 0.0 ? duet_nan<double>() : x;
  return true;
}
DUET_MATH double __nv_log(double x) {
  double special;
  if (duet_log_special(x, &special)) return special;
  return duet_log_pair(x).hi;
}
DUET_MATH double __nv_log2(double x) {
  double special;
  if (duet_log_special(x, &special)) return special;
  int e;
  double m = duet_split(x, &e);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    e++;
  }
  const DuetPair<double> l = duet_mul(duet_log_pair(m), DuetPair<double>{DUET_LOG2E_D_HI, DUET_LOG2E_D_LO});
  return duet_add(DuetPair<double>{(double)e, 0.0}, l).hi;
}
DUET_MATH double __nv_log10(double x) {
  double special;
  if (duet_log_special(x, &special)) return special;
  return duet_mul(duet_log_pair(x), DuetPair<double>{DUET_LOG10E_D_HI, DUET_LOG10E_D_LO}).hi;
}
/** log(1 + hi + lo) for hi > -1 as a pair: the logarithm of the rounded sum and the first order of what it
 * lost. */
DUET_MATH DuetPair<double> duet_log1p_pair(double hi, double lo) {
  const DuetPair<double> sum = duet_sum(1.0, hi);
  const double rest = sum.lo + lo;
  const DuetPair<double> l = duet_log_pair(sum.hi);
  const double correction = rest / sum.hi;
  return duet_sum(l.hi, l.lo + correction);
}
DUET_MATH double __nv_log1p(double x) {
  if (!(x > -1.0)) return x == -1.0 ? -duet_inf<double>() : duet_nan<double>();
  if (x > 0x1p60) return __nv_log(x);
  if (duet_abs(x) < 0x1p-54) return x;
  return duet_log1p_pair(x, 0.0).hi;
}

/* ---- powers ---- */
DUET_MATH double __nv_pow(double x, double y) {
  const int kind = duet_integer_kind(y);
  double special;
  if (duet_pow_special(x, y, kind, &special)) return special;
  const DuetPair<double> l = duet_log_pair(duet_abs(x));
  const double product = l.hi * y;
  const double magnitude = duet_abs(product) > 800.0
                               ? duet_exp_core(product, 0.0, 0)
                               : duet_exp_core(product, duet_fma(l.lo, y, duet_fma(l.hi, y, -product)), 0);
  return x < 0.0 && kind == 2 ? -magnitude : magnitude;
}
DUET_MATH double __nv_powi(double x, int n) { return __nv_pow(x, (double)n); }

/* ---- trigonometric functions ---- */
/** The reduction for |x| >= 2^20: x times the bits of 2/pi that matter, modulo 4, to 126 bits. */
DUET_MATH DuetPair<double> duet_reduce_large(double x, int* quadrant) {
  const unsigned long long bits = duet_bits(x);
  const int exponent = (int)((bits >> 52) & 2047) - 1023;
  const unsigned long long m = (bits & 0xfffffffffffffull) | 0x10000000000000ull;
  // As in single precision: a window of 192 bits, of whose product with m the low 192 bits are x 2/pi mod 4
  // in units of 2^-190; its highest 128 bits are kept.
  const int first = 32 * duet_two_over_pi_lead_words + exponent - 54;
  const unsigned long long w0 = duet_two_over_pi_bits(first), w1 = duet_two_over_pi_bits(first + 64);
  const unsigned long long w2 = duet_two_over_pi_bits(first + 128);
  const unsigned long long low_part = m * w1, low = low_part + duet_mul_high(m, w2);
  const unsigned long long high = m * w0 + duet_mul_high(m, w1) + (low < low_part ? 1u : 0u);
  const long long fraction = (long long)((high << 2) | (low >> 62));
  const unsigned long long below = low << 2;
  *quadrant = (int)(high >> 62) + (fraction < 0);
  // The fraction as a pair: its magnitude normalised, the first 53 bits and the next 53.
  unsigned long long top = (unsigned long long)fraction, next = below;
  const bool negative = fraction < 0;
  if (negative) {
    next = ~next + 1;
    top = ~top + (next == 0 ? 1u : 0u);
  }
  int shift = 0;
  while (shift < 127 && !(top >> 63)) {
    top = (top << 1) | (next >> 63);
    next <<= 1;
    shift++;
  }
  const double scale = duet_pow2<double>(-53 - shift);
  const double hi = (double)(top >> 11) * scale;
  const double lo = (double)(((top << 53) | (next >> 11)) >> 11) * scale * 0x1p-53;
  DuetPair<double> r = duet_mul(duet_fast_sum(hi, lo), DuetPair<double>{DUET_PIO2_D_HI, DUET_PIO2_D_LO});
  if (negative != ((bits >> 63) != 0)) r = {-r.hi, -r.lo};
  if (bits >> 63) *quadrant = -*quadrant;
  return r;
}
/** x - quadrant * pi/2 as a pair, |hi| <= pi/4; NaN for infinities. */
DUET_MATH DuetPair<double> duet_reduce(double x, int* quadrant) {
  *quadrant = 0;
  if (!(duet_abs(x) < 0x1p20)) {
    if (!(duet_abs(x) < duet_inf<double>())) return {x - x, 0.0};
    return duet_reduce_large(x, quadrant);
  }
  const double k = duet_rint(x * 0x1.45f306dc9c883p-1);
  *quadrant = (int)k;
  // The first product leaves no rounding error: the difference has no more bits than a double holds.
  const double first = duet_fma(-k, DUET_PIO2_D_HI, x);
  const DuetPair<double> second = duet_product(k, DUET_PIO2_D_LO);
  const DuetPair<double> difference = duet_sum(first, -second.hi);
  return duet_fast_sum(difference.hi, difference.lo - second.lo);
}
DUET_MATH DuetPair<double> duet_sin_kernel(DuetPair<double> r) {
  const double z = r.hi * r.hi;
  return duet_fast_sum(r.hi, duet_fma(r.hi * z, duet_poly(z, DUET_SIN_D), r.lo * duet_fma(z, -0.5, 1.0)));
}
DUET_MATH DuetPair<double> duet_cos_kernel(DuetPair<double> r) {
  const DuetPair<double> z = duet_product(r.hi, r.hi);
  const DuetPair<double> head = duet_fast_sum(1.0, -0.5 * z.hi);
  const double tail = duet_fma(z.hi * z.hi, duet_poly(z.hi, DUET_COS_D), -duet_fma(r.hi, r.lo, 0.5 * z.lo));
  return duet_fast_sum(head.hi, head.lo + tail);
}
DUET_MATH double __nv_sin(double x) {
  if (x == 0.0) return x;
  int quadrant;
  const DuetPair<double> r = duet_reduce(x, &quadrant);
  const double s = ((quadrant & 1) != 0 ? duet_cos_kernel(r) : duet_sin_kernel(r)).hi;
  return (quadrant & 2) != 0 ? -s : s;
}
DUET_MATH double __nv_cos(double x) {
  int quadrant;
  const DuetPair<double> r = duet_reduce(x, &quadrant);
  const double c = ((quadrant & 1) != 0 ? duet_sin_kernel(r) : duet_cos_kernel(r)).hi;
  return ((quadrant + 1) & 2) != 0 ? -c : c;
}
DUET_MATH void __nv_sincos(double x, double* sine, double* cosine) {
  int quadrant;
  const DuetPair<double> r = duet_reduce(x, &quadrant);
  const double s = duet_sin_kernel(r).hi, c = duet_cos_kernel(r).hi;
  const double a = (quadrant & 1) != 0 ? c : s, b = (quadrant & 1) != 0 ? s : c;
  *sine = x == 0.0 ? x : (quadrant & 2) != 0 ? -a : a;
  *cosine = ((quadrant + 1) & 2) != 0 ? -b : b;
}
DUET_MATH double __nv_tan(double x) {
  if (x == 0.0) return x;
  int quadrant;
  const DuetPair<double> r = duet_reduce(x, &quadrant);
  const DuetPair<double> s = duet_sin_kernel(r), c = duet_cos_kernel(r);
  return (quadrant & 1) != 0 ? -duet_div(c, s).hi : duet_div(s, c).hi;
}
DUET_MATH DuetPair<double> duet_times_pi(double t) {
  const DuetPair<double> p = duet_product(t, DUET_PI_D_HI);
  return duet_fast_sum(p.hi, duet_fma(t, DUET_PI_D_LO, p.lo));
}
DUET_MATH double __nv_sinpi(double x) {
  if (!(duet_abs(x) < duet_inf<double>())) return x - x;
  int quadrant;
  const double t = duet_reduce_pi(x, &quadrant);
  if (t == 0.0 && (quadrant & 1) == 0) return duet_copysign(0.0, x);
  const DuetPair<double> r = duet_times_pi(t);
  const double s = ((quadrant & 1) != 0 ? duet_cos_kernel(r) : duet_sin_kernel(r)).hi;
  return (quadrant & 2) != 0 ? -s : s;
}
DUET_MATH double __nv_cospi(double x) {
  if (!(duet_abs(x) < duet_inf<double>())) return x - x;
  int quadrant;
  const double t = duet_reduce_pi(x, &quadrant);
  if (t == 0.0 && (quadrant & 1) != 0) return 0.0;
  const DuetPair<double> r = duet_times_pi(t);
  const double c = ((quadrant & 1) != 0 ? duet_sin_kernel(r) : duet_cos_kernel(r)).hi;
  return ((quadrant + 1) & 2) != 0 ? -c : c;
}
DUET_MATH void __nv_sincospi(double x, double* sine, double* cosine) {
  *sine = __nv_sinpi(x);
  *cosine = __nv_cospi(x);
}

/* ---- inverse trigonometric functions ---- */
/** atan(n/d) for 0 <= n <= d as a pair. Above tan(pi/8) it is pi/4 + atan((n-d)/(n+d)). */
DUET_MATH DuetPair<double> duet_atan_ratio(double n, double d) {
  const bool upper = n > 0.41421356237309503 * d;
  DuetPair<double> q;
  if (upper) {
    q = duet_div(duet_sum(n, -d), duet_sum(d, n));
  } else {
    q = duet_div<double>({n, 0.0}, {d, 0.0});
  }
  const double z = q.hi * q.hi;
  const double tail = duet_fma(q.hi * z, duet_poly(z, DUET_ATAN_D), q.lo * (1.0 - z));
  if (!upper) return duet_fast_sum(q.hi, tail);
  const DuetPair<double> s = duet_fast_sum(0.5 * DUET_PIO2_D_HI, q.hi);
  return duet_fast_sum(s.hi, s.lo + (tail + 0.5 * DUET_PIO2_D_LO));
}
DUET_MATH double __nv_atan2(double y, double x) {
  if (x != x || y != y) return x + y;
  const double inf = duet_inf<double>();
  double ax = duet_abs(x), ay = duet_abs(y);
  if (ax == inf && ay == inf) ax = ay = 1.0;
  const bool steep = ay > ax;
  double small = steep ? ax : ay, large = steep ? ay : ax;
  DuetPair<double> t = {0.0, 0.0};
  if (large == inf) {
    small = 0.0;
  } else if (large < 0x1p-900) {
    small *= 0x1p120;
    large *= 0x1p120;
  } else if (large > 0x1p900) {
    small *= 0x1p-120;
    large *= 0x1p-120;
  }
  if (small != 0.0) {
    // So small a quotient is its own arc tangent, and has no room for a low part.
    t = small < large * 0x1p-600 ? DuetPair<double>{small / large, 0.0} : duet_atan_ratio(small, large);
  }
  if (steep) t = duet_add(DuetPair<double>{DUET_PIO2_D_HI, DUET_PIO2_D_LO}, DuetPair<double>{-t.hi, -t.lo});
  if (duet_bits(x) >> 63)
    t = duet_add(DuetPair<double>{DUET_PI_D_HI, DUET_PI_D_LO}, DuetPair<double>{-t.hi, -t.lo});
  return duet_copysign(t.hi, y);
}
DUET_MATH double __nv_atan(double x) { return duet_abs(x) < 0x1p-30 ? x : __nv_atan2(x, 1.0); }
/** asin(x) - x for |x| <= 1/2. */
DUET_MATH double duet_asin_tail(double x) {
  const double z = x * x;
  return x * z * duet_poly(z, DUET_ASIN_D);
}
/** asin(sqrt((1 - a) / 2)) for 1/2 <= a <= 1, as the root and the rest. */
DUET_MATH DuetPair<double> duet_asin_root(double a) {
  const DuetPair<double> s = duet_root<double>({duet_fma(a, -0.5, 0.5), 0.0});
  return {s.hi, duet_asin_tail(s.hi) + s.lo};
}
DUET_MATH double __nv_asin(double x) {
  const double a = duet_abs(x);
  if (a <= 0.5) return x + duet_asin_tail(x);
  if (!(a <= 1.0)) return duet_nan<double>();
  const DuetPair<double> t = duet_asin_root(a);
  return duet_copysign(duet_fma(-2.0, t.hi, DUET_PIO2_D_HI) + duet_fma(-2.0, t.lo, DUET_PIO2_D_LO), x);
}
DUET_MATH double __nv_acos(double x) {
  const double a = duet_abs(x);
  if (a <= 0.5) return DUET_PIO2_D_HI - (x + (duet_asin_tail(x) - DUET_PIO2_D_LO));
  if (!(a <= 1.0)) return duet_nan<double>();
  const DuetPair<double> t = duet_asin_root(a);
  if (x > 0.0) return 2.0 * (t.hi + t.lo);
  return duet_fma(-2.0, t.hi, DUET_PI_D_HI) + duet_fma(-2.0, t.lo, DUET_PI_D_LO);
}

/* ---- hyperbolic functions and their inverses ---- */
DUET_MATH double __nv_sinh(double x) {
  const double a = duet_abs(x);
  if (!(a < 20.0)) return a == a ? duet_copysign(duet_exp_core(a, 0.0, -1), x) : x;
  if (a < 0x1p-28) return x;
  // (t + t/(t+1)) / 2 with t = expm1(a)
  const DuetPair<double> t = duet_expm1_pair(a);
  const DuetPair<double> q = duet_div(t, duet_add(t, DuetPair<double>{1.0, 0.0}));
  return duet_copysign(0.5 * duet_add(t, q).hi, x);
}
DUET_MATH double __nv_cosh(double x) {
  const double a = duet_abs(x);
  if (!(a < 20.0)) return a == a ? duet_exp_core(a, 0.0, -1) : x;
  int k;
  const DuetPair<double> e = duet_exp_pair(a, 0.0, &k);
  const double scale = duet_pow2<double>(k - 1);
  const double half = e.hi * scale;
  return half + (0.25 / half + e.lo * scale);
}
DUET_MATH double __nv_tanh(double x) {
  const double a = duet_abs(x);
  if (!(a < 20.0)) return a == a ? duet_copysign(1.0, x) : x;
  if (a < 0x1p-28) return x;
  const DuetPair<double> t = duet_expm1_pair(2.0 * a);
  return duet_copysign(duet_div(t, duet_add(t, DuetPair<double>{2.0, 0.0})).hi, x);
}
DUET_MATH double __nv_asinh(double x) {
  const double a = duet_abs(x);
  if (!(a < 0x1p60)) {
    if (!(a < duet_inf<double>())) return x;
    return duet_copysign(duet_add(duet_log_pair(a), DuetPair<double>{DUET_LN2_D_HI, DUET_LN2_D_LO}).hi, x);
  }
  if (a < 0x1p-28) return x;
  const double z = a * a;
  return duet_copysign(__nv_log1p(a + z / (1.0 + duet_sqrt(1.0 + z))), x);
}
DUET_MATH double __nv_acosh(double x) {
  if (!(x >= 1.0)) return duet_nan<double>();
  if (x > 0x1p60) {
    if (x == duet_inf<double>()) return x;
    return duet_add(duet_log_pair(x), DuetPair<double>{DUET_LN2_D_HI, DUET_LN2_D_LO}).hi;
  }
  const double t = x - 1.0;
  return __nv_log1p(t + duet_sqrt(duet_fma(t, t, t + t)));
}
DUET_MATH double __nv_atanh(double x) {
  const double a = duet_abs(x);
  if (!(a <= 1.0)) return duet_nan<double>();
  if (a < 0x1p-28) return x;
  if (a == 1.0) return duet_copysign(duet_inf<double>(), x);
  const DuetPair<double> q = duet_div<double>({a + a, 0.0}, duet_sum(1.0, -a));
  return duet_copysign(0.5 * duet_log1p_pair(q.hi, q.lo).hi, x);
}

/* ---- roots ---- */
DUET_MATH double __nv_sqrt(double x) { return duet_sqrt(x); }
DUET_MATH double __nv_rsqrt(double x) {
  const double y = 1.0 / duet_sqrt(x);
  if (!(y > 0.0 && y < duet_inf<double>())) return y;
  // One Newton step with the residual 1 - x y y in twice the precision; x and y are scaled to where no square
  // is subnormal.
  const double up = x < 0x1p-900 ? 0x1p200 : x > 0x1p900 ? 0x1p-200 : 1.0;
  const double down = x < 0x1p-900 ? 0x1p-100 : x > 0x1p900 ? 0x1p100 : 1.0;
  const double scaled = y * down;
  const DuetPair<double> square = duet_product(scaled, scaled);
  const double residual = duet_fma(-x * up, square.hi, 1.0) - x * up * square.lo;
  return duet_fma(y * 0.5, residual, y);
}
/** m^(-1/3) for m in [1, 8), nearly rounded. */
DUET_MATH double duet_rcbrt_seed(double m) {
  double y = (double)duet_rcbrt_seedf((float)m);
  for (int i = 0; i < 2; i++) y = duet_fma(y * (1.0 / 3.0), duet_fma(-m * y, y * y, 1.0), y);
  return y;
}
DUET_MATH double duet_cbrt_split(double x, int* e) {
  int k;
  const double m = duet_split(x, &k);
  *e = (int)duet_floor((double)k * (1.0 / 3.0) + 0.01);
  return m * duet_pow2<double>(k - 3 * *e);
}
DUET_MATH double __nv_cbrt(double x) {
  const double a = duet_abs(x);
  if (!(a > 0.0 && a < duet_inf<double>())) return x + x;
  int e;
  const double m = duet_cbrt_split(a, &e);
  const double y = duet_rcbrt_seed(m), c = m * y * y;
  const DuetPair<double> square = duet_product(c, c);
  const double residual = duet_fma(-square.hi, c, m) - square.lo * c;
  return duet_copysign(duet_fma(residual * (1.0 / 3.0), y * y, c) * duet_pow2<double>(e), x);
}
DUET_MATH double __nv_rcbrt(double x) {
  const double a = duet_abs(x);
  if (!(a > 0.0 && a < duet_inf<double>())) return 1.0 / x;
  int e;
  const double m = duet_cbrt_split(a, &e);
  const double y = duet_rcbrt_seed(m);
  const DuetPair<double> cube = duet_mul(duet_product(y, y), y);
  const double residual = duet_fma(-m, cube.hi, 1.0) - m * cube.lo;
  return duet_copysign(duet_fma(residual * (1.0 / 3.0), y, y) * duet_pow2<double>(-e), x);
}

#endif
