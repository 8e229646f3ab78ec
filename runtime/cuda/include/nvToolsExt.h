/* Where NVTX lay before its version 3. */
#ifndef DUET_NVTOOLSEXT_H
#define DUET_NVTOOLSEXT_H
#include "nvtx3/nvToolsExt.h"
#endif
