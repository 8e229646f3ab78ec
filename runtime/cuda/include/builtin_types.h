/* A name that CUDA programs include; everything it promises is in cuda_runtime.h. */
#ifndef DUET_BUILTIN_TYPES_H
#define DUET_BUILTIN_TYPES_H
#include "cuda_runtime.h"
#endif
