/* CUDA's atomic functions: relaxed read-modify-write that returns the old value, in the scope of the device,
 * of the block (_block) or of the whole system (_system). Double add and the scopes other than the device
 * need sm_60; below it they do not exist, so that programs can bring their own, as they do for CUDA. */
#ifndef DUET_DEVICE_ATOMICS_H
#define DUET_DEVICE_ATOMICS_H

#define DUET_ATOMIC static __device__ __forceinline__ __attribute__((nodebug))

/* Scopes of one overload; `type` is CUDA's, `word` the builtin's. */
#define DUET_ATOMIC_DEVICE(name, op, type, word, suffix)                       \
  DUET_ATOMIC type name(type* address, type value) {                           \
    return (type)__nvvm_atom_##op##_gen_##suffix((word*)address, (word)value); \
  }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
#define DUET_ATOMIC_SCOPES(name, op, type, word, suffix)                           \
  DUET_ATOMIC_DEVICE(name, op, type, word, suffix)                                 \
  DUET_ATOMIC type name##_block(type* address, type value) {                       \
    return (type)__nvvm_atom_cta_##op##_gen_##suffix((word*)address, (word)value); \
  }                                                                                \
  DUET_ATOMIC type name##_system(type* address, type value) {                      \
    return (type)__nvvm_atom_sys_##op##_gen_##suffix((word*)address, (word)value); \
  }
DUET_ATOMIC_SCOPES(atomicAdd, add, double, double, d)
#else
#define DUET_ATOMIC_SCOPES(name, op, type, word, suffix) DUET_ATOMIC_DEVICE(name, op, type, word, suffix)
#endif

DUET_ATOMIC_SCOPES(atomicAdd, add, int, int, i)
DUET_ATOMIC_SCOPES(atomicAdd, add, unsigned int, int, i)
DUET_ATOMIC_SCOPES(atomicAdd, add, unsigned long long, long long, ll)
DUET_ATOMIC_SCOPES(atomicAdd, add, float, float, f)

DUET_ATOMIC_SCOPES(atomicExch, xchg, int, int, i)
DUET_ATOMIC_SCOPES(atomicExch, xchg, unsigned int, int, i)
DUET_ATOMIC_SCOPES(atomicExch, xchg, unsigned long long, long long, ll)

DUET_ATOMIC_SCOPES(atomicMin, min, int, int, i)
DUET_ATOMIC_SCOPES(atomicMin, min, unsigned int, unsigned int, ui)
DUET_ATOMIC_SCOPES(atomicMin, min, long long, long long, ll)
DUET_ATOMIC_SCOPES(atomicMin, min, unsigned long long, unsigned long long, ull)
DUET_ATOMIC_SCOPES(atomicMax, max, int, int, i)
DUET_ATOMIC_SCOPES(atomicMax, max, unsigned int, unsigned int, ui)
DUET_ATOMIC_SCOPES(atomicMax, max, long long, long long, ll)
DUET_ATOMIC_SCOPES(atomicMax, max, unsigned long long, unsigned long long, ull)

DUET_ATOMIC_SCOPES(atomicInc, inc, unsigned int, unsigned int, ui)
DUET_ATOMIC_SCOPES(atomicDec, dec, unsigned int, unsigned int, ui)

#define DUET_ATOMIC_BITWISE(name, op)                    \
  DUET_ATOMIC_SCOPES(name, op, int, int, i)              \
  DUET_ATOMIC_SCOPES(name, op, unsigned int, int, i)     \
  DUET_ATOMIC_SCOPES(name, op, long long, long long, ll) \
  DUET_ATOMIC_SCOPES(name, op, unsigned long long, long long, ll)

DUET_ATOMIC_BITWISE(atomicAnd, and)
DUET_ATOMIC_BITWISE(atomicOr, or)
DUET_ATOMIC_BITWISE(atomicXor, xor)
#undef DUET_ATOMIC_BITWISE
#undef DUET_ATOMIC_SCOPES
#undef DUET_ATOMIC_DEVICE

/* Differences and exchanged floats go by the operations that exist. */
#define DUET_ATOMIC_DERIVED(scope)                                                       \
  DUET_ATOMIC int atomicSub##scope(int* address, int value) {                            \
    return atomicAdd##scope(address, (int)(0u - (unsigned int)value));                   \
  }                                                                                      \
  DUET_ATOMIC unsigned int atomicSub##scope(unsigned int* address, unsigned int value) { \
    return atomicAdd##scope(address, 0u - value);                                        \
  }                                                                                      \
  DUET_ATOMIC float atomicExch##scope(float* address, float value) {                     \
    return __int_as_float(atomicExch##scope((int*)address, __float_as_int(value)));      \
  }

DUET_ATOMIC_DERIVED()
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
DUET_ATOMIC_DERIVED(_block)
DUET_ATOMIC_DERIVED(_system)
#endif
#undef DUET_ATOMIC_DERIVED

/** Stores `value` where `*address == compare`; returns what was there. */
#define DUET_ATOMIC_CAS(name, op, type, word, suffix)                                         \
  DUET_ATOMIC type name(type* address, type compare, type value) {                            \
    return (type)__nvvm_atom_##op##_gen_##suffix((word*)address, (word)compare, (word)value); \
  }

DUET_ATOMIC_CAS(atomicCAS, cas, int, int, i)
DUET_ATOMIC_CAS(atomicCAS, cas, unsigned int, int, i)
DUET_ATOMIC_CAS(atomicCAS, cas, unsigned long long, long long, ll)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
DUET_ATOMIC_CAS(atomicCAS_block, cta_cas, int, int, i)
DUET_ATOMIC_CAS(atomicCAS_block, cta_cas, unsigned int, int, i)
DUET_ATOMIC_CAS(atomicCAS_block, cta_cas, unsigned long long, long long, ll)
DUET_ATOMIC_CAS(atomicCAS_system, sys_cas, int, int, i)
DUET_ATOMIC_CAS(atomicCAS_system, sys_cas, unsigned int, int, i)
DUET_ATOMIC_CAS(atomicCAS_system, sys_cas, unsigned long long, long long, ll)
#endif
#undef DUET_ATOMIC_CAS

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
/** The same for 16 bits, from sm_70 on. */
#define DUET_ATOMIC_CAS16(name, scope)                                                                     \
  DUET_ATOMIC unsigned short name(unsigned short* address, unsigned short compare, unsigned short value) { \
    unsigned short old;                                                                                    \
    asm volatile("atom" scope ".cas.b16 %0, [%1], %2, %3;"                                                 \
                 : "=h"(old)                                                                               \
                 : "l"(address), "h"(compare), "h"(value)                                                  \
                 : "memory");                                                                              \
    return old;                                                                                            \
  }

DUET_ATOMIC_CAS16(atomicCAS, "")
DUET_ATOMIC_CAS16(atomicCAS_block, ".cta")
DUET_ATOMIC_CAS16(atomicCAS_system, ".sys")
#undef DUET_ATOMIC_CAS16
#endif
#undef DUET_ATOMIC

#endif
