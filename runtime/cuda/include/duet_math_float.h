/* Elementary functions in single precision, in single-precision arithmetic alone: exponentials, logarithms,
 * powers, trigonometric and hyperbolic functions and their inverses, roots. Largest errors: the table of the
 * CUDA C++ Programming Guide, which tests/device_math checks. Left out: errno and floating-point exceptions.
 */
#ifndef DUET_MATH_FLOAT_H
#define DUET_MATH_FLOAT_H

#include "duet_math_base.h"

/* ---- exponentials ---- */
/** exp(hi + lo) * 2^shift. Beyond +-150 the result is 0 or infinity. */
DUET_MATH float duet_expf_core(float hi, float lo, int shift) {
  if (!(hi > -150.f)) return hi != hi ? hi : 0.f;
  if (hi > 150.f) return duet_inf<float>();
  const float k = duet_rint(hi * DUET_LOG2E_F_HI);
  float r = duet_fma(-k, DUET_LN2_F_HI, hi);
  r = duet_fma(-k, DUET_LN2_F_LO, r) + lo;
  return duet_scale(duet_fma(r * r, duet_poly(r, DUET_EXP_F), r) + 1.f, (int)k + shift);
}
DUET_MATH float __nv_expf(float x) { return duet_expf_core(x, 0.f, 0); }
DUET_MATH float __nv_exp2f(float x) {
  if (!(x > -160.f)) return x != x ? x : 0.f;
  if (x > 160.f) return duet_inf<float>();
  const float k = duet_rint(x);
  const float r = x - k;
  return duet_scale(duet_fma(r, duet_poly(r, DUET_EXP2_F), 1.f), (int)k);
}
DUET_MATH float __nv_exp10f(float x) {
  if (!(x > -50.f)) return x != x ? x : 0.f;
  if (x > 50.f) return duet_inf<float>();
  const float k = duet_rint(x * 0x1.a934fp+1f);
  float r = duet_fma(-k, DUET_LG2_F_HI, x);
  r = duet_fma(-k, DUET_LG2_F_LO, r);
  r = duet_fma(r, DUET_LN10_F_HI, r * DUET_LN10_F_LO);
  return duet_scale(duet_fma(r * r, duet_poly(r, DUET_EXP_F), r) + 1.f, (int)k);
}
DUET_MATH float __nv_expm1f(float x) {
  if (!(x > -30.f)) return x != x ? x : -1.f;
  if (x > 89.f) return duet_inf<float>();
  // Up to 0.55 nothing is taken off: 2^k - 1 would cancel against the rest there.
  const float k = duet_abs(x) <= 0.55f ? 0.f : duet_rint(x * DUET_LOG2E_F_HI);
  const float part = duet_fma(-k, DUET_LN2_F_HI, x), r = duet_fma(-k, DUET_LN2_F_LO, part);
  if (k == 0.f) return x == 0.f ? x : duet_fma(r * r, duet_poly(r, DUET_EXPM1_F), r);
  const float tail = duet_fma(r * r, duet_poly(r, DUET_EXPM1_F), duet_fma(-k, DUET_LN2_F_LO, part - r));
  // Half the power, twice the sum: 2^128 is no float.
  const float scale = duet_pow2<float>((int)k - 1);
  const DuetPair<float> power = duet_sum(scale, -0.5f), sum = duet_sum(power.hi, scale * r);
  return 2.f * (sum.hi + (sum.lo + duet_fma(scale, tail, power.lo)));
}

/* ---- logarithms ---- */
/** x = 2^k (1 + f) with f in [-1/3, 1/3]; false where the logarithm is special, with its value in `special`.
 */
