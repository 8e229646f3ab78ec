#include "cuda/device/device_description.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "config/derived.h"
#include "core/image_limits.h"
#include "core/images.h"
#include "core/launch.h"
#include "core/memory.h"

namespace duet::cuda {

namespace {

int as_int(std::uint64_t value) { return static_cast<int>(std::min<std::uint64_t>(value, 0x7fffffff)); }

void describe_images(const config::Gpu& gpu, cudaDeviceProp& p) {
  const core::ImageLimits& limits = core::image_limits(gpu);
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
  p.sharedMemPerBlock = std::min(core::kSharedBytesUnasked, sm.max_shared_bytes_per_block);
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
  p.textureAlignment = core::kImageAlignment;
  p.texturePitchAlignment = core::kPlaneAlignment;
  p.surfaceAlignment = core::kImageAlignment;
  p.multiProcessorCount = as_int(sm.count);
  p.integrated = gpu.integrated;
  p.canMapHostMemory = 1;
  p.concurrentKernels = gpu.front_end.reference_counters > 1;
  p.asyncEngineCount = as_int(gpu.copy_engines.count);
  p.unifiedAddressing = 1;
  p.memoryBusWidth = as_int(config::bus_bits(gpu.dram));
  p.l2CacheSize = as_int(config::capacity_of_l2(gpu));
  p.maxThreadsPerMultiProcessor = as_int(sm.max_threads);
  p.maxBlocksPerMultiProcessor = as_int(sm.max_blocks);
  p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  p.managedMemory = 1;
  p.streamPrioritiesSupported = greatest_priority(session) != 0;
  p.concurrentManagedAccess = !core::ManagedGuard::needed(session.config());
  p.canUseHostPointerForRegisteredMem = 1;
  p.hostRegisterSupported = core::can_register(session.config());
  p.cooperativeLaunch = 1;
  p.memoryPoolsSupported = 1;
  describe_images(gpu, p);
}

namespace {

// Attributes that are also properties: their place, and bytes.
struct PropertyRow {
  cudaDeviceAttr attribute;
  std::size_t offset, bytes;
};
#define DUET_PROPERTY(member) offsetof(cudaDeviceProp, member), sizeof(cudaDeviceProp::member)
constexpr PropertyRow kProperties[] = {
    {cudaDevAttrMaxThreadsPerBlock, DUET_PROPERTY(maxThreadsPerBlock)},
    {cudaDevAttrMaxBlockDimX, DUET_PROPERTY(maxThreadsDim[0])},
    {cudaDevAttrMaxBlockDimY, DUET_PROPERTY(maxThreadsDim[1])},
    {cudaDevAttrMaxBlockDimZ, DUET_PROPERTY(maxThreadsDim[2])},
    {cudaDevAttrMaxGridDimX, DUET_PROPERTY(maxGridSize[0])},
    {cudaDevAttrMaxGridDimY, DUET_PROPERTY(maxGridSize[1])},
    {cudaDevAttrMaxGridDimZ, DUET_PROPERTY(maxGridSize[2])},
    {cudaDevAttrMaxSharedMemoryPerBlock, DUET_PROPERTY(sharedMemPerBlock)},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, DUET_PROPERTY(sharedMemPerBlockOptin)},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, DUET_PROPERTY(sharedMemPerMultiprocessor)},
    {cudaDevAttrTotalConstantMemory, DUET_PROPERTY(totalConstMem)},
    {cudaDevAttrWarpSize, DUET_PROPERTY(warpSize)},
    {cudaDevAttrMaxPitch, DUET_PROPERTY(memPitch)},
    {cudaDevAttrMaxRegistersPerBlock, DUET_PROPERTY(regsPerBlock)},
    {cudaDevAttrMaxRegistersPerMultiprocessor, DUET_PROPERTY(regsPerMultiprocessor)},
    {cudaDevAttrTextureAlignment, DUET_PROPERTY(textureAlignment)},
    {cudaDevAttrMultiProcessorCount, DUET_PROPERTY(multiProcessorCount)},
    {cudaDevAttrIntegrated, DUET_PROPERTY(integrated)},
    {cudaDevAttrHostRegisterSupported, DUET_PROPERTY(hostRegisterSupported)},
    {cudaDevAttrCanMapHostMemory, DUET_PROPERTY(canMapHostMemory)},
    {cudaDevAttrConcurrentKernels, DUET_PROPERTY(concurrentKernels)},
    {cudaDevAttrAsyncEngineCount, DUET_PROPERTY(asyncEngineCount)},
    {cudaDevAttrUnifiedAddressing, DUET_PROPERTY(unifiedAddressing)},
    {cudaDevAttrGlobalMemoryBusWidth, DUET_PROPERTY(memoryBusWidth)},
    {cudaDevAttrL2CacheSize, DUET_PROPERTY(l2CacheSize)},
    {cudaDevAttrMaxThreadsPerMultiProcessor, DUET_PROPERTY(maxThreadsPerMultiProcessor)},
    {cudaDevAttrMaxBlocksPerMultiprocessor, DUET_PROPERTY(maxBlocksPerMultiProcessor)},
    {cudaDevAttrComputeCapabilityMajor, DUET_PROPERTY(major)},
    {cudaDevAttrComputeCapabilityMinor, DUET_PROPERTY(minor)},
    {cudaDevAttrConcurrentManagedAccess, DUET_PROPERTY(concurrentManagedAccess)},
    {cudaDevAttrMaxTexture1DWidth, DUET_PROPERTY(maxTexture1D)},
    {cudaDevAttrMaxTexture2DWidth, DUET_PROPERTY(maxTexture2D[0])},
    {cudaDevAttrMaxTexture2DHeight, DUET_PROPERTY(maxTexture2D[1])},
    {cudaDevAttrMaxTexture3DWidth, DUET_PROPERTY(maxTexture3D[0])},
    {cudaDevAttrMaxTexture3DHeight, DUET_PROPERTY(maxTexture3D[1])},
    {cudaDevAttrMaxTexture3DDepth, DUET_PROPERTY(maxTexture3D[2])},
    {cudaDevAttrMaxTexture2DLayeredWidth, DUET_PROPERTY(maxTexture2DLayered[0])},
    {cudaDevAttrMaxTexture2DLayeredHeight, DUET_PROPERTY(maxTexture2DLayered[1])},
    {cudaDevAttrMaxTexture2DLayeredLayers, DUET_PROPERTY(maxTexture2DLayered[2])},
    {cudaDevAttrMaxTexture1DLayeredWidth, DUET_PROPERTY(maxTexture1DLayered[0])},
    {cudaDevAttrMaxTexture1DLayeredLayers, DUET_PROPERTY(maxTexture1DLayered[1])},
    {cudaDevAttrMaxTexture2DLinearWidth, DUET_PROPERTY(maxTexture2DLinear[0])},
    {cudaDevAttrMaxTexture2DLinearHeight, DUET_PROPERTY(maxTexture2DLinear[1])},
    {cudaDevAttrMaxTexture2DLinearPitch, DUET_PROPERTY(maxTexture2DLinear[2])},
    {cudaDevAttrMaxSurface1DWidth, DUET_PROPERTY(maxSurface1D)},
    {cudaDevAttrMaxSurface2DWidth, DUET_PROPERTY(maxSurface2D[0])},
    {cudaDevAttrMaxSurface2DHeight, DUET_PROPERTY(maxSurface2D[1])},
    {cudaDevAttrMaxSurface3DWidth, DUET_PROPERTY(maxSurface3D[0])},
    {cudaDevAttrMaxSurface3DHeight, DUET_PROPERTY(maxSurface3D[1])},
    {cudaDevAttrMaxSurface3DDepth, DUET_PROPERTY(maxSurface3D[2])},
    {cudaDevAttrMaxSurface1DLayeredWidth, DUET_PROPERTY(maxSurface1DLayered[0])},
    {cudaDevAttrMaxSurface1DLayeredLayers, DUET_PROPERTY(maxSurface1DLayered[1])},
    {cudaDevAttrMaxSurface2DLayeredWidth, DUET_PROPERTY(maxSurface2DLayered[0])},
    {cudaDevAttrMaxSurface2DLayeredHeight, DUET_PROPERTY(maxSurface2DLayered[1])},
    {cudaDevAttrMaxSurface2DLayeredLayers, DUET_PROPERTY(maxSurface2DLayered[2])},
    {cudaDevAttrTexturePitchAlignment, DUET_PROPERTY(texturePitchAlignment)},
    {cudaDevAttrSurfaceAlignment, DUET_PROPERTY(surfaceAlignment)},
};
#undef DUET_PROPERTY

// Attributes constant on every machine.
struct ConstantRow {
  cudaDeviceAttr attribute;
  int value;
};
constexpr ConstantRow kConstants[] = {
    {cudaDevAttrKernelExecTimeout, 0},
    {cudaDevAttrComputeMode, 0},
    {cudaDevAttrEccEnabled, 0},
    {cudaDevAttrGlobalL1CacheSupported, 1},
    {cudaDevAttrLocalL1CacheSupported, 1},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrIsMultiGpuBoard, 0},
    {cudaDevAttrPageableMemoryAccess, 0},
    {cudaDevAttrCooperativeLaunch, 1},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
    {cudaDevAttrMemoryPoolsSupported, 1},
    {cudaDevAttrPciBusId, 0},
    {cudaDevAttrPciDeviceId, 0},
    {cudaDevAttrPciDomainId, 0},
    {cudaDevAttrReservedSharedMemoryPerBlock, 0},
    {cudaDevAttrComputePreemptionSupported, 0},
    {cudaDevAttrClusterLaunch, 0},
    {cudaDevAttrHostNumaId, -1},
};

