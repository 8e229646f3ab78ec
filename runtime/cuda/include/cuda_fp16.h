/* CUDA's half precision (IEEE binary16), on host and device. Results are correctly rounded; functions are
 * those of single precision, rounded. Source: CUDA math API, half precision. Left out: conversions to and
 * from strings. */
#ifndef DUET_CUDA_FP16_H
#define DUET_CUDA_FP16_H

#if defined(__cplusplus)

#include "duet_narrow_float.h"

#define DUET_ROUNDED(value, rounding) \
  ::duet_narrow::round_double<10, 5>(static_cast<double>(value), ::duet_narrow::rounding)

struct __half_raw {
  unsigned short x;
};

struct __attribute__((aligned(2))) __half {
  unsigned short __x;

  __half() = default;
  DUET_NARROW_MEMBER __half(const __half_raw& from) : __x(from.x) {}
  DUET_NARROW_MEMBER __half(float value);
  DUET_NARROW_MEMBER __half(double value);
#define DUET_FROM_INTEGER(type)                                                                  \
  DUET_NARROW_MEMBER __half(type value)                                                          \
      : __x(DUET_ROUNDED(                                                                        \
            ::duet_narrow::integer_to_odd(value < 0 ? 0 - static_cast<unsigned long long>(value) \
                                                    : static_cast<unsigned long long>(value),    \
                                          value < 0),                                            \
            kNearest)) {}
  DUET_FROM_INTEGER(short)
  DUET_FROM_INTEGER(int)
  DUET_FROM_INTEGER(long)
  DUET_FROM_INTEGER(long long)
#undef DUET_FROM_INTEGER
#define DUET_FROM_INTEGER(type)         \
  DUET_NARROW_MEMBER __half(type value) \
      : __x(DUET_ROUNDED(::duet_narrow::integer_to_odd(value, false), kNearest)) {}
  DUET_FROM_INTEGER(unsigned short)
  DUET_FROM_INTEGER(unsigned int)
  DUET_FROM_INTEGER(unsigned long)
  DUET_FROM_INTEGER(unsigned long long)
#undef DUET_FROM_INTEGER
  DUET_NARROW_MEMBER operator __half_raw() const { return {__x}; }
  DUET_NARROW_MEMBER operator float() const;
  DUET_NARROW_MEMBER explicit operator bool() const { return (__x & 0x7fff) != 0; }
#define DUET_TO_INTEGER(type, least, most)                                                                   \
  DUET_NARROW_MEMBER explicit operator type() const {                                                        \
    return ::duet_narrow::to_integer<type>(static_cast<float>(*this), ::duet_narrow::kZero, least, most, 0); \
  }
  DUET_TO_INTEGER(short, -32767 - 1, 32767)
  DUET_TO_INTEGER(unsigned short, 0, 65535)
  DUET_TO_INTEGER(int, -2147483647 - 1, 2147483647)
  DUET_TO_INTEGER(unsigned int, 0, 4294967295u)
  DUET_TO_INTEGER(long long, -9223372036854775807ll - 1, 9223372036854775807ll)
  DUET_TO_INTEGER(unsigned long long, 0, 18446744073709551615ull)
#undef DUET_TO_INTEGER
};

typedef __half half;

struct __half2_raw {
  unsigned short x, y;
};

struct __attribute__((aligned(4))) __half2 {
  __half x, y;

  __half2() = default;
  DUET_NARROW_MEMBER __half2(const __half& low, const __half& high) : x(low), y(high) {}
  DUET_NARROW_MEMBER __half2(const __half2_raw& from) : x(__half_raw{from.x}), y(__half_raw{from.y}) {}
  DUET_NARROW_MEMBER operator __half2_raw() const { return {x.__x, y.__x}; }
};

typedef __half2 half2;

/* ---- conversions ---- */
DUET_NARROW float __half2float(__half a) {
#if defined(__CUDA_ARCH__)
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(a.__x));
  return value;
#else
  const unsigned sign = (a.__x & 0x8000u) << 16, exponent = (a.__x >> 10) & 31, fraction = a.__x & 1023u;
  if (exponent == 31) return ::duet_narrow::bits<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent != 0) return ::duet_narrow::bits<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float value = static_cast<float>(fraction) * 5.9604644775390625e-8f; /* 2^-24 */
  return sign != 0 ? -value : value;
#endif
}

DUET_NARROW_MEMBER __half::operator float() const { return __half2float(*this); }

