#include "core/launch.h"

#include <algorithm>

#include "core/notes.h"

namespace duet::core {

namespace {

// Before a launch is queued (CUDA programming guide, execution configuration).
Status check_shape(Runtime& runtime, const Function& function, const LaunchShape& shape) {
  const gpu::Dim3 &grid = shape.grid, &block = shape.block;
  const config::Gpu& gpu = runtime.config().gpu;
  const ptx::Kernel& kernel = *function.kernel;
  const std::uint64_t threads = shape.threads();
  if (threads == 0 || grid.x == 0 || grid.y == 0 || grid.z == 0) return Reason::InvalidConfiguration;
  struct Limit {
    std::uint64_t wanted, most;
    const char* axis;
  };
  const auto fails = [&](Reason reason, const std::string& what, std::uint64_t most,
                         const std::string& limit) {
    return launch_fails(runtime, kernel, reason, what + ", but " + limit + " is " + std::to_string(most));
  };
  for (const auto& [wanted, most, axis] :
       {Limit{grid.x, gpu.max_grid_x, "x"}, {grid.y, gpu.max_grid_y, "y"}, {grid.z, gpu.max_grid_z, "z"}})
    if (wanted > most)
      return fails(Reason::InvalidConfiguration,
                   "its grid has " + std::to_string(wanted) + " blocks along " + axis, most,
                   std::string("gpu.max_grid_") + axis);
  for (const auto& [wanted, most, axis] : {Limit{block.x, gpu.max_block_x, "x"},
                                           {block.y, gpu.max_block_y, "y"},
                                           {block.z, gpu.max_block_z, "z"}})
    if (wanted > most)
      return fails(Reason::InvalidConfiguration,
                   "its blocks have " + std::to_string(wanted) + " threads along " + axis, most,
                   std::string("gpu.max_block_") + axis);
  if (threads > gpu.sm.max_threads_per_block)
    return fails(Reason::InvalidConfiguration, "its blocks have " + std::to_string(threads) + " threads",
                 gpu.sm.max_threads_per_block, "gpu.sm.max_threads_per_block");
  if (kernel.max_threads != 0 && threads > kernel.max_threads) return Reason::InvalidValue;
  if (kernel.required_threads != 0 && threads != kernel.required_threads) return Reason::InvalidValue;
  if (const Bytes shared = kernel.own_shared_bytes() + shape.dynamic_shared_bytes;
      shared > gpu.sm.max_shared_bytes_per_block)
    return fails(Reason::InvalidValue,
                 "its blocks take " + std::to_string(shared) + " bytes of shared memory",
                 gpu.sm.max_shared_bytes_per_block, "gpu.sm.max_shared_bytes_per_block");
  if (const Bytes most = most_dynamic_shared(runtime, function); shape.dynamic_shared_bytes > most)
    return fails(
        Reason::InvalidValue,
        "its blocks take " + std::to_string(shape.dynamic_shared_bytes) + " bytes of dynamic shared memory",
        most, std::string("the most that ") + runtime.words().shared_call + " has allowed");
  if (runtime.process().occupancy(kernel, threads, shape.dynamic_shared_bytes).blocks_per_sm == 0)
    return launch_fails(runtime, kernel, Reason::OutOfResources,
                        "an SM has not the registers, warps or shared memory of one block");
  return {};
}

}  // namespace

Bytes most_dynamic_shared(const Runtime& runtime, const Function& function) {
  const Bytes unasked = std::min(kSharedBytesUnasked, runtime.config().gpu.sm.max_shared_bytes_per_block);
  return std::max(function.max_dynamic_shared_bytes,
                  unasked - std::min(unasked, function.kernel->own_shared_bytes()));
}

Status check_launch(Runtime& runtime, Function& function, const LaunchShape& shape) {
  const ptx::Kernel* kernel = runtime.modules().kernel_of(function);
  if (kernel == nullptr) return Reason::InvalidFunction;
  if (!kernel->unsupported.empty()) runtime.program().end(125, kernel->unsupported);
  if (Status status = check_shape(runtime, function, shape); status.failed()) return status;
  if (shape.cooperative) {
    const auto fit = runtime.process().occupancy(*kernel, shape.threads(), shape.dynamic_shared_bytes);
    if (shape.blocks() > fit.blocks_per_sm * runtime.config().gpu.sm.count)
      return Reason::CooperativeTooLarge;
  }
  return {};
}

Status prepare_launch(Runtime& runtime, Function& function, const LaunchShape& shape,
                      std::vector<std::byte> parameters, driver::Command& command) {
  if (Status status = check_launch(runtime, function, shape); status.failed()) return status;
  function.launched = true;
  command.kind = driver::CommandKind::Launch;
  command.cost = &runtime.cost(CallKind::Launch);
  command.grid =
      runtime.process().make_grid(*function.kernel, shape.grid, shape.block, shape.dynamic_shared_bytes,
                                  std::move(parameters), shape.cooperative);
  command.at_end = runtime.process().emptied_at_kernel_end();
  return {};
}

void submit_launch(Runtime& runtime, host::HostThread& host, driver::Command command) {
  const driver::StreamId stream = command.stream;
  const std::string& name = command.grid->kernel->name;
  runtime.maintenance().before_launch(host, command);
  runtime.launched(host.submit(std::move(command)), stream, name);
}

}  // namespace duet::core
