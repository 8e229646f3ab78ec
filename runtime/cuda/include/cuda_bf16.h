/* CUDA's bfloat16 (the upper half of single precision), on host and device. Results are correctly rounded;
 * functions are those of single precision, rounded. Source: CUDA math API, bfloat16 precision. */
#ifndef DUET_CUDA_BF16_H
#define DUET_CUDA_BF16_H

#if defined(__cplusplus)

#include "duet_narrow_float.h"

#define DUET_ROUNDED(value, rounding) \
  ::duet_narrow::round_double<7, 8>(static_cast<double>(value), ::duet_narrow::rounding)

struct __nv_bfloat16_raw {
  unsigned short x;
};

struct __attribute__((aligned(2))) __nv_bfloat16 {
  unsigned short __x;

  __nv_bfloat16() = default;
  DUET_NARROW_MEMBER __nv_bfloat16(const __nv_bfloat16_raw& from) : __x(from.x) {}
  DUET_NARROW_MEMBER __nv_bfloat16(float value);
  DUET_NARROW_MEMBER __nv_bfloat16(double value);
#define DUET_FROM_INTEGER(type)                                                                  \
  DUET_NARROW_MEMBER __nv_bfloat16(type value)                                                   \
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
#define DUET_FROM_INTEGER(type)                \
  DUET_NARROW_MEMBER __nv_bfloat16(type value) \
      : __x(DUET_ROUNDED(::duet_narrow::integer_to_odd(value, false), kNearest)) {}
  DUET_FROM_INTEGER(unsigned short)
  DUET_FROM_INTEGER(unsigned int)
  DUET_FROM_INTEGER(unsigned long)
  DUET_FROM_INTEGER(unsigned long long)
#undef DUET_FROM_INTEGER
  DUET_NARROW_MEMBER operator __nv_bfloat16_raw() const { return {__x}; }
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

typedef __nv_bfloat16 nv_bfloat16;

struct __nv_bfloat162_raw {
  unsigned short x, y;
};

struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;

  __nv_bfloat162() = default;
  DUET_NARROW_MEMBER __nv_bfloat162(const __nv_bfloat16& low, const __nv_bfloat16& high) : x(low), y(high) {}
  DUET_NARROW_MEMBER __nv_bfloat162(const __nv_bfloat162_raw& from)
      : x(__nv_bfloat16_raw{from.x}), y(__nv_bfloat16_raw{from.y}) {}
  DUET_NARROW_MEMBER operator __nv_bfloat162_raw() const { return {x.__x, y.__x}; }
};

typedef __nv_bfloat162 nv_bfloat162;

/* ---- conversions ---- */
DUET_NARROW float __bfloat162float(__nv_bfloat16 a) {
  return ::duet_narrow::bits<float>(static_cast<unsigned>(a.__x) << 16);
}

DUET_NARROW_MEMBER __nv_bfloat16::operator float() const { return __bfloat162float(*this); }

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
DUET_NARROW_MEMBER __nv_bfloat16::__nv_bfloat16(float value) {
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(__x) : "f"(value));
}
DUET_NARROW_MEMBER __nv_bfloat16::__nv_bfloat16(double value) : __x(DUET_ROUNDED(value, kNearest)) {}
#else
DUET_NARROW_MEMBER __nv_bfloat16::__nv_bfloat16(float value) : __x(DUET_ROUNDED(value, kNearest)) {}
DUET_NARROW_MEMBER __nv_bfloat16::__nv_bfloat16(double value) : __x(DUET_ROUNDED(value, kNearest)) {}
#endif

