/* A floating-point type of 16 bits, its pair, and what CUDA does with them: conversions, arithmetic,
 * comparisons, functions, shuffles, atomics. Included once a type, so without a guard; it undefines its
 * parameters. Source: CUDA math API, half and bfloat16 precision. Left out: conversions to and from strings.
 *
 * DUET_TYPE     the type, as in __half; DUET_TYPE_raw, DUET_TYPE2 and DUET_TYPE2_raw are made of it
 * DUET_NAME     what functions call it: __float2<name>
 * DUET_FORMAT   a class with what differs: Wide (a type in which a product or quotient may be rounded first),
 *               round(double, Rounding), from_float, from_double, to_float; with DUET_NATIVE also add,
 *               subtract, multiply and fused_multiply_add, and each with _pair, on bits
 * DUET_NATIVE   defined where the device computes in the type itself */
#define DUET_JOIN_TEXT(a, b, c) a##b##c
#define DUET_JOIN(a, b, c) DUET_JOIN_TEXT(a, b, c)
#define DUET_RAW DUET_JOIN(DUET_TYPE, _raw, )
#define DUET_PAIR DUET_JOIN(DUET_TYPE, 2, )
#define DUET_PAIR_RAW DUET_JOIN(DUET_TYPE, 2_raw, )
#define DUET_NAMED(before, after) DUET_JOIN(before, DUET_NAME, after)

struct DUET_RAW {
  unsigned short x;
};

struct __attribute__((aligned(2))) DUET_TYPE {
  unsigned short __x;

  DUET_TYPE() = default;
  DUET_NARROW_MEMBER DUET_TYPE(const DUET_RAW& from) : __x(from.x) {}
  DUET_NARROW_MEMBER DUET_TYPE(float value) : __x(DUET_FORMAT::from_float(value)) {}
  DUET_NARROW_MEMBER DUET_TYPE(double value) : __x(DUET_FORMAT::from_double(value)) {}
#define DUET_FROM_INTEGER(type)            \
  DUET_NARROW_MEMBER DUET_TYPE(type value) \
      : __x(DUET_FORMAT::round(::duet_narrow::to_odd(value), ::duet_narrow::kNearest)) {}
  DUET_FROM_INTEGER(short)
  DUET_FROM_INTEGER(int)
  DUET_FROM_INTEGER(long)
  DUET_FROM_INTEGER(long long)
  DUET_FROM_INTEGER(unsigned short)
  DUET_FROM_INTEGER(unsigned int)
  DUET_FROM_INTEGER(unsigned long)
  DUET_FROM_INTEGER(unsigned long long)
#undef DUET_FROM_INTEGER
  DUET_NARROW_MEMBER operator DUET_RAW() const { return {__x}; }
  DUET_NARROW_MEMBER operator float() const { return DUET_FORMAT::to_float(__x); }
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

struct DUET_PAIR_RAW {
  unsigned short x, y;
};

struct __attribute__((aligned(4))) DUET_PAIR {
  DUET_TYPE x, y;

