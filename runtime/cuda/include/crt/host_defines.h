/* A name that CUDA programs include; everything it promises is in host_defines.h. */
#ifndef DUET_CRT_HOST_DEFINES_H
#define DUET_CRT_HOST_DEFINES_H
#include "../host_defines.h"
#endif
