// The device as the machine file describes it, in CUDA's words.
#pragma once

#include "cuda/session/session.h"

namespace duet::cuda {

// The properties of cudaGetDeviceProperties and of the attributes.
void describe(const Session& session, cudaDeviceProp& properties);
cudaError_t attribute_value(const Session& session, cudaDeviceAttr attribute, int& value);

}  // namespace duet::cuda