DUET_MATH bool duet_log_splitf(float x, float* k, float* f, float* special) {
  if (!(x > 0.f) || x > 0x1.fffffep+127f) {
    *special = x == 0.f ? -duet_inf<float>() : x < 0.f ? duet_nan<float>() : x;
    return false;
  }
  int e;
  float m = duet_split(x, &e);
  if (m > 1.333333f) {
    m *= 0.5f;
    e++;
  }
  *k = (float)e;
  *f = m - 1.f;
  return true;
}
DUET_MATH float duet_log1p_tailf(float f) {
  return duet_fma(duet_poly(f, DUET_LOG_F) * f, f * f, -0.5f * f * f);
}
DUET_MATH float __nv_logf(float x) {
  float k, f, special;
  if (!duet_log_splitf(x, &k, &f, &special)) return special;
  const float tail = duet_fma(k, DUET_LN2_F_LO, duet_log1p_tailf(f));
  return duet_fma(k, DUET_LN2_F_HI, f + tail);
}
DUET_MATH float __nv_log2f(float x) {
  float k, f, special;
  if (!duet_log_splitf(x, &k, &f, &special)) return special;
  const float tail = duet_fma(duet_log1p_tailf(f), DUET_LOG2E_F_HI, f * DUET_LOG2E_F_LO);
  const DuetPair<float> product = duet_product(f, DUET_LOG2E_F_HI), sum = duet_sum(k, product.hi);
  return sum.hi + (sum.lo + (product.lo + tail));
}
DUET_MATH float __nv_log10f(float x) {
  float k, f, special;
  if (!duet_log_splitf(x, &k, &f, &special)) return special;
  const float tail = duet_fma(duet_log1p_tailf(f), DUET_LOG10E_F_HI, f * DUET_LOG10E_F_LO);
  return duet_fma(k, DUET_LG2_F_HI, duet_fma(f, DUET_LOG10E_F_HI, duet_fma(k, DUET_LG2_F_LO, tail)));
}
DUET_MATH float __nv_log1pf(float x) {
  if (!(x > -1.f)) return x == -1.f ? -duet_inf<float>() : duet_nan<float>();
  if (x > 0x1p60f) return __nv_logf(x);
  // 1 + x = 2^k (1 + f), f in [-1/4, 1/2]; f is formed from x itself, so that nothing of a small x is lost.
  const float sum = 1.f + x;
  const int k = (int)(duet_bits(sum) - duet_bits(0.75f)) >> 23;
  const float scale = duet_pow2<float>(-k);
  const float f = duet_fma(x, scale, scale - 1.f);
  if (k == 0 && x == 0.f) return x;
  const float tail = duet_fma(duet_poly(f, DUET_LOG1P_F) * f, f * f, -0.5f * f * f);
  return duet_fma((float)k, DUET_LN2_F_HI, f + duet_fma((float)k, DUET_LN2_F_LO, tail));
}

/* ---- powers ---- */
/** log(x) of a positive finite number as a pair with an error of about 2^-30 of it. */
DUET_MATH DuetPair<float> duet_log_pair(float x) {
  int e;
  float m = duet_split(x, &e);
  if (m > 1.4142135f) {
    m *= 0.5f;
    e++;
  }
  const float f = m - 1.f;
  const DuetPair<float> q = duet_div<float>({f, 0.f}, duet_fast_sum(2.f, f));
  const float z = q.hi * q.hi;
  const DuetPair<float> log_m =
      duet_fast_sum(2.f * q.hi, duet_fma(q.hi * z, duet_poly(z, DUET_LOGQ_F), 2.f * q.lo));
  const float k = (float)e;
  if (e == 0) return log_m;
  return duet_add(duet_sum(k * DUET_LN2_F_HI, k * DUET_LN2_F_LO), log_m);
}
/** Whether y is an integer (1 even, 2 odd, 0 neither). */
template <class T>
DUET_MATH int duet_integer_kind(T y) {
  if (duet_trunc(y) != y) return 0;
  const T half = y * (T)0.5;
  return duet_trunc(half) == half ? 1 : 2;
}
/** pow(x, y) where x is zero or infinite, y is infinite, or x is negative without being to an integer power,
 * and the NaN cases; returns whether it was one of them. */
