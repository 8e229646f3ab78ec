/* What the threads of a warp do together: shuffles, votes, matches, reductions and __syncwarp; and the
 * read-only load and the funnel shifts. Shuffles need sm_30, matches sm_70, reductions sm_80; a target
 * without them does not declare them. */
#ifndef DUET_DEVICE_WARP_H
#define DUET_DEVICE_WARP_H

/* ---- shuffles ----
 * The last operand of the instruction holds the segment mask in bits 8-12 and the clamp lane in bits 0-4, 0
 * for `up`. 64-bit values travel as two halves. A lane that nobody reads need not have written its value:
 * clang would take the branch that writes it for taken by all. */
#define DUET_ANY_VALUE __attribute__((maybe_undef))
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 300
#define DUET_SHUFFLE_WORD(name, mode, clamp, lane_type, type, suffix)                                     \
  DUET_DEVICE type name##_sync(unsigned int mask, DUET_ANY_VALUE type value, lane_type lane,              \
                               int width = 32) {                                                          \
    return (type)__nvvm_shfl_sync_##mode##_##suffix(mask, value, (int)lane, ((32 - width) << 8) | clamp); \
  }                                                                                                       \
  DUET_DEVICE type name(DUET_ANY_VALUE type value, lane_type lane, int width = 32) {                      \
    return (type)__nvvm_shfl_##mode##_##suffix(value, (int)lane, ((32 - width) << 8) | clamp);            \
  }

#define DUET_SHUFFLE_PAIR(name, lane_type, type)                                                      \
  DUET_DEVICE type name##_sync(unsigned int mask, DUET_ANY_VALUE type value, lane_type lane,          \
                               int width = 32) {                                                      \
    const uint2 half = __builtin_bit_cast(uint2, value);                                              \
    return __builtin_bit_cast(                                                                        \
        type, uint2{name##_sync(mask, half.x, lane, width), name##_sync(mask, half.y, lane, width)}); \
  }                                                                                                   \
  DUET_DEVICE type name(DUET_ANY_VALUE type value, lane_type lane, int width = 32) {                  \
    const uint2 half = __builtin_bit_cast(uint2, value);                                              \
    return __builtin_bit_cast(type, uint2{name(half.x, lane, width), name(half.y, lane, width)});     \
  }

#define DUET_SHUFFLE(name, mode, clamp, lane_type)                   \
  DUET_SHUFFLE_WORD(name, mode, clamp, lane_type, int, i32)          \
  DUET_SHUFFLE_WORD(name, mode, clamp, lane_type, unsigned int, i32) \
  DUET_SHUFFLE_WORD(name, mode, clamp, lane_type, float, f32)        \
  DUET_SHUFFLE_PAIR(name, lane_type, long)                           \
  DUET_SHUFFLE_PAIR(name, lane_type, unsigned long)                  \
  DUET_SHUFFLE_PAIR(name, lane_type, long long)                      \
  DUET_SHUFFLE_PAIR(name, lane_type, unsigned long long)             \
  DUET_SHUFFLE_PAIR(name, lane_type, double)

DUET_SHUFFLE(__shfl, idx, 31, int)
DUET_SHUFFLE(__shfl_up, up, 0, unsigned int)
DUET_SHUFFLE(__shfl_down, down, 31, unsigned int)
DUET_SHUFFLE(__shfl_xor, bfly, 31, int)
#undef DUET_SHUFFLE
#undef DUET_SHUFFLE_PAIR
#undef DUET_SHUFFLE_WORD

/* ---- votes and barriers of a warp ---- */
DUET_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
DUET_DEVICE int __all_sync(unsigned int mask, int predicate) { return __nvvm_vote_all_sync(mask, predicate); }
DUET_DEVICE int __any_sync(unsigned int mask, int predicate) { return __nvvm_vote_any_sync(mask, predicate); }
DUET_DEVICE int __uni_sync(unsigned int mask, int predicate) { return __nvvm_vote_uni_sync(mask, predicate); }
DUET_DEVICE unsigned int __ballot_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_ballot_sync(mask, predicate);
}
DUET_DEVICE unsigned int __activemask() { return __nvvm_activemask(); }
/** Position of the `offset`-th set bit of `mask` from `base` on; see PTX fns. */
DUET_DEVICE unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
  return (unsigned int)__nvvm_fns((int)mask, (int)base, offset);
}
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
/* ---- matches: the lanes whose value equals mine, or all lanes if they all agree ---- */
#define DUET_MATCH(type, word, suffix)                                                            \
  DUET_DEVICE unsigned int __match_any_sync(unsigned int mask, type value) {                      \
    return (unsigned int)__nvvm_match_any_sync_##suffix(mask, __builtin_bit_cast(word, value));   \
  }                                                                                               \
  DUET_DEVICE unsigned int __match_all_sync(unsigned int mask, type value, int* predicate) {      \
    return (unsigned int)__nvvm_match_all_sync_##suffix##p(mask, __builtin_bit_cast(word, value), \
                                                           predicate);                            \
  }

