// What libclc leaves out of the integer, common and address space functions.
#define CTZ(T, U, bits)                                                                                         \
  T OVERLOAD ctz(T x) { return (U)x == 0 ? bits : (T)__builtin_ctzl((ulong)(U)x); }                             \
  T##2 OVERLOAD ctz(T##2 x) { return (T##2)(ctz(x.s0), ctz(x.s1)); }                                            \
  T##3 OVERLOAD ctz(T##3 x) { return (T##3)(ctz(x.s0), ctz(x.s1), ctz(x.s2)); }                                 \
  T##4 OVERLOAD ctz(T##4 x) { return (T##4)(ctz(x.lo), ctz(x.hi)); }                                            \
  T##8 OVERLOAD ctz(T##8 x) { return (T##8)(ctz(x.lo), ctz(x.hi)); }                                            \
  T##16 OVERLOAD ctz(T##16 x) { return (T##16)(ctz(x.lo), ctz(x.hi)); }
CTZ(char, uchar, 8)
CTZ(uchar, uchar, 8)
CTZ(short, ushort, 16)
CTZ(ushort, ushort, 16)
CTZ(int, uint, 32)
CTZ(uint, uint, 32)
CTZ(long, ulong, 64)
CTZ(ulong, ulong, 64)

#define MAD_HI_OF(T) \
  T OVERLOAD mad_hi(T a, T b, T c) { return mul_hi(a, b) + c; }
#define MAD_HI(T) MAD_HI_OF(T) MAD_HI_OF(T##2) MAD_HI_OF(T##3) MAD_HI_OF(T##4) MAD_HI_OF(T##8) MAD_HI_OF(T##16)
MAD_HI(char)
MAD_HI(uchar)
MAD_HI(short)
MAD_HI(ushort)
MAD_HI(int)
MAD_HI(uint)
MAD_HI(long)
MAD_HI(ulong)

#define SMOOTHSTEP(T)                                             \
  T OVERLOAD smoothstep(double from, double to, T x) {            \
    const T t = clamp((x - from) / (to - from), 0.0, 1.0);        \
    return t * t * (3.0 - 2.0 * t);                               \
  }
SMOOTHSTEP(double2)
SMOOTHSTEP(double3)
SMOOTHSTEP(double4)
SMOOTHSTEP(double8)
SMOOTHSTEP(double16)

// A hint, which is not taken.
#define PREFETCH(T) \
  void OVERLOAD_EFFECT prefetch(const __global T* p, size_t count) { (void)p, (void)count; }
PREFETCH(char3)
PREFETCH(uchar3)
PREFETCH(short3)
PREFETCH(ushort3)
PREFETCH(int3)
PREFETCH(uint3)
PREFETCH(long3)
PREFETCH(ulong3)
PREFETCH(float3)
PREFETCH(double3)

cl_mem_fence_flags OVERLOAD get_fence(const void* p) {
  return __nvvm_isspacep_shared(p) ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE;
}
cl_mem_fence_flags OVERLOAD get_fence(void* p) { return get_fence((const void*)p); }

// libclc's is exp(lgamma(x)) in single precision, which is 26 ulp off at 16, where 16 are allowed.
float OVERLOAD tgamma(float x) {
  if (x == 0) return copysign(INFINITY, x);
  if (x < 0 && floor(x) == x) return NAN;
  int sign;
  const double magnitude = exp(lgamma_r((double)x, &sign));
  return sign * magnitude;
}
VECTORS(tgamma)
