// CUDA's errors for the reasons of runtime/core, and their names and texts.
#pragma once

#include "core/status.h"
#include "driver_types.h"

namespace duet::cuda {

cudaError_t error_of(core::Reason reason);
inline cudaError_t error_of(const core::Status& status) { return error_of(status.reason); }

const char* error_name(cudaError_t error);
const char* error_string(cudaError_t error);

}  // namespace duet::cuda
