// Lines on standard error about calls that fail because of what the simulated machine is: programs that were
// written on a larger one often do not look at errors, and their results are then wrong without a word.
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