template <class T>
DUET_MATH bool duet_pow_special(T x, T y, int kind, T* result) {
  const T ax = duet_abs(x), inf = duet_inf<T>();
  if (y == (T)0 || x == (T)1) {
    *result = (T)1;
  } else if (x != x || y != y) {
    *result = x + y;
  } else if (duet_abs(y) == inf) {
    *result = ax == (T)1 ? (T)1 : (ax > (T)1) == (y > (T)0) ? inf : (T)0;
  } else if (ax == (T)0 || ax == inf) {
    const T magnitude = (ax == inf) == (y > (T)0) ? inf : (T)0;
    *result = kind == 2 ? duet_copysign(magnitude, x) : magnitude;
  } else if (x < (T)0 && kind == 0) {
    *result = duet_nan<T>();
  } else {
    return false;
  }
  return true;
}
DUET_MATH float __nv_powf(float x, float y) {
  const int kind = duet_integer_kind(y);
  float special;
  if (duet_pow_special(x, y, kind, &special)) return special;
  const DuetPair<float> l = duet_log_pair(duet_abs(x));
  const float product = l.hi * y;
  const float magnitude = duet_abs(product) > 150.f
                              ? duet_expf_core(product, 0.f, 0)
                              : duet_expf_core(product, duet_fma(l.lo, y, duet_fma(l.hi, y, -product)), 0);
  return x < 0.f && kind == 2 ? -magnitude : magnitude;
}
/** powf with an integer exponent, whose parity a float may not hold. */
DUET_MATH float __nv_powif(float x, int n) {
  const float magnitude = __nv_powf(duet_abs(x), (float)n);
  return (n & 1) != 0 ? duet_copysign(magnitude, x) : magnitude;
}

