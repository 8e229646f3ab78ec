/* What half (IEEE binary16) and bfloat16 have in common: conversions with every rounding and fused
 * multiply-add, exact by construction. The same on host and device. Source: IEEE 754-2019; Boldo and
 * Melquiond, "Emulation of a FMA and Correctly Rounded Sums: Proved Algorithms Using Rounding to Odd", IEEE
 * Transactions on Computers 57 (2008).
 *
 * Sums, products, quotients and roots of two such numbers are computed in single precision and rounded once
 * more: 24 bits are at least 2 * 11 + 2, so the second rounding does no harm. */
#ifndef DUET_NARROW_FLOAT_H
#define DUET_NARROW_FLOAT_H

#if defined(__cplusplus)

#include <math.h>
#include <string.h>

#include "cuda_runtime.h"

#define DUET_NARROW static __host__ __device__ inline __attribute__((always_inline, unused))
#define DUET_NARROW_MEMBER __host__ __device__ inline __attribute__((always_inline))

namespace duet_narrow {

template <typename To, typename From>
DUET_NARROW To bits(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "");
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}

enum Rounding { kNearest, kZero, kDown, kUp };

/* The double as a number of kFraction fraction bits and exponents from kLeast on (of the least normal
 * number), in the format with `exponent_bits`. */
template <int kFraction, int kExponentBits>
DUET_NARROW unsigned short round_double(double value, Rounding rounding) {
  constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  constexpr unsigned kInfinity = ((1u << kExponentBits) - 1) << kFraction;
  const unsigned long long whole = bits<unsigned long long>(value);
  const unsigned sign = static_cast<unsigned>(whole >> 63) << 15;
  const unsigned long long magnitude = whole & ~(1ull << 63);
  if (magnitude > 0x7ff0000000000000ull) return 0x7fff;
  if (magnitude == 0x7ff0000000000000ull) return static_cast<unsigned short>(sign | kInfinity);
  if (magnitude == 0) return static_cast<unsigned short>(sign);
  int exponent = static_cast<int>(magnitude >> 52) - 1023;
  unsigned long long significand = magnitude & ((1ull << 52) - 1);
  if (exponent == -1023)
    exponent = -1022;
  else
    significand |= 1ull << 52;
  /* Fraction bits that fall away; more of them below the least normal number. */
  int shift = 52 - kFraction;
  const bool normal = exponent >= 1 - kBias;
  if (!normal) shift += 1 - kBias - exponent;
  if (shift > 60) shift = 60;
  unsigned long long kept = significand >> shift;
  const unsigned long long rest = significand & ((1ull << shift) - 1), half = 1ull << (shift - 1);
  const bool up = rounding == kNearest ? rest > half || (rest == half && (kept & 1) != 0)
                  : rounding == kZero  ? false
                                       : rest != 0 && (rounding == kUp) == (sign == 0);
  kept += up ? 1 : 0;
  /* A carry out of the fraction raises the exponent. */
  unsigned long long result =
      normal ? kept + (static_cast<unsigned long long>(exponent + kBias - 1) << kFraction) : kept;
  if (result >= kInfinity) {
    const bool to_infinity = rounding == kNearest || (rounding != kZero && (rounding == kUp) == (sign == 0));
    result = to_infinity ? kInfinity : kInfinity - 1;
  }
  return static_cast<unsigned short>(sign | result);
}

/* a * b + c, of which a * b is exact in double precision, rounded to odd: the next rounding is the only one.
 */
DUET_NARROW double fma_to_odd(double a, double b, double c) {
  const double product = a * b, sum = product + c;
  if (!(fabs(sum) < INFINITY) || !(fabs(product) < INFINITY)) return sum;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (c - part);
  unsigned long long word = bits<unsigned long long>(sum);
  if (error != 0 && (word & 1) == 0) word += (error > 0) == (sum > 0) ? 1 : -1;
  return bits<double>(word);
}

/* To an integer; beyond its range the nearest one, of no number 0 (or `no_number`). */
template <typename Integer>
DUET_NARROW Integer to_integer(float value, Rounding rounding, Integer least, Integer most,
                               Integer no_number) {
  if (value != value) return no_number;
  const float whole = rounding == kNearest ? rintf(value)
                      : rounding == kZero  ? truncf(value)
                      : rounding == kDown  ? floorf(value)
                                           : ceilf(value);
  if (whole <= static_cast<float>(least)) return least;
  if (whole >= static_cast<float>(most)) return most;
  return static_cast<Integer>(whole);
}

}  // namespace duet_narrow

DUET_NARROW float duet_narrow_exp10(float value) { return exp2f(value * 3.3219280948873623f); }

namespace duet_narrow {

/* An integer as a double rounded to odd. */
DUET_NARROW double integer_to_odd(unsigned long long magnitude, bool negative) {
  if (magnitude >> 32 == 0)
    return negative ? -static_cast<double>(magnitude) : static_cast<double>(magnitude);
  int shift = 0;
  bool lost = false;
  while (magnitude >> 53) {
    lost |= (magnitude & 1) != 0;
    magnitude >>= 1;
    ++shift;
  }
  double value = static_cast<double>(magnitude | (lost ? 1 : 0));
  for (; shift != 0; --shift) value *= 2;
  return negative ? -value : value;
}
template <typename Integer>
DUET_NARROW double to_odd(Integer value) {
  const bool negative = value < 0;
  const unsigned long long whole = static_cast<unsigned long long>(value);
  return integer_to_odd(negative ? 0 - whole : whole, negative);
}

}  // namespace duet_narrow

#endif
#endif
