/* A name that CUDA programs include; everything it promises is in cuda_runtime.h. */
#ifndef DUET_DEVICE_LAUNCH_PARAMETERS_H
#define DUET_DEVICE_LAUNCH_PARAMETERS_H
#include "cuda_runtime.h"
#endif