DUET_NARROW __nv_bfloat16 __float2bfloat16(float value) { return __nv_bfloat16(value); }
DUET_NARROW __nv_bfloat16 __double2bfloat16(double value) { return __nv_bfloat16(value); }
DUET_NARROW __nv_bfloat16 __float2bfloat16_rn(float value) { return __nv_bfloat16(value); }
DUET_NARROW __nv_bfloat16 __float2bfloat16_rz(float value) {
  return __nv_bfloat16_raw{DUET_ROUNDED(value, kZero)};
}
DUET_NARROW __nv_bfloat16 __float2bfloat16_rd(float value) {
  return __nv_bfloat16_raw{DUET_ROUNDED(value, kDown)};
}
DUET_NARROW __nv_bfloat16 __float2bfloat16_ru(float value) {
  return __nv_bfloat16_raw{DUET_ROUNDED(value, kUp)};
}
#define DUET_INTEGERS(name, type, least, most)                                                  \
  DUET_NARROW __nv_bfloat16 __##name##2bfloat16_rn(type value) { return __nv_bfloat16(value); } \
  DUET_NARROW __nv_bfloat16 __##name##2bfloat16_rz(type value) {                                \
    return __nv_bfloat16_raw{DUET_ROUNDED(duet_integer(value), kZero)};                         \
  }                                                                                             \
  DUET_NARROW __nv_bfloat16 __##name##2bfloat16_rd(type value) {                                \
    return __nv_bfloat16_raw{DUET_ROUNDED(duet_integer(value), kDown)};                         \
  }                                                                                             \
  DUET_NARROW __nv_bfloat16 __##name##2bfloat16_ru(type value) {                                \
    return __nv_bfloat16_raw{DUET_ROUNDED(duet_integer(value), kUp)};                           \
  }                                                                                             \
  DUET_NARROW type __bfloat162##name##_rn(__nv_bfloat16 a) {                                    \
    return ::duet_narrow::to_integer<type>(a, ::duet_narrow::kNearest, least, most, 0);         \
  }                                                                                             \
  DUET_NARROW type __bfloat162##name##_rz(__nv_bfloat16 a) {                                    \
    return ::duet_narrow::to_integer<type>(a, ::duet_narrow::kZero, least, most, 0);            \
  }                                                                                             \
  DUET_NARROW type __bfloat162##name##_rd(__nv_bfloat16 a) {                                    \
    return ::duet_narrow::to_integer<type>(a, ::duet_narrow::kDown, least, most, 0);            \
  }                                                                                             \
  DUET_NARROW type __bfloat162##name##_ru(__nv_bfloat16 a) {                                    \
    return ::duet_narrow::to_integer<type>(a, ::duet_narrow::kUp, least, most, 0);              \
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
DUET_NARROW unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
DUET_NARROW short __bfloat16_as_short(__nv_bfloat16 a) { return static_cast<short>(a.__x); }
DUET_NARROW __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return __nv_bfloat16_raw{bits}; }
DUET_NARROW __nv_bfloat16 __short_as_bfloat16(short bits) {
  return __nv_bfloat16_raw{static_cast<unsigned short>(bits)};
}

/* ---- pairs ---- */
DUET_NARROW __nv_bfloat162 make_bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) {
  return __nv_bfloat162(low, high);
}
DUET_NARROW __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) {
  return __nv_bfloat162(low, high);
}
DUET_NARROW __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
DUET_NARROW __nv_bfloat162 __float2bfloat162_rn(float value) {
  return __nv_bfloat162(__nv_bfloat16(value), __nv_bfloat16(value));
}
DUET_NARROW __nv_bfloat162 __floats2bfloat162_rn(float low, float high) {
  return __nv_bfloat162(__nv_bfloat16(low), __nv_bfloat16(high));
}
DUET_NARROW __nv_bfloat162 __float22bfloat162_rn(float2 a) {
  return __nv_bfloat162(__nv_bfloat16(a.x), __nv_bfloat16(a.y));
}
DUET_NARROW float2 __bfloat1622float2(__nv_bfloat162 a) { return make_float2(a.x, a.y); }
DUET_NARROW __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
DUET_NARROW __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
DUET_NARROW float __low2float(__nv_bfloat162 a) { return a.x; }
DUET_NARROW float __high2float(__nv_bfloat162 a) { return a.y; }
DUET_NARROW __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.x, a.x); }
DUET_NARROW __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.y); }
DUET_NARROW __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.x); }
DUET_NARROW __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(a.x, b.x);
}
DUET_NARROW __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(a.y, b.y);
}

/* ---- arithmetic ---- */
#define DUET_BINARY(name, expression)                                           \
  DUET_NARROW __nv_bfloat16 __h##name(__nv_bfloat16 a, __nv_bfloat16 b) {       \
    return __nv_bfloat16(expression);                                           \
  }                                                                             \
  DUET_NARROW __nv_bfloat162 __h##name##2(__nv_bfloat162 a, __nv_bfloat162 b) { \
    return __nv_bfloat162(__h##name(a.x, b.x), __h##name(a.y, b.y));            \
  }
#define DUET_BINARY_RN(name)                                                                             \
  DUET_NARROW __nv_bfloat16 __h##name##_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return __h##name(a, b); } \
  DUET_NARROW __nv_bfloat162 __h##name##2_rn(__nv_bfloat162 a, __nv_bfloat162 b) {                       \
    return __h##name##2(a, b);                                                                           \
  }                                                                                                      \
  DUET_NARROW __nv_bfloat16 __h##name##_sat(__nv_bfloat16 a, __nv_bfloat16 b) {                          \
    return duet_saturated(__h##name(a, b));                                                              \
  }                                                                                                      \
  DUET_NARROW __nv_bfloat162 __h##name##2_sat(__nv_bfloat162 a, __nv_bfloat162 b) {                      \
    return __nv_bfloat162(__h##name##_sat(a.x, b.x), __h##name##_sat(a.y, b.y));                         \
  }