DUET_MATCH(int, unsigned int, i32)
DUET_MATCH(unsigned int, unsigned int, i32)
DUET_MATCH(float, unsigned int, i32)
DUET_MATCH(long, long long, i64)
DUET_MATCH(unsigned long, long long, i64)
DUET_MATCH(long long, long long, i64)
DUET_MATCH(unsigned long long, long long, i64)
DUET_MATCH(double, long long, i64)
#undef DUET_MATCH
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
/* ---- reductions over a warp ---- */
DUET_DEVICE unsigned int __reduce_add_sync(unsigned int mask, unsigned int value) {
  return (unsigned int)__nvvm_redux_sync_add((int)value, (int)mask);
}
DUET_DEVICE int __reduce_add_sync(unsigned int mask, int value) {
  return __nvvm_redux_sync_add(value, (int)mask);
}
DUET_DEVICE int __reduce_min_sync(unsigned int mask, int value) {
  return __nvvm_redux_sync_min(value, (int)mask);
}
DUET_DEVICE int __reduce_max_sync(unsigned int mask, int value) {
  return __nvvm_redux_sync_max(value, (int)mask);
}
DUET_DEVICE unsigned int __reduce_min_sync(unsigned int mask, unsigned int value) {
  return (unsigned int)__nvvm_redux_sync_umin(value, (int)mask);
}
DUET_DEVICE unsigned int __reduce_max_sync(unsigned int mask, unsigned int value) {
  return (unsigned int)__nvvm_redux_sync_umax(value, (int)mask);
}
DUET_DEVICE unsigned int __reduce_and_sync(unsigned int mask, unsigned int value) {
  return (unsigned int)__nvvm_redux_sync_and((int)value, (int)mask);
}
DUET_DEVICE unsigned int __reduce_or_sync(unsigned int mask, unsigned int value) {
  return (unsigned int)__nvvm_redux_sync_or((int)value, (int)mask);
}
DUET_DEVICE unsigned int __reduce_xor_sync(unsigned int mask, unsigned int value) {
  return (unsigned int)__nvvm_redux_sync_xor((int)value, (int)mask);
}
#endif

/* ---- read-only loads ---- */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 320
#define DUET_LDG(type, suffix) \
  DUET_DEVICE type __ldg(const type* address) { return __nvvm_ldg_##suffix(address); }
#define DUET_LDG_VECTOR(type, element, count, suffix)                                              \
  DUET_DEVICE type __ldg(const type* address) {                                                    \
    typedef element Lanes __attribute__((ext_vector_type(count)));                                 \
    return __builtin_bit_cast(type, __nvvm_ldg_##suffix(reinterpret_cast<const Lanes*>(address))); \
  }

DUET_LDG(char, c)
DUET_LDG(signed char, sc)
DUET_LDG(unsigned char, uc)
DUET_LDG(short, s)
DUET_LDG(unsigned short, us)
DUET_LDG(int, i)
DUET_LDG(unsigned int, ui)
DUET_LDG(long, l)
DUET_LDG(unsigned long, ul)
DUET_LDG(long long, ll)
DUET_LDG(unsigned long long, ull)
DUET_LDG(float, f)
DUET_LDG(double, d)
DUET_LDG_VECTOR(char2, char, 2, c2)
DUET_LDG_VECTOR(char4, char, 4, c4)
DUET_LDG_VECTOR(uchar2, unsigned char, 2, uc2)
DUET_LDG_VECTOR(uchar4, unsigned char, 4, uc4)
DUET_LDG_VECTOR(short2, short, 2, s2)
DUET_LDG_VECTOR(short4, short, 4, s4)
DUET_LDG_VECTOR(ushort2, unsigned short, 2, us2)
DUET_LDG_VECTOR(ushort4, unsigned short, 4, us4)
DUET_LDG_VECTOR(int2, int, 2, i2)
DUET_LDG_VECTOR(int4, int, 4, i4)
DUET_LDG_VECTOR(uint2, unsigned int, 2, ui2)
DUET_LDG_VECTOR(uint4, unsigned int, 4, ui4)
DUET_LDG_VECTOR(longlong2, long long, 2, ll2)
DUET_LDG_VECTOR(ulonglong2, unsigned long long, 2, ull2)
DUET_LDG_VECTOR(float2, float, 2, f2)
DUET_LDG_VECTOR(float4, float, 4, f4)
DUET_LDG_VECTOR(double2, double, 2, d2)
#undef DUET_LDG_VECTOR
#undef DUET_LDG
#else
/** Before sm_32 there is no read-only load; the function is a plain one there. */
template <class T>
DUET_DEVICE T __ldg(const T* address) {
  return *address;
}
#endif

/* ---- funnel shifts of the 64-bit value high:low; `c` clamps the amount to 32 instead of taking it modulo 32
 * ---- */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 320
#define DUET_FUNNEL(name, opcode)                                                           \
  DUET_DEVICE unsigned int name(unsigned int low, unsigned int high, unsigned int amount) { \
    unsigned int result;                                                                    \
    asm(opcode " %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(amount));       \
    return result;                                                                          \
  }

DUET_FUNNEL(__funnelshift_l, "shf.l.wrap.b32")
DUET_FUNNEL(__funnelshift_lc, "shf.l.clamp.b32")
DUET_FUNNEL(__funnelshift_r, "shf.r.wrap.b32")
DUET_FUNNEL(__funnelshift_rc, "shf.r.clamp.b32")
#undef DUET_FUNNEL
#endif

#endif
