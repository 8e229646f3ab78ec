/* A name that CUDA programs include; everything it promises is in cuda_runtime.h. */
#ifndef DUET_SM_32_INTRINSICS_H
#define DUET_SM_32_INTRINSICS_H
#include "cuda_runtime.h"
#endif