/* ---- trigonometric functions ---- */
/** The reduction for |x| >= 2^16: x times the bits of 2/pi that matter, modulo 4. */
DUET_MATH float duet_reduce_largef(float x, int* quadrant) {
  const unsigned int bits = duet_bits(x);
  const int exponent = (int)((bits >> 23) & 255) - 127;
  const unsigned int m = (bits & 0x7fffffu) | 0x800000u;
  // x = m 2^(exponent-23). The bits of 2/pi of weight above 2^(25-exponent) give multiples of 4; the window
  // starts behind them, and the low 96 bits of m * window are x 2/pi mod 4 in units of 2^-94.
  const int first = 32 * duet_two_over_pi_lead_words + exponent - 25;
  const unsigned long long high = duet_two_over_pi_bits(first);
  const unsigned long long low = duet_two_over_pi_bits(first + 64) >> 32;
  const unsigned long long carry = (m * low) >> 32;
  const unsigned long long product = m * high + carry;
  const long long fraction = (long long)(product << 2);
  *quadrant = (int)(product >> 62) + (fraction < 0);
  // 62 of its bits as two floats, so that the product with pi/2 rounds once.
  const long long scaled = fraction >> 2;
  const float hi = (float)scaled, lo = (float)(scaled - (long long)hi);
  const float r = 0x1p-62f * duet_fma(hi, DUET_PIO2_F_HI, duet_fma(lo, DUET_PIO2_F_HI, hi * DUET_PIO2_F_LO));
  if (bits >> 31) {
    *quadrant = -*quadrant;
    return -r;
  }
  return r;
}
/** x - quadrant * pi/2, in [-pi/4, pi/4]; NaN for infinities. */
DUET_MATH float duet_reducef(float x, int* quadrant) {
  *quadrant = 0;
  if (!(duet_abs(x) < 65536.f)) {
    if (!(duet_abs(x) < duet_inf<float>())) return x - x;
    return duet_reduce_largef(x, quadrant);
  }
  const float k = duet_rint(x * 0x1.45f306p-1f);
  *quadrant = (int)k;
  float r = duet_fma(-k, DUET_PIO2_F_HI, x);
  r = duet_fma(-k, DUET_PIO2_F_LO, r);
  return duet_fma(-k, DUET_PIO2_F_LO2, r);
}
DUET_MATH float duet_sin_kernelf(float r) {
  const float z = r * r;
  return duet_fma(r * z, duet_poly(z, DUET_SIN_F), r);
}
DUET_MATH float duet_cos_kernelf(float r) {
  const float z = r * r;
  return duet_fma(z * z, duet_poly(z, DUET_COS_F), duet_fma(z, -0.5f, 1.f));
}
DUET_MATH float __nv_sinf(float x) {
  int quadrant;
  const float r = duet_reducef(x, &quadrant);
  if (x == 0.f) return x;
  const float s = (quadrant & 1) != 0 ? duet_cos_kernelf(r) : duet_sin_kernelf(r);
  return (quadrant & 2) != 0 ? -s : s;
}
DUET_MATH float __nv_cosf(float x) {
  int quadrant;
  const float r = duet_reducef(x, &quadrant);
  const float c = (quadrant & 1) != 0 ? duet_sin_kernelf(r) : duet_cos_kernelf(r);
  return ((quadrant + 1) & 2) != 0 ? -c : c;
}
DUET_MATH void __nv_sincosf(float x, float* sine, float* cosine) {
  int quadrant;
  const float r = duet_reducef(x, &quadrant);
  const float s = duet_sin_kernelf(r), c = duet_cos_kernelf(r);
  const float a = (quadrant & 1) != 0 ? c : s, b = (quadrant & 1) != 0 ? s : c;
  *sine = x == 0.f ? x : (quadrant & 2) != 0 ? -a : a;
  *cosine = ((quadrant + 1) & 2) != 0 ? -b : b;
}
DUET_MATH float __nv_tanf(float x) {
  int quadrant;
  const float r = duet_reducef(x, &quadrant);
  if (x == 0.f) return x;
  const float z = r * r;
  const float t = duet_fma(r * z, duet_poly(z, DUET_TAN_F), r);
  return (quadrant & 1) != 0 ? -1.f / t : t;
}
/** x - quadrant / 2, in [-1/4, 1/4], exactly, for finite x. */
template <class T>
DUET_MATH T duet_reduce_pi(T x, int* quadrant) {
  // From here on all numbers are even integers.
  if (duet_abs(x) >= duet_pow2<T>(DuetFormat<T>::significand_bits + 1)) {
    *quadrant = 0;
    return (T)0;
  }
  const T k = duet_rint(x + x);
  *quadrant = (int)(k - (T)4 * duet_floor(k * (T)0.25));
  return duet_fma(k, (T)-0.5, x);
}
DUET_MATH float duet_sinpi_kernelf(float t) {
  const float z = t * t;
  return duet_fma(t, DUET_PI_F_HI, t * duet_fma(z, duet_poly(z, DUET_SINPI_F), DUET_PI_F_LO));
}
DUET_MATH float duet_cospi_kernelf(float t) {
  const float z = t * t;
  return duet_fma(z, duet_poly(z, DUET_COSPI_F), 1.f);
}
DUET_MATH float __nv_sinpif(float x) {
  if (!(duet_abs(x) < duet_inf<float>())) return x - x;
  int quadrant;
  const float t = duet_reduce_pi(x, &quadrant);
  // Integers give a zero of the argument's sign.
  if (t == 0.f && (quadrant & 1) == 0) return duet_copysign(0.f, x);
  const float s = (quadrant & 1) != 0 ? duet_cospi_kernelf(t) : duet_sinpi_kernelf(t);
  return (quadrant & 2) != 0 ? -s : s;
}
DUET_MATH float __nv_cospif(float x) {
  if (!(duet_abs(x) < duet_inf<float>())) return x - x;
  int quadrant;
  const float t = duet_reduce_pi(x, &quadrant);
  if (t == 0.f && (quadrant & 1) != 0) return 0.f;
  const float c = (quadrant & 1) != 0 ? duet_sinpi_kernelf(t) : duet_cospi_kernelf(t);
  return ((quadrant + 1) & 2) != 0 ? -c : c;
}
DUET_MATH void __nv_sincospif(float x, float* sine, float* cosine) {
  *sine = __nv_sinpif(x);
  *cosine = __nv_cospif(x);
}

