/* A name that CUDA programs include; everything it promises is in cuda_runtime.h. */
#ifndef DUET_DEVICE_ATOMIC_FUNCTIONS_H
#define DUET_DEVICE_ATOMIC_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
