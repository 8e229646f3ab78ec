/* Loads and stores with a cache operator, address-space queries, byte dot products and other instructions
 * that CUDA exposes as functions and clang's headers do not. */
#ifndef DUET_DEVICE_MEMORY_H
#define DUET_DEVICE_MEMORY_H

/* ---- cache operators: __ldcg(p), __stwt(p, v), ... ----
 * One template over the element's width: 1, 2, 4 and 8 bytes as an integer, 8 and 16 bytes of vector types as
 * the vector instruction that CUDA uses for them. */
#define DUET_CACHED_LOAD(function, op)                                                             \
  template <class T>                                                                               \
  DUET_DEVICE T function(const T* address) {                                                       \
    static_assert(sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0, "scalar or vector type"); \
    if constexpr (sizeof(T) == 1) {                                                                \
      unsigned int v;                                                                              \
      asm volatile("ld.global" op ".u8 %0, [%1];" : "=r"(v) : "l"(address) : "memory");            \
      return __builtin_bit_cast(T, (unsigned char)v);                                              \
    } else if constexpr (sizeof(T) == 2) {                                                         \
      unsigned short v;                                                                            \
      asm volatile("ld.global" op ".u16 %0, [%1];" : "=h"(v) : "l"(address) : "memory");           \
      return __builtin_bit_cast(T, v);                                                             \
    } else if constexpr (sizeof(T) == 4) {                                                         \
      unsigned int v;                                                                              \
      asm volatile("ld.global" op ".u32 %0, [%1];" : "=r"(v) : "l"(address) : "memory");           \
      return __builtin_bit_cast(T, v);                                                             \
    } else if constexpr (sizeof(T) == 8) {                                                         \
      unsigned long long v;                                                                        \
      asm volatile("ld.global" op ".u64 %0, [%1];" : "=l"(v) : "l"(address) : "memory");           \
      return __builtin_bit_cast(T, v);                                                             \
    } else {                                                                                       \
      uint4 v;                                                                                     \
      asm volatile("ld.global" op ".v4.u32 {%0, %1, %2, %3}, [%4];"                                \
                   : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)                                    \
                   : "l"(address)                                                                  \
                   : "memory");                                                                    \
      return __builtin_bit_cast(T, v);                                                             \
    }                                                                                              \
  }

DUET_CACHED_LOAD(__ldca, ".ca")
DUET_CACHED_LOAD(__ldcg, ".cg")
DUET_CACHED_LOAD(__ldcs, ".cs")
DUET_CACHED_LOAD(__ldlu, ".lu")
DUET_CACHED_LOAD(__ldcv, ".cv")
#undef DUET_CACHED_LOAD

#define DUET_CACHED_STORE(function, op)                                                                 \
  template <class T>                                                                                    \
  DUET_DEVICE void function(T* address, T value) {                                                      \
    static_assert(sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0, "scalar or vector type");      \
    if constexpr (sizeof(T) == 1) {                                                                     \
      asm volatile("st.global" op ".u8 [%0], %1;" ::"l"(address),                                       \
                   "r"((unsigned int)__builtin_bit_cast(unsigned char, value))                          \
                   : "memory");                                                                         \
    } else if constexpr (sizeof(T) == 2) {                                                              \
      asm volatile("st.global" op ".u16 [%0], %1;" ::"l"(address),                                      \
                   "h"(__builtin_bit_cast(unsigned short, value))                                       \
                   : "memory");                                                                         \
    } else if constexpr (sizeof(T) == 4) {                                                              \
      asm volatile("st.global" op ".u32 [%0], %1;" ::"l"(address),                                      \
                   "r"(__builtin_bit_cast(unsigned int, value))                                         \
                   : "memory");                                                                         \
    } else if constexpr (sizeof(T) == 8) {                                                              \
      asm volatile("st.global" op ".u64 [%0], %1;" ::"l"(address),                                      \
                   "l"(__builtin_bit_cast(unsigned long long, value))                                   \
                   : "memory");                                                                         \
    } else {                                                                                            \
      const uint4 v = __builtin_bit_cast(uint4, value);                                                 \
      asm volatile("st.global" op ".v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(v.x), "r"(v.y), \
                   "r"(v.z), "r"(v.w)                                                                   \
                   : "memory");                                                                         \
    }                                                                                                   \
  }

DUET_CACHED_STORE(__stwb, ".wb")
DUET_CACHED_STORE(__stcg, ".cg")
DUET_CACHED_STORE(__stcs, ".cs")
DUET_CACHED_STORE(__stwt, ".wt")
#undef DUET_CACHED_STORE

/* ---- which space a generic address lies in ---- */
DUET_DEVICE unsigned int __isGlobal(const void* address) { return __nvvm_isspacep_global(address); }
DUET_DEVICE unsigned int __isShared(const void* address) { return __nvvm_isspacep_shared(address); }
DUET_DEVICE unsigned int __isConstant(const void* address) { return __nvvm_isspacep_const(address); }
DUET_DEVICE unsigned int __isLocal(const void* address) { return __nvvm_isspacep_local(address); }

#define DUET_SPACE(name, number)                                                \
  DUET_DEVICE size_t __cvta_generic_to_##name(const void* address) {            \
    return (size_t)(__attribute__((address_space(number))) const char*)address; \
  }                                                                             \
  DUET_DEVICE void* __cvta_##name##_to_generic(size_t in_space) {               \
    return (void*)(__attribute__((address_space(number))) char*)in_space;       \
  }

DUET_SPACE(global, 1)
DUET_SPACE(shared, 3)
DUET_SPACE(constant, 4)
DUET_SPACE(local, 5)
#undef DUET_SPACE

/* ---- waiting, profiling ---- */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
/** Sleeps for about `ns` nanoseconds, at most twice as long. */
DUET_DEVICE void __nanosleep(unsigned int ns) { __nvvm_nanosleep((int)ns); }
#endif

/* ---- dot products of packed 8- and 16-bit integers, added to a third operand; from sm_61 on ---- */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 610
#define DUET_DOT(name, opcode, type, left, right)                                      \
  DUET_DEVICE type name(left a, right b, type sum) {                                   \
    type result;                                                                       \
    asm(opcode " %0, %1, %2, %3;"                                                      \
        : "=r"(result)                                                                 \
        : "r"(__builtin_bit_cast(int, a)), "r"(__builtin_bit_cast(int, b)), "r"(sum)); \
    return result;                                                                     \
  }

DUET_DOT(__dp4a, "dp4a.s32.s32", int, int, int)
DUET_DOT(__dp4a, "dp4a.u32.u32", unsigned int, unsigned int, unsigned int)
DUET_DOT(__dp4a, "dp4a.s32.s32", int, char4, char4)
DUET_DOT(__dp4a, "dp4a.u32.u32", unsigned int, uchar4, uchar4)
DUET_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int, int, int)
DUET_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned int, unsigned int, unsigned int)
DUET_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int, short2, char4)
DUET_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned int, ushort2, uchar4)
DUET_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int, int, int)
DUET_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned int, unsigned int, unsigned int)
DUET_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int, short2, char4)
DUET_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned int, ushort2, uchar4)
#undef DUET_DOT
#endif

#endif