  DUET_PAIR() = default;
  DUET_NARROW_MEMBER DUET_PAIR(const DUET_TYPE& low, const DUET_TYPE& high) : x(low), y(high) {}
  DUET_NARROW_MEMBER DUET_PAIR(const DUET_PAIR_RAW& from) : x(DUET_RAW{from.x}), y(DUET_RAW{from.y}) {}
  DUET_NARROW_MEMBER operator DUET_PAIR_RAW() const { return {x.__x, y.__x}; }
};

/* ---- conversions ---- */
DUET_NARROW float DUET_NAMED(__, 2float)(DUET_TYPE a) { return a; }
DUET_NARROW DUET_TYPE DUET_NAMED(__float2, )(float value) { return DUET_TYPE(value); }
DUET_NARROW DUET_TYPE DUET_NAMED(__double2, )(double value) { return DUET_TYPE(value); }
DUET_NARROW DUET_TYPE DUET_NAMED(__float2, _rn)(float value) { return DUET_TYPE(value); }
#define DUET_ROUNDED(suffix, rounding)                                   \
  DUET_NARROW DUET_TYPE DUET_NAMED(__float2, suffix)(float value) {      \
    return DUET_RAW{DUET_FORMAT::round(value, ::duet_narrow::rounding)}; \
  }
DUET_ROUNDED(_rz, kZero)
DUET_ROUNDED(_rd, kDown)
DUET_ROUNDED(_ru, kUp)
#undef DUET_ROUNDED
#define DUET_ROUNDED(name, type, least, most, suffix, rounding)                                 \
  DUET_NARROW DUET_TYPE DUET_NAMED(__##name##2, suffix)(type value) {                           \
    return DUET_RAW{DUET_FORMAT::round(::duet_narrow::to_odd(value), ::duet_narrow::rounding)}; \
  }                                                                                             \
  DUET_NARROW type DUET_NAMED(__, 2##name##suffix)(DUET_TYPE a) {                               \
    return ::duet_narrow::to_integer<type>(a, ::duet_narrow::rounding, least, most, 0);         \
  }
#define DUET_INTEGERS(name, type, least, most)         \
  DUET_ROUNDED(name, type, least, most, _rn, kNearest) \
  DUET_ROUNDED(name, type, least, most, _rz, kZero)    \
  DUET_ROUNDED(name, type, least, most, _rd, kDown)    \
  DUET_ROUNDED(name, type, least, most, _ru, kUp)
DUET_INTEGERS(short, short, -32767 - 1, 32767)
DUET_INTEGERS(int, int, -2147483647 - 1, 2147483647)
DUET_INTEGERS(ll, long long, -9223372036854775807ll - 1, 9223372036854775807ll)
DUET_INTEGERS(ushort, unsigned short, 0, 65535)
DUET_INTEGERS(uint, unsigned int, 0, 4294967295u)
DUET_INTEGERS(ull, unsigned long long, 0, 18446744073709551615ull)
#undef DUET_INTEGERS
#undef DUET_ROUNDED
DUET_NARROW unsigned short DUET_NAMED(__, _as_ushort)(DUET_TYPE a) { return a.__x; }
DUET_NARROW short DUET_NAMED(__, _as_short)(DUET_TYPE a) { return static_cast<short>(a.__x); }
DUET_NARROW DUET_TYPE DUET_NAMED(__ushort_as_, )(unsigned short bits) { return DUET_RAW{bits}; }
DUET_NARROW DUET_TYPE DUET_NAMED(__short_as_, )(short bits) {
  return DUET_RAW{static_cast<unsigned short>(bits)};
}

/* ---- pairs ---- */
DUET_NARROW DUET_PAIR DUET_NAMED(make_, 2)(DUET_TYPE low, DUET_TYPE high) { return DUET_PAIR(low, high); }
DUET_NARROW DUET_PAIR DUET_NAMED(__halves2, 2)(DUET_TYPE low, DUET_TYPE high) { return DUET_PAIR(low, high); }
DUET_NARROW DUET_PAIR DUET_JOIN(DUET_NAMED(__, 2), DUET_NAME, 2)(DUET_TYPE a) { return DUET_PAIR(a, a); }
DUET_NARROW DUET_PAIR DUET_NAMED(__float2, 2_rn)(float value) {
  return DUET_PAIR(DUET_TYPE(value), DUET_TYPE(value));
}
DUET_NARROW DUET_PAIR DUET_NAMED(__floats2, 2_rn)(float low, float high) {
  return DUET_PAIR(DUET_TYPE(low), DUET_TYPE(high));
}
DUET_NARROW DUET_PAIR DUET_NAMED(__float22, 2_rn)(float2 a) {
  return DUET_PAIR(DUET_TYPE(a.x), DUET_TYPE(a.y));
}
DUET_NARROW float2 DUET_NAMED(__, 22float2)(DUET_PAIR a) { return make_float2(a.x, a.y); }
DUET_NARROW DUET_TYPE DUET_NAMED(__low2, )(DUET_PAIR a) { return a.x; }
DUET_NARROW DUET_TYPE DUET_NAMED(__high2, )(DUET_PAIR a) { return a.y; }
DUET_NARROW float __low2float(DUET_PAIR a) { return a.x; }
DUET_NARROW float __high2float(DUET_PAIR a) { return a.y; }
DUET_NARROW DUET_PAIR DUET_NAMED(__low2, 2)(DUET_PAIR a) { return DUET_PAIR(a.x, a.x); }
DUET_NARROW DUET_PAIR DUET_NAMED(__high2, 2)(DUET_PAIR a) { return DUET_PAIR(a.y, a.y); }
DUET_NARROW DUET_PAIR __lowhigh2highlow(DUET_PAIR a) { return DUET_PAIR(a.y, a.x); }
DUET_NARROW DUET_PAIR DUET_NAMED(__lows2, 2)(DUET_PAIR a, DUET_PAIR b) { return DUET_PAIR(a.x, b.x); }
DUET_NARROW DUET_PAIR DUET_NAMED(__highs2, 2)(DUET_PAIR a, DUET_PAIR b) { return DUET_PAIR(a.y, b.y); }

/* ---- arithmetic ---- */
/* Into [0, 1]; what is no number becomes 0. */
DUET_NARROW DUET_TYPE duet_saturated(DUET_TYPE a) {
  const float value = a;
  return DUET_TYPE(value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f);
}
#ifdef DUET_NATIVE
#define DUET_BINARY(name, operation, wide, sign)                                                            \
  DUET_NARROW DUET_TYPE __h##name(DUET_TYPE a, DUET_TYPE b) {                                               \
    return DUET_RAW{DUET_FORMAT::operation(a.__x, b.__x)};                                                  \
  }                                                                                                         \
  DUET_NARROW DUET_PAIR __h##name##2(DUET_PAIR a, DUET_PAIR b) {                                            \
    return ::duet_narrow::bits<DUET_PAIR_RAW>(                                                              \
        DUET_FORMAT::operation##_pair(::duet_narrow::bits<unsigned>(a), ::duet_narrow::bits<unsigned>(b))); \
  }
