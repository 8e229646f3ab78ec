// Functions of the multi-function unit, as NVIDIA's compiler has them:
//
//   native_exp(x)  ->  ex2.approx(x * log2(e))
//
// Their errors are the instructions' (PTX ISA, "ex2", "lg2", "sin", ...), and those of the product before. libclc's become
// calls of a C library that PTX does not have.
#define VECTORS(name)                                                                                          \
  float2 OVERLOAD name(float2 x) { return (float2)(name(x.s0), name(x.s1)); }                                  \
  float3 OVERLOAD name(float3 x) { return (float3)(name(x.s0), name(x.s1), name(x.s2)); }                      \
  float4 OVERLOAD name(float4 x) { return (float4)(name(x.lo), name(x.hi)); }                                  \
  float8 OVERLOAD name(float8 x) { return (float8)(name(x.lo), name(x.hi)); }                                  \
  float16 OVERLOAD name(float16 x) { return (float16)(name(x.lo), name(x.hi)); }
#define VECTORS_OF_TWO(name)                                                                                   \
  float2 OVERLOAD name(float2 x, float2 y) { return (float2)(name(x.s0, y.s0), name(x.s1, y.s1)); }            \
  float3 OVERLOAD name(float3 x, float3 y) {                                                                   \
    return (float3)(name(x.s0, y.s0), name(x.s1, y.s1), name(x.s2, y.s2));                                     \
  }                                                                                                            \
  float4 OVERLOAD name(float4 x, float4 y) { return (float4)(name(x.lo, y.lo), name(x.hi, y.hi)); }            \
  float8 OVERLOAD name(float8 x, float8 y) { return (float8)(name(x.lo, y.lo), name(x.hi, y.hi)); }            \
  float16 OVERLOAD name(float16 x, float16 y) { return (float16)(name(x.lo, y.lo), name(x.hi, y.hi)); }

#define LOG2_OF_10 3.32192809488736235f
#define LOG10_OF_2 0.301029995663981195f

CONSTANT float full_range_quotient(float x, float y) {
  float quotient;
  __asm__("div.full.f32 %0, %1, %2;" : "=f"(quotient) : "f"(x), "f"(y));
  return quotient;
}
CONSTANT float approximate_reciprocal(float x) {
  float reciprocal;
  __asm__("rcp.approx.f32 %0, %1;" : "=f"(reciprocal) : "f"(x));
  return reciprocal;
}

float OVERLOAD native_exp2(float x) { return __nvvm_ex2_approx_f(x); }
float OVERLOAD native_exp(float x) { return __nvvm_ex2_approx_f(x * M_LOG2E_F); }
float OVERLOAD native_exp10(float x) { return __nvvm_ex2_approx_f(x * LOG2_OF_10); }
float OVERLOAD native_log2(float x) { return __nvvm_lg2_approx_f(x); }
float OVERLOAD native_log(float x) { return __nvvm_lg2_approx_f(x) * M_LN2_F; }
float OVERLOAD native_log10(float x) { return __nvvm_lg2_approx_f(x) * LOG10_OF_2; }
float OVERLOAD native_sin(float x) { return __nvvm_sin_approx_f(x); }
float OVERLOAD native_cos(float x) { return __nvvm_cos_approx_f(x); }
float OVERLOAD native_tan(float x) { return full_range_quotient(__nvvm_sin_approx_f(x), __nvvm_cos_approx_f(x)); }
float OVERLOAD native_sqrt(float x) { return __nvvm_sqrt_approx_f(x); }
float OVERLOAD native_rsqrt(float x) { return __nvvm_rsqrt_approx_f(x); }
float OVERLOAD native_recip(float x) { return approximate_reciprocal(x); }
float OVERLOAD native_divide(float x, float y) { return full_range_quotient(x, y); }
float OVERLOAD native_powr(float x, float y) { return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)); }

VECTORS(native_exp2)
VECTORS(native_exp)
VECTORS(native_exp10)
VECTORS(native_log2)
VECTORS(native_log)
VECTORS(native_log10)
VECTORS(native_sin)
VECTORS(native_cos)
VECTORS(native_tan)
VECTORS(native_sqrt)
VECTORS(native_rsqrt)
VECTORS(native_recip)
VECTORS_OF_TWO(native_divide)
VECTORS_OF_TWO(native_powr)
