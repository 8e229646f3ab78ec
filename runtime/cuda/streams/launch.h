// Launching a kernel by CUDA's arguments: a command for the driver, or a node of the captured graph.
#pragma once

#include <optional>

#include "core/launch.h"
#include "cuda/session/session.h"

namespace duet::cuda {

// Of a launch, beside its shape.
struct LaunchAttributes {
  bool cooperative = false;
  std::optional<int> priority;  // in place of its stream's
  LaunchHints hints{};
};

core::LaunchShape shape_of(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes, bool cooperative);
// The parameters as the kernel takes them: from one pointer per parameter, or else from `extra`, as one
// block: pairs of a mark and a value, ended by mark 0. Mark 1: the block; 2: a pointer to its size (the
// driver interface's CU_LAUNCH_PARAM_*).
cudaError_t take_parameters(const ptx::Kernel& kernel, void** arguments, void** extra,
                            std::vector<std::byte>& parameters);
cudaError_t launch(Session& session, ThreadState& thread, Function& function, dim3 grid, dim3 block,
                   void** arguments, std::size_t dynamic_shared_bytes, cudaStream_t stream,
                   const LaunchAttributes& attributes = {}, void** extra = nullptr);
// Reads a launch's attributes: invalid ones are errors, and so are unsupported ones with an effect.
cudaError_t read_attributes(const cudaLaunchAttribute* attributes, unsigned count, LaunchAttributes& read);

}  // namespace duet::cuda
