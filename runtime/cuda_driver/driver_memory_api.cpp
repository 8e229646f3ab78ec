// Memory of the driver interface: allocation, pools, queries about pointers.
#include <cstring>

#include "cuda_driver/driver_api.h"

using duet::VirtualAddress;
using duet::cuda::address_of;
using duet::cuda::current_context;
using duet::cuda::disown;
using duet::cuda::own;
using duet::cuda::pointer_of;
using duet::cuda::Session;
using duet::cuda::ThreadState;
using duet::memory::Allocation;
using duet::memory::AllocationKind;

namespace {

void own_result(cudaError_t error, const void* pointer) {
  if (error != cudaSuccess || pointer == nullptr) return;
  Session& session = Session::get();
  const auto lock = session.program().lock();
  own(session.thread(), duet::virtual_address(pointer));
}

// `allocate` is given where the pointer goes.
template <typename Allocate>
cudaError_t allocate(CUdeviceptr* address, Allocate&& allocate) {
  if (address == nullptr) return cudaErrorInvalidValue;
  void* pointer = nullptr;
  const cudaError_t error = allocate(&pointer);
  own_result(error, pointer);
  if (error == cudaSuccess) *address = address_of(pointer);
  return error;
}
template <typename Allocate>
cudaError_t allocate_host(void** pointer, Allocate&& allocate) {
  const cudaError_t error = allocate();
  if (pointer != nullptr) own_result(error, *pointer);
  return error;
}

cudaError_t release(CUdeviceptr address) {
  const cudaError_t error = cudaFree(pointer_of(address));
  if (error == cudaSuccess) disown(VirtualAddress(address));
  return error;
}

// Rows start as cudaMallocPitch's; elements are 4, 8 or 16 bytes for coalesced accesses.
cudaError_t allocate_pitch(CUdeviceptr* address, size_t* pitch, size_t width, size_t height,
                           unsigned element) {
  if (width == 0 || height == 0 || (element != 4 && element != 8 && element != 16))
    return cudaErrorInvalidValue;
  return allocate(address, [&](void** to) { return cudaMallocPitch(to, pitch, width, height); });
}

bool on_device(const Allocation& allocation) { return allocation.in_device_memory(); }

template <typename T>
cudaError_t put(void* to, T value) {
  std::memcpy(to, &value, sizeof value);
  return cudaSuccess;
}

cudaError_t attribute_value(Session& session, void* to, CUpointer_attribute attribute, CUdeviceptr address) {
  const Allocation* allocation = session.space().find(VirtualAddress(address));
  if (to == nullptr) return cudaErrorInvalidValue;
  if (attribute == CU_POINTER_ATTRIBUTE_MAPPED) return put(to, allocation != nullptr ? 1 : 0);
  if (allocation == nullptr) return cudaErrorInvalidValue;
  const bool managed = allocation->kind == AllocationKind::Managed;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return put(to, duet::cuda::owner_of(allocation->base));
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return put(to, on_device(*allocation) || managed ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return put(to, address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (on_device(*allocation)) return cudaErrorInvalidValue;
      return put(to, pointer_of(address));
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      return put(to, 0);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return put(to, static_cast<unsigned long long>(allocation->id));
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return put(to, managed ? 1 : 0);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return put(to, 0);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      return put(to, 0);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return put(to, allocation->base);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return put(to, static_cast<size_t>(allocation->bytes));
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return put(to, 3u);  // the GPU reads and writes
    default:
      return cudaErrorNotSupported;
  }
}

cudaMemLocation location_of(const CUmemLocation& location) {
  return {static_cast<cudaMemLocationType>(location.type), location.id};
}

}  // namespace

DUET_CU(cuMemGetInfo_v2, Context, (size_t * free, size_t* total), cudaMemGetInfo(free, total))
DUET_CU(cuMemAlloc_v2, Context, (CUdeviceptr * address, size_t bytes),
        bytes == 0 ? cudaErrorInvalidValue
                   : allocate(address, [&](void** to) { return cudaMalloc(to, bytes); }))
DUET_CU(cuMemAllocPitch_v2, Context,
        (CUdeviceptr * address, size_t* pitch, size_t width, size_t height, unsigned element),
        allocate_pitch(address, pitch, width, height, element))
DUET_CU(cuMemAllocManaged, Context, (CUdeviceptr * address, size_t bytes, unsigned flags),
        allocate(address, [&](void** to) { return cudaMallocManaged(to, bytes, flags); }))
DUET_CU(cuMemFree_v2, Context, (CUdeviceptr address), release(address))
DUET_CU(cuMemAllocHost_v2, Context, (void** pointer, size_t bytes),
        allocate_host(pointer, [&] { return cudaMallocHost(pointer, bytes); }))
DUET_CU(cuMemHostAlloc, Context, (void** pointer, size_t bytes, unsigned flags),
        allocate_host(pointer, [&] { return cudaHostAlloc(pointer, bytes, flags); }))
DUET_CU(cuMemFreeHost, Context, (void* pointer),
        pointer == nullptr ? cudaErrorInvalidValue
                           : (disown(duet::virtual_address(pointer)), cudaFreeHost(pointer)))
DUET_CU(cuMemHostRegister_v2, Context, (void* pointer, size_t bytes, unsigned flags),
        cudaHostRegister(pointer, bytes, flags))
DUET_CU(cuMemHostUnregister, Context, (void* pointer), cudaHostUnregister(pointer))
DUET_CU(cuMemHostGetDevicePointer_v2, Context, (CUdeviceptr * address, void* host, unsigned flags),
        cudaHostGetDevicePointer(reinterpret_cast<void**>(address), host, flags))
DUET_CU(cuMemHostGetFlags, Context, (unsigned* flags, void* host), cudaHostGetFlags(flags, host))

DUET_CU_BODY(cuMemGetAddressRange_v2, Other, Context,
             (CUdeviceptr * base, size_t* bytes, CUdeviceptr address)) {
  const Allocation* allocation = session.space().find(VirtualAddress(address));
  if (allocation == nullptr || (!on_device(*allocation) && allocation->kind != AllocationKind::Managed))
    return cudaErrorSymbolNotFound;
  if (base != nullptr) *base = allocation->base.value();
  if (bytes != nullptr) *bytes = allocation->bytes;
  return cudaSuccess;
}
DUET_CU_END
DUET_CU_BODY(cuPointerGetAttribute, Other, Context,
             (void* value, CUpointer_attribute attribute, CUdeviceptr address)) {
  return attribute_value(session, value, attribute, address);
}
DUET_CU_END
// Absent attributes of a pointer read as zero.
DUET_CU_BODY(cuPointerGetAttributes, Other, Context,
             (unsigned count, CUpointer_attribute* attributes, void** values, CUdeviceptr address)) {
  if (attributes == nullptr || values == nullptr) return cudaErrorInvalidValue;
  for (unsigned i = 0; i < count; ++i) {
    const cudaError_t error = attribute_value(session, values[i], attributes[i], address);
    if (error == cudaErrorNotSupported) return error;
    if (error == cudaSuccess) continue;
    if (values[i] == nullptr) return error;
    switch (attributes[i]) {
      case CU_POINTER_ATTRIBUTE_CONTEXT:
      case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        put(values[i], std::uint64_t{0});
        break;
      case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        put(values[i], CU_DEVICE_INVALID);
        break;
      default:
        put(values[i], 0);
    }
  }
  return cudaSuccess;
}
DUET_CU_END
// Every copy through this library is as synchronous as the attribute asks for.
DUET_CU_BODY(cuPointerSetAttribute, Other, Context,
             (const void* value, CUpointer_attribute attribute, CUdeviceptr address)) {
  if (value == nullptr || session.space().find(VirtualAddress(address)) == nullptr)
    return cudaErrorInvalidValue;
  return attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ? cudaSuccess : cudaErrorInvalidValue;
}
DUET_CU_END

DUET_CU(cuMemPrefetchAsync_v2, Context,
        (CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned flags, CUstream stream),
        cudaMemPrefetchAsync(pointer_of(address), bytes, location_of(location), flags, stream))
DUET_CU(cuMemAdvise_v2, Context,
        (CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation location),
        cudaMemAdvise(pointer_of(address), bytes, static_cast<cudaMemoryAdvise>(advice),
                      location_of(location)))
DUET_CU(cuMemPrefetchAsync, Context, (CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream),
        cudaMemPrefetchAsync(pointer_of(address), bytes, cudaMemLocation{cudaMemLocationTypeDevice, device},
                             0, stream))
DUET_CU(cuMemAdvise, Context, (CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device),
        cudaMemAdvise(pointer_of(address), bytes, static_cast<cudaMemoryAdvise>(advice),
                      cudaMemLocation{cudaMemLocationTypeDevice, device}))
DUET_CU(cuStreamAttachMemAsync, Context, (CUstream stream, CUdeviceptr address, size_t bytes, unsigned flags),
        cudaStreamAttachMemAsync(stream, pointer_of(address), bytes, flags))

DUET_CU(cuMemAllocAsync, Context, (CUdeviceptr * address, size_t bytes, CUstream stream),
        allocate(address, [&](void** to) { return cudaMallocAsync(to, bytes, stream); }))
DUET_CU(cuMemAllocFromPoolAsync, Context,
        (CUdeviceptr * address, size_t bytes, CUmemoryPool pool, CUstream stream),
        allocate(address, [&](void** to) { return cudaMallocFromPoolAsync(to, bytes, pool, stream); }))
DUET_CU(cuMemFreeAsync, Context, (CUdeviceptr address, CUstream stream),
        (disown(VirtualAddress(address)), cudaFreeAsync(pointer_of(address), stream)))
DUET_CU(cuDeviceGetDefaultMemPool, Init, (CUmemoryPool * pool, CUdevice device),
        cudaDeviceGetDefaultMemPool(pool, device))
DUET_CU(cuDeviceGetMemPool, Init, (CUmemoryPool * pool, CUdevice device), cudaDeviceGetMemPool(pool, device))
DUET_CU(cuDeviceSetMemPool, Init, (CUdevice device, CUmemoryPool pool), cudaDeviceSetMemPool(device, pool))
DUET_CU(cuMemPoolCreate, Init, (CUmemoryPool * pool, const CUmemPoolProps* properties),
        cudaMemPoolCreate(pool, reinterpret_cast<const cudaMemPoolProps*>(properties)))
DUET_CU(cuMemPoolDestroy, Init, (CUmemoryPool pool), cudaMemPoolDestroy(pool))
DUET_CU(cuMemPoolSetAttribute, Init, (CUmemoryPool pool, CUmemPool_attribute attribute, void* value),
        cudaMemPoolSetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value))
DUET_CU(cuMemPoolGetAttribute, Init, (CUmemoryPool pool, CUmemPool_attribute attribute, void* value),
        cudaMemPoolGetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value))
DUET_CU(cuMemPoolTrimTo, Init, (CUmemoryPool pool, size_t keep), cudaMemPoolTrimTo(pool, keep))
DUET_CU(cuMemPoolSetAccess, Init, (CUmemoryPool pool, const CUmemAccessDesc* access, size_t count),
        cudaMemPoolSetAccess(pool, reinterpret_cast<const cudaMemAccessDesc*>(access), count))
DUET_CU(cuMemPoolGetAccess, Init, (CUmemAccess_flags * flags, CUmemoryPool pool, CUmemLocation* location),
        cudaMemPoolGetAccess(reinterpret_cast<cudaMemAccessFlags*>(flags), pool,
                             reinterpret_cast<cudaMemLocation*>(location)))