/* Into [0, 1]; what is no number becomes 0. */
DUET_NARROW __nv_bfloat16 duet_saturated(__nv_bfloat16 a) {
  const float value = a;
  return __nv_bfloat16(value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f);
}
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
/* As a fused multiply-add with 1, or with -0, which changes nothing. */
#define DUET_NATIVE(name, factor, first, second)                                      \
  static __device__ inline __attribute__((always_inline))                             \
  __nv_bfloat16 __h##name(__nv_bfloat16 a, __nv_bfloat16 b) {                         \
    __nv_bfloat16_raw result;                                                         \
    asm("fma.rn.bf16 %0, %1, %2, %3;"                                                 \
        : "=h"(result.x)                                                              \
        : "h"(first.__x), "h"(static_cast<unsigned short>(factor)), "h"(second.__x)); \
    return result;                                                                    \
  }                                                                                   \
  static __device__ inline __attribute__((always_inline))                             \
  __nv_bfloat162 __h##name##2(__nv_bfloat162 a, __nv_bfloat162 b) {                   \
    unsigned result;                                                                  \
    asm("fma.rn.bf16x2 %0, %1, %2, %3;"                                               \
        : "=r"(result)                                                                \
        : "r"(::duet_narrow::bits<unsigned>(first)), "r"(factor * 0x10001u),          \
          "r"(::duet_narrow::bits<unsigned>(second)));                                \
    return ::duet_narrow::bits<__nv_bfloat162_raw>(result);                           \
  }
