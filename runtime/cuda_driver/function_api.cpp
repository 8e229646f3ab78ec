// Functions of the driver interface: their attributes, launches, occupancy.
#include <algorithm>

#include "cuda/modules/module_calls.h"
#include "cuda/streams/function_calls.h"
#include "cuda/streams/launch.h"
#include "cuda/streams/stream_calls.h"
#include "cuda_driver/driver_api.h"

using duet::cuda::Function;
using duet::cuda::Session;
using duet::cuda::ThreadState;

namespace {

cudaError_t get_attribute(Session& session, int* value, CUfunction_attribute attribute,
                          const void* function) {
  cudaFuncAttributes found{};
  if (const cudaError_t error = duet::cuda::get_function_attributes(session, &found, function);
      error != cudaSuccess)
    return error;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = found.maxThreadsPerBlock;
      return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = static_cast<int>(found.sharedSizeBytes);
      return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      *value = static_cast<int>(found.constSizeBytes);
      return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *value = static_cast<int>(found.localSizeBytes);
      return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = found.numRegs;
      return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
      *value = found.ptxVersion;
      return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = found.binaryVersion;
      return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
      *value = found.cacheModeCA;
      return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = found.maxDynamicSharedSizeBytes;
      return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      *value = found.preferredShmemCarveout;
      return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      *value = 0;  // there are no clusters
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

cudaError_t set_attribute(Session& session, const void* function, CUfunction_attribute attribute, int value) {
  return duet::cuda::set_function_attribute(session, function, static_cast<cudaFuncAttribute>(attribute),
                                            value);
}

// Preferences change nothing; the function has to be one.
cudaError_t check_function(Session& session, const void* function) {
  return session.modules().function_of(function) != nullptr ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

cudaError_t launch(Session& session, ThreadState& thread, CUfunction handle, dim3 grid, dim3 block,
                   unsigned shared_bytes, CUstream stream, void** parameters, void** extra,
                   const duet::cuda::LaunchAttributes& attributes = {}) {
  Function* function = session.modules().function_of(handle);
  if (function == nullptr) return cudaErrorInvalidResourceHandle;
  return duet::cuda::launch(session, thread, *function, grid, block, parameters, shared_bytes, stream,
                            attributes, extra);
}

// The block with most resident threads; among equals the largest.
cudaError_t best_block(Session& session, int* least_grid, int* best, CUfunction handle,
                       CUoccupancyB2DSize shared_of, size_t shared_bytes, int limit) {
  const Function* function = session.modules().function_of(handle);
  if (function == nullptr) return cudaErrorInvalidResourceHandle;
  if (least_grid == nullptr || best == nullptr || limit < 0) return cudaErrorInvalidValue;
  const auto& sm = session.config().gpu.sm;
  std::uint64_t most = sm.max_threads_per_block;
  if (function->kernel->max_threads != 0) most = std::min<std::uint64_t>(most, function->kernel->max_threads);
  if (limit != 0) most = std::min(most, static_cast<std::uint64_t>(limit));
  std::uint64_t best_threads = 0, best_resident = 0, best_blocks = 0;
  for (std::uint64_t threads = duet::round_up<std::uint64_t>(most, sm.warp_width); threads >= sm.warp_width;
       threads -= sm.warp_width) {
    const std::uint64_t asked = std::min(threads, most);
    const duet::Bytes bytes = shared_of != nullptr ? shared_of(static_cast<int>(asked)) : shared_bytes;
    const auto blocks = session.process().occupancy(*function->kernel, asked, bytes).blocks_per_sm;
    if (blocks * asked <= best_resident) continue;
    best_threads = asked;
    best_resident = blocks * asked;
    best_blocks = blocks;
  }
  *best = static_cast<int>(best_threads);
  *least_grid = static_cast<int>(best_blocks * sm.count);
  return cudaSuccess;
}

}  // namespace

DUET_CU_UNLESS(value == nullptr, cuFuncGetAttribute, Other, Context,
               (int* value, CUfunction_attribute attribute, CUfunction function),
               get_attribute(session, value, attribute, function))
DUET_CU_DO(cuFuncSetAttribute, Other, Context,
           (CUfunction function, CUfunction_attribute attribute, int value),
           set_attribute(session, function, attribute, value))
DUET_CU_DO(cuFuncSetCacheConfig, Other, Context, (CUfunction function, CUfunc_cache),
           check_function(session, function))
DUET_CU_DO(cuFuncSetSharedMemConfig, Other, Context, (CUfunction function, CUsharedconfig),
           check_function(session, function))
DUET_CU_DO(cuFuncGetName, Other, Context, (const char** name, CUfunction function),
           duet::cuda::get_function_name(session, name, function))
DUET_CU_DO(cuFuncGetParamInfo, Other, Context,
           (CUfunction function, size_t index, size_t* offset, size_t* bytes),
           duet::cuda::get_parameter(session, function, index, offset, bytes))
DUET_CU_BODY(cuFuncIsLoaded, Other, Context, (CUfunctionLoadingState * state, CUfunction function)) {
  if (state == nullptr) return cudaErrorInvalidValue;
  const Function* found = session.modules().find(function);
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  *state = found->kernel != nullptr ? CU_FUNCTION_LOADING_STATE_LOADED : CU_FUNCTION_LOADING_STATE_UNLOADED;
  return cudaSuccess;
}
DUET_CU_END
DUET_CU_BODY(cuFuncLoad, Other, Context, (CUfunction function)) {
  return session.modules().function_of(function) != nullptr ? cudaSuccess : cudaErrorInvalidResourceHandle;
}
DUET_CU_END
DUET_CU_RUN(cuKernelGetAttribute, Other, Init,
            (int* value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device),
            device != 0        ? cudaErrorInvalidDevice
            : value == nullptr ? cudaErrorInvalidValue
                               : run([&](Session& session, ThreadState&) {
                                   return get_attribute(session, value, attribute, kernel);
                                 }))
DUET_CU_RUN(cuKernelSetAttribute, Other, Init,
            (CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device),
            device != 0 ? cudaErrorInvalidDevice : run([&](Session& session, ThreadState&) {
              return set_attribute(session, kernel, attribute, value);
            }))
DUET_CU_RUN(cuKernelSetCacheConfig, Other, Init, (CUkernel kernel, CUfunc_cache, CUdevice device),
            device != 0 ? cudaErrorInvalidDevice : run([&](Session& session, ThreadState&) {
              return check_function(session, kernel);
            }))
DUET_CU_DO(cuKernelGetName, Other, Init, (const char** name, CUkernel kernel),
           duet::cuda::get_function_name(session, name, kernel))
DUET_CU_DO(cuKernelGetParamInfo, Other, Init, (CUkernel kernel, size_t index, size_t* offset, size_t* bytes),
           duet::cuda::get_parameter(session, kernel, index, offset, bytes))

DUET_CU_BODY(cuLaunchKernel, Launch, Context,
             (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
              unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void** parameters,
              void** extra)) {
  return launch(session, thread, function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z},
                shared_bytes, stream, parameters, extra);
}
DUET_CU_END
DUET_CU_BODY(cuLaunchCooperativeKernel, Launch, Context,
             (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
              unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream,
              void** parameters)) {
  return launch(session, thread, function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z},
                shared_bytes, stream, parameters, nullptr, {true, {}});
}
DUET_CU_END
DUET_CU_BODY(cuLaunchKernelEx, Launch, Context,
             (const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra)) {
  if (config == nullptr) return cudaErrorInvalidValue;
  duet::cuda::LaunchAttributes attributes;
  if (const cudaError_t error = duet::cuda::read_attributes(
          reinterpret_cast<const cudaLaunchAttribute*>(config->attrs), config->numAttrs, attributes);
      error != cudaSuccess)
    return error;
  return launch(session, thread, function, {config->gridDimX, config->gridDimY, config->gridDimZ},
                {config->blockDimX, config->blockDimY, config->blockDimZ}, config->sharedMemBytes,
                config->hStream, parameters, extra, attributes);
}
DUET_CU_END
DUET_CU_DO(cuLaunchHostFunc, HostFunction, Context, (CUstream stream, CUhostFn function, void* data),
           duet::cuda::launch_host_function(session, thread, stream, function, data))

