/* CUDA's bfloat16 (the upper half of single precision), on host and device. Results are correctly rounded;
 * functions are those of single precision, rounded. Source: CUDA math API, bfloat16 precision. */
#ifndef DUET_CUDA_BF16_H
#define DUET_CUDA_BF16_H

#if defined(__cplusplus)

#include "duet_narrow_float.h"

namespace duet_narrow {

struct Bfloat16 {
  typedef double Wide; /* its exponents reach as far as those of single precision */
  static DUET_NARROW_MEMBER unsigned short round(double value, Rounding rounding) {
    return round_double<7, 8>(value, rounding);
  }
  static DUET_NARROW_MEMBER unsigned short from_double(double value) { return round(value, kNearest); }
  static DUET_NARROW_MEMBER float to_float(unsigned short a) {
    return bits<float>(static_cast<unsigned>(a) << 16);
  }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define DUET_NATIVE
  static DUET_NARROW_MEMBER unsigned short from_float(float value) {
    unsigned short result;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result) : "f"(value));
    return result;
  }
  static DUET_NARROW_MEMBER unsigned short fused_multiply_add(unsigned short a, unsigned short b,
                                                              unsigned short c) {
    unsigned short result;
    asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(result) : "h"(a), "h"(b), "h"(c));
    return result;
  }
  static DUET_NARROW_MEMBER unsigned fused_multiply_add_pair(unsigned a, unsigned b, unsigned c) {
    unsigned result;
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
    return result;
  }
  /* As a fused multiply-add with 1, with -1, or with -0, which changes nothing. */
  static DUET_NARROW_MEMBER unsigned short add(unsigned short a, unsigned short b) {
    return fused_multiply_add(a, 0x3f80, b);
  }
  static DUET_NARROW_MEMBER unsigned add_pair(unsigned a, unsigned b) {
    return fused_multiply_add_pair(a, 0x3f803f80u, b);
  }
  static DUET_NARROW_MEMBER unsigned short subtract(unsigned short a, unsigned short b) {
    return fused_multiply_add(b, 0xbf80, a);
  }
  static DUET_NARROW_MEMBER unsigned subtract_pair(unsigned a, unsigned b) {
    return fused_multiply_add_pair(b, 0xbf80bf80u, a);
  }
  static DUET_NARROW_MEMBER unsigned short multiply(unsigned short a, unsigned short b) {
    return fused_multiply_add(a, b, 0x8000);
  }
  static DUET_NARROW_MEMBER unsigned multiply_pair(unsigned a, unsigned b) {
    return fused_multiply_add_pair(a, b, 0x80008000u);
  }
#else
  static DUET_NARROW_MEMBER unsigned short from_float(float value) { return round(value, kNearest); }
#endif
};

}  // namespace duet_narrow

#define DUET_TYPE __nv_bfloat16
#define DUET_NAME bfloat16
#define DUET_FORMAT ::duet_narrow::Bfloat16
#include "duet_narrow_operations.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#endif
#endif
