// Lines on standard error about calls that fail for lack of a feature of the simulated machine: programs from
// a larger one often ignore errors, and would have wrong results without a message.
#pragma once

#include <string>

#include "cuda/session/session.h"

namespace duet::cuda {

// Said once per kernel and reason. `error` is returned.
cudaError_t launch_fails(const Session& session, const ptx::Kernel& kernel, cudaError_t error,
                         const std::string& reason);
// Device memory, or null with a line, said once.
const memory::Allocation* allocate_device(Session& session, Bytes bytes);

}  // namespace duet::cuda