#if defined(__CUDA_ARCH__)
DUET_NARROW_MEMBER __half::__half(float value) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(__x) : "f"(value)); }
DUET_NARROW_MEMBER __half::__half(double value) { asm("cvt.rn.f16.f64 %0, %1;" : "=h"(__x) : "d"(value)); }
#else
DUET_NARROW_MEMBER __half::__half(float value) : __x(DUET_ROUNDED(value, kNearest)) {}
DUET_NARROW_MEMBER __half::__half(double value) : __x(DUET_ROUNDED(value, kNearest)) {}
#endif

DUET_NARROW __half __float2half(float value) { return __half(value); }
DUET_NARROW __half __double2half(double value) { return __half(value); }
DUET_NARROW __half __float2half_rn(float value) { return __half(value); }
DUET_NARROW __half __float2half_rz(float value) { return __half_raw{DUET_ROUNDED(value, kZero)}; }
DUET_NARROW __half __float2half_rd(float value) { return __half_raw{DUET_ROUNDED(value, kDown)}; }
DUET_NARROW __half __float2half_ru(float value) { return __half_raw{DUET_ROUNDED(value, kUp)}; }
#define DUET_INTEGERS(name, type, least, most)                                          \
  DUET_NARROW __half __##name##2half_rn(type value) { return __half(value); }           \
  DUET_NARROW __half __##name##2half_rz(type value) {                                   \
    return __half_raw{DUET_ROUNDED(duet_integer(value), kZero)};                        \
  }                                                                                     \
  DUET_NARROW __half __##name##2half_rd(type value) {                                   \
    return __half_raw{DUET_ROUNDED(duet_integer(value), kDown)};                        \
  }                                                                                     \
  DUET_NARROW __half __##name##2half_ru(type value) {                                   \
    return __half_raw{DUET_ROUNDED(duet_integer(value), kUp)};                          \
  }                                                                                     \
  DUET_NARROW type __half2##name##_rn(__half a) {                                       \
    return ::duet_narrow::to_integer<type>(a, ::duet_narrow::kNearest, least, most, 0); \
  }                                                                                     \
  DUET_NARROW type __half2##name##_rz(__half a) {                                       \
    return ::duet_narrow::to_integer<type>(a, ::duet_narrow::kZero, least, most, 0);    \
  }                                                                                     \
  DUET_NARROW type __half2##name##_rd(__half a) {                                       \
    return ::duet_narrow::to_integer<type>(a, ::duet_narrow::kDown, least, most, 0);    \
  }                                                                                     \
  DUET_NARROW type __half2##name##_ru(__half a) {                                       \
    return ::duet_narrow::to_integer<type>(a, ::duet_narrow::kUp, least, most, 0);      \
  }
#define duet_integer(value)                                                                            \
  ::duet_narrow::integer_to_odd(                                                                       \
      value < 0 ? 0 - static_cast<unsigned long long>(value) : static_cast<unsigned long long>(value), \
      value < 0)
DUET_INTEGERS(short, short, -32767 - 1, 32767)
DUET_INTEGERS(int, int, -2147483647 - 1, 2147483647)
DUET_INTEGERS(ll, long long, -9223372036854775807ll - 1, 9223372036854775807ll)
#undef duet_integer
#define duet_integer(value) ::duet_narrow::integer_to_odd(value, false)
DUET_INTEGERS(ushort, unsigned short, 0, 65535)
DUET_INTEGERS(uint, unsigned int, 0, 4294967295u)
DUET_INTEGERS(ull, unsigned long long, 0, 18446744073709551615ull)
#undef duet_integer
#undef DUET_INTEGERS
DUET_NARROW unsigned short __half_as_ushort(__half a) { return a.__x; }
DUET_NARROW short __half_as_short(__half a) { return static_cast<short>(a.__x); }
DUET_NARROW __half __ushort_as_half(unsigned short bits) { return __half_raw{bits}; }
DUET_NARROW __half __short_as_half(short bits) { return __half_raw{static_cast<unsigned short>(bits)}; }

/* ---- pairs ---- */
DUET_NARROW __half2 make_half2(__half low, __half high) { return __half2(low, high); }
DUET_NARROW __half2 __halves2half2(__half low, __half high) { return __half2(low, high); }
DUET_NARROW __half2 __half2half2(__half a) { return __half2(a, a); }
DUET_NARROW __half2 __float2half2_rn(float value) { return __half2(__half(value), __half(value)); }
DUET_NARROW __half2 __floats2half2_rn(float low, float high) { return __half2(__half(low), __half(high)); }
DUET_NARROW __half2 __float22half2_rn(float2 a) { return __half2(__half(a.x), __half(a.y)); }
DUET_NARROW float2 __half22float2(__half2 a) { return make_float2(a.x, a.y); }
DUET_NARROW __half __low2half(__half2 a) { return a.x; }
DUET_NARROW __half __high2half(__half2 a) { return a.y; }
DUET_NARROW float __low2float(__half2 a) { return a.x; }
DUET_NARROW float __high2float(__half2 a) { return a.y; }
DUET_NARROW __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
DUET_NARROW __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
DUET_NARROW __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }
DUET_NARROW __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
DUET_NARROW __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }

