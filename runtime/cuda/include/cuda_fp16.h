/* CUDA's half precision (IEEE binary16), on host and device. Results are correctly rounded; functions are
 * those of single precision, rounded. Source: CUDA math API, half precision. Left out: conversions to and
 * from strings. */
#ifndef DUET_CUDA_FP16_H
#define DUET_CUDA_FP16_H

#if defined(__cplusplus)

#include "duet_narrow_float.h"

namespace duet_narrow {

struct Half {
  typedef float Wide;
  static DUET_NARROW_MEMBER unsigned short round(double value, Rounding rounding) {
    return round_double<10, 5>(value, rounding);
  }
#if defined(__CUDA_ARCH__)
  static DUET_NARROW_MEMBER unsigned short from_float(float value) {
    unsigned short result;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result) : "f"(value));
    return result;
  }
  static DUET_NARROW_MEMBER unsigned short from_double(double value) {
    unsigned short result;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(result) : "d"(value));
    return result;
  }
  static DUET_NARROW_MEMBER float to_float(unsigned short a) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(a));
    return value;
  }
#else
  static DUET_NARROW_MEMBER unsigned short from_float(float value) { return round(value, kNearest); }
  static DUET_NARROW_MEMBER unsigned short from_double(double value) { return round(value, kNearest); }
  static DUET_NARROW_MEMBER float to_float(unsigned short a) {
    const unsigned sign = (a & 0x8000u) << 16, exponent = (a >> 10) & 31, fraction = a & 1023u;
    if (exponent == 31) return bits<float>(sign | 0x7f800000u | fraction << 13);
    if (exponent != 0) return bits<float>(sign | (exponent + 112) << 23 | fraction << 13);
    const float value = static_cast<float>(fraction) * 5.9604644775390625e-8f; /* 2^-24 */
    return sign != 0 ? -value : value;
  }
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 530
#define DUET_NATIVE
#define DUET_BINARY(name, instruction)                                                \
  static DUET_NARROW_MEMBER unsigned short name(unsigned short a, unsigned short b) { \
    unsigned short result;                                                            \
    asm(instruction ".rn.f16 %0, %1, %2;" : "=h"(result) : "h"(a), "h"(b));           \
    return result;                                                                    \
  }                                                                                   \
  static DUET_NARROW_MEMBER unsigned name##_pair(unsigned a, unsigned b) {            \
    unsigned result;                                                                  \
    asm(instruction ".rn.f16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));         \
    return result;                                                                    \
  }
  DUET_BINARY(add, "add")
  DUET_BINARY(subtract, "sub")
  DUET_BINARY(multiply, "mul")
#undef DUET_BINARY
  static DUET_NARROW_MEMBER unsigned short fused_multiply_add(unsigned short a, unsigned short b,
                                                              unsigned short c) {
    unsigned short result;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(result) : "h"(a), "h"(b), "h"(c));
    return result;
  }
  static DUET_NARROW_MEMBER unsigned fused_multiply_add_pair(unsigned a, unsigned b, unsigned c) {
    unsigned result;
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
    return result;
  }
#endif
};

}  // namespace duet_narrow

#define DUET_TYPE __half
#define DUET_NAME half
#define DUET_FORMAT ::duet_narrow::Half
#include "duet_narrow_operations.h"

typedef __half half;
typedef __half2 half2;

#endif
#endif