/* ---- inverse trigonometric functions ---- */
DUET_MATH float duet_atan_kernelf(float x) {
  const float z = x * x;
  return duet_fma(x * z, duet_poly(z, DUET_ATAN_F), x);
}
DUET_MATH float __nv_atanf(float x) {
  const float a = duet_abs(x);
  const float t = duet_atan_kernelf(a > 1.f ? 1.f / a : a);
  return duet_copysign(a > 1.f ? DUET_PIO2_F_HI - t : t, x);
}
DUET_MATH float __nv_atan2f(float y, float x) {
  if (x != x || y != y) return x + y;
  const float ax = duet_abs(x), ay = duet_abs(y);
  const bool steep = ay > ax;
  const float small = steep ? ax : ay, large = steep ? ay : ax;
  float t = large == 0.f ? 0.f : small == large ? 1.f : duet_atan_kernelf(small / large);
  if (small == large && large != 0.f) t = 0x1.921fb6p-1f;
  if (steep) t = DUET_PIO2_F_HI - t;
  if (duet_bits(x) >> 31) t = DUET_PI_F_HI - (t - DUET_PI_F_LO);
  return duet_copysign(t, y);
}
/** asin(x) - x for |x| <= 1/2. */
DUET_MATH float duet_asin_tailf(float x) {
  const float z = x * x;
  return x * z * duet_poly(z, DUET_ASIN_F);
}
/** asin(sqrt((1 - a) / 2)) for 1/2 <= a <= 1, as the root and the rest. */
DUET_MATH DuetPair<float> duet_asin_rootf(float a) {
  const float z = duet_fma(a, -0.5f, 0.5f), s = duet_sqrt(z);
  const float rest = s > 0.f ? duet_fma(-s, s, z) / (s + s) : 0.f;
  return {s, duet_asin_tailf(s) + rest};
}
DUET_MATH float __nv_asinf(float x) {
  const float a = duet_abs(x);
  if (a <= 0.5f) return x + duet_asin_tailf(x);
  if (!(a <= 1.f)) return duet_nan<float>();
  const DuetPair<float> t = duet_asin_rootf(a);
  return duet_copysign(duet_fma(-2.f, t.hi, DUET_PIO2_F_HI) + duet_fma(-2.f, t.lo, DUET_PIO2_F_LO), x);
}
DUET_MATH float __nv_acosf(float x) {
  const float a = duet_abs(x);
  if (a <= 0.5f) return DUET_PIO2_F_HI - (x + (duet_asin_tailf(x) - DUET_PIO2_F_LO));
  if (!(a <= 1.f)) return duet_nan<float>();
  const DuetPair<float> t = duet_asin_rootf(a);
  if (x > 0.f) return 2.f * (t.hi + t.lo);
  return duet_fma(-2.f, t.hi, DUET_PI_F_HI) + duet_fma(-2.f, t.lo, DUET_PI_F_LO);
}

