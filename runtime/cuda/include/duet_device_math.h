/* Device math under CUDA's names. The functions themselves are plain C++ in duet_math_*.h, called __nv_*;
 * clang's own headers bind those to sinf, sin, std::sin(float) and the rest. Added here: the overloads of
 * min, max and of the CUDA-only functions for float, and the CUDA-only functions for the host. */
#ifndef DUET_DEVICE_MATH_H
#define DUET_DEVICE_MATH_H

#include "duet_math_basic.h"
#include "duet_math_bessel.h"
#include "duet_math_double.h"
#include "duet_math_float.h"
#include "duet_math_special.h"

// clang-format off
#include <__clang_cuda_math.h>
#include <__clang_cuda_cmath.h>
#include <__clang_cuda_complex_builtins.h>
// clang-format on

/* ---- overloads for float that clang declares and leaves to the SDK ---- */
#define DUET_OVERLOAD static __device__ __forceinline__
#define DUET_FLOAT(result, name) \
  DUET_OVERLOAD result name(float x) { return ::name##f(x); }
#define DUET_FLOAT2(name) \
  DUET_OVERLOAD float name(float x, float y) { return ::name##f(x, y); }

DUET_FLOAT(float, acosh)
DUET_FLOAT(float, asinh)
DUET_FLOAT(float, atanh)
DUET_FLOAT(float, cbrt)
DUET_FLOAT(float, erfc)
DUET_FLOAT(float, erf)
DUET_FLOAT(float, exp2)
DUET_FLOAT(float, expm1)
DUET_FLOAT(float, lgamma)
DUET_FLOAT(float, log1p)
DUET_FLOAT(float, log2)
DUET_FLOAT(float, logb)
DUET_FLOAT(float, nearbyint)
DUET_FLOAT(float, rint)
DUET_FLOAT(float, round)
DUET_FLOAT(float, tgamma)
DUET_FLOAT(float, trunc)
DUET_FLOAT(int, ilogb)
DUET_FLOAT(long long, llrint)
DUET_FLOAT(long long, llround)
DUET_FLOAT(long, lrint)
DUET_FLOAT(long, lround)
DUET_FLOAT2(copysign)
DUET_FLOAT2(fdim)
DUET_FLOAT2(fmax)
DUET_FLOAT2(fmin)
DUET_FLOAT2(hypot)
DUET_FLOAT2(nextafter)
DUET_FLOAT2(remainder)
DUET_OVERLOAD float fma(float x, float y, float z) { return ::fmaf(x, y, z); }
DUET_OVERLOAD float scalbn(float x, int n) { return ::scalbnf(x, n); }
DUET_OVERLOAD float scalbln(float x, long n) { return ::scalblnf(x, n); }
DUET_OVERLOAD float remquo(float x, float y, int* quotient) { return ::remquof(x, y, quotient); }
/** A quiet NaN; the tag is not encoded. */
DUET_OVERLOAD double nan(const char*) { return __builtin_nan(""); }
DUET_OVERLOAD float nanf(const char*) { return __builtin_nanf(""); }
#undef DUET_FLOAT2
#undef DUET_FLOAT
#undef DUET_OVERLOAD

/* ---- min and max of every pair of types, as C++ converts them ---- */
#define DUET_BOTH static inline __host__ __device__ __attribute__((always_inline))
#define DUET_HOST_ONLY static inline __host__ __attribute__((always_inline))

#define DUET_EXTREMES(where, type)                         \
  where type min(type a, type b) { return a < b ? a : b; } \
  where type max(type a, type b) { return a > b ? a : b; }
#define DUET_MIXED_EXTREMES(a_type, b_type, type)                          \
  DUET_BOTH type min(a_type a, b_type b) { return min((type)a, (type)b); } \
  DUET_BOTH type max(a_type a, b_type b) { return max((type)a, (type)b); } \
  DUET_BOTH type min(b_type a, a_type b) { return min((type)a, (type)b); } \
  DUET_BOTH type max(b_type a, a_type b) { return max((type)a, (type)b); }

DUET_EXTREMES(DUET_HOST_ONLY, int)
DUET_EXTREMES(DUET_BOTH, unsigned int)
DUET_EXTREMES(DUET_BOTH, long)
DUET_EXTREMES(DUET_BOTH, unsigned long)
DUET_EXTREMES(DUET_BOTH, long long)
DUET_EXTREMES(DUET_BOTH, unsigned long long)
DUET_BOTH float min(float a, float b) { return __builtin_fminf(a, b); }
DUET_BOTH float max(float a, float b) { return __builtin_fmaxf(a, b); }
DUET_BOTH double min(double a, double b) { return __builtin_fmin(a, b); }
DUET_BOTH double max(double a, double b) { return __builtin_fmax(a, b); }
DUET_MIXED_EXTREMES(int, unsigned int, unsigned int)
DUET_MIXED_EXTREMES(long, unsigned long, unsigned long)
DUET_MIXED_EXTREMES(long long, unsigned long long, unsigned long long)
DUET_MIXED_EXTREMES(float, double, double)
#undef DUET_MIXED_EXTREMES
#undef DUET_EXTREMES

/* ---- functions that C does not have: for the host as well, and for float by the double function's name ----
 */
#define DUET_UNARY(name)                                              \
  DUET_HOST_ONLY double name(double x) { return __nv_##name(x); }     \
  DUET_HOST_ONLY float name##f(float x) { return __nv_##name##f(x); } \
  DUET_BOTH float name(float x) { return __nv_##name##f(x); }

DUET_UNARY(rsqrt)
DUET_UNARY(rcbrt)
DUET_UNARY(sinpi)
DUET_UNARY(cospi)
DUET_UNARY(erfinv)
DUET_UNARY(erfcinv)
DUET_UNARY(erfcx)
DUET_UNARY(normcdf)
DUET_UNARY(normcdfinv)
#undef DUET_UNARY

DUET_BOTH void sincospi(float x, float* s, float* c) { __nv_sincospif(x, s, c); }
DUET_BOTH void sincos(float x, float* s, float* c) { __nv_sincosf(x, s, c); }
DUET_BOTH float exp10(float x) { return __nv_exp10f(x); }
DUET_HOST_ONLY void sincospi(double x, double* s, double* c) { __nv_sincospi(x, s, c); }
DUET_HOST_ONLY void sincospif(float x, float* s, float* c) { __nv_sincospif(x, s, c); }
DUET_HOST_ONLY double rhypot(double x, double y) { return __nv_rhypot(x, y); }
DUET_HOST_ONLY float rhypotf(float x, float y) { return __nv_rhypotf(x, y); }
DUET_HOST_ONLY double norm3d(double x, double y, double z) { return __nv_norm3d(x, y, z); }
DUET_HOST_ONLY float norm3df(float x, float y, float z) { return __nv_norm3df(x, y, z); }
DUET_HOST_ONLY double rnorm3d(double x, double y, double z) { return __nv_rnorm3d(x, y, z); }
DUET_HOST_ONLY float rnorm3df(float x, float y, float z) { return __nv_rnorm3df(x, y, z); }
DUET_HOST_ONLY double norm4d(double x, double y, double z, double w) { return __nv_norm4d(x, y, z, w); }
DUET_HOST_ONLY float norm4df(float x, float y, float z, float w) { return __nv_norm4df(x, y, z, w); }
DUET_HOST_ONLY double rnorm4d(double x, double y, double z, double w) { return __nv_rnorm4d(x, y, z, w); }
DUET_HOST_ONLY float rnorm4df(float x, float y, float z, float w) { return __nv_rnorm4df(x, y, z, w); }
DUET_HOST_ONLY double norm(int count, const double* v) { return __nv_norm(count, v); }
DUET_HOST_ONLY float normf(int count, const float* v) { return __nv_normf(count, v); }
DUET_HOST_ONLY double rnorm(int count, const double* v) { return __nv_rnorm(count, v); }
DUET_HOST_ONLY float rnormf(int count, const float* v) { return __nv_rnormf(count, v); }
DUET_HOST_ONLY double fdivide(double x, double y) { return x / y; }
DUET_HOST_ONLY float fdividef(float x, float y) { return x / y; }
#undef DUET_HOST_ONLY
#undef DUET_BOTH

#endif