DUET_NATIVE(add, 0x3f80u, a, b)
DUET_NATIVE(sub, 0xbf80u, b, a)
#undef DUET_NATIVE
static __device__ inline __attribute__((always_inline)) __nv_bfloat16 __hmul(__nv_bfloat16 a,
                                                                             __nv_bfloat16 b) {
  __nv_bfloat16_raw result;
  asm("fma.rn.bf16 %0, %1, %2, %3;"
      : "=h"(result.x)
      : "h"(a.__x), "h"(b.__x), "h"(static_cast<unsigned short>(0x8000)));
  return result;
}
static __device__ inline __attribute__((always_inline)) __nv_bfloat162 __hmul2(__nv_bfloat162 a,
                                                                               __nv_bfloat162 b) {
  unsigned result;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;"
      : "=r"(result)
      : "r"(::duet_narrow::bits<unsigned>(a)), "r"(::duet_narrow::bits<unsigned>(b)), "r"(0x80008000u));
  return ::duet_narrow::bits<__nv_bfloat162_raw>(result);
}
#else
DUET_BINARY(add, static_cast<float>(a) + static_cast<float>(b))
DUET_BINARY(sub, static_cast<float>(a) - static_cast<float>(b))
DUET_BINARY(mul, static_cast<double>(static_cast<float>(a)) * static_cast<double>(static_cast<float>(b)))
#endif
DUET_BINARY_RN(add)
DUET_BINARY_RN(sub)
DUET_BINARY_RN(mul)
DUET_NARROW __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat16(static_cast<double>(static_cast<float>(a)) /
                       static_cast<double>(static_cast<float>(b)));
}
DUET_NARROW __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
static __device__ inline __attribute__((always_inline)) __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b,
                                                                             __nv_bfloat16 c) {
  __nv_bfloat16_raw result;
  asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(result.x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
  return result;
}
static __device__ inline __attribute__((always_inline)) __nv_bfloat162 __hfma2(__nv_bfloat162 a,
                                                                               __nv_bfloat162 b,
                                                                               __nv_bfloat162 c) {
  unsigned result;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;"
      : "=r"(result)
      : "r"(::duet_narrow::bits<unsigned>(a)), "r"(::duet_narrow::bits<unsigned>(b)),
        "r"(::duet_narrow::bits<unsigned>(c)));
  return ::duet_narrow::bits<__nv_bfloat162_raw>(result);
}
#else
DUET_NARROW __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return __nv_bfloat16(
      ::duet_narrow::fma_to_odd(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)));
}
DUET_NARROW __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
#endif
DUET_NARROW __nv_bfloat16 __hfma_sat(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return duet_saturated(__hfma(a, b, c));
}
DUET_NARROW __nv_bfloat162 __hfma2_sat(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  return __nv_bfloat162(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
DUET_NARROW __nv_bfloat16 __hfma_relu(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  const __nv_bfloat16 value = __hfma(a, b, c);
  return static_cast<float>(value) < 0.0f ? __nv_bfloat16(0.0f) : value;
}
DUET_NARROW __nv_bfloat16 __hneg(__nv_bfloat16 a) {
  return __nv_bfloat16_raw{static_cast<unsigned short>(a.__x ^ 0x8000)};
}
DUET_NARROW __nv_bfloat16 __habs(__nv_bfloat16 a) {
  return __nv_bfloat16_raw{static_cast<unsigned short>(a.__x & 0x7fff)};
}
DUET_NARROW __nv_bfloat162 __hneg2(__nv_bfloat162 a) { return __nv_bfloat162(__hneg(a.x), __hneg(a.y)); }
DUET_NARROW __nv_bfloat162 __habs2(__nv_bfloat162 a) { return __nv_bfloat162(__habs(a.x), __habs(a.y)); }

/* ---- comparisons ---- */
DUET_NARROW bool __hisnan(__nv_bfloat16 a) { return static_cast<float>(a) != static_cast<float>(a); }
DUET_NARROW int __hisinf(__nv_bfloat16 a) {
  const float value = a;
  return value == INFINITY ? 1 : value == -INFINITY ? -1 : 0;
}
#define DUET_COMPARISON(name, operation)                                                          \
  DUET_NARROW bool __h##name(__nv_bfloat16 a, __nv_bfloat16 b) {                                  \
    return !__hisnan(a) && !__hisnan(b) && static_cast<float>(a) operation static_cast<float>(b); \
  }                                                                                               \
  DUET_NARROW bool __h##name##u(__nv_bfloat16 a, __nv_bfloat16 b) {                               \
    return __hisnan(a) || __hisnan(b) || __h##name(a, b);                                         \
  }                                                                                               \
  DUET_NARROW __nv_bfloat162 __h##name##2(__nv_bfloat162 a, __nv_bfloat162 b) {                   \
    return __nv_bfloat162(__nv_bfloat16(__h##name(a.x, b.x) ? 1.0f : 0.0f),                       \
                          __nv_bfloat16(__h##name(a.y, b.y) ? 1.0f : 0.0f));                      \
  }                                                                                               \
  DUET_NARROW bool __hb##name##2(__nv_bfloat162 a, __nv_bfloat162 b) {                            \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                            \
  }
DUET_COMPARISON(eq, ==)
DUET_COMPARISON(ne, !=)
DUET_COMPARISON(lt, <)
DUET_COMPARISON(le, <=)
DUET_COMPARISON(gt, >)
DUET_COMPARISON(ge, >=)
#undef DUET_COMPARISON
/* Of a number and none the number, and -0 before +0; with _nan none wins. */
DUET_NARROW __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) {
  if (__hisnan(a) || __hisnan(b))
    return __hisnan(a) ? (__hisnan(b) ? __nv_bfloat16(__nv_bfloat16_raw{0x7fff}) : b) : a;
  return __hlt(a, b) || (__heq(a, b) && (a.__x & 0x8000) != 0) ? a : b;
}
DUET_NARROW __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) {
  if (__hisnan(a) || __hisnan(b))
    return __hisnan(a) ? (__hisnan(b) ? __nv_bfloat16(__nv_bfloat16_raw{0x7fff}) : b) : a;
  return __hgt(a, b) || (__heq(a, b) && (a.__x & 0x8000) == 0) ? a : b;
}
DUET_NARROW __nv_bfloat16 __hmin_nan(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __hisnan(a) || __hisnan(b) ? __nv_bfloat16(__nv_bfloat16_raw{0x7fff}) : __hmin(a, b);
}
DUET_NARROW __nv_bfloat16 __hmax_nan(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __hisnan(a) || __hisnan(b) ? __nv_bfloat16(__nv_bfloat16_raw{0x7fff}) : __hmax(a, b);
}
DUET_NARROW __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__hmin(a.x, b.x), __hmin(a.y, b.y));
}
DUET_NARROW __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
DUET_NARROW __nv_bfloat162 __hisnan2(__nv_bfloat162 a) {
  return __nv_bfloat162(__nv_bfloat16(__hisnan(a.x) ? 1.0f : 0.0f),
                        __nv_bfloat16(__hisnan(a.y) ? 1.0f : 0.0f));
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
DUET_NARROW __nv_bfloat16 operator/(const __nv_bfloat16& a, const __nv_bfloat16& b) { return __hdiv(a, b); }
DUET_NARROW __nv_bfloat162 operator/(const __nv_bfloat162& a, const __nv_bfloat162& b) {
  return __h2div(a, b);
}
DUET_OPERATORS(__nv_bfloat16, )
DUET_OPERATORS(__nv_bfloat162, 2)
#undef DUET_OPERATORS
DUET_NARROW __nv_bfloat16& operator++(__nv_bfloat16& a) { return a = a + __nv_bfloat16(1.0f); }
DUET_NARROW __nv_bfloat16& operator--(__nv_bfloat16& a) { return a = a - __nv_bfloat16(1.0f); }
#define DUET_COMPARISON(operation, name, unordered)                                       \
  DUET_NARROW bool operator operation(const __nv_bfloat16& a, const __nv_bfloat16& b) {   \
    return __h##name##unordered(a, b);                                                    \
  }                                                                                       \
  DUET_NARROW bool operator operation(const __nv_bfloat162& a, const __nv_bfloat162& b) { \
    return __h##name##unordered(a.x, b.x) && __h##name##unordered(a.y, b.y);              \
  }
DUET_COMPARISON(==, eq, )
DUET_COMPARISON(!=, ne, u)
DUET_COMPARISON(<, lt, )
DUET_COMPARISON(<=, le, )
DUET_COMPARISON(>, gt, )
DUET_COMPARISON(>=, ge, )
#undef DUET_COMPARISON

/* ---- functions: in single precision, rounded ---- */
#define DUET_FUNCTION(name, function)                      \
  DUET_NARROW __nv_bfloat16 h##name(__nv_bfloat16 a) {     \
    return __nv_bfloat16(function(static_cast<float>(a))); \
  }                                                        \
  DUET_NARROW __nv_bfloat162 h2##name(__nv_bfloat162 a) { return __nv_bfloat162(h##name(a.x), h##name(a.y)); }
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
#define DUET_SHUFFLE(name, lane_type)                                                               \
  static __device__ inline __nv_bfloat16 name(unsigned mask, __nv_bfloat16 value, lane_type lane,   \
                                              int width = 32) {                                     \
    return __nv_bfloat16_raw{                                                                       \
        static_cast<unsigned short>(name(mask, static_cast<int>(value.__x), lane, width))};         \
  }                                                                                                 \
  static __device__ inline __nv_bfloat162 name(unsigned mask, __nv_bfloat162 value, lane_type lane, \
                                               int width = 32) {                                    \
    return ::duet_narrow::bits<__nv_bfloat162_raw>(                                                 \
        name(mask, ::duet_narrow::bits<int>(value), lane, width));                                  \
  }
