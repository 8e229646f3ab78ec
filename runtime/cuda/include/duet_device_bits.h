/* Integer, conversion and directed-rounding intrinsics, each one PTX instruction or a few. clang's own
 * headers give them CUDA's names (__float2int_rn, __popc, ...) on top of functions called __nv_*, which are
 * defined here. */
#ifndef DUET_DEVICE_BITS_H
#define DUET_DEVICE_BITS_H

#define DUET_DEVICE static __device__ __forceinline__ __attribute__((nodebug))

/* ---- arithmetic and conversion in the four roundings: down, nearest, up, towards zero ---- */
#define DUET_ROUNDINGS(m) m(rd, rm) m(rn, rn) m(ru, rp) m(rz, rz)

#define DUET_ARITHMETIC(mode, ptx)                                                                        \
  DUET_DEVICE float __nv_fadd_##mode(float a, float b) { return __nvvm_add_##ptx##_f(a, b); }             \
  DUET_DEVICE float __nv_fsub_##mode(float a, float b) { return __nvvm_add_##ptx##_f(a, -b); }            \
  DUET_DEVICE float __nv_fmul_##mode(float a, float b) { return __nvvm_mul_##ptx##_f(a, b); }             \
  DUET_DEVICE float __nv_fdiv_##mode(float a, float b) { return __nvvm_div_##ptx##_f(a, b); }             \
  DUET_DEVICE float __nv_frcp_##mode(float a) { return __nvvm_rcp_##ptx##_f(a); }                         \
  DUET_DEVICE float __nv_fsqrt_##mode(float a) { return __nvvm_sqrt_##ptx##_f(a); }                       \
  DUET_DEVICE float __nv_fmaf_##mode(float a, float b, float c) { return __nvvm_fma_##ptx##_f(a, b, c); } \
  DUET_DEVICE float __nv_fmaf_ieee_##mode(float a, float b, float c) {                                    \
    return __nvvm_fma_##ptx##_f(a, b, c);                                                                 \
  }                                                                                                       \
  DUET_DEVICE double __nv_dadd_##mode(double a, double b) { return __nvvm_add_##ptx##_d(a, b); }          \
  DUET_DEVICE double __nv_dsub_##mode(double a, double b) { return __nvvm_add_##ptx##_d(a, -b); }         \
  DUET_DEVICE double __nv_dmul_##mode(double a, double b) { return __nvvm_mul_##ptx##_d(a, b); }          \
  DUET_DEVICE double __nv_ddiv_##mode(double a, double b) { return __nvvm_div_##ptx##_d(a, b); }          \
  DUET_DEVICE double __nv_drcp_##mode(double a) { return __nvvm_rcp_##ptx##_d(a); }                       \
  DUET_DEVICE double __nv_dsqrt_##mode(double a) { return __nvvm_sqrt_##ptx##_d(a); }                     \
  DUET_DEVICE double __nv_fma_##mode(double a, double b, double c) { return __nvvm_fma_##ptx##_d(a, b, c); }

DUET_ROUNDINGS(DUET_ARITHMETIC)
#undef DUET_ARITHMETIC

#define DUET_CONVERSION(mode, ptx)                                                                  \
  DUET_DEVICE int __nv_float2int_##mode(float a) { return __nvvm_f2i_##ptx(a); }                    \
  DUET_DEVICE unsigned int __nv_float2uint_##mode(float a) { return __nvvm_f2ui_##ptx(a); }         \
  DUET_DEVICE long long __nv_float2ll_##mode(float a) { return __nvvm_f2ll_##ptx(a); }              \
  DUET_DEVICE unsigned long long __nv_float2ull_##mode(float a) { return __nvvm_f2ull_##ptx(a); }   \
  DUET_DEVICE int __nv_double2int_##mode(double a) { return __nvvm_d2i_##ptx(a); }                  \
  DUET_DEVICE unsigned int __nv_double2uint_##mode(double a) { return __nvvm_d2ui_##ptx(a); }       \
  DUET_DEVICE long long __nv_double2ll_##mode(double a) { return __nvvm_d2ll_##ptx(a); }            \
  DUET_DEVICE unsigned long long __nv_double2ull_##mode(double a) { return __nvvm_d2ull_##ptx(a); } \
  DUET_DEVICE float __nv_double2float_##mode(double a) { return __nvvm_d2f_##ptx(a); }              \
  DUET_DEVICE float __nv_int2float_##mode(int a) { return __nvvm_i2f_##ptx(a); }                    \
  DUET_DEVICE float __nv_uint2float_##mode(unsigned int a) { return __nvvm_ui2f_##ptx(a); }         \
  DUET_DEVICE float __nv_ll2float_##mode(long long a) { return __nvvm_ll2f_##ptx(a); }              \
  DUET_DEVICE float __nv_ull2float_##mode(unsigned long long a) { return __nvvm_ull2f_##ptx(a); }   \
  DUET_DEVICE double __nv_int2double_##mode(int a) { return __nvvm_i2d_##ptx(a); }                  \
  DUET_DEVICE double __nv_uint2double_##mode(unsigned int a) { return __nvvm_ui2d_##ptx(a); }       \
  DUET_DEVICE double __nv_ll2double_##mode(long long a) { return __nvvm_ll2d_##ptx(a); }            \
  DUET_DEVICE double __nv_ull2double_##mode(unsigned long long a) { return __nvvm_ull2d_##ptx(a); }

