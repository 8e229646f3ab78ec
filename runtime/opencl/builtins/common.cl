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

// libclc's is exp(lgamma(x)), whose error grows with x: 26 ulp in single precision at 16, where 16 are allowed. Here it
// is Lanczos' approximation with g = 6.02468004077673 and 13 terms, as a quotient of polynomials (the numbers are
// Boost's), and for negative arguments the reflection. pow() is taken of half the exponent: the whole would overflow.
#define LANCZOS_TERMS 13
#define LANCZOS_G_LESS_HALF 5.524680040776729583740234375
__constant double lanczos_above[LANCZOS_TERMS] = {
    23531376880.410759688572007674451636754734846804940,  42919803642.649098768957899047001988850926355848959,
    35711959237.355668049440185451547166705960488635843,  17921034426.037209699919755754458931112671403265390,
    6039542586.3520280050642916443072979210699388420708,  1439720407.3117216736632230727949123939715485786372,
    248874557.86205415651146038641322942321632125127801,  31426415.585400194380614231628318205362874684987640,
    2876370.6289353724412254090516208496135991145378768,  186056.26539522349504029498971604569928220784236328,
    8071.6720023658162106380029022722506138218516325024,  210.82427775157934587250973392071336271166969580291,
    2.5066282746310002701649081771338373386264310793408};
__constant double lanczos_below[LANCZOS_TERMS] = {0,        39916800, 120543840, 150917976, 105258076, 45995730, 13339535,
                                                  2637558, 357423,   32670,     1925,      66,        1};
static double lanczos_sum(double x) {
  double above = 0, below = 0;
  for (int i = 0; i < LANCZOS_TERMS; ++i) {
    // From the higher powers down; of 1/x where x is large.
    const int term = x < 8 ? LANCZOS_TERMS - 1 - i : i;
    const double factor = x < 8 ? x : 1 / x;
    above = fma(above, factor, lanczos_above[term]);
    below = fma(below, factor, lanczos_below[term]);
  }
  return above / below;
}
double OVERLOAD tgamma(double x) {
  const double g = LANCZOS_G_LESS_HALF, size = fabs(x);
  if (x == 0) return copysign((double)INFINITY, x);
  if (isinf(x)) return x > 0 ? x : (double)NAN;
  if (x < 0 && floor(x) == x) return NAN;
  if (x < -184) return fmod(floor(x), 2.0) == 0 ? 0.0 : -0.0;
  if (size < 0x1p-54) return 1 / x;
  const double y = size + g;
  double rounded_off = size > g ? y - size - g : y - g - size;  // of the sum
  double exponent = size - 0.5, result = lanczos_sum(size) * exp(-y);
  if (x < 0) {
    result = -M_PI / (sinpi(size) * size * result);
    rounded_off = -rounded_off;
    exponent = -exponent;
  }
  result += rounded_off * (g + 0.5) * result / y;
  const double root = pow(y, 0.5 * exponent);
  return result * root * root;
}
double2 OVERLOAD tgamma(double2 x) { return (double2)(tgamma(x.s0), tgamma(x.s1)); }
double3 OVERLOAD tgamma(double3 x) { return (double3)(tgamma(x.s0), tgamma(x.s1), tgamma(x.s2)); }
double4 OVERLOAD tgamma(double4 x) { return (double4)(tgamma(x.lo), tgamma(x.hi)); }
double8 OVERLOAD tgamma(double8 x) { return (double8)(tgamma(x.lo), tgamma(x.hi)); }
double16 OVERLOAD tgamma(double16 x) { return (double16)(tgamma(x.lo), tgamma(x.hi)); }
float OVERLOAD tgamma(float x) { return tgamma((double)x); }
VECTORS(tgamma)
