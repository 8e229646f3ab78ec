// The device as the machine file describes it, limits, versions, and whole-device synchronization. One
// device.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>

#include "capture.h"
#include "memory_pool.h"
#include "session.h"

using duet::cuda::Session;
using duet::cuda::ThreadState;
using duet::driver::CallKind;

namespace {

constexpr int kVersion = 13000;

int as_int(std::uint64_t value) { return static_cast<int>(std::min<std::uint64_t>(value, 0x7fffffff)); }

// Everything that both cudaGetDeviceProperties and cudaDeviceGetAttribute tell.
void describe(const Session& session, cudaDeviceProp& p) {
  const duet::config::Gpu& gpu = session.config().gpu;
  const duet::config::Sm& sm = gpu.sm;
  std::memset(&p, 0, sizeof p);
  std::snprintf(p.name, sizeof p.name, "%s", gpu.name.c_str());
  std::memcpy(p.uuid.bytes, "Duet simulation", 15);
  p.totalGlobalMem = gpu.dram.bytes;
  p.sharedMemPerBlock = sm.max_shared_bytes_per_block;
  p.sharedMemPerBlockOptin = sm.max_shared_bytes_per_block;
  p.sharedMemPerMultiprocessor = sm.shared_bytes;
  p.regsPerBlock = p.regsPerMultiprocessor = as_int(sm.registers);
  p.warpSize = as_int(sm.warp_width);
  p.memPitch = 0x7fffffff;
  p.maxThreadsPerBlock = as_int(sm.max_threads_per_block);
  p.maxThreadsDim[0] = as_int(gpu.max_block_x);
  p.maxThreadsDim[1] = as_int(gpu.max_block_y);
  p.maxThreadsDim[2] = as_int(gpu.max_block_z);
  p.maxGridSize[0] = as_int(gpu.max_grid_x);
  p.maxGridSize[1] = as_int(gpu.max_grid_y);
  p.maxGridSize[2] = as_int(gpu.max_grid_z);
  p.totalConstMem = gpu.constant_bytes;
  p.major = as_int(gpu.compute_capability_major);
  p.minor = as_int(gpu.compute_capability_minor);
  p.textureAlignment = 512;
  p.texturePitchAlignment = 32;
  p.surfaceAlignment = 512;
  p.multiProcessorCount = as_int(sm.count);
  p.integrated = gpu.integrated;
  p.canMapHostMemory = 1;
  p.concurrentKernels = gpu.front_end.reference_counters > 1;
  p.asyncEngineCount = as_int(gpu.copy_engines.count);
  p.unifiedAddressing = 1;
  p.memoryBusWidth = as_int(gpu.dram.bus_bits);
  p.l2CacheSize = as_int(gpu.l2_bytes);
  p.maxThreadsPerMultiProcessor = as_int(sm.max_threads);
  p.maxBlocksPerMultiProcessor = as_int(sm.max_blocks);
  p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  p.managedMemory = 1;
  p.concurrentManagedAccess = 1;
  p.canUseHostPointerForRegisteredMem = 1;
  p.hostRegisterSupported = 1;
  p.cooperativeLaunch = 1;
  p.memoryPoolsSupported = 1;
}

cudaError_t attribute_value(const Session& session, int* value, cudaDeviceAttr attribute) {
  cudaDeviceProp p;
  describe(session, p);
  const duet::config::Gpu& gpu = session.config().gpu;
  const std::map<cudaDeviceAttr, long long> values = {
      {cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
      {cudaDevAttrMaxBlockDimX, p.maxThreadsDim[0]},
      {cudaDevAttrMaxBlockDimY, p.maxThreadsDim[1]},
      {cudaDevAttrMaxBlockDimZ, p.maxThreadsDim[2]},
      {cudaDevAttrMaxGridDimX, p.maxGridSize[0]},
      {cudaDevAttrMaxGridDimY, p.maxGridSize[1]},
      {cudaDevAttrMaxGridDimZ, p.maxGridSize[2]},
      {cudaDevAttrMaxSharedMemoryPerBlock, static_cast<long long>(p.sharedMemPerBlock)},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, static_cast<long long>(p.sharedMemPerBlockOptin)},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor, static_cast<long long>(p.sharedMemPerMultiprocessor)},
      {cudaDevAttrTotalConstantMemory, static_cast<long long>(p.totalConstMem)},
      {cudaDevAttrWarpSize, p.warpSize},
      {cudaDevAttrMaxPitch, static_cast<long long>(p.memPitch)},
      {cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock},
      {cudaDevAttrMaxRegistersPerMultiprocessor, p.regsPerMultiprocessor},
      {cudaDevAttrClockRate, as_int(gpu.shader_clock_khz)},
      {cudaDevAttrMemoryClockRate, as_int(gpu.dram.clock_khz)},
      {cudaDevAttrTextureAlignment, static_cast<long long>(p.textureAlignment)},
      {cudaDevAttrGpuOverlap, p.asyncEngineCount > 0},
      {cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
      {cudaDevAttrKernelExecTimeout, 0},
      {cudaDevAttrIntegrated, p.integrated},
      {cudaDevAttrCanMapHostMemory, p.canMapHostMemory},
      {cudaDevAttrComputeMode, 0},
      {cudaDevAttrConcurrentKernels, p.concurrentKernels},
      {cudaDevAttrEccEnabled, 0},
      {cudaDevAttrAsyncEngineCount, p.asyncEngineCount},
      {cudaDevAttrUnifiedAddressing, p.unifiedAddressing},
      {cudaDevAttrGlobalMemoryBusWidth, p.memoryBusWidth},
      {cudaDevAttrL2CacheSize, p.l2CacheSize},
      {cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
      {cudaDevAttrMaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor},
      {cudaDevAttrComputeCapabilityMajor, p.major},
      {cudaDevAttrComputeCapabilityMinor, p.minor},
      {cudaDevAttrStreamPrioritiesSupported, 0},
      {cudaDevAttrGlobalL1CacheSupported, 1},
      {cudaDevAttrLocalL1CacheSupported, 1},
      {cudaDevAttrManagedMemory, 1},
      {cudaDevAttrIsMultiGpuBoard, 0},
      {cudaDevAttrConcurrentManagedAccess, 1},
      {cudaDevAttrPageableMemoryAccess, 0},
      {cudaDevAttrCooperativeLaunch, 1},
      {cudaDevAttrHostRegisterSupported, 1},
      {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
      {cudaDevAttrMemoryPoolsSupported, 1},
      {cudaDevAttrPciBusId, 0},
      {cudaDevAttrPciDeviceId, 0},
      {cudaDevAttrPciDomainId, 0},
      {cudaDevAttrReservedSharedMemoryPerBlock, 0},
      {cudaDevAttrSingleToDoublePrecisionPerfRatio, 8},
      {cudaDevAttrComputePreemptionSupported, 0},
      {cudaDevAttrClusterLaunch, 0},
  };
  const auto found = values.find(attribute);
  if (found == values.end()) return cudaErrorInvalidValue;
  *value = static_cast<int>(std::min<long long>(found->second, 0x7fffffff));
  return cudaSuccess;
}

std::map<cudaLimit, size_t>& limits() {
  static auto* const values = new std::map<cudaLimit, size_t>{
      {cudaLimitStackSize, 1024}, {cudaLimitPrintfFifoSize, 1 << 20}, {cudaLimitMallocHeapSize, 8 << 20}};
  return *values;
}

}  // namespace

DUET_API_SYNC(cudaDeviceSynchronize, DeviceSynchronize, (void)) {
  if (const cudaError_t error = duet::cuda::check_device_wait(); error != cudaSuccess) return error;
  thread.host->stage_one(CallKind::DeviceSynchronize);
  thread.host->wait(CallKind::DeviceSynchronize, [&] { return session.driver().all_idle(); });
  duet::cuda::trim_pools(session);
  return cudaSuccess;
}
DUET_END

DUET_API_SYNC(cudaDeviceReset, DeviceSynchronize, (void)) {
  if (const cudaError_t error = duet::cuda::check_device_wait(); error != cudaSuccess) return error;
  thread.host->stage_one(CallKind::DeviceSynchronize);
  thread.host->wait(CallKind::DeviceSynchronize, [&] { return session.driver().all_idle(); });
  duet::cuda::trim_pools(session);
  return cudaSuccess;
}
DUET_END

DUET_API(cudaGetDeviceCount, Other, (int* count)) {
  if (count == nullptr) return cudaErrorInvalidValue;
  *count = 1;
  return cudaSuccess;
}
DUET_END
DUET_API(cudaSetDevice, Other, (int device)) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }
DUET_END
DUET_API(cudaInitDevice, Other, (int device, unsigned, unsigned)) {
  return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}
DUET_END
DUET_API(cudaSetValidDevices, Other, (int* devices, int count)) {
  return std::all_of(devices, devices + count, [](int device) { return device == 0; })
             ? cudaSuccess
             : cudaErrorInvalidDevice;
}
DUET_END
DUET_API(cudaGetDevice, Other, (int* device)) {
  if (device == nullptr) return cudaErrorInvalidValue;
  *device = 0;
  return cudaSuccess;
}
DUET_END
DUET_API(cudaChooseDevice, Other, (int* device, const cudaDeviceProp*)) {
  if (device == nullptr) return cudaErrorInvalidValue;
  *device = 0;
  return cudaSuccess;
}
DUET_END

DUET_API(cudaGetDeviceProperties, Other, (cudaDeviceProp * properties, int device)) {
  if (device != 0) return cudaErrorInvalidDevice;
  if (properties == nullptr) return cudaErrorInvalidValue;
  describe(session, *properties);
  return cudaSuccess;
}
DUET_END
DUET_API(cudaDeviceGetAttribute, Other, (int* value, cudaDeviceAttr attribute, int device)) {
  if (device != 0) return cudaErrorInvalidDevice;
  if (value == nullptr) return cudaErrorInvalidValue;
  return attribute_value(session, value, attribute);
}
DUET_END

DUET_API(cudaDeviceGetPCIBusId, Other, (char* id, int length, int device)) {
  if (device != 0) return cudaErrorInvalidDevice;
  if (id == nullptr || length < 13) return cudaErrorInvalidValue;
  std::snprintf(id, static_cast<size_t>(length), "0000:00:00.0");
  return cudaSuccess;
}
DUET_END
DUET_API(cudaDeviceGetByPCIBusId, Other, (int* device, const char* id)) {
  if (device == nullptr || id == nullptr) return cudaErrorInvalidValue;
  if (std::strncmp(id, "0000:00:00", 10) != 0) return cudaErrorInvalidDevice;
  *device = 0;
  return cudaSuccess;
}
DUET_END
DUET_API(cudaDeviceCanAccessPeer, Other, (int* can, int device, int peer)) {
  if (can == nullptr) return cudaErrorInvalidValue;
  if (device != 0 || peer != 0) return cudaErrorInvalidDevice;
  *can = 0;
  return cudaSuccess;
}
DUET_END

DUET_API(cudaDeviceSetLimit, Other, (cudaLimit limit, size_t value)) {
  const auto found = limits().find(limit);
  if (found == limits().end()) return cudaErrorUnsupportedLimit;
  if (limit == cudaLimitStackSize) session.process().set_stack_bytes(value);
  if (limit == cudaLimitMallocHeapSize && !session.process().set_heap_bytes(value))
    return cudaErrorInvalidValue;
  found->second = value;
  return cudaSuccess;
}
DUET_END
DUET_API(cudaDeviceGetLimit, Other, (size_t * value, cudaLimit limit)) {
  const auto found = limits().find(limit);
  if (found == limits().end()) return cudaErrorUnsupportedLimit;
  if (value == nullptr) return cudaErrorInvalidValue;
  *value = found->second;
  return cudaSuccess;
}
DUET_END
// Preferences: this machine's split between L1 and shared memory is fixed by its file.
DUET_API(cudaDeviceSetCacheConfig, Other, (cudaFuncCache)) { return cudaSuccess; }
DUET_END
DUET_API(cudaDeviceGetCacheConfig, Other, (cudaFuncCache * config)) {
  if (config == nullptr) return cudaErrorInvalidValue;
  *config = cudaFuncCachePreferNone;
  return cudaSuccess;
}
DUET_END
DUET_API(cudaDeviceSetSharedMemConfig, Other, (cudaSharedMemConfig)) { return cudaSuccess; }
DUET_END
DUET_API(cudaDeviceGetSharedMemConfig, Other, (cudaSharedMemConfig * config)) {
  if (config == nullptr) return cudaErrorInvalidValue;
  *config = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}
DUET_END
DUET_API(cudaDeviceGetStreamPriorityRange, Other, (int* least, int* greatest)) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = 0;  // no priorities
  return cudaSuccess;
}
DUET_END
// How a host thread waits makes no difference to the simulated clock.
DUET_API(cudaSetDeviceFlags, Other, (unsigned flags)) {
  return (flags & ~cudaDeviceMask) == 0 ? cudaSuccess : cudaErrorInvalidValue;
}
DUET_END
DUET_API(cudaGetDeviceFlags, Other, (unsigned* flags)) {
  if (flags == nullptr) return cudaErrorInvalidValue;
  *flags = cudaDeviceMapHost;
  return cudaSuccess;
}
DUET_END

DUET_API(cudaDriverGetVersion, Other, (int* version)) {
  if (version == nullptr) return cudaErrorInvalidValue;
  *version = kVersion;
  return cudaSuccess;
}
DUET_END
DUET_API(cudaRuntimeGetVersion, Other, (int* version)) {
  if (version == nullptr) return cudaErrorInvalidValue;
  *version = kVersion;
  return cudaSuccess;
}
DUET_END
// The profiler's window: a run is always recorded whole.
DUET_API(cudaProfilerStart, Other, (void)) { return cudaSuccess; }
DUET_END
DUET_API(cudaProfilerStop, Other, (void)) { return cudaSuccess; }
DUET_END
