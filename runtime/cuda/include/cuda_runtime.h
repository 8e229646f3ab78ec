/* Duet's CUDA runtime header: all that CUDA C++ needs from its SDK, without a file of that SDK. `duet cc`
 * includes it before the program's first line, in the host and in the device pass of clang 19; a plain C or
 * C++ compiler that includes it gets the host API alone.
 *
 * The order below matters. clang lets a __device__ function overload a host function of the same signature,
 * but a constexpr function of the standard library becomes __host__ __device__ unless a __device__ overload
 * was seen first; so the device overloads are declared before <cmath> and defined after it. <stdlib.h> comes
 * before anything that includes <new>, whose clang wrapper calls malloc and free. */
#ifndef DUET_CUDA_RUNTIME_H
#define DUET_CUDA_RUNTIME_H

/* Programs ask for this name of CUDA's header. */
#define __CUDA_RUNTIME_H__

#include "host_defines.h"

#if defined(__clang__) && defined(__CUDA__)

#if !defined(__CUDACC__)
#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#endif

// clang-format off
#include <__clang_cuda_math_forward_declares.h>
#include <stdlib.h>
#include <climits>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>

#include "cuda.h"
#include "cuda_runtime_api.h"
#include "vector_functions.h"

#include <__clang_cuda_builtin_vars.h>

#include "duet_device_runtime.h"
#include <new>
#include "duet_device_bits.h"
#include "duet_device_math.h"
#include "duet_device_atomics.h"
#include "duet_device_warp.h"
#include "duet_device_memory.h"
#include "duet_device_images.h"
// clang-format on

#else

#include "cuda_runtime_api.h"
#include "vector_functions.h"

#endif

#if defined(__cplusplus)
#include "channel_descriptor.h"
#include "duet_runtime_templates.h"
#endif

#endif
