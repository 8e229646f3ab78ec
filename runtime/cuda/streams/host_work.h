// A host function as CUDA gives it: a pointer and its data.
#pragma once

#include "core/queues.h"
#include "driver_types.h"

namespace duet::cuda {

core::HostFunction host_function(cudaHostFn_t function, void* data);

}  // namespace duet::cuda
