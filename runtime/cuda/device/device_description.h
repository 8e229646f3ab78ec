// The device as the machine file describes it, in CUDA's words.
#pragma once

#include "cuda/session/session.h"

namespace duet::cuda {

// The properties of cudaGetDeviceProperties and of the attributes.
void describe(const Session& session, cudaDeviceProp& properties);
// The highest stream priority, the smallest number; the lowest is 0.
int greatest_priority(const Session& session);
cudaError_t attribute_value(const Session& session, cudaDeviceAttr attribute, int& value);

}  // namespace duet::cuda
