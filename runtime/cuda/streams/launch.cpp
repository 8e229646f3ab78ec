#include "cuda/streams/launch.h"

#include <cstring>

#include "cuda/streams/attributes.h"
#include "cuda/streams/capture.h"
#include "cuda/streams/function_calls.h"

using duet::cuda::Function;
using duet::cuda::Session;
using duet::cuda::ThreadState;

namespace duet::cuda {

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

core::LaunchShape shape_of(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes, bool cooperative) {
  return {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, dynamic_shared_bytes, cooperative};
}

cudaError_t launch(Session& session, ThreadState& thread, Function& function, dim3 grid, dim3 block,
                   void** arguments, std::size_t dynamic_shared_bytes, cudaStream_t stream,
                   const LaunchAttributes& attributes, void** extra) {
  thread.launches = &function;
  StreamUse use;
  if (const cudaError_t error = enter_stream(session, stream, use); error != cudaSuccess) return error;
  const core::LaunchShape shape = shape_of(grid, block, dynamic_shared_bytes, attributes.cooperative);
  if (const core::Status status = core::check_launch(session.core(), function, shape); status.failed())
    return error_of(status);
  std::vector<std::byte> parameters;
  if (const cudaError_t error = take_parameters(*function.kernel, arguments, extra, parameters);
      error != cudaSuccess)
    return error;
  if (use.capture != nullptr)
    return capture(use, KernelWork{&function,
                                   grid,
                                   block,
                                   static_cast<unsigned>(dynamic_shared_bytes),
                                   attributes.cooperative,
                                   attributes.priority.value_or(session.priority_of(stream)),
                                   std::move(parameters),
                                   {},
                                   attributes.hints});
  driver::Command command;
  if (const core::Status status =
          core::prepare_launch(session.core(), function, shape, std::move(parameters), command);
      status.failed())
    return error_of(status);
  command.stream = use.id;
  command.priority =
      attributes.priority.has_value() ? attributes.priority : session.attributes_of(stream).priority;
  core::submit_launch(session.core(), *thread.host, std::move(command));
  return cudaSuccess;
}

cudaError_t read_attributes(const cudaLaunchAttribute* attributes, unsigned count, LaunchAttributes& read) {
  for (unsigned i = 0; i < count; ++i) {
    switch (attributes[i].id) {
      case cudaLaunchAttributeCooperative:
        read.cooperative = attributes[i].val.cooperative != 0;
        break;
      case cudaLaunchAttributePriority:
        read.priority = attributes[i].val.priority;
        break;
      case cudaLaunchAttributeIgnore:
        break;
      case cudaLaunchAttributeAccessPolicyWindow:
      case cudaLaunchAttributePreferredSharedMemoryCarveout:
      case cudaLaunchAttributeSynchronizationPolicy:
      case cudaLaunchAttributeMemSyncDomain:
      case cudaLaunchAttributeMemSyncDomainMap:
      case cudaLaunchAttributeNvlinkUtilCentricScheduling:
        if (const cudaError_t error = set_hint(read.hints, attributes[i].id, attributes[i].val);
            error != cudaSuccess)
          return error;
        break;
      case cudaLaunchAttributeProgrammaticStreamSerialization:
        break;  // it allows overlap with the kernel before; here none takes place
      case cudaLaunchAttributeClusterDimension:
        if (const auto& cluster = attributes[i].val.clusterDim; cluster.x * cluster.y * cluster.z == 1) break;
        duet_unsupported("a thread block cluster of more than one block");
        return cudaErrorNotSupported;
      default:
        if (!is_launch_attribute(attributes[i].id)) return cudaErrorInvalidValue;
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
  Function* function = session.modules().function_of(stub);
  if (function == nullptr) return cudaErrorInvalidDeviceFunction;
  return duet::cuda::launch(session, thread, *function, grid, block, arguments, shared_bytes, stream);
}
DUET_END

DUET_API(cudaLaunchCooperativeKernel, Launch,
         (const void* stub, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
          cudaStream_t stream)) {
  Function* function = session.modules().function_of(stub);
  if (function == nullptr) return cudaErrorInvalidDeviceFunction;
  return duet::cuda::launch(session, thread, *function, grid, block, arguments, shared_bytes, stream,
                            {true, {}});
}
DUET_END

DUET_API(cudaLaunchKernelExC, Launch,
         (const cudaLaunchConfig_t* config, const void* stub, void** arguments)) {
  if (config == nullptr) return cudaErrorInvalidValue;
  Function* function = session.modules().function_of(stub);
  if (function == nullptr) return cudaErrorInvalidDeviceFunction;
  duet::cuda::LaunchAttributes attributes;
  if (const cudaError_t error = duet::cuda::read_attributes(config->attrs, config->numAttrs, attributes);
      error != cudaSuccess)
    return error;
  return duet::cuda::launch(session, thread, *function, config->gridDim, config->blockDim, arguments,
                            config->dynamicSmemBytes, config->stream, attributes);
}
DUET_END

cudaError_t duet::cuda::get_function_attributes(Session& session, cudaFuncAttributes* attributes,
                                                const void* stub) {
  Function* function = session.modules().function_of(stub);
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
      static_cast<int>(duet::core::most_dynamic_shared(session.core(), *function));
  attributes->preferredShmemCarveout = -1;
  return cudaSuccess;
}
DUET_API(cudaFuncGetAttributes, Other, (cudaFuncAttributes * attributes, const void* stub)) {
  return duet::cuda::get_function_attributes(session, attributes, stub);
}
DUET_END

cudaError_t duet::cuda::set_function_attribute(Session& session, const void* stub,
                                               cudaFuncAttribute attribute, int value) {
  Function* function = session.modules().function_of(stub);
  if (function == nullptr) return cudaErrorInvalidDeviceFunction;
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (value < 0 || static_cast<duet::Bytes>(value) + function->kernel->own_shared_bytes() >
                           session.config().gpu.sm.max_shared_bytes_per_block)
        return cudaErrorInvalidValue;
      function->max_dynamic_shared_bytes = static_cast<duet::Bytes>(value);
      return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      return value < cudaSharedmemCarveoutDefault || value > cudaSharedmemCarveoutMaxShared
                 ? cudaErrorInvalidValue
                 : cudaSuccess;  // a hint
    default:
      return cudaErrorInvalidValue;
  }
}
DUET_API(cudaFuncSetAttribute, Other, (const void* stub, cudaFuncAttribute attribute, int value)) {
  return duet::cuda::set_function_attribute(session, stub, attribute, value);
}
DUET_END

// Preferences: this machine's split between L1 and shared memory is fixed by its file.
DUET_API(cudaFuncSetCacheConfig, Other, (const void* stub, cudaFuncCache)) {
  return session.modules().function_of(stub) != nullptr ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}
DUET_END
DUET_API(cudaFuncSetSharedMemConfig, Other, (const void* stub, cudaSharedMemConfig)) {
  return session.modules().function_of(stub) != nullptr ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}
DUET_END

cudaError_t duet::cuda::get_function_name(Session& session, const char** name, const void* stub) {
  Function* function = session.modules().function_of(stub);
  if (function == nullptr) return cudaErrorInvalidDeviceFunction;
  if (name == nullptr) return cudaErrorInvalidValue;
  *name = function->name.c_str();
  return cudaSuccess;
}
DUET_API(cudaFuncGetName, Other, (const char** name, const void* stub)) {
  return duet::cuda::get_function_name(session, name, stub);
}
DUET_END

namespace {
cudaError_t active_blocks(Session& session, int* blocks, const void* stub, int block_size,
                          size_t dynamic_shared_bytes) {
  Function* function = session.modules().function_of(stub);
  if (function == nullptr) return cudaErrorInvalidDeviceFunction;
  if (blocks == nullptr || block_size <= 0) return cudaErrorInvalidValue;
  *blocks = static_cast<int>(
      session.process()
          .occupancy(*function->kernel, static_cast<std::uint64_t>(block_size), dynamic_shared_bytes)
          .blocks_per_sm);
  return cudaSuccess;
}
}  // namespace

cudaError_t duet::cuda::count_active_blocks(Session& session, int* blocks, const void* stub, int block_size,
                                            size_t dynamic_shared_bytes) {
  return active_blocks(session, blocks, stub, block_size, dynamic_shared_bytes);
}
DUET_API(cudaOccupancyMaxActiveBlocksPerMultiprocessor, Other,
         (int* blocks, const void* stub, int block_size, size_t dynamic_shared_bytes)) {
  return duet::cuda::count_active_blocks(session, blocks, stub, block_size, dynamic_shared_bytes);
}
DUET_END
DUET_API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, Other,
         (int* blocks, const void* stub, int block_size, size_t dynamic_shared_bytes, unsigned flags)) {
  if ((flags & ~cudaOccupancyDisableCachingOverride) != 0) return cudaErrorInvalidValue;
  return active_blocks(session, blocks, stub, block_size, dynamic_shared_bytes);
}
DUET_END

cudaError_t duet::cuda::get_available_shared(Session& session, size_t* bytes, const void* stub, int blocks,
                                             int block_size) {
  Function* function = session.modules().function_of(stub);
  if (function == nullptr) return cudaErrorInvalidDeviceFunction;
  if (bytes == nullptr || blocks <= 0 || block_size <= 0) return cudaErrorInvalidValue;
  const duet::config::Sm& sm = session.config().gpu.sm;
  const duet::Bytes share = sm.shared_bytes / static_cast<duet::Bytes>(blocks) / sm.shared_allocation_unit *
                            sm.shared_allocation_unit;
  const duet::Bytes limit = std::min(share, sm.max_shared_bytes_per_block);
  *bytes = limit - std::min(limit, function->kernel->own_shared_bytes());
  return cudaSuccess;
}
DUET_API(cudaOccupancyAvailableDynamicSMemPerBlock, Other,
         (size_t * bytes, const void* stub, int blocks, int block_size)) {
  return duet::cuda::get_available_shared(session, bytes, stub, blocks, block_size);
}
DUET_END