/* ---- arithmetic ---- */
#define DUET_BINARY(name, expression)                                             \
  DUET_NARROW __half __h##name(__half a, __half b) { return __half(expression); } \
  DUET_NARROW __half2 __h##name##2(__half2 a, __half2 b) {                        \
    return __half2(__h##name(a.x, b.x), __h##name(a.y, b.y));                     \
  }
#define DUET_BINARY_RN(name)                                                                         \
  DUET_NARROW __half __h##name##_rn(__half a, __half b) { return __h##name(a, b); }                  \
  DUET_NARROW __half2 __h##name##2_rn(__half2 a, __half2 b) { return __h##name##2(a, b); }           \
  DUET_NARROW __half __h##name##_sat(__half a, __half b) { return duet_saturated(__h##name(a, b)); } \
  DUET_NARROW __half2 __h##name##2_sat(__half2 a, __half2 b) {                                       \
    return __half2(__h##name##_sat(a.x, b.x), __h##name##_sat(a.y, b.y));                            \
  }
/* Into [0, 1]; what is no number becomes 0. */
DUET_NARROW __half duet_saturated(__half a) {
  const float value = a;
  return __half(value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f);
}
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 530
#define DUET_NATIVE(name)                                                                              \
  static __device__ inline __attribute__((always_inline)) __half __h##name(__half a, __half b) {       \
    __half_raw result;                                                                                 \
    asm(#name ".rn.f16 %0, %1, %2;" : "=h"(result.x) : "h"(a.__x), "h"(b.__x));                        \
    return result;                                                                                     \
  }                                                                                                    \
  static __device__ inline __attribute__((always_inline)) __half2 __h##name##2(__half2 a, __half2 b) { \
    unsigned result;                                                                                   \
    asm(#name ".rn.f16x2 %0, %1, %2;"                                                                  \
        : "=r"(result)                                                                                 \
        : "r"(::duet_narrow::bits<unsigned>(a)), "r"(::duet_narrow::bits<unsigned>(b)));               \
    return ::duet_narrow::bits<__half2_raw>(result);                                                   \
  }