// By attribute. Attributes without a row are features the device lacks: 0.
using Attributes = std::array<int, cudaDevAttrMax>;

Attributes attributes_of(const Session& session) {
  cudaDeviceProp properties;
  describe(session, properties);
  const config::Gpu& gpu = session.config().gpu;
  Attributes values{};
  for (const PropertyRow& row : kProperties) {
    std::uint64_t value = 0;  // no property is negative
    std::memcpy(&value, reinterpret_cast<const std::byte*>(&properties) + row.offset, row.bytes);
    values[row.attribute] = as_int(value);
  }
  for (const ConstantRow& row : kConstants) values[row.attribute] = row.value;
  values[cudaDevAttrClockRate] = as_int(gpu.core_clock_khz);
  values[cudaDevAttrMemoryClockRate] = as_int(config::memory_clock_khz(gpu.dram));
  values[cudaDevAttrSingleToDoublePrecisionPerfRatio] = as_int(config::single_to_double_ratio(gpu.sm));
  values[cudaDevAttrGpuOverlap] = properties.asyncEngineCount > 0;
  values[cudaDevAttrStreamPrioritiesSupported] = properties.streamPrioritiesSupported;
  values[cudaDevAttrMaxTexture1DLinearWidth] = core::image_limits(gpu).texture_linear;
  return values;
}

}  // namespace

int greatest_priority(const Session& session) {
  return 1 - static_cast<int>(session.config().gpu.front_end.stream_priorities);
}

cudaError_t attribute_value(const Session& session, cudaDeviceAttr attribute, int& value) {
  if (attribute < cudaDevAttrMaxThreadsPerBlock || attribute >= cudaDevAttrMax) return cudaErrorInvalidValue;
  static const Attributes attributes = attributes_of(session);  // a process has one machine
  value = attributes[attribute];
  return cudaSuccess;
}

}  // namespace duet::cuda
