/* CUDA's attribute words (__global__, __device__, __shared__, ...) as clang spells them, and as nothing for a
 * plain host compiler, for which these headers are the host API alone. */
#ifndef DUET_HOST_DEFINES_H
#define DUET_HOST_DEFINES_H

#if defined(__clang__) && defined(__CUDA__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
/* clang 19 has no __managed__ variables for PTX; the word is left unknown to it so that its use is an error
 * that names it, never a plain device variable. */
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__ __attribute__((grid_constant))
#define __cluster_dims__(...) DUET_error_cluster_dims_are_not_supported
#define __maxnreg__(count)
#define __nv_pure__ __attribute__((pure))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __grid_constant__
#endif

#define __no_return__ __attribute__((noreturn))
/* Standard headers write __attribute__((__noinline__)): for a plain host compiler the word stays theirs. clang
 * accepts the word of CUDA itself as a keyword. */
#if defined(__CUDACC__) && (!defined(__clang__) || !defined(__CUDA__))
#define __noinline__ __attribute__((noinline))
#endif
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline_hint__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __thread__ __thread
#define __device_builtin__
#define __cudart_builtin__
#define CUDARTAPI
#define CUDAAPI
#define CUDART_CB

#endif
