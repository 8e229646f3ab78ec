/* Ground of the device math functions: bits of numbers, scaling by powers of two, polynomials, and pairs of
 * numbers that hold twice the precision. Plain C++: clang compiles it for host and device, any compiler for a
 * host test. Everything assumes round-to-nearest and a fused multiply-add. */
#ifndef DUET_MATH_BASE_H
#define DUET_MATH_BASE_H

#if defined(__clang__) && defined(__CUDA__)
#define DUET_MATH static inline __attribute__((host)) __attribute__((device))
#else
#define DUET_MATH static inline
#endif

#include "duet_math_coefficients.h"

/* ---- bits ---- */
DUET_MATH unsigned int duet_bits(float x) { return __builtin_bit_cast(unsigned int, x); }
DUET_MATH unsigned long long duet_bits(double x) { return __builtin_bit_cast(unsigned long long, x); }
DUET_MATH float duet_float(unsigned int bits) { return __builtin_bit_cast(float, bits); }
DUET_MATH double duet_double(unsigned long long bits) { return __builtin_bit_cast(double, bits); }

/* ---- operations that are one instruction, by one name for both types ---- */
DUET_MATH float duet_fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
DUET_MATH double duet_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
DUET_MATH float duet_abs(float x) { return __builtin_fabsf(x); }
DUET_MATH double duet_abs(double x) { return __builtin_fabs(x); }
DUET_MATH float duet_sqrt(float x) { return __builtin_sqrtf(x); }
DUET_MATH double duet_sqrt(double x) { return __builtin_sqrt(x); }
DUET_MATH float duet_rint(float x) { return __builtin_rintf(x); }
DUET_MATH double duet_rint(double x) { return __builtin_rint(x); }
DUET_MATH float duet_trunc(float x) { return __builtin_truncf(x); }
DUET_MATH double duet_trunc(double x) { return __builtin_trunc(x); }
DUET_MATH float duet_floor(float x) { return __builtin_floorf(x); }
DUET_MATH double duet_floor(double x) { return __builtin_floor(x); }
DUET_MATH float duet_copysign(float x, float y) {
  return duet_float((duet_bits(x) & 0x7fffffffu) | (duet_bits(y) & 0x80000000u));
}
DUET_MATH double duet_copysign(double x, double y) {
  return duet_double((duet_bits(x) & ~(1ull << 63)) | (duet_bits(y) & (1ull << 63)));
}

/* ---- what differs between the two types ---- */
template <class T>
struct DuetFormat;
template <>
struct DuetFormat<float> {
  typedef unsigned int Bits;
  enum { significand_bits = 23, bias = 127 };
};
template <>
struct DuetFormat<double> {
  typedef unsigned long long Bits;
  enum { significand_bits = 52, bias = 1023 };
};

template <class T>
DUET_MATH T duet_from_bits(typename DuetFormat<T>::Bits bits) {
  return __builtin_bit_cast(T, bits);
}
template <class T>
DUET_MATH T duet_inf() {
  return (T)__builtin_inff();
}
template <class T>
DUET_MATH T duet_nan() {
  return (T)__builtin_nanf("");
}
/** 2^k for an exponent of a normal number. */
template <class T>
DUET_MATH T duet_pow2(int k) {
  return duet_from_bits<T>((typename DuetFormat<T>::Bits)(k + DuetFormat<T>::bias)
                           << DuetFormat<T>::significand_bits);
}
/** x * 2^k for |x| around 1 and |k| at most twice the largest exponent; rounds once. */
template <class T>
DUET_MATH T duet_scale(T x, int k) {
  const int half = k >> 1;
  return x * duet_pow2<T>(half) * duet_pow2<T>(k - half);
}
/** Biased exponent field. */
template <class T>
DUET_MATH int duet_exponent_field(T x) {
  return (int)((duet_bits(x) >> DuetFormat<T>::significand_bits) & (2 * DuetFormat<T>::bias + 1));
}
/** Exponent e and significand in [1, 2) of a positive finite number, subnormal ones included. */
template <class T>
DUET_MATH T duet_split(T x, int* e) {
  int shift = 0;
  if (x < duet_pow2<T>(1 - DuetFormat<T>::bias)) {
    x *= duet_pow2<T>(64);
    shift = 64;
  }
  *e = duet_exponent_field(x) - DuetFormat<T>::bias - shift;
  const typename DuetFormat<T>::Bits one = 1;
  return duet_from_bits<T>((duet_bits(x) & ((one << DuetFormat<T>::significand_bits) - 1)) | duet_bits((T)1));
}

