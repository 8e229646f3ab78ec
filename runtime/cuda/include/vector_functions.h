/* make_char1() ... make_double4(): one constructor function for each vector type, on host and device. */
#ifndef DUET_VECTOR_FUNCTIONS_H
#define DUET_VECTOR_FUNCTIONS_H

#include "vector_types.h"

#define DUET_MAKE(name, type)                                                                    \
  static __inline__ __host__ __device__ name##1 make_##name##1(type x) {                         \
    name##1 v = {x};                                                                             \
    return v;                                                                                    \
  }                                                                                              \
  static __inline__ __host__ __device__ name##2 make_##name##2(type x, type y) {                 \
    name##2 v = {x, y};                                                                          \
    return v;                                                                                    \
  }                                                                                              \
  static __inline__ __host__ __device__ name##3 make_##name##3(type x, type y, type z) {         \
    name##3 v = {x, y, z};                                                                       \
    return v;                                                                                    \
  }                                                                                              \
  static __inline__ __host__ __device__ name##4 make_##name##4(type x, type y, type z, type w) { \
    name##4 v = {x, y, z, w};                                                                    \
    return v;                                                                                    \
  }

DUET_MAKE(char, signed char)
DUET_MAKE(uchar, unsigned char)
DUET_MAKE(short, short)
DUET_MAKE(ushort, unsigned short)
DUET_MAKE(int, int)
DUET_MAKE(uint, unsigned int)
DUET_MAKE(long, long)
DUET_MAKE(ulong, unsigned long)
DUET_MAKE(longlong, long long)
DUET_MAKE(ulonglong, unsigned long long)
DUET_MAKE(float, float)
DUET_MAKE(double, double)
#undef DUET_MAKE

#define DUET_MAKE_WIDE(name, type)                                                         \
  static __inline__ __host__ __device__ name make_##name(type x, type y, type z, type w) { \
    name v = {x, y, z, w};                                                                 \
    return v;                                                                              \
  }

DUET_MAKE_WIDE(long4_16a, long)
DUET_MAKE_WIDE(long4_32a, long)
DUET_MAKE_WIDE(ulong4_16a, unsigned long)
DUET_MAKE_WIDE(ulong4_32a, unsigned long)
DUET_MAKE_WIDE(longlong4_16a, long long)
DUET_MAKE_WIDE(longlong4_32a, long long)
DUET_MAKE_WIDE(ulonglong4_16a, unsigned long long)
DUET_MAKE_WIDE(ulonglong4_32a, unsigned long long)
DUET_MAKE_WIDE(double4_16a, double)
DUET_MAKE_WIDE(double4_32a, double)
#undef DUET_MAKE_WIDE

#endif