#else
#define DUET_BINARY(name, operation, wide, sign)                         \
  DUET_NARROW DUET_TYPE __h##name(DUET_TYPE a, DUET_TYPE b) {            \
    return DUET_TYPE(static_cast<wide>(static_cast<float>(a))            \
                         sign static_cast<wide>(static_cast<float>(b))); \
  }                                                                      \
  DUET_NARROW DUET_PAIR __h##name##2(DUET_PAIR a, DUET_PAIR b) {         \
    return DUET_PAIR(__h##name(a.x, b.x), __h##name(a.y, b.y));          \
  }
#endif
#define DUET_VARIANTS(name)                                                                      \
  DUET_NARROW DUET_TYPE __h##name##_rn(DUET_TYPE a, DUET_TYPE b) { return __h##name(a, b); }     \
  DUET_NARROW DUET_PAIR __h##name##2_rn(DUET_PAIR a, DUET_PAIR b) { return __h##name##2(a, b); } \
  DUET_NARROW DUET_TYPE __h##name##_sat(DUET_TYPE a, DUET_TYPE b) {                              \
    return duet_saturated(__h##name(a, b));                                                      \
  }                                                                                              \
  DUET_NARROW DUET_PAIR __h##name##2_sat(DUET_PAIR a, DUET_PAIR b) {                             \
    return DUET_PAIR(__h##name##_sat(a.x, b.x), __h##name##_sat(a.y, b.y));                      \
  }