/* ---- polynomials: coefficients from the lowest power up, evaluated in Horner's order ---- */
template <class T>
DUET_MATH T duet_poly(T, T c0) {
  return c0;
}
template <class T, class... Rest>
DUET_MATH T duet_poly(T x, T c0, Rest... rest) {
  return duet_fma(duet_poly(x, rest...), x, c0);
}

/* ---- unevaluated sums hi + lo, |lo| at most half an ulp of hi ---- */
template <class T>
struct DuetPair {
  T hi, lo;
};
/** a + b exactly, for |a| >= |b|. */
template <class T>
DUET_MATH DuetPair<T> duet_fast_sum(T a, T b) {
  const T hi = a + b;
  return {hi, b - (hi - a)};
}
/** a + b exactly. */
template <class T>
DUET_MATH DuetPair<T> duet_sum(T a, T b) {
  const T hi = a + b;
  const T part = hi - a;
  return {hi, (a - (hi - part)) + (b - part)};
}
/** a * b exactly. */
template <class T>
DUET_MATH DuetPair<T> duet_product(T a, T b) {
  const T hi = a * b;
  return {hi, duet_fma(a, b, -hi)};
}
template <class T>
DUET_MATH DuetPair<T> duet_add(DuetPair<T> a, DuetPair<T> b) {
  const DuetPair<T> s = duet_sum(a.hi, b.hi);
  return duet_fast_sum(s.hi, s.lo + (a.lo + b.lo));
}
template <class T>
DUET_MATH DuetPair<T> duet_mul(DuetPair<T> a, DuetPair<T> b) {
  const DuetPair<T> p = duet_product(a.hi, b.hi);
  return duet_fast_sum(p.hi, duet_fma(a.hi, b.lo, duet_fma(a.lo, b.hi, p.lo)));
}
template <class T>
DUET_MATH DuetPair<T> duet_mul(DuetPair<T> a, T b) {
  const DuetPair<T> p = duet_product(a.hi, b);
  return duet_fast_sum(p.hi, duet_fma(a.lo, b, p.lo));
}
template <class T>
DUET_MATH DuetPair<T> duet_div(DuetPair<T> a, DuetPair<T> b) {
  const T q = a.hi / b.hi;
  const T rest = duet_fma(-q, b.hi, a.hi) + duet_fma(-q, b.lo, a.lo);
  return duet_fast_sum(q, rest / b.hi);
}
/** Square root of a positive pair. */
template <class T>
DUET_MATH DuetPair<T> duet_root(DuetPair<T> a) {
  const T s = duet_sqrt(a.hi);
  if (!(s > (T)0)) return {s, (T)0};
  return duet_fast_sum(s, (duet_fma(-s, s, a.hi) + a.lo) / (s + s));
}

/* ---- 2/pi for the reduction of large angles: 32-bit words, the first with the bits of weight 2^-1 to 2^-32;
 * zero words before it stand for the bits of higher weight ---- */
enum { duet_two_over_pi_lead_words = 2 };
static constexpr unsigned int duet_two_over_pi[] = {
    0x00000000u, 0x00000000u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u,
    0xfe5163abu, 0xdebbc561u, 0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu,
    0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu, 0xbdf9283bu,
    0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du,
    0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u, 0x1f8d5d08u, 0x56033046u, 0xfc7b6babu,
    0xf0cfbc20u, 0x9af4361du, 0xa9e39161u};
/** 64 bits of 2/pi from `bit` on, counted from the first word of the table. */
DUET_MATH unsigned long long duet_two_over_pi_bits(int bit) {
  const int word = bit >> 5, shift = bit & 31;
  const unsigned long long high =
      ((unsigned long long)duet_two_over_pi[word] << 32) | duet_two_over_pi[word + 1];
  return shift == 0 ? high : (high << shift) | (duet_two_over_pi[word + 2] >> (32 - shift));
}
/** High half of the 128-bit product. */
DUET_MATH unsigned long long duet_mul_high(unsigned long long a, unsigned long long b) {
#if defined(__CUDA_ARCH__)
  return __nvvm_mulhi_ull(a, b);
#else
  return (unsigned long long)(((unsigned __int128)a * b) >> 64);
#endif
}

#endif
