/* Math functions that are exact or nearly so: rounding, remainders, parts of numbers, and norms (roots of
 * sums of squares, whose sum is kept as a pair so that the result rounds well). One template serves both
 * precisions. */
#ifndef DUET_MATH_BASIC_H
#define DUET_MATH_BASIC_H

#include "duet_math_base.h"

/* ---- parts of numbers ---- */
/** x * 2^n for any n, rounded once. */
template <class T>
DUET_MATH T duet_ldexp(T x, int n) {
  const int limit = DuetFormat<T>::bias - 1, down = limit - DuetFormat<T>::significand_bits - 1;
  for (int i = 0; i < 2 && n > limit; i++) {
    x *= duet_pow2<T>(limit);
    n -= limit;
  }
  // Downwards by steps that leave a full significand, so that only the last product can be subnormal.
  for (int i = 0; i < 3 && n < -limit; i++) {
    x *= duet_pow2<T>(-down);
    n += down;
  }
  return x * duet_pow2<T>(n > limit ? limit : n < -limit ? -limit : n);
}
template <class T>
DUET_MATH bool duet_finite(T x) {
  return duet_abs(x) < duet_inf<T>();
}
template <class T>
DUET_MATH T duet_frexp(T x, int* exponent) {
  *exponent = 0;
  if (x == (T)0 || !duet_finite(x)) return x + x;
  const T m = duet_split(duet_abs(x), exponent);
  *exponent += 1;
  return duet_copysign(m * (T)0.5, x);
}
/** Exponent of |x|; for zero and NaN the smallest int, for infinity the largest. */
template <class T>
DUET_MATH int duet_ilogb(T x) {
  const T a = duet_abs(x);
  if (a == (T)0 || a != a) return -2147483647 - 1;
  if (!duet_finite(a)) return 2147483647;
  int e;
  duet_split(a, &e);
  return e;
}
template <class T>
DUET_MATH T duet_logb(T x) {
  if (x == (T)0) return -duet_inf<T>();
  if (!duet_finite(x)) return x * x;
  return (T)duet_ilogb(x);
}
template <class T>
DUET_MATH T duet_modf(T x, T* whole) {
  *whole = duet_trunc(x);
  if (duet_abs(x) == duet_inf<T>()) return duet_copysign((T)0, x);
  return duet_copysign(x - *whole, x);
}
template <class T>
DUET_MATH T duet_nextafter(T x, T y) {
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == (T)0) return duet_copysign(duet_from_bits<T>(1), y);
  return duet_from_bits<T>((x < y) == (x > (T)0) ? duet_bits(x) + 1 : duet_bits(x) - 1);
}
/** To the nearest integer, halves away from zero. */
template <class T>
DUET_MATH T duet_round(T x) {
  const T whole = duet_trunc(x);
  return duet_copysign(duet_abs(x - whole) >= (T)0.5 ? whole + duet_copysign((T)1, x) : whole, x);
}

/* ---- remainders ---- */
/** x mod y for finite x >= 0 and y > 0, with the low bits of the quotient: long division of the significands,
 * a few quotient bits a round, in integers. */
template <class T>
DUET_MATH T duet_mod(T x, T y, unsigned int* quotient) {
  typedef typename DuetFormat<T>::Bits Bits;
  *quotient = 0;
  if (x < y) return x;
  const int spare = (int)sizeof(Bits) * 8 - DuetFormat<T>::significand_bits - 1;
  const Bits one = (Bits)1 << DuetFormat<T>::significand_bits;
  int ex, ey;
  Bits rest = (duet_bits(duet_split(x, &ex)) & (one - 1)) | one;
  const Bits divisor = (duet_bits(duet_split(y, &ey)) & (one - 1)) | one;
  int left = ex - ey;
  Bits digits = rest / divisor;
  rest -= digits * divisor;
  while (left > 0 && rest != 0) {
    const int step = left < spare ? left : spare;
    rest <<= step;
    const Bits q = rest / divisor;
    rest -= q * divisor;
    digits = (digits << step) + q;
    left -= step;
  }
  *quotient = left < 32 ? (unsigned int)(digits << left) : 0u;
  // A sum of at most significand_bits + 1 bits at the divisor's scale: exact.
  return duet_ldexp((T)rest, ey - DuetFormat<T>::significand_bits);
}
template <class T>
DUET_MATH T duet_fmod(T x, T y) {
  if (!duet_finite(x) || y != y || y == (T)0) return duet_nan<T>();
  if (!duet_finite(y)) return x;
  unsigned int quotient;
  return duet_copysign(duet_mod(duet_abs(x), duet_abs(y), &quotient), x);
}
template <class T>
DUET_MATH T duet_remquo(T x, T y, int* quotient) {
  *quotient = 0;
  if (!duet_finite(x) || y != y || y == (T)0) return duet_nan<T>();
  if (!duet_finite(y)) return x;
  const T b = duet_abs(y);
  unsigned int q;
  T r = duet_mod(duet_abs(x), b, &q);
  // To the nearest multiple, ties to the even one; b - r is exact where it is the smaller.
  const T other = b - r;
  if (r > other || (r == other && (q & 1u) != 0)) {
    r = -other;
    q++;
  }
  const int low = (int)(q & 7u);
  *quotient = (x < (T)0) != (y < (T)0) ? -low : low;
  if (r == (T)0) return duet_copysign((T)0, x);
  return x < (T)0 ? -r : r;
}

/* ---- norms ---- */
/** The sum of the squares of `count` numbers divided by 4^e, as a pair; e is even for the largest number's
 * exponent. False where a number is infinite or NaN or all are zero; then the plain norm is in `special`. */