DUET_ROUNDINGS(DUET_CONVERSION)
#undef DUET_CONVERSION
#undef DUET_ROUNDINGS

/** 1/sqrt(a) rounded to nearest: the double-precision value rounded once more, which no float comes close
 * enough to a tie to notice. */
DUET_DEVICE float __nv_frsqrt_rn(float a) { return (float)__nvvm_div_rn_d(1.0, __nvvm_sqrt_rn_d((double)a)); }

/* ---- the same bits under another type ---- */
DUET_DEVICE int __nv_float_as_int(float a) { return __nvvm_bitcast_f2i(a); }
DUET_DEVICE unsigned int __nv_float_as_uint(float a) { return (unsigned int)__nvvm_bitcast_f2i(a); }
DUET_DEVICE float __nv_int_as_float(int a) { return __nvvm_bitcast_i2f(a); }
DUET_DEVICE float __nv_uint_as_float(unsigned int a) { return __nvvm_bitcast_i2f((int)a); }
DUET_DEVICE long long __nv_double_as_longlong(double a) { return __nvvm_bitcast_d2ll(a); }
DUET_DEVICE double __nv_longlong_as_double(long long a) { return __nvvm_bitcast_ll2d(a); }
DUET_DEVICE int __nv_double2hiint(double a) { return __nvvm_d2i_hi(a); }
DUET_DEVICE int __nv_double2loint(double a) { return __nvvm_d2i_lo(a); }
DUET_DEVICE double __nv_hiloint2double(int high, int low) { return __nvvm_lohi_i2d(low, high); }

