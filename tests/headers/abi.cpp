// Prints sizes, offsets and numbers of the CUDA runtime interface, as the headers in the include path have
// them; abi.sh compares what Duet's print with what CUDA's print. enumerators.inc is made by abi.sh:
// VALUE(name) for each.
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdio>

#define VALUE(name) std::printf("%s = %lld\n", #name, static_cast<long long>(name));
#define SIZE(type) std::printf("%s: %zu bytes, aligned to %zu\n", #type, sizeof(type), alignof(type));
#define FIELD(type, field) \
  std::printf("%s.%s at %zu, %zu bytes\n", #type, #field, offsetof(type, field), sizeof(type::field));
#define VECTORS(name) SIZE(name##1) SIZE(name##2) SIZE(name##3) SIZE(name##4)

// A list of macros, one fact each.
// clang-format off
int main() {
  VECTORS(char) VECTORS(uchar) VECTORS(short) VECTORS(ushort) VECTORS(int) VECTORS(uint) VECTORS(long) VECTORS(ulong)
  VECTORS(longlong) VECTORS(ulonglong) VECTORS(float) VECTORS(double)
  SIZE(long4_16a) SIZE(long4_32a) SIZE(ulonglong4_32a) SIZE(double4_16a) SIZE(double4_32a) SIZE(dim3)
  SIZE(cudaDeviceProp) SIZE(cudaFuncAttributes) SIZE(cudaPointerAttributes) SIZE(cudaPitchedPtr) SIZE(cudaExtent)
  SIZE(cudaPos) SIZE(cudaMemcpy3DParms) SIZE(cudaMemcpy3DPeerParms) SIZE(cudaLaunchConfig_t) SIZE(cudaLaunchAttribute)
  SIZE(cudaLaunchAttributeValue) SIZE(cudaMemLocation) SIZE(cudaMemPoolProps) SIZE(cudaMemAccessDesc) SIZE(cudaUUID_t)
  SIZE(cudaIpcEventHandle_t) SIZE(cudaIpcMemHandle_t) SIZE(cudaChannelFormatDesc) SIZE(cudaAccessPolicyWindow)
  SIZE(cudaError_t) SIZE(cudaStream_t) SIZE(cudaGraphNodeParams) SIZE(cudaKernelNodeParams) SIZE(cudaKernelNodeParamsV2)
  SIZE(cudaMemsetParams) SIZE(cudaMemcpyNodeParams) SIZE(cudaMemAllocNodeParams) SIZE(cudaGraphEdgeData)
  SIZE(cudaGraphInstantiateParams) SIZE(cudaGraphExecUpdateResultInfo)
  SIZE(cudaTextureDesc) SIZE(cudaResourceDesc) SIZE(cudaResourceViewDesc)
#include "fields.inc"
#include "enumerators.inc"
  FIELD(cudaGraphNodeParams, kernel) FIELD(cudaGraphNodeParams, memcpy) FIELD(cudaGraphNodeParams, memset)
  FIELD(cudaGraphNodeParams, host) FIELD(cudaGraphNodeParams, graph) FIELD(cudaGraphNodeParams, eventWait)
  FIELD(cudaGraphNodeParams, eventRecord) FIELD(cudaGraphNodeParams, alloc) FIELD(cudaGraphNodeParams, free)
  VALUE(cudaEventRecordExternal) VALUE(cudaEventWaitExternal)
  VALUE(CUDART_VERSION) VALUE(cudaHostAllocDefault) VALUE(cudaHostAllocPortable) VALUE(cudaHostAllocMapped)
  VALUE(cudaHostAllocWriteCombined) VALUE(cudaHostRegisterMapped) VALUE(cudaHostRegisterReadOnly)
  VALUE(cudaStreamNonBlocking) VALUE(cudaEventBlockingSync) VALUE(cudaEventDisableTiming) VALUE(cudaEventInterprocess)
  VALUE(cudaDeviceScheduleSpin) VALUE(cudaDeviceScheduleYield) VALUE(cudaDeviceScheduleBlockingSync)
  VALUE(cudaDeviceMapHost) VALUE(cudaDeviceLmemResizeToMax) VALUE(cudaDeviceMask) VALUE(cudaMemAttachGlobal)
  VALUE(cudaMemAttachHost) VALUE(cudaMemAttachSingle) VALUE(cudaCpuDeviceId) VALUE(cudaInvalidDeviceId)
  VALUE(cudaOccupancyDisableCachingOverride) VALUE((size_t)cudaStreamLegacy) VALUE((size_t)cudaStreamPerThread)
}
// clang-format on