template <class T>
DUET_MATH bool duet_square_sum(int count, const T* v, DuetPair<T>* sum, int* e, T* special) {
  T largest = (T)0, nan = (T)0;
  for (int i = 0; i < count; i++) {
    const T a = duet_abs(v[i]);
    if (a != a) nan = a;
    if (a > largest) largest = a;
  }
  if (largest == duet_inf<T>() || nan != nan || largest == (T)0) {
    *special = largest == duet_inf<T>() ? largest : nan != nan ? nan : largest;
    return false;
  }
  *e = duet_ilogb(largest);
  *sum = {(T)0, (T)0};
  for (int i = 0; i < count; i++) {
    const T a = duet_ldexp(v[i], -*e);
    *sum = duet_add(*sum, duet_product(a, a));
  }
  return true;
}
template <class T>
DUET_MATH T duet_norm(int count, const T* v) {
  DuetPair<T> sum;
  int e;
  T special;
  if (!duet_square_sum(count, v, &sum, &e, &special)) return special;
  const DuetPair<T> root = duet_root(sum);
  return duet_ldexp(root.hi, e);
}
template <class T>
DUET_MATH T duet_rnorm(int count, const T* v) {
  DuetPair<T> sum;
  int e;
  T special;
  if (!duet_square_sum(count, v, &sum, &e, &special)) return (T)1 / special;
  const DuetPair<T> inverse = duet_div<T>({(T)1, (T)0}, duet_root(sum));
  return duet_ldexp(inverse.hi, -e);
}

/* ---- by CUDA's names ---- */
#define DUET_BASIC(T, f)                                                                      \
  DUET_MATH T __nv_fabs##f(T x) { return duet_abs(x); }                                       \
  DUET_MATH T __nv_copysign##f(T x, T y) { return duet_copysign(x, y); }                      \
  DUET_MATH T __nv_fma##f(T x, T y, T z) { return duet_fma(x, y, z); }                        \
  DUET_MATH T __nv_floor##f(T x) { return duet_floor(x); }                                    \
  DUET_MATH T __nv_ceil##f(T x) { return __builtin_ceil##f(x); }                              \
  DUET_MATH T __nv_trunc##f(T x) { return duet_trunc(x); }                                    \
  DUET_MATH T __nv_round##f(T x) { return duet_round(x); }                                    \
  DUET_MATH long long __nv_llrint##f(T x) { return (long long)duet_rint(x); }                 \
  DUET_MATH long long __nv_llround##f(T x) { return (long long)duet_round(x); }               \
  DUET_MATH T __nv_fmax##f(T x, T y) { return __builtin_fmax##f(x, y); }                      \
  DUET_MATH T __nv_fmin##f(T x, T y) { return __builtin_fmin##f(x, y); }                      \
  DUET_MATH T __nv_fdim##f(T x, T y) { return x <= y ? (T)0 : x - y; }                        \
  DUET_MATH T __nv_fmod##f(T x, T y) { return duet_fmod(x, y); }                              \
  DUET_MATH T __nv_remquo##f(T x, T y, int* quotient) { return duet_remquo(x, y, quotient); } \
  DUET_MATH T __nv_remainder##f(T x, T y) {                                                   \
    int quotient;                                                                             \
    return duet_remquo(x, y, &quotient);                                                      \
  }                                                                                           \
  DUET_MATH T __nv_frexp##f(T x, int* exponent) { return duet_frexp(x, exponent); }           \
  DUET_MATH T __nv_ldexp##f(T x, int n) { return duet_ldexp(x, n); }                          \
  DUET_MATH T __nv_scalbn##f(T x, int n) { return duet_ldexp(x, n); }                         \
  DUET_MATH int __nv_ilogb##f(T x) { return duet_ilogb(x); }                                  \
  DUET_MATH T __nv_logb##f(T x) { return duet_logb(x); }                                      \
  DUET_MATH T __nv_modf##f(T x, T* whole) { return duet_modf(x, whole); }                     \
  DUET_MATH T __nv_nextafter##f(T x, T y) { return duet_nextafter(x, y); }                    \
  DUET_MATH T __nv_hypot##f(T x, T y) {                                                       \
    const T v[2] = {x, y};                                                                    \
    return duet_norm(2, v);                                                                   \
  }                                                                                           \
  DUET_MATH T __nv_rhypot##f(T x, T y) {                                                      \
    const T v[2] = {x, y};                                                                    \
    return duet_rnorm(2, v);                                                                  \
  }                                                                                           \
  DUET_MATH T __nv_norm3d##f(T x, T y, T z) {                                                 \
    const T v[3] = {x, y, z};                                                                 \
    return duet_norm(3, v);                                                                   \
  }                                                                                           \
  DUET_MATH T __nv_rnorm3d##f(T x, T y, T z) {                                                \
    const T v[3] = {x, y, z};                                                                 \
    return duet_rnorm(3, v);                                                                  \
  }                                                                                           \
  DUET_MATH T __nv_norm4d##f(T x, T y, T z, T w) {                                            \
    const T v[4] = {x, y, z, w};                                                              \
    return duet_norm(4, v);                                                                   \
  }                                                                                           \
  DUET_MATH T __nv_rnorm4d##f(T x, T y, T z, T w) {                                           \
    const T v[4] = {x, y, z, w};                                                              \
    return duet_rnorm(4, v);                                                                  \
  }                                                                                           \
  DUET_MATH T __nv_norm##f(int count, const T* v) { return duet_norm(count, v); }             \
  DUET_MATH T __nv_rnorm##f(int count, const T* v) { return duet_rnorm(count, v); }

DUET_BASIC(float, f)
DUET_BASIC(double, )
#undef DUET_BASIC

#endif
