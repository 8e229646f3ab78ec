// Launching a kernel: the checks, then a command for the driver.
//
//   driver::Command command;
//   if (const Status status = prepare_launch(runtime, function, shape, parameters, command); ...)
//   command.stream = stream;
//   submit_launch(runtime, host, std::move(command));
//
// A prepared command may also become a node of a graph. Left out: how a program gives a kernel's parameters.
#pragma once

#include <vector>

#include "core/modules.h"
#include "core/runtime.h"

namespace duet::core {

// The shared memory that a block may have unless the program has asked for more for its kernel (CUDA C++
// Programming Guide, compute capabilities).
inline constexpr Bytes kSharedBytesUnasked = 48_KiB;

// Dynamic shared memory of a launch, at most; the kernel is known.
Bytes most_dynamic_shared(const Runtime& runtime, const Function& function);

struct LaunchShape {
  gpu::Dim3 grid, block;  // blocks, threads
  Bytes dynamic_shared_bytes = 0;
  bool cooperative = false;
  std::uint64_t threads() const { return std::uint64_t{block.x} * block.y * block.z; }
  std::uint64_t blocks() const { return std::uint64_t{grid.x} * grid.y * grid.z; }
};

// Compiles on first use. InvalidFunction, InvalidConfiguration, InvalidValue (against what its PTX says,
// shared memory), OutOfResources, CooperativeTooLarge; with a line on standard error where the machine is too
// small. Ends the program where the kernel has an instruction that is not supported.
Status check_launch(Runtime& runtime, Function& function, const LaunchShape& shape);
// The checks, then all of the command but its stream. `parameters` are the kernel's parameter_bytes.
Status prepare_launch(Runtime& runtime, Function& function, const LaunchShape& shape,
                      std::vector<std::byte> parameters, driver::Command& command);
void submit_launch(Runtime& runtime, host::HostThread& host, driver::Command command);

}  // namespace duet::core
