/* What device code may call without defining it: printf, assert, malloc, free, and the conversions of the
 * built-in variables. printf becomes a call of vprintf(format, packed arguments); vprintf, __assertfail,
 * malloc and free are declared here and supplied by whoever loads the PTX. */
#ifndef DUET_DEVICE_RUNTIME_H
#define DUET_DEVICE_RUNTIME_H

extern "C" {
__device__ int vprintf(const char* format, const char* arguments);
__device__ int printf(const char* format, ...);
__device__ void* malloc(size_t bytes) __attribute__((nothrow, malloc));
__device__ void free(void* pointer) __attribute__((nothrow));
/** Stops the kernel with cudaErrorAssert. `char_bytes` is the width of the strings' characters. */
__device__ void __assertfail(const char* message, const char* file, unsigned int line, const char* function,
                             size_t char_bytes);
/* glibc's assert() calls this; on the device it is CUDA's. */
__device__ static inline void __assert_fail(const char* message, const char* file, unsigned int line,
                                            const char* function) {
  __assertfail(message, file, line, function, sizeof(char));
}
}

namespace std {
__device__ static inline void* malloc(size_t bytes) { return ::malloc(bytes); }
__device__ static inline void free(void* pointer) { ::free(pointer); }
}  // namespace std

#define DUET_BUILTIN_CONVERSIONS(name)                                                         \
  __device__ inline __cuda_builtin_##name##_t::operator dim3() const { return dim3(x, y, z); } \
  __device__ inline __cuda_builtin_##name##_t::operator uint3() const { return uint3{x, y, z}; }

DUET_BUILTIN_CONVERSIONS(threadIdx)
DUET_BUILTIN_CONVERSIONS(blockIdx)
DUET_BUILTIN_CONVERSIONS(blockDim)
DUET_BUILTIN_CONVERSIONS(gridDim)
#undef DUET_BUILTIN_CONVERSIONS

#endif
