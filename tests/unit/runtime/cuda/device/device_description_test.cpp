// The device in CUDA's words is the machine file's.
#include "cuda/device/device_description.h"

#include "config/derived.h"

#include "unit/runtime/cuda/runtime_rig.h"

namespace duet::cuda {
namespace {

class DeviceDescription : public RuntimeTest {
 protected:
  using RuntimeTest::RuntimeTest;
  int value_of(cudaDeviceAttr attribute) {
    int value = -12345;
    EXPECT_EQ(attribute_value(session(), attribute, value), cudaSuccess);
    return value;
  }
  cudaDeviceProp described() {
    cudaDeviceProp properties;
    describe(session(), properties);
    return properties;
  }
};
class DeviceDescriptionH100 : public DeviceDescription {
 protected:
  DeviceDescriptionH100() : DeviceDescription("h100") {}
};

TEST_F(DeviceDescription, SizesAreTheMachineFiles) {
  const config::Gpu& gpu = session().config().gpu;
  const cudaDeviceProp p = described();
  EXPECT_EQ(std::string(p.name), gpu.name);
  EXPECT_EQ(p.totalGlobalMem, gpu.dram.bytes);
  EXPECT_EQ(p.multiProcessorCount, static_cast<int>(gpu.sm.count));
  EXPECT_EQ(p.warpSize, static_cast<int>(gpu.sm.warp_width));
  EXPECT_EQ(p.maxThreadsPerMultiProcessor, static_cast<int>(gpu.sm.max_threads));
  EXPECT_EQ(p.sharedMemPerBlock, gpu.sm.max_shared_bytes_per_block);
  EXPECT_EQ(p.regsPerBlock, static_cast<int>(gpu.sm.registers));
  EXPECT_EQ(p.l2CacheSize, static_cast<int>(config::capacity_of_l2(gpu)));
  EXPECT_EQ(p.memoryBusWidth, static_cast<int>(config::bus_bits(gpu.dram)));
  EXPECT_EQ(p.asyncEngineCount, static_cast<int>(gpu.copy_engines.count));
}

TEST_F(DeviceDescription, AttributesTellWhatThePropertiesTell) {
  const cudaDeviceProp p = described();
  EXPECT_EQ(value_of(cudaDevAttrMultiProcessorCount), p.multiProcessorCount);
  EXPECT_EQ(value_of(cudaDevAttrMaxThreadsPerBlock), p.maxThreadsPerBlock);
  EXPECT_EQ(value_of(cudaDevAttrMaxBlockDimZ), p.maxThreadsDim[2]);
  EXPECT_EQ(value_of(cudaDevAttrMaxGridDimX), p.maxGridSize[0]);
  EXPECT_EQ(value_of(cudaDevAttrMaxSharedMemoryPerBlock), static_cast<int>(p.sharedMemPerBlock));
  EXPECT_EQ(value_of(cudaDevAttrComputeCapabilityMajor), p.major);
  EXPECT_EQ(value_of(cudaDevAttrConcurrentManagedAccess), p.concurrentManagedAccess);
  EXPECT_EQ(value_of(cudaDevAttrClockRate), static_cast<int>(session().config().gpu.core_clock_khz));
  EXPECT_EQ(value_of(cudaDevAttrMemoryClockRate), 2004000);
  EXPECT_EQ(value_of(cudaDevAttrSingleToDoublePrecisionPerfRatio), 8);
}

TEST_F(DeviceDescription, AFeatureThatTheDeviceDoesNotHaveIsZero) {
  EXPECT_EQ(value_of(cudaDevAttrHostNativeAtomicSupported), 0);
  EXPECT_EQ(value_of(cudaDevAttrClusterLaunch), 0);
}

TEST_F(DeviceDescription, NumbersThatAreNoAttributesAreRefused) {
  int value = 0;
  EXPECT_EQ(attribute_value(session(), static_cast<cudaDeviceAttr>(0), value), cudaErrorInvalidValue);
  EXPECT_EQ(attribute_value(session(), cudaDevAttrMax, value), cudaErrorInvalidValue);
}

TEST_F(DeviceDescription, FermiHasItsImagesAndNoConcurrentAccess) {
  const cudaDeviceProp p = described();
  EXPECT_EQ(p.maxTexture3D[0], 2048);
  EXPECT_EQ(p.maxTexture1D, 65536);
  EXPECT_EQ(p.concurrentManagedAccess, 0);
}

TEST_F(DeviceDescriptionH100, LaterOnesHaveLargerImagesAndConcurrentAccess) {
  const cudaDeviceProp p = described();
  EXPECT_EQ(p.maxTexture3D[0], 16384);
  EXPECT_EQ(p.maxTexture1D, 131072);
  EXPECT_EQ(p.concurrentManagedAccess, 1);
}

// More than an int holds is the largest one, and no negative number.
TEST_F(DeviceDescriptionH100, LargeSizesAreCut) {
  ASSERT_GT(described().totalGlobalMem, std::size_t{0x7fffffff});
  EXPECT_GT(value_of(cudaDevAttrMaxPitch), 0);
  EXPECT_GT(value_of(cudaDevAttrL2CacheSize), 0);
}

}  // namespace
}  // namespace duet::cuda
