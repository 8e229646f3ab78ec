#include "cuda/streams/launch.h"

#include <cstring>

#include "core/notes.h"
#include "cuda/streams/capture.h"

using duet::cuda::Function;
using duet::cuda::Session;
using duet::cuda::ThreadState;

namespace duet::cuda {

namespace {

// CUDA's checks before a launch is queued (programming guide, execution configuration).
cudaError_t check_shape(Session& session, const Function& function, dim3 grid, dim3 block,
                        std::size_t dynamic_shared_bytes) {
  const config::Gpu& gpu = session.config().gpu;
  const ptx::Kernel& kernel = *function.kernel;
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads == 0 || grid.x == 0 || grid.y == 0 || grid.z == 0) return cudaErrorInvalidConfiguration;
  struct Limit {
    std::uint64_t wanted, most;
    const char* axis;
  };
  const auto fails = [&](core::Reason reason, const std::string& what, std::uint64_t most,
                         const std::string& limit) {
    return error_of(core::launch_fails(session.core(), kernel, reason,
                                       what + ", but " + limit + " is " + std::to_string(most)));
  };
  for (const auto& [wanted, most, axis] :
       {Limit{grid.x, gpu.max_grid_x, "x"}, {grid.y, gpu.max_grid_y, "y"}, {grid.z, gpu.max_grid_z, "z"}})
    if (wanted > most)
      return fails(core::Reason::InvalidConfiguration,
                   "its grid has " + std::to_string(wanted) + " blocks along " + axis, most,
                   std::string("gpu.max_grid_") + axis);
  for (const auto& [wanted, most, axis] : {Limit{block.x, gpu.max_block_x, "x"},
                                           {block.y, gpu.max_block_y, "y"},
                                           {block.z, gpu.max_block_z, "z"}})
    if (wanted > most)
      return fails(core::Reason::InvalidConfiguration,
                   "its blocks have " + std::to_string(wanted) + " threads along " + axis, most,
                   std::string("gpu.max_block_") + axis);
  if (threads > gpu.sm.max_threads_per_block)
    return fails(core::Reason::InvalidConfiguration,
                 "its blocks have " + std::to_string(threads) + " threads", gpu.sm.max_threads_per_block,
                 "gpu.sm.max_threads_per_block");
  if (kernel.max_threads != 0 && threads > kernel.max_threads) return cudaErrorInvalidValue;
  if (kernel.required_threads != 0 && threads != kernel.required_threads) return cudaErrorInvalidValue;
  if (const Bytes shared = kernel.own_shared_bytes() + dynamic_shared_bytes;
      shared > gpu.sm.max_shared_bytes_per_block)
    return fails(core::Reason::InvalidValue,
                 "its blocks take " + std::to_string(shared) + " bytes of shared memory",
                 gpu.sm.max_shared_bytes_per_block, "gpu.sm.max_shared_bytes_per_block");
  if (session.process().occupancy(kernel, threads, dynamic_shared_bytes).blocks_per_sm == 0)
    return error_of(core::launch_fails(session.core(), kernel, core::Reason::OutOfResources,
                                       "an SM has not the registers, warps or shared memory of one block"));
  return cudaSuccess;
}

}  // namespace

cudaError_t check_launch(Session& session, Function& function, dim3 grid, dim3 block,
                         std::size_t dynamic_shared_bytes, bool cooperative) {
  const ptx::Kernel* kernel = session.kernel_of(function);
  if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
  if (!kernel->unsupported.empty()) session.program().end(125, kernel->unsupported);
  if (const cudaError_t error = check_shape(session, function, grid, block, dynamic_shared_bytes);
      error != cudaSuccess)
    return error;
  if (cooperative) {
    const auto fit = session.process().occupancy(*kernel, std::uint64_t{block.x} * block.y * block.z,
                                                 dynamic_shared_bytes);
    if (std::uint64_t{grid.x} * grid.y * grid.z > fit.blocks_per_sm * session.config().gpu.sm.count)
      return cudaErrorCooperativeLaunchTooLarge;
  }
  return cudaSuccess;
}

namespace {

cudaError_t take_block(void** extra, std::vector<std::byte>& parameters) {
  const void* block = nullptr;
  std::size_t bytes = 0;
  for (; *extra != nullptr; extra += 2) {
    const auto mark = reinterpret_cast<std::uintptr_t>(extra[0]);
    if (mark == 1)
      block = extra[1];
    else if (mark == 2)
      bytes = *static_cast<const std::size_t*>(extra[1]);
    else
      return cudaErrorInvalidValue;
  }
  if (block == nullptr || bytes < parameters.size()) return cudaErrorInvalidValue;
  std::memcpy(parameters.data(), block, parameters.size());
  return cudaSuccess;
}

}  // namespace

cudaError_t take_parameters(const ptx::Kernel& kernel, void** arguments, void** extra,
                            std::vector<std::byte>& parameters) {
  parameters.assign(kernel.parameter_bytes, std::byte{});
  if (kernel.parameters.empty()) return cudaSuccess;
  if ((arguments == nullptr) == (extra == nullptr)) return cudaErrorInvalidValue;
  if (extra != nullptr) return take_block(extra, parameters);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i)
    std::memcpy(parameters.data() + kernel.parameters[i].offset, arguments[i], kernel.parameters[i].bytes);
  return cudaSuccess;
}

