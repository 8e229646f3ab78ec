/* A name that CUDA programs include; everything it promises is in cuda_runtime.h. */
#ifndef DUET_DEVICE_TYPES_H
#define DUET_DEVICE_TYPES_H
#include "cuda_runtime.h"
#endif
