// Launches of kernels: work-items in groups become grids of blocks.
//
//   const Arguments arguments = arguments_of(*kernel);      // with places in local memory
//   return launch(session, host, queue, kernel, 1, nullptr, &global, &local, CL_COMMAND_NDRANGE_KERNEL,
//   waits);
//
// Groups that do not divide the work, and more of them than a grid has, make several grids
// (gpu/work_space.h).
#pragma once

#include <cstddef>
#include <vector>

#include "opencl/session/session.h"
#include "opencl/session/work.h"

namespace duet::opencl::api {

inline const ptx::Parameter& parameter_of(const _cl_kernel& kernel, std::size_t index) {
  return kernel.function->kernel->parameters[index];
}

// What the kernel takes, with addresses of local memory, which lies behind the kernel's own.
struct Arguments {
  std::vector<std::byte> parameters;
  Bytes local_bytes = 0;  // of a launch
};
Arguments arguments_of(const _cl_kernel& kernel);

// The largest group that an SM has room for; 0: none.
std::size_t most_threads(Session& session, const _cl_kernel& kernel);

cl_int launch(Session& session, HostThread& host, cl_command_queue queue, cl_kernel kernel,
              cl_uint dimensions, const size_t* offset, const size_t* global, const size_t* local,
              cl_command_type type, const Waits& waits);

}  // namespace duet::opencl::api