DUET_SHUFFLE(__shfl_sync, int)
DUET_SHUFFLE(__shfl_up_sync, unsigned)
DUET_SHUFFLE(__shfl_down_sync, unsigned)
DUET_SHUFFLE(__shfl_xor_sync, int)
#undef DUET_SHUFFLE
#endif
static __device__ inline __nv_bfloat162 atomicAdd(__nv_bfloat162* address, __nv_bfloat162 value) {
  unsigned* const word = reinterpret_cast<unsigned*>(address);
  unsigned old = *word, seen;
  do {
    seen = old;
    old = atomicCAS(
        word, seen,
        ::duet_narrow::bits<unsigned>(__nv_bfloat162(::duet_narrow::bits<__nv_bfloat162_raw>(seen)) + value));
  } while (old != seen);
  return ::duet_narrow::bits<__nv_bfloat162_raw>(old);
}
static __device__ inline __nv_bfloat16 atomicAdd(__nv_bfloat16* address, __nv_bfloat16 value) {
  const unsigned long long place = reinterpret_cast<unsigned long long>(address);
  unsigned* const word = reinterpret_cast<unsigned*>(place & ~3ull);
  const unsigned shift = static_cast<unsigned>(place & 2) * 8;
  unsigned old = *word, seen;
  __nv_bfloat16 before;
  do {
    seen = old;
    before = __nv_bfloat16_raw{static_cast<unsigned short>(seen >> shift)};
    const unsigned sum = (before + value).__x;
    old = atomicCAS(word, seen, (seen & ~(0xffffu << shift)) | (sum << shift));
  } while (old != seen);
  return before;
}
static __device__ inline __nv_bfloat16 __ldg(const __nv_bfloat16* from) {
  return __nv_bfloat16_raw{__ldg(reinterpret_cast<const unsigned short*>(from))};
}
static __device__ inline __nv_bfloat162 __ldg(const __nv_bfloat162* from) {
  return ::duet_narrow::bits<__nv_bfloat162_raw>(__ldg(reinterpret_cast<const unsigned*>(from)));
}
#endif

#undef DUET_BINARY
#undef DUET_BINARY_RN
#undef DUET_ROUNDED

#endif
#endif