cudaError_t launch_command(Session& session, Function& function, dim3 grid, dim3 block,
                           std::vector<std::byte> parameters, std::size_t dynamic_shared_bytes,
                           bool cooperative, driver::Command& command) {
  if (const cudaError_t error =
          check_launch(session, function, grid, block, dynamic_shared_bytes, cooperative);
      error != cudaSuccess)
    return error;
  command.kind = driver::CommandKind::Launch;
  command.cost = &session.cost(CallKind::Launch);
  command.grid =
      session.process().make_grid(*function.kernel, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z},
                                  dynamic_shared_bytes, std::move(parameters), cooperative);
  command.at_end = session.process().emptied_at_kernel_end();
  return cudaSuccess;
}

cudaError_t launch(Session& session, ThreadState& thread, Function& function, dim3 grid, dim3 block,
                   void** arguments, std::size_t dynamic_shared_bytes, cudaStream_t stream, bool cooperative,
                   void** extra) {
  thread.launches = &function;
  StreamUse use;
  if (const cudaError_t error = enter_stream(session, stream, use); error != cudaSuccess) return error;
  if (const cudaError_t error =
          check_launch(session, function, grid, block, dynamic_shared_bytes, cooperative);
      error != cudaSuccess)
    return error;
  std::vector<std::byte> parameters;
  if (const cudaError_t error = take_parameters(*function.kernel, arguments, extra, parameters);
      error != cudaSuccess)
    return error;
  if (use.capture != nullptr)
    return capture(use, KernelWork{&function,
                                   grid,
                                   block,
                                   static_cast<unsigned>(dynamic_shared_bytes),
                                   cooperative,
                                   std::move(parameters),
                                   {}});
  driver::Command command;
  if (const cudaError_t error = launch_command(session, function, grid, block, std::move(parameters),
                                               dynamic_shared_bytes, cooperative, command);
      error != cudaSuccess)
    return error;
  command.stream = use.id;
  session.core().launched(thread.host->submit(std::move(command)), use.id, function.kernel->name);
  return cudaSuccess;
}

cudaError_t read_attributes(const cudaLaunchAttribute* attributes, unsigned count, bool& cooperative) {
  for (unsigned i = 0; i < count; ++i) {
    switch (attributes[i].id) {
      case cudaLaunchAttributeCooperative:
        cooperative = attributes[i].val.cooperative != 0;
        break;
      case cudaLaunchAttributeIgnore:
      case cudaLaunchAttributePriority:
      case cudaLaunchAttributeAccessPolicyWindow:
      case cudaLaunchAttributePreferredSharedMemoryCarveout:
      case cudaLaunchAttributeSynchronizationPolicy:
      case cudaLaunchAttributeMemSyncDomain:
      case cudaLaunchAttributeMemSyncDomainMap:
        break;  // hints
      case cudaLaunchAttributeProgrammaticStreamSerialization:
        break;  // it allows overlap with the kernel before; here none takes place
      case cudaLaunchAttributeClusterDimension:
        if (const auto& cluster = attributes[i].val.clusterDim; cluster.x * cluster.y * cluster.z == 1) break;
        duet_unsupported("thread block clusters");
        return cudaErrorNotSupported;
      default:
        duet_unsupported(("launch attribute " + std::to_string(attributes[i].id)).c_str());
        return cudaErrorNotSupported;
    }
  }
  return cudaSuccess;
}

}  // namespace duet::cuda

DUET_API(cudaLaunchKernel, Launch,
         (const void* stub, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
          cudaStream_t stream)) {
  Function* function = session.function_of(stub);
  if (function == nullptr) return cudaErrorInvalidDeviceFunction;
  return duet::cuda::launch(session, thread, *function, grid, block, arguments, shared_bytes, stream, false);
}
DUET_END

DUET_API(cudaLaunchCooperativeKernel, Launch,
         (const void* stub, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
          cudaStream_t stream)) {
  Function* function = session.function_of(stub);
  if (function == nullptr) return cudaErrorInvalidDeviceFunction;
  return duet::cuda::launch(session, thread, *function, grid, block, arguments, shared_bytes, stream, true);
}
DUET_END

DUET_API(cudaLaunchKernelExC, Launch,
         (const cudaLaunchConfig_t* config, const void* stub, void** arguments)) {
  if (config == nullptr) return cudaErrorInvalidValue;
  Function* function = session.function_of(stub);
  if (function == nullptr) return cudaErrorInvalidDeviceFunction;
  bool cooperative = false;
  if (const cudaError_t error = duet::cuda::read_attributes(config->attrs, config->numAttrs, cooperative);
      error != cudaSuccess)
    return error;
  return duet::cuda::launch(session, thread, *function, config->gridDim, config->blockDim, arguments,
                            config->dynamicSmemBytes, config->stream, cooperative);
}
DUET_END