/* ---- bits and integers ---- */
DUET_DEVICE unsigned int __nv_brev(unsigned int a) { return __builtin_bitreverse32(a); }
DUET_DEVICE unsigned long long __nv_brevll(unsigned long long a) { return __builtin_bitreverse64(a); }
DUET_DEVICE int __nv_popc(unsigned int a) { return __builtin_popcount(a); }
DUET_DEVICE int __nv_popcll(unsigned long long a) { return __builtin_popcountll(a); }
DUET_DEVICE int __nv_clz(int a) { return a == 0 ? 32 : __builtin_clz((unsigned int)a); }
DUET_DEVICE int __nv_clzll(long long a) { return a == 0 ? 64 : __builtin_clzll((unsigned long long)a); }
DUET_DEVICE int __nv_ffs(int a) { return __builtin_ffs(a); }
DUET_DEVICE int __nv_ffsll(long long a) { return __builtin_ffsll(a); }
DUET_DEVICE unsigned int __nv_byte_perm(unsigned int a, unsigned int b, unsigned int selector) {
  return __nvvm_prmt(a, b, selector);
}
DUET_DEVICE int __nv_mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
DUET_DEVICE unsigned int __nv_umul24(unsigned int a, unsigned int b) { return __nvvm_mul24_ui(a, b); }
DUET_DEVICE int __nv_mulhi(int a, int b) { return __nvvm_mulhi_i(a, b); }
DUET_DEVICE unsigned int __nv_umulhi(unsigned int a, unsigned int b) { return __nvvm_mulhi_ui(a, b); }
DUET_DEVICE long long __nv_mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
DUET_DEVICE unsigned long long __nv_umul64hi(unsigned long long a, unsigned long long b) {
  return __nvvm_mulhi_ull(a, b);
}
/** |a - b| + c */
DUET_DEVICE unsigned int __nv_sad(int a, int b, unsigned int c) { return __nvvm_sad_i(a, b, (int)c); }
DUET_DEVICE unsigned int __nv_usad(unsigned int a, unsigned int b, unsigned int c) {
  return __nvvm_sad_ui(a, b, c);
}
/* Averages without overflow: shared bits plus half of the differing ones; `r` rounds up. */
DUET_DEVICE int __nv_hadd(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
DUET_DEVICE unsigned int __nv_uhadd(unsigned int a, unsigned int b) { return (a & b) + ((a ^ b) >> 1); }
DUET_DEVICE int __nv_rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
DUET_DEVICE unsigned int __nv_urhadd(unsigned int a, unsigned int b) { return (a | b) - ((a ^ b) >> 1); }
DUET_DEVICE int __nv_abs(int a) { return a < 0 ? -a : a; }
DUET_DEVICE long long __nv_llabs(long long a) { return a < 0 ? -a : a; }
DUET_DEVICE int __nv_max(int a, int b) { return a > b ? a : b; }
DUET_DEVICE int __nv_min(int a, int b) { return a < b ? a : b; }
DUET_DEVICE unsigned int __nv_umax(unsigned int a, unsigned int b) { return a > b ? a : b; }
DUET_DEVICE unsigned int __nv_umin(unsigned int a, unsigned int b) { return a < b ? a : b; }
DUET_DEVICE long long __nv_llmax(long long a, long long b) { return a > b ? a : b; }
DUET_DEVICE long long __nv_llmin(long long a, long long b) { return a < b ? a : b; }
DUET_DEVICE unsigned long long __nv_ullmax(unsigned long long a, unsigned long long b) {
  return a > b ? a : b;
}
DUET_DEVICE unsigned long long __nv_ullmin(unsigned long long a, unsigned long long b) {
  return a < b ? a : b;
}

/* ---- classification ---- */
DUET_DEVICE int __nv_isnanf(float a) { return a != a; }
DUET_DEVICE int __nv_isnand(double a) { return a != a; }
DUET_DEVICE int __nv_isinff(float a) { return __builtin_fabsf(a) == __builtin_inff(); }
DUET_DEVICE int __nv_isinfd(double a) { return __builtin_fabs(a) == __builtin_inf(); }
DUET_DEVICE int __nv_finitef(float a) { return __builtin_fabsf(a) < __builtin_inff(); }
DUET_DEVICE int __nv_isfinited(double a) { return __builtin_fabs(a) < __builtin_inf(); }
DUET_DEVICE int __nv_signbitf(float a) { return __nvvm_bitcast_f2i(a) < 0; }
DUET_DEVICE int __nv_signbitd(double a) { return __nvvm_d2i_hi(a) < 0; }
DUET_DEVICE float __nv_saturatef(float a) { return __nvvm_saturate_f(a); }

/* ---- the special-function unit ---- */
DUET_DEVICE float __nv_fast_sinf(float a) { return __nvvm_sin_approx_f(a); }
DUET_DEVICE float __nv_fast_cosf(float a) { return __nvvm_cos_approx_f(a); }
DUET_DEVICE void __nv_fast_sincosf(float a, float* sine, float* cosine) {
  *sine = __nvvm_sin_approx_f(a);
  *cosine = __nvvm_cos_approx_f(a);
}
DUET_DEVICE float __nv_fast_fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }
DUET_DEVICE float __nv_fast_tanf(float a) {
  return __nvvm_div_approx_f(__nvvm_sin_approx_f(a), __nvvm_cos_approx_f(a));
}
DUET_DEVICE float __nv_fast_log2f(float a) { return __nvvm_lg2_approx_f(a); }
DUET_DEVICE float __nv_fast_logf(float a) { return __nvvm_lg2_approx_f(a) * 0x1.62e430p-1f; }
DUET_DEVICE float __nv_fast_log10f(float a) { return __nvvm_lg2_approx_f(a) * 0x1.344136p-2f; }
DUET_DEVICE float __nv_fast_expf(float a) { return __nvvm_ex2_approx_f(a * 0x1.715476p+0f); }
DUET_DEVICE float __nv_fast_exp10f(float a) { return __nvvm_ex2_approx_f(a * 0x1.a934f0p+1f); }
DUET_DEVICE float __nv_fast_powf(float a, float b) { return __nvvm_ex2_approx_f(b * __nvvm_lg2_approx_f(a)); }

#include <__clang_cuda_device_functions.h>

#endif
