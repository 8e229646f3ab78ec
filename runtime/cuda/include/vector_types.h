/* CUDA's vector types (char1 ... double4) and dim3, with the alignments that every CUDA compiler gives them:
 * one- and three-element types align as their element; two- and four-element types as a whole, at most 16
 * bytes. */
#ifndef DUET_VECTOR_TYPES_H
#define DUET_VECTOR_TYPES_H

#include "host_defines.h"

#define DUET_VECTORS(name, type, align2, align4) \
  struct name##1 {                               \
    type x;                                      \
  };                                             \
  struct __align__(align2) name##2 {             \
    type x, y;                                   \
  };                                             \
  struct name##3 {                               \
    type x, y, z;                                \
  };                                             \
  struct __align__(align4) name##4 {             \
    type x, y, z, w;                             \
  };                                             \
  typedef struct name##1 name##1;                \
  typedef struct name##2 name##2;                \
  typedef struct name##3 name##3;                \
  typedef struct name##4 name##4

DUET_VECTORS(char, signed char, 2, 4);
DUET_VECTORS(uchar, unsigned char, 2, 4);
DUET_VECTORS(short, short, 4, 8);
DUET_VECTORS(ushort, unsigned short, 4, 8);
DUET_VECTORS(int, int, 8, 16);
DUET_VECTORS(uint, unsigned int, 8, 16);
DUET_VECTORS(long, long, 16, 16);
DUET_VECTORS(ulong, unsigned long, 16, 16);
DUET_VECTORS(longlong, long long, 16, 16);
DUET_VECTORS(ulonglong, unsigned long long, 16, 16);
DUET_VECTORS(float, float, 8, 16);
DUET_VECTORS(double, double, 16, 16);
#undef DUET_VECTORS

/* CUDA 13's spelled-out alignments of the 32-byte types. */
#define DUET_WIDE_VECTOR(name, type)      \
  struct __align__(16) name##4_16a {      \
    type x, y, z, w;                      \
  };                                      \
  struct __align__(32) name##4_32a {      \
    type x, y, z, w;                      \
  };                                      \
  typedef struct name##4_16a name##4_16a; \
  typedef struct name##4_32a name##4_32a

DUET_WIDE_VECTOR(long, long);
DUET_WIDE_VECTOR(ulong, unsigned long);
DUET_WIDE_VECTOR(longlong, long long);
DUET_WIDE_VECTOR(ulonglong, unsigned long long);
DUET_WIDE_VECTOR(double, double);
#undef DUET_WIDE_VECTOR

/** Extent of a grid or a block; elements that are left out are 1. */
struct dim3 {
  unsigned int x, y, z;
#if defined(__cplusplus)
#if __cplusplus >= 201103L
#define DUET_CONSTEXPR constexpr
#else
#define DUET_CONSTEXPR
#endif
  __host__ __device__ DUET_CONSTEXPR dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ DUET_CONSTEXPR dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
#if __cplusplus >= 201103L
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#else
  __host__ __device__ operator uint3() const {
    uint3 v = {x, y, z};
    return v;
  }
#endif
#undef DUET_CONSTEXPR
#endif
};
typedef struct dim3 dim3;

#endif
