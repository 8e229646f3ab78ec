/* A name that CUDA programs include; everything it promises is in cuda_runtime.h. */
#ifndef DUET_CUDA_DEVICE_RUNTIME_API_H
#define DUET_CUDA_DEVICE_RUNTIME_API_H
#include "cuda_runtime.h"
#endif