DUET_CU_DO(cuOccupancyMaxActiveBlocksPerMultiprocessor, Other, Context,
           (int* blocks, CUfunction function, int threads, size_t shared_bytes),
           duet::cuda::count_active_blocks(session, blocks, function, threads, shared_bytes))
DUET_CU_DO(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, Other, Context,
           (int* blocks, CUfunction function, int threads, size_t shared_bytes, unsigned flags),
           (flags & ~CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE) != 0
               ? cudaErrorInvalidValue
               : duet::cuda::count_active_blocks(session, blocks, function, threads, shared_bytes))
DUET_CU_DO(cuOccupancyAvailableDynamicSMemPerBlock, Other, Context,
           (size_t * bytes, CUfunction function, int blocks, int threads),
           duet::cuda::get_available_shared(session, bytes, function, blocks, threads))
DUET_CU_BODY(cuOccupancyMaxPotentialBlockSize, Other, Context,
             (int* least_grid, int* threads, CUfunction function, CUoccupancyB2DSize shared_of,
              size_t shared_bytes, int limit)) {
  return best_block(session, least_grid, threads, function, shared_of, shared_bytes, limit);
}
DUET_CU_END
DUET_CU_BODY(cuOccupancyMaxPotentialBlockSizeWithFlags, Other, Context,
             (int* least_grid, int* threads, CUfunction function, CUoccupancyB2DSize shared_of,
              size_t shared_bytes, int limit, unsigned)) {
  return best_block(session, least_grid, threads, function, shared_of, shared_bytes, limit);
}
DUET_CU_END
