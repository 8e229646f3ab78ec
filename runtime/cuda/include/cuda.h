/* The driver interface's types, for programs that include <cuda.h> for them. Duet exports no driver API: a
 * program that calls cu* functions does not link. */
#ifndef DUET_CUDA_H
#define DUET_CUDA_H

#include "driver_types.h"

#define CUDA_VERSION 13000

typedef unsigned long long CUdeviceptr;
typedef int CUdevice;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef struct CUstream_st* CUstream;
typedef struct CUevent_st* CUevent;

#endif
