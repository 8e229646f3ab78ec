// Launching a kernel: CUDA's checks, then a command for the driver.
#pragma once

#include "session.h"

namespace duet::cuda {

// `arguments` points to one pointer per kernel parameter.
cudaError_t launch(Session& session, ThreadState& thread, Function& function, dim3 grid, dim3 block,
                   void** arguments, std::size_t dynamic_shared_bytes, cudaStream_t stream, bool cooperative);

}  // namespace duet::cuda
