/* The profiler's window: cudaProfilerStart and cudaProfilerStop, declared with the rest of the C interface.
 */
#ifndef DUET_CUDA_PROFILER_API_H
#define DUET_CUDA_PROFILER_API_H
#include "cuda_runtime_api.h"
#endif
