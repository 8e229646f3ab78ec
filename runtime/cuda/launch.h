// Launching a kernel: CUDA's checks, then a command for the driver, or a node of the graph that the stream
// captures.
#pragma once

#include "session.h"

namespace duet::cuda {

// CUDA's checks of a launch. The kernel is compiled when this is its first use.
cudaError_t check_launch(Session& session, Function& function, dim3 grid, dim3 block,
                         std::size_t dynamic_shared_bytes, bool cooperative);
// The parameters as the kernel takes them, from one pointer per parameter.
std::vector<std::byte> parameter_bytes(const ptx::Kernel& kernel, void** arguments);
// The checks, then all of the command but its stream.
cudaError_t launch_command(Session& session, Function& function, dim3 grid, dim3 block,
                           std::vector<std::byte> parameters, std::size_t dynamic_shared_bytes,
                           bool cooperative, driver::Command& command);
// `arguments` points to one pointer per kernel parameter.
cudaError_t launch(Session& session, ThreadState& thread, Function& function, dim3 grid, dim3 block,
                   void** arguments, std::size_t dynamic_shared_bytes, cudaStream_t stream, bool cooperative);

}  // namespace duet::cuda