DUET_NATIVE(add)
DUET_NATIVE(sub)
DUET_NATIVE(mul)
#undef DUET_NATIVE
#else
DUET_BINARY(add, static_cast<float>(a) + static_cast<float>(b))
DUET_BINARY(sub, static_cast<float>(a) - static_cast<float>(b))
DUET_BINARY(mul, static_cast<float>(a) * static_cast<float>(b))
#endif
DUET_BINARY_RN(add)
DUET_BINARY_RN(sub)
DUET_BINARY_RN(mul)
DUET_NARROW __half __hdiv(__half a, __half b) {
  return __half(static_cast<float>(a) / static_cast<float>(b));
}
DUET_NARROW __half2 __h2div(__half2 a, __half2 b) { return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 530
static __device__ inline __attribute__((always_inline)) __half __hfma(__half a, __half b, __half c) {
  __half_raw result;
  asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(result.x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
  return result;
}
static __device__ inline __attribute__((always_inline)) __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  unsigned result;
  asm("fma.rn.f16x2 %0, %1, %2, %3;"
      : "=r"(result)
      : "r"(::duet_narrow::bits<unsigned>(a)), "r"(::duet_narrow::bits<unsigned>(b)),
        "r"(::duet_narrow::bits<unsigned>(c)));
  return ::duet_narrow::bits<__half2_raw>(result);
}
#else
DUET_NARROW __half __hfma(__half a, __half b, __half c) {
  return __half(
      ::duet_narrow::fma_to_odd(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)));
}
DUET_NARROW __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
#endif
DUET_NARROW __half __hfma_sat(__half a, __half b, __half c) { return duet_saturated(__hfma(a, b, c)); }
DUET_NARROW __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c) {
  return __half2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
DUET_NARROW __half __hfma_relu(__half a, __half b, __half c) {
  const __half value = __hfma(a, b, c);
  return static_cast<float>(value) < 0.0f ? __half(0.0f) : value;
}
DUET_NARROW __half __hneg(__half a) { return __half_raw{static_cast<unsigned short>(a.__x ^ 0x8000)}; }
DUET_NARROW __half __habs(__half a) { return __half_raw{static_cast<unsigned short>(a.__x & 0x7fff)}; }
DUET_NARROW __half2 __hneg2(__half2 a) { return __half2(__hneg(a.x), __hneg(a.y)); }
DUET_NARROW __half2 __habs2(__half2 a) { return __half2(__habs(a.x), __habs(a.y)); }

/* ---- comparisons ---- */
DUET_NARROW bool __hisnan(__half a) { return static_cast<float>(a) != static_cast<float>(a); }
DUET_NARROW int __hisinf(__half a) {
  const float value = a;
  return value == INFINITY ? 1 : value == -INFINITY ? -1 : 0;
}
#define DUET_COMPARISON(name, operation)                                                                  \
  DUET_NARROW bool __h##name(__half a, __half b) {                                                        \
    return !__hisnan(a) && !__hisnan(b) && static_cast<float>(a) operation static_cast<float>(b);         \
  }                                                                                                       \
  DUET_NARROW bool __h##name##u(__half a, __half b) {                                                     \
    return __hisnan(a) || __hisnan(b) || __h##name(a, b);                                                 \
  }                                                                                                       \
  DUET_NARROW __half2 __h##name##2(__half2 a, __half2 b) {                                                \
    return __half2(__half(__h##name(a.x, b.x) ? 1.0f : 0.0f), __half(__h##name(a.y, b.y) ? 1.0f : 0.0f)); \
  }                                                                                                       \
  DUET_NARROW bool __hb##name##2(__half2 a, __half2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }
DUET_COMPARISON(eq, ==)
DUET_COMPARISON(ne, !=)
DUET_COMPARISON(lt, <)
DUET_COMPARISON(le, <=)
DUET_COMPARISON(gt, >)
DUET_COMPARISON(ge, >=)
#undef DUET_COMPARISON
/* Of a number and none the number, and -0 before +0; with _nan none wins. */
DUET_NARROW __half __hmin(__half a, __half b) {
  if (__hisnan(a) || __hisnan(b)) return __hisnan(a) ? (__hisnan(b) ? __half(__half_raw{0x7fff}) : b) : a;
  return __hlt(a, b) || (__heq(a, b) && (a.__x & 0x8000) != 0) ? a : b;
}
DUET_NARROW __half __hmax(__half a, __half b) {
  if (__hisnan(a) || __hisnan(b)) return __hisnan(a) ? (__hisnan(b) ? __half(__half_raw{0x7fff}) : b) : a;
  return __hgt(a, b) || (__heq(a, b) && (a.__x & 0x8000) == 0) ? a : b;
}
DUET_NARROW __half __hmin_nan(__half a, __half b) {
  return __hisnan(a) || __hisnan(b) ? __half(__half_raw{0x7fff}) : __hmin(a, b);
}
DUET_NARROW __half __hmax_nan(__half a, __half b) {
  return __hisnan(a) || __hisnan(b) ? __half(__half_raw{0x7fff}) : __hmax(a, b);
}
DUET_NARROW __half2 __hmin2(__half2 a, __half2 b) { return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
DUET_NARROW __half2 __hmax2(__half2 a, __half2 b) { return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
DUET_NARROW __half2 __hisnan2(__half2 a) {
  return __half2(__half(__hisnan(a.x) ? 1.0f : 0.0f), __half(__hisnan(a.y) ? 1.0f : 0.0f));
}

/* ---- operators ---- */
#define DUET_OPERATORS(type, suffix)                                                        \
  DUET_NARROW type operator+(const type& a, const type& b) { return __hadd##suffix(a, b); } \
  DUET_NARROW type operator-(const type& a, const type& b) { return __hsub##suffix(a, b); } \
  DUET_NARROW type operator*(const type& a, const type& b) { return __hmul##suffix(a, b); } \
  DUET_NARROW type& operator+=(type& a, const type& b) { return a = a + b; }                \
  DUET_NARROW type& operator-=(type& a, const type& b) { return a = a - b; }                \
  DUET_NARROW type& operator*=(type& a, const type& b) { return a = a * b; }                \
  DUET_NARROW type& operator/=(type& a, const type& b) { return a = a / b; }                \
  DUET_NARROW type operator+(const type& a) { return a; }                                   \
  DUET_NARROW type operator-(const type& a) { return __hneg##suffix(a); }
DUET_NARROW __half operator/(const __half& a, const __half& b) { return __hdiv(a, b); }
DUET_NARROW __half2 operator/(const __half2& a, const __half2& b) { return __h2div(a, b); }
DUET_OPERATORS(__half, )
DUET_OPERATORS(__half2, 2)
#undef DUET_OPERATORS
DUET_NARROW __half& operator++(__half& a) { return a = a + __half(1.0f); }
DUET_NARROW __half& operator--(__half& a) { return a = a - __half(1.0f); }
#define DUET_COMPARISON(operation, name, unordered)                          \
  DUET_NARROW bool operator operation(const __half& a, const __half& b) {    \
    return __h##name##unordered(a, b);                                       \
  }                                                                          \
  DUET_NARROW bool operator operation(const __half2& a, const __half2& b) {  \
    return __h##name##unordered(a.x, b.x) && __h##name##unordered(a.y, b.y); \
  }
DUET_COMPARISON(==, eq, )
DUET_COMPARISON(!=, ne, u)
DUET_COMPARISON(<, lt, )
DUET_COMPARISON(<=, le, )
DUET_COMPARISON(>, gt, )
DUET_COMPARISON(>=, ge, )
#undef DUET_COMPARISON

/* ---- functions: in single precision, rounded ---- */
#define DUET_FUNCTION(name, function)                                                      \
  DUET_NARROW __half h##name(__half a) { return __half(function(static_cast<float>(a))); } \
  DUET_NARROW __half2 h2##name(__half2 a) { return __half2(h##name(a.x), h##name(a.y)); }
DUET_FUNCTION(sqrt, sqrtf)
DUET_FUNCTION(rsqrt, 1.0f / sqrtf)
DUET_FUNCTION(rcp, 1.0f /)
DUET_FUNCTION(exp, expf)
DUET_FUNCTION(exp2, exp2f)
DUET_FUNCTION(exp10, 1.0f * duet_narrow_exp10)
DUET_FUNCTION(log, logf)
DUET_FUNCTION(log2, log2f)
DUET_FUNCTION(log10, log10f)
DUET_FUNCTION(sin, sinf)
DUET_FUNCTION(cos, cosf)
DUET_FUNCTION(tanh, tanhf)
DUET_FUNCTION(floor, floorf)
DUET_FUNCTION(ceil, ceilf)
DUET_FUNCTION(trunc, truncf)
DUET_FUNCTION(rint, rintf)
#undef DUET_FUNCTION

/* ---- of the device ---- */
#if defined(__clang__) && defined(__CUDA__)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 300
#define DUET_SHUFFLE(name, lane_type)                                                                     \
  static __device__ inline __half name(unsigned mask, __half value, lane_type lane, int width = 32) {     \
    return __half_raw{static_cast<unsigned short>(name(mask, static_cast<int>(value.__x), lane, width))}; \
  }                                                                                                       \
  static __device__ inline __half2 name(unsigned mask, __half2 value, lane_type lane, int width = 32) {   \
    return ::duet_narrow::bits<__half2_raw>(name(mask, ::duet_narrow::bits<int>(value), lane, width));    \
  }
DUET_SHUFFLE(__shfl_sync, int)
DUET_SHUFFLE(__shfl_up_sync, unsigned)
DUET_SHUFFLE(__shfl_down_sync, unsigned)
DUET_SHUFFLE(__shfl_xor_sync, int)
#undef DUET_SHUFFLE
#endif
static __device__ inline __half2 atomicAdd(__half2* address, __half2 value) {
  unsigned* const word = reinterpret_cast<unsigned*>(address);
  unsigned old = *word, seen;
  do {
    seen = old;
    old = atomicCAS(word, seen,
                    ::duet_narrow::bits<unsigned>(__half2(::duet_narrow::bits<__half2_raw>(seen)) + value));
  } while (old != seen);
  return ::duet_narrow::bits<__half2_raw>(old);
}
static __device__ inline __half atomicAdd(__half* address, __half value) {
  const unsigned long long place = reinterpret_cast<unsigned long long>(address);
  unsigned* const word = reinterpret_cast<unsigned*>(place & ~3ull);
  const unsigned shift = static_cast<unsigned>(place & 2) * 8;
  unsigned old = *word, seen;
  __half before;
  do {
    seen = old;
    before = __half_raw{static_cast<unsigned short>(seen >> shift)};
    const unsigned sum = (before + value).__x;
    old = atomicCAS(word, seen, (seen & ~(0xffffu << shift)) | (sum << shift));
  } while (old != seen);
  return before;
}
static __device__ inline __half __ldg(const __half* from) {
  return __half_raw{__ldg(reinterpret_cast<const unsigned short*>(from))};
}
static __device__ inline __half2 __ldg(const __half2* from) {
  return ::duet_narrow::bits<__half2_raw>(__ldg(reinterpret_cast<const unsigned*>(from)));
}
#endif

#undef DUET_BINARY
#undef DUET_BINARY_RN
#undef DUET_ROUNDED

#endif
#endif