/* ---- hyperbolic functions and their inverses ---- */
DUET_MATH float __nv_sinhf(float x) {
  const float a = duet_abs(x);
  if (a < 1.f) {
    const float z = x * x;
    return duet_fma(x * z, duet_poly(z, DUET_SINH_F), x);
  }
  const float half = duet_expf_core(a, 0.f, -1);
  return duet_copysign(half - 0.25f / half, x);
}
DUET_MATH float __nv_coshf(float x) {
  const float half = duet_expf_core(duet_abs(x), 0.f, -1);
  return half + 0.25f / half;
}
DUET_MATH float __nv_tanhf(float x) {
  const float a = duet_abs(x);
  if (a < 0.55f) {
    const float z = x * x;
    return duet_copysign(duet_fma(x * z, duet_poly(z, DUET_TANH_F), x), x);
  }
  if (a > 10.f) return duet_copysign(1.f, x);
  return duet_copysign(1.f - 2.f / (duet_expf_core(2.f * a, 0.f, 0) + 1.f), x);
}
DUET_MATH float __nv_asinhf(float x) {
  const float a = duet_abs(x);
  if (!(a < 0x1p30f)) return a < duet_inf<float>() ? duet_copysign(__nv_logf(a) + 0x1.62e43p-1f, x) : x;
  const float z = a * a;
  return duet_copysign(__nv_log1pf(a + z / (1.f + duet_sqrt(1.f + z))), x);
}
DUET_MATH float __nv_acoshf(float x) {
  if (!(x >= 1.f)) return duet_nan<float>();
  if (x > 0x1p30f) return __nv_logf(x) + 0x1.62e43p-1f;
  const float t = x - 1.f;
  return __nv_log1pf(t + duet_sqrt(duet_fma(t, t, t + t)));
}
DUET_MATH float __nv_atanhf(float x) {
  const float a = duet_abs(x);
  if (!(a <= 1.f)) return duet_nan<float>();
  return duet_copysign(0.5f * __nv_log1pf((a + a) / (1.f - a)), x);
}

/* ---- roots ---- */
DUET_MATH float __nv_sqrtf(float x) { return duet_sqrt(x); }
DUET_MATH float __nv_rsqrtf(float x) {
#if defined(__CUDA_ARCH__)
  return __nvvm_rsqrt_approx_f(x);
#else
  return 1.f / duet_sqrt(x);
#endif
}
/** Cube root of a positive finite number, up to a power of two that `e` gets: x = 2^(3e) m, the result for m.
 */
DUET_MATH float duet_cbrt_splitf(float x, int* e) {
  int k;
  float m = duet_split(x, &k);
  *e = (int)duet_floor((float)k * (1.f / 3.f) + 0.01f);
  return m * duet_pow2<float>(k - 3 * *e);
}
/** m^(-1/3) for m in [1, 8), to a few units in the last place. */
DUET_MATH float duet_rcbrt_seedf(float m) {
  // A third of the bits of the logarithm, then three Newton steps.
  float y = duet_float(0x54a2fa8cu - duet_bits(m) / 3u);
  for (int i = 0; i < 3; i++) y = duet_fma(y * (1.f / 3.f), duet_fma(-m * y, y * y, 1.f), y);
  return y;
}
DUET_MATH float __nv_cbrtf(float x) {
  const float a = duet_abs(x);
  if (!(a > 0.f && a < duet_inf<float>())) return x + x;
  int e;
  const float m = duet_cbrt_splitf(a, &e);
  const float y = duet_rcbrt_seedf(m);
  const float c = m * y * y;
  // One step on the root itself, with the residual m - c^3 in twice the precision.
  const DuetPair<float> square = duet_product(c, c);
  const float residual = duet_fma(-square.hi, c, m) - square.lo * c;
  return duet_copysign(duet_fma(residual * (1.f / 3.f), y * y, c) * duet_pow2<float>(e), x);
}
DUET_MATH float __nv_rcbrtf(float x) {
  const float a = duet_abs(x);
  if (!(a > 0.f && a < duet_inf<float>())) return 1.f / x;
  int e;
  const float m = duet_cbrt_splitf(a, &e);
  const float y = duet_rcbrt_seedf(m);
  const DuetPair<float> square = duet_product(y, y);
  const DuetPair<float> cube = duet_mul(square, y);
  const float residual = duet_fma(-m, cube.hi, 1.f) - m * cube.lo;
  return duet_copysign(duet_fma(residual * (1.f / 3.f), y, y) * duet_pow2<float>(-e), x);
}

#endif
