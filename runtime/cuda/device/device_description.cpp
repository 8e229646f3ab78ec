#include "cuda/device/device_description.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>

namespace duet::cuda {

namespace {

int as_int(std::uint64_t value) { return static_cast<int>(std::min<std::uint64_t>(value, 0x7fffffff)); }

// How large images may be, by compute capability (programming guide, technical specifications). Nothing in
// the simulator limits them.
struct ImageLimits {
  int texture_linear;
  int texture_1d, texture_1d_layered[2], texture_2d[2], texture_2d_linear[3], texture_2d_layered[3],
      texture_3d;
  int surface_1d, surface_1d_layered[2], surface_2d[2], surface_2d_layered[3], surface_3d[3];
};
constexpr ImageLimits kFermi = {
    1 << 27, 65536, {16384, 2048}, {65536, 65535}, {65000, 65000, 1048544}, {16384, 16384, 2048},
    2048,    65536, {65536, 2048}, {65536, 32768}, {65536, 32768, 2048},    {65536, 32768, 2048}};
constexpr ImageLimits kSinceVolta = {
    1 << 28, 131072, {32768, 2048}, {131072, 65536}, {131072, 65000, 2097120}, {32768, 32768, 2048},
    16384,   32768,  {32768, 2048}, {131072, 65536}, {32768, 32768, 2048},     {16384, 16384, 16384}};
const ImageLimits& image_limits(const config::Gpu& gpu) {
  return gpu.compute_capability_major < 3 ? kFermi : kSinceVolta;
}

void describe_images(const config::Gpu& gpu, cudaDeviceProp& p) {
  const ImageLimits& limits = image_limits(gpu);
  p.maxTexture1D = limits.texture_1d;
  std::copy_n(limits.texture_1d_layered, 2, p.maxTexture1DLayered);
  std::copy_n(limits.texture_2d, 2, p.maxTexture2D);
  std::copy_n(limits.texture_2d_linear, 3, p.maxTexture2DLinear);
  std::copy_n(limits.texture_2d_layered, 3, p.maxTexture2DLayered);
  std::fill_n(p.maxTexture3D, 3, limits.texture_3d);
  p.maxSurface1D = limits.surface_1d;
  std::copy_n(limits.surface_1d_layered, 2, p.maxSurface1DLayered);
  std::copy_n(limits.surface_2d, 2, p.maxSurface2D);
  std::copy_n(limits.surface_2d_layered, 3, p.maxSurface2DLayered);
  std::copy_n(limits.surface_3d, 3, p.maxSurface3D);
}

}  // namespace

void describe(const Session& session, cudaDeviceProp& p) {
  const config::Gpu& gpu = session.config().gpu;
  const config::Sm& sm = gpu.sm;
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
  p.concurrentManagedAccess = !ManagedGuard::needed(session.config());
  p.canUseHostPointerForRegisteredMem = 1;
  p.hostRegisterSupported = 1;
  p.cooperativeLaunch = 1;
  p.memoryPoolsSupported = 1;
  describe_images(gpu, p);
}

cudaError_t attribute_value(const Session& session, cudaDeviceAttr attribute, int& value) {
  cudaDeviceProp p;
  describe(session, p);
  const config::Gpu& gpu = session.config().gpu;
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
      {cudaDevAttrConcurrentManagedAccess, p.concurrentManagedAccess},
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
      {cudaDevAttrMaxTexture1DWidth, p.maxTexture1D},
      {cudaDevAttrMaxTexture2DWidth, p.maxTexture2D[0]},
      {cudaDevAttrMaxTexture2DHeight, p.maxTexture2D[1]},
      {cudaDevAttrMaxTexture3DWidth, p.maxTexture3D[0]},
      {cudaDevAttrMaxTexture3DHeight, p.maxTexture3D[1]},
      {cudaDevAttrMaxTexture3DDepth, p.maxTexture3D[2]},
      {cudaDevAttrMaxTexture2DLayeredWidth, p.maxTexture2DLayered[0]},
      {cudaDevAttrMaxTexture2DLayeredHeight, p.maxTexture2DLayered[1]},
      {cudaDevAttrMaxTexture2DLayeredLayers, p.maxTexture2DLayered[2]},
      {cudaDevAttrMaxTexture1DLayeredWidth, p.maxTexture1DLayered[0]},
      {cudaDevAttrMaxTexture1DLayeredLayers, p.maxTexture1DLayered[1]},
      {cudaDevAttrMaxTexture2DLinearWidth, p.maxTexture2DLinear[0]},
      {cudaDevAttrMaxTexture2DLinearHeight, p.maxTexture2DLinear[1]},
      {cudaDevAttrMaxTexture2DLinearPitch, p.maxTexture2DLinear[2]},
      {cudaDevAttrMaxSurface1DWidth, p.maxSurface1D},
      {cudaDevAttrMaxSurface2DWidth, p.maxSurface2D[0]},
      {cudaDevAttrMaxSurface2DHeight, p.maxSurface2D[1]},
      {cudaDevAttrMaxSurface3DWidth, p.maxSurface3D[0]},
      {cudaDevAttrMaxSurface3DHeight, p.maxSurface3D[1]},
      {cudaDevAttrMaxSurface3DDepth, p.maxSurface3D[2]},
      {cudaDevAttrMaxSurface1DLayeredWidth, p.maxSurface1DLayered[0]},
      {cudaDevAttrMaxSurface1DLayeredLayers, p.maxSurface1DLayered[1]},
      {cudaDevAttrMaxSurface2DLayeredWidth, p.maxSurface2DLayered[0]},
      {cudaDevAttrMaxSurface2DLayeredHeight, p.maxSurface2DLayered[1]},
      {cudaDevAttrMaxSurface2DLayeredLayers, p.maxSurface2DLayered[2]},
      {cudaDevAttrMaxTexture1DLinearWidth, image_limits(gpu).texture_linear},
      {cudaDevAttrTexturePitchAlignment, static_cast<long long>(p.texturePitchAlignment)},
      {cudaDevAttrSurfaceAlignment, static_cast<long long>(p.surfaceAlignment)},
      {cudaDevAttrHostNumaId, -1},
  };
  const auto found = values.find(attribute);
  if (found == values.end()) {
    if (attribute < cudaDevAttrMaxThreadsPerBlock || attribute >= cudaDevAttrMax)
      return cudaErrorInvalidValue;
    value = 0;  // all others ask for something that the device does not have
    return cudaSuccess;
  }
  value = static_cast<int>(std::min<long long>(found->second, 0x7fffffff));
  return cudaSuccess;
}

}  // namespace duet::cuda