DUET_API(cudaFuncGetAttributes, Other, (cudaFuncAttributes * attributes, const void* stub)) {
  Function* function = session.function_of(stub);
  if (function == nullptr) return cudaErrorInvalidDeviceFunction;
  if (attributes == nullptr) return cudaErrorInvalidValue;
  const duet::ptx::Kernel& kernel = *function->kernel;
  const duet::config::Gpu& gpu = session.config().gpu;
  *attributes = {};
  attributes->sharedSizeBytes = kernel.own_shared_bytes();
  attributes->localSizeBytes = kernel.local_bytes;
  attributes->numRegs = static_cast<int>(kernel.registers);
  std::uint64_t threads = gpu.sm.max_threads_per_block;
  while (threads > 1 && session.process().occupancy(kernel, threads, 0).blocks_per_sm == 0)
    threads -= gpu.sm.warp_width;
  attributes->maxThreadsPerBlock = static_cast<int>(
      kernel.max_threads != 0 ? std::min<std::uint64_t>(threads, kernel.max_threads) : threads);
  attributes->ptxVersion = static_cast<int>(function->image->module->module.target_sm);
  attributes->binaryVersion =
      static_cast<int>(gpu.compute_capability_major * 10 + gpu.compute_capability_minor);
  attributes->maxDynamicSharedSizeBytes =
      static_cast<int>(function->max_dynamic_shared_bytes != 0
                           ? function->max_dynamic_shared_bytes
                           : gpu.sm.max_shared_bytes_per_block -
                                 std::min(gpu.sm.max_shared_bytes_per_block, kernel.own_shared_bytes()));
  attributes->preferredShmemCarveout = -1;
  return cudaSuccess;
}
DUET_END

DUET_API(cudaFuncSetAttribute, Other, (const void* stub, cudaFuncAttribute attribute, int value)) {
  Function* function = session.function_of(stub);
  if (function == nullptr) return cudaErrorInvalidDeviceFunction;
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (value < 0 || static_cast<duet::Bytes>(value) + function->kernel->own_shared_bytes() >
                           session.config().gpu.sm.max_shared_bytes_per_block)
        return cudaErrorInvalidValue;
      function->max_dynamic_shared_bytes = static_cast<duet::Bytes>(value);
      return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      return cudaSuccess;  // a hint
    default:
      return cudaErrorInvalidValue;
  }
}
DUET_END

// Preferences: this machine's split between L1 and shared memory is fixed by its file.
DUET_API(cudaFuncSetCacheConfig, Other, (const void* stub, cudaFuncCache)) {
  return session.function_of(stub) != nullptr ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}
DUET_END
DUET_API(cudaFuncSetSharedMemConfig, Other, (const void* stub, cudaSharedMemConfig)) {
  return session.function_of(stub) != nullptr ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}
DUET_END

DUET_API(cudaFuncGetName, Other, (const char** name, const void* stub)) {
  Function* function = session.function_of(stub);
  if (function == nullptr || name == nullptr) return cudaErrorInvalidDeviceFunction;
  *name = function->name.c_str();
  return cudaSuccess;
}
DUET_END

namespace {
cudaError_t active_blocks(Session& session, int* blocks, const void* stub, int block_size,
                          size_t dynamic_shared_bytes) {
  Function* function = session.function_of(stub);
  if (function == nullptr) return cudaErrorInvalidDeviceFunction;
  if (blocks == nullptr || block_size <= 0) return cudaErrorInvalidValue;
  *blocks = static_cast<int>(
      session.process()
          .occupancy(*function->kernel, static_cast<std::uint64_t>(block_size), dynamic_shared_bytes)
          .blocks_per_sm);
  return cudaSuccess;
}
}  // namespace

DUET_API(cudaOccupancyMaxActiveBlocksPerMultiprocessor, Other,
         (int* blocks, const void* stub, int block_size, size_t dynamic_shared_bytes)) {
  return active_blocks(session, blocks, stub, block_size, dynamic_shared_bytes);
}
DUET_END
DUET_API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, Other,
         (int* blocks, const void* stub, int block_size, size_t dynamic_shared_bytes, unsigned)) {
  return active_blocks(session, blocks, stub, block_size, dynamic_shared_bytes);
}
DUET_END

DUET_API(cudaOccupancyAvailableDynamicSMemPerBlock, Other,
         (size_t * bytes, const void* stub, int blocks, int block_size)) {
  Function* function = session.function_of(stub);
  if (function == nullptr) return cudaErrorInvalidDeviceFunction;
  if (bytes == nullptr || blocks <= 0 || block_size <= 0) return cudaErrorInvalidValue;
  const duet::config::Sm& sm = session.config().gpu.sm;
  const duet::Bytes share = sm.shared_bytes / static_cast<duet::Bytes>(blocks) / sm.shared_allocation_unit *
                            sm.shared_allocation_unit;
  const duet::Bytes limit = std::min(share, sm.max_shared_bytes_per_block);
  *bytes = limit - std::min(limit, function->kernel->own_shared_bytes());
  return cudaSuccess;
}
DUET_END