DUET_BINARY(add, add, float, +)
DUET_BINARY(sub, subtract, float, -)
DUET_BINARY(mul, multiply, DUET_FORMAT::Wide, *)
DUET_VARIANTS(add)
DUET_VARIANTS(sub)
DUET_VARIANTS(mul)
#undef DUET_BINARY
#undef DUET_VARIANTS
DUET_NARROW DUET_TYPE __hdiv(DUET_TYPE a, DUET_TYPE b) {
  return DUET_TYPE(static_cast<DUET_FORMAT::Wide>(static_cast<float>(a)) /
                   static_cast<DUET_FORMAT::Wide>(static_cast<float>(b)));
}
DUET_NARROW DUET_PAIR __h2div(DUET_PAIR a, DUET_PAIR b) {
  return DUET_PAIR(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}
#ifdef DUET_NATIVE
DUET_NARROW DUET_TYPE __hfma(DUET_TYPE a, DUET_TYPE b, DUET_TYPE c) {
  return DUET_RAW{DUET_FORMAT::fused_multiply_add(a.__x, b.__x, c.__x)};
}
DUET_NARROW DUET_PAIR __hfma2(DUET_PAIR a, DUET_PAIR b, DUET_PAIR c) {
  return ::duet_narrow::bits<DUET_PAIR_RAW>(DUET_FORMAT::fused_multiply_add_pair(
      ::duet_narrow::bits<unsigned>(a), ::duet_narrow::bits<unsigned>(b), ::duet_narrow::bits<unsigned>(c)));
}
#else
DUET_NARROW DUET_TYPE __hfma(DUET_TYPE a, DUET_TYPE b, DUET_TYPE c) {
  return DUET_TYPE(
      ::duet_narrow::fma_to_odd(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)));
}
DUET_NARROW DUET_PAIR __hfma2(DUET_PAIR a, DUET_PAIR b, DUET_PAIR c) {
  return DUET_PAIR(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
#endif
DUET_NARROW DUET_TYPE __hfma_sat(DUET_TYPE a, DUET_TYPE b, DUET_TYPE c) {
  return duet_saturated(__hfma(a, b, c));
}
DUET_NARROW DUET_PAIR __hfma2_sat(DUET_PAIR a, DUET_PAIR b, DUET_PAIR c) {
  return DUET_PAIR(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
DUET_NARROW DUET_TYPE __hfma_relu(DUET_TYPE a, DUET_TYPE b, DUET_TYPE c) {
  const DUET_TYPE value = __hfma(a, b, c);
  return static_cast<float>(value) < 0.0f ? DUET_TYPE(0.0f) : value;
}
DUET_NARROW DUET_TYPE __hneg(DUET_TYPE a) { return DUET_RAW{static_cast<unsigned short>(a.__x ^ 0x8000)}; }
DUET_NARROW DUET_TYPE __habs(DUET_TYPE a) { return DUET_RAW{static_cast<unsigned short>(a.__x & 0x7fff)}; }
DUET_NARROW DUET_PAIR __hneg2(DUET_PAIR a) { return DUET_PAIR(__hneg(a.x), __hneg(a.y)); }
DUET_NARROW DUET_PAIR __habs2(DUET_PAIR a) { return DUET_PAIR(__habs(a.x), __habs(a.y)); }

/* ---- comparisons ---- */
DUET_NARROW bool __hisnan(DUET_TYPE a) { return static_cast<float>(a) != static_cast<float>(a); }
DUET_NARROW int __hisinf(DUET_TYPE a) {
  const float value = a;
  return value == INFINITY ? 1 : value == -INFINITY ? -1 : 0;
}
#define DUET_COMPARISON(name, operation)                                                          \
  DUET_NARROW bool __h##name(DUET_TYPE a, DUET_TYPE b) {                                          \
    return !__hisnan(a) && !__hisnan(b) && static_cast<float>(a) operation static_cast<float>(b); \
  }                                                                                               \
  DUET_NARROW bool __h##name##u(DUET_TYPE a, DUET_TYPE b) {                                       \
    return __hisnan(a) || __hisnan(b) || __h##name(a, b);                                         \
  }                                                                                               \
  DUET_NARROW DUET_PAIR __h##name##2(DUET_PAIR a, DUET_PAIR b) {                                  \
    return DUET_PAIR(DUET_TYPE(__h##name(a.x, b.x) ? 1.0f : 0.0f),                                \
                     DUET_TYPE(__h##name(a.y, b.y) ? 1.0f : 0.0f));                               \
  }                                                                                               \
  DUET_NARROW bool __hb##name##2(DUET_PAIR a, DUET_PAIR b) {                                      \
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
DUET_NARROW DUET_TYPE __hmin(DUET_TYPE a, DUET_TYPE b) {
  if (__hisnan(a) || __hisnan(b)) return __hisnan(a) ? (__hisnan(b) ? DUET_TYPE(DUET_RAW{0x7fff}) : b) : a;
  return __hlt(a, b) || (__heq(a, b) && (a.__x & 0x8000) != 0) ? a : b;
}
DUET_NARROW DUET_TYPE __hmax(DUET_TYPE a, DUET_TYPE b) {
  if (__hisnan(a) || __hisnan(b)) return __hisnan(a) ? (__hisnan(b) ? DUET_TYPE(DUET_RAW{0x7fff}) : b) : a;
  return __hgt(a, b) || (__heq(a, b) && (a.__x & 0x8000) == 0) ? a : b;
}
DUET_NARROW DUET_TYPE __hmin_nan(DUET_TYPE a, DUET_TYPE b) {
  return __hisnan(a) || __hisnan(b) ? DUET_TYPE(DUET_RAW{0x7fff}) : __hmin(a, b);
}
DUET_NARROW DUET_TYPE __hmax_nan(DUET_TYPE a, DUET_TYPE b) {
  return __hisnan(a) || __hisnan(b) ? DUET_TYPE(DUET_RAW{0x7fff}) : __hmax(a, b);
}
DUET_NARROW DUET_PAIR __hmin2(DUET_PAIR a, DUET_PAIR b) {
  return DUET_PAIR(__hmin(a.x, b.x), __hmin(a.y, b.y));
}
DUET_NARROW DUET_PAIR __hmax2(DUET_PAIR a, DUET_PAIR b) {
  return DUET_PAIR(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
DUET_NARROW DUET_PAIR __hisnan2(DUET_PAIR a) {
  return DUET_PAIR(DUET_TYPE(__hisnan(a.x) ? 1.0f : 0.0f), DUET_TYPE(__hisnan(a.y) ? 1.0f : 0.0f));
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
DUET_NARROW DUET_TYPE operator/(const DUET_TYPE& a, const DUET_TYPE& b) { return __hdiv(a, b); }
DUET_NARROW DUET_PAIR operator/(const DUET_PAIR& a, const DUET_PAIR& b) { return __h2div(a, b); }
DUET_OPERATORS(DUET_TYPE, )
DUET_OPERATORS(DUET_PAIR, 2)
#undef DUET_OPERATORS
DUET_NARROW DUET_TYPE& operator++(DUET_TYPE& a) { return a = a + DUET_TYPE(1.0f); }
DUET_NARROW DUET_TYPE& operator--(DUET_TYPE& a) { return a = a - DUET_TYPE(1.0f); }
#define DUET_COMPARISON(operation, name, unordered)                             \
  DUET_NARROW bool operator operation(const DUET_TYPE& a, const DUET_TYPE& b) { \
    return __h##name##unordered(a, b);                                          \
  }                                                                             \
  DUET_NARROW bool operator operation(const DUET_PAIR& a, const DUET_PAIR& b) { \
    return __h##name##unordered(a.x, b.x) && __h##name##unordered(a.y, b.y);    \
  }
DUET_COMPARISON(==, eq, )
DUET_COMPARISON(!=, ne, u)
DUET_COMPARISON(<, lt, )
DUET_COMPARISON(<=, le, )
DUET_COMPARISON(>, gt, )
DUET_COMPARISON(>=, ge, )
#undef DUET_COMPARISON

/* ---- functions: in single precision, rounded ---- */
#define DUET_FUNCTION(name, function)                                                               \
  DUET_NARROW DUET_TYPE h##name(DUET_TYPE a) { return DUET_TYPE(function(static_cast<float>(a))); } \
  DUET_NARROW DUET_PAIR h2##name(DUET_PAIR a) { return DUET_PAIR(h##name(a.x), h##name(a.y)); }
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
#define DUET_SHUFFLE(name, lane_type)                                                                       \
  static __device__ inline DUET_TYPE name(unsigned mask, DUET_TYPE value, lane_type lane, int width = 32) { \
    return DUET_RAW{static_cast<unsigned short>(name(mask, static_cast<int>(value.__x), lane, width))};     \
  }                                                                                                         \
  static __device__ inline DUET_PAIR name(unsigned mask, DUET_PAIR value, lane_type lane, int width = 32) { \
    return ::duet_narrow::bits<DUET_PAIR_RAW>(name(mask, ::duet_narrow::bits<int>(value), lane, width));    \
  }
DUET_SHUFFLE(__shfl_sync, int)
DUET_SHUFFLE(__shfl_up_sync, unsigned)
DUET_SHUFFLE(__shfl_down_sync, unsigned)
DUET_SHUFFLE(__shfl_xor_sync, int)
#undef DUET_SHUFFLE
#endif
static __device__ inline DUET_PAIR atomicAdd(DUET_PAIR* address, DUET_PAIR value) {
  unsigned* const word = reinterpret_cast<unsigned*>(address);
  unsigned old = *word, seen;
  do {
    seen = old;
    old =
        atomicCAS(word, seen,
                  ::duet_narrow::bits<unsigned>(DUET_PAIR(::duet_narrow::bits<DUET_PAIR_RAW>(seen)) + value));
  } while (old != seen);
  return ::duet_narrow::bits<DUET_PAIR_RAW>(old);
}
static __device__ inline DUET_TYPE atomicAdd(DUET_TYPE* address, DUET_TYPE value) {
  const unsigned long long place = reinterpret_cast<unsigned long long>(address);
  unsigned* const word = reinterpret_cast<unsigned*>(place & ~3ull);
  const unsigned shift = static_cast<unsigned>(place & 2) * 8;
  unsigned old = *word, seen;
  DUET_TYPE before;
  do {
    seen = old;
    before = DUET_RAW{static_cast<unsigned short>(seen >> shift)};
    const unsigned sum = (before + value).__x;
    old = atomicCAS(word, seen, (seen & ~(0xffffu << shift)) | (sum << shift));
  } while (old != seen);
  return before;
}
static __device__ inline DUET_TYPE __ldg(const DUET_TYPE* from) {
  return DUET_RAW{__ldg(reinterpret_cast<const unsigned short*>(from))};
}
static __device__ inline DUET_PAIR __ldg(const DUET_PAIR* from) {
  return ::duet_narrow::bits<DUET_PAIR_RAW>(__ldg(reinterpret_cast<const unsigned*>(from)));
}
#endif

#undef DUET_JOIN_TEXT
#undef DUET_JOIN
#undef DUET_RAW
#undef DUET_PAIR
#undef DUET_PAIR_RAW
#undef DUET_NAMED
#undef DUET_TYPE
#undef DUET_NAME
#undef DUET_FORMAT
#undef DUET_NATIVE
