/* A name that CUDA programs include; everything it promises is in cuda_runtime.h. */
#ifndef DUET_SM_60_ATOMIC_FUNCTIONS_H
#define DUET_SM_60_ATOMIC_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
