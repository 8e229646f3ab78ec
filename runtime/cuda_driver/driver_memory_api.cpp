// Memory of the driver interface: allocation, pools, queries about pointers.
#include <cstring>

#include "cuda/memory/memory_calls.h"
#include "cuda/memory/pools.h"
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

// The context owns what has been allocated.
cudaError_t owned(ThreadState& thread, cudaError_t error, const void* pointer) {
  if (error == cudaSuccess && pointer != nullptr) own(thread, duet::virtual_address(pointer));
  return error;
}

// `allocate` is given where the pointer goes.
template <typename Allocate>
cudaError_t allocate(ThreadState& thread, CUdeviceptr* address, Allocate&& allocate) {
  void* pointer = nullptr;
  const cudaError_t error = allocate(&pointer);
  if (error == cudaSuccess) *address = address_of(pointer);
  return owned(thread, error, pointer);
}

// In the stream's context, where it is no default stream.
template <typename Allocate>
cudaError_t allocate_in(Session& session, ThreadState& thread, CUstream stream, CUdeviceptr* address,
                        Allocate&& call) {
  if (!duet::cuda::has_context(session, thread, stream)) return cudaErrorDeviceUninitialized;
  return allocate(thread, address, call);
}

cudaError_t release(Session& session, ThreadState& thread, CUdeviceptr address) {
  const cudaError_t error = duet::cuda::release(session, thread, pointer_of(address));
  if (error == cudaSuccess) disown(VirtualAddress(address));
  return error;
}

// Of cuMemAllocPitch: elements are 4, 8 or 16 bytes for coalesced accesses.
bool pitched(size_t width, size_t height, unsigned element) {
  return width != 0 && height != 0 && (element == 4 || element == 8 || element == 16);
}

const cudaMemLocation* place_of(const CUmemLocation* location) {
  return reinterpret_cast<const cudaMemLocation*>(location);
}
// Of functions of CUDA 8: a device, or the host as CU_DEVICE_CPU.
cudaMemLocation place_of(CUdevice device) {
  return device == cudaCpuDeviceId ? cudaMemLocation{cudaMemLocationTypeHost, 0}
                                   : cudaMemLocation{cudaMemLocationTypeDevice, device};
}
cudaMemoryAdvise advice_of(CUmem_advise advice) { return static_cast<cudaMemoryAdvise>(advice); }
cudaMemAllocationType type_of(CUmemAllocationType type) { return static_cast<cudaMemAllocationType>(type); }

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
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return put(to, duet::cuda::pool_at(allocation->base));
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
      return put(to, static_cast<size_t>(allocation->mapped_bytes));
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
      return put(to, allocation->base);
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      return put(to, static_cast<unsigned long long>(allocation->id));
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:  // no handle to it can be exported
      return put(to, std::uint64_t{0});
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
      return put(to, 0);
    default:  // P2P tokens are of a driver's older interface
      return cudaErrorInvalidValue;
  }
}

}  // namespace

DUET_CU_DO(cuMemGetInfo_v2, Other, Context, (size_t * free, size_t* total),
           duet::cuda::get_memory_info(session, free, total))
DUET_CU_UNLESS(bytes == 0 || address == nullptr, cuMemAlloc_v2, Allocate, Context,
               (CUdeviceptr * address, size_t bytes), allocate(thread, address, [&](void** to) {
                 return duet::cuda::allocate(session, thread, to, bytes);
               }))
DUET_CU_UNLESS(!pitched(width, height, element) || address == nullptr, cuMemAllocPitch_v2, Allocate, Context,
               (CUdeviceptr * address, size_t* pitch, size_t width, size_t height, unsigned element),
               allocate(thread, address, [&](void** to) {
                 return duet::cuda::allocate_pitched(session, thread, to, pitch, width, height);
               }))
DUET_CU_UNLESS(address == nullptr, cuMemAllocManaged, Allocate, Context,
               (CUdeviceptr * address, size_t bytes, unsigned flags),
               allocate(thread, address,
                        [&](void** to) { return duet::cuda::allocate_managed(session, to, bytes, flags); }))
DUET_CU_DO(cuMemFree_v2, Allocate, Context, (CUdeviceptr address), release(session, thread, address))
DUET_CU_BODY(cuMemAllocHost_v2, Allocate, Context, (void** pointer, size_t bytes)) {
  const cudaError_t error = duet::cuda::allocate_host(session, thread, pointer, bytes, 0);
  return pointer == nullptr ? error : owned(thread, error, *pointer);
}
DUET_CU_END
DUET_CU_BODY(cuMemHostAlloc, Allocate, Context, (void** pointer, size_t bytes, unsigned flags)) {
  const cudaError_t error = duet::cuda::allocate_host(session, thread, pointer, bytes, flags);
  return pointer == nullptr ? error : owned(thread, error, *pointer);
}
DUET_CU_END
DUET_CU_UNLESS(pointer == nullptr, cuMemFreeHost, Allocate, Context, (void* pointer),
               (disown(duet::virtual_address(pointer)), duet::cuda::release_host(session, thread, pointer)))
DUET_CU_DO(cuMemHostRegister_v2, Allocate, Context, (void* pointer, size_t bytes, unsigned flags),
           duet::cuda::register_host(session, pointer, bytes, flags))
DUET_CU_DO(cuMemHostUnregister, Allocate, Context, (void* pointer),
           duet::cuda::unregister_host(session, thread, pointer))
DUET_CU_DO(cuMemHostGetDevicePointer_v2, Other, Context, (CUdeviceptr * address, void* host, unsigned flags),
           duet::cuda::get_device_pointer(session, reinterpret_cast<void**>(address), host, flags))
DUET_CU_DO(cuMemHostGetFlags, Other, Context, (unsigned* flags, void* host),
           duet::cuda::get_host_flags(session, flags, host))

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
    if (error == cudaSuccess) continue;
    if (values[i] == nullptr) return error;
    switch (attributes[i]) {
      case CU_POINTER_ATTRIBUTE_CONTEXT:
      case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
      case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
      case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        put(values[i], std::uint64_t{0});
        break;
      case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        put(values[i], CU_DEVICE_INVALID);
        break;
      case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
        return error;
      default:
        if (attributes[i] > CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE) return error;
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

DUET_CU_DO(cuMemPrefetchAsync_v2, Other, Context,
           (CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned flags, CUstream stream),
           duet::cuda::prefetch(session, pointer_of(address), bytes, *place_of(&location), flags, stream))
DUET_CU_DO(cuMemAdvise_v2, Other, Context,
           (CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation location),
           duet::cuda::check_advice(session, pointer_of(address), bytes, advice_of(advice),
                                    *place_of(&location)))
DUET_CU_DO(cuMemPrefetchAsync, Other, Context,
           (CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream),
           duet::cuda::prefetch(session, pointer_of(address), bytes, place_of(device), 0, stream))
DUET_CU_DO(cuMemAdvise, Other, Context,
           (CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device),
           duet::cuda::check_advice(session, pointer_of(address), bytes, advice_of(advice), place_of(device)))
DUET_CU_DO(cuStreamAttachMemAsync, Other, Context,
           (CUstream stream, CUdeviceptr address, size_t bytes, unsigned flags),
           duet::cuda::attach_memory(session, stream, pointer_of(address), bytes, flags))

DUET_CU_UNLESS(address == nullptr, cuMemAllocAsync, Allocate, Init,
               (CUdeviceptr * address, size_t bytes, CUstream stream),
               allocate_in(session, thread, stream, address, [&](void** to) {
                 return duet::cuda::allocate_in_stream(session, thread, to, bytes, duet::cuda::current_pool(),
                                                       stream);
               }))
DUET_CU_UNLESS(address == nullptr, cuMemAllocFromPoolAsync, Allocate, Init,
               (CUdeviceptr * address, size_t bytes, CUmemoryPool pool, CUstream stream),
               allocate_in(session, thread, stream, address, [&](void** to) {
                 return duet::cuda::allocate_in_stream(session, thread, to, bytes, pool, stream);
               }))
DUET_CU_STREAM(cuMemFreeAsync, Allocate, (CUdeviceptr address, CUstream stream),
               (disown(VirtualAddress(address)),
                duet::cuda::release_in_stream(session, pointer_of(address), stream)))
DUET_CU_DO(cuDeviceGetDefaultMemPool, Other, Init, (CUmemoryPool * pool, CUdevice device),
           duet::cuda::get_default_pool(pool, device))
DUET_CU_DO(cuDeviceGetMemPool, Other, Init, (CUmemoryPool * pool, CUdevice device),
           duet::cuda::get_pool(pool, device))
DUET_CU_DO(cuDeviceSetMemPool, Other, Init, (CUdevice device, CUmemoryPool pool),
           duet::cuda::set_pool(device, pool))
DUET_CU_DO(cuMemGetDefaultMemPool, Other, Init,
           (CUmemoryPool * pool, CUmemLocation* location, CUmemAllocationType type),
           duet::cuda::get_default_pool_at(pool, place_of(location), type_of(type)))
DUET_CU_DO(cuMemGetMemPool, Other, Init,
           (CUmemoryPool * pool, CUmemLocation* location, CUmemAllocationType type),
           duet::cuda::get_pool_at(pool, place_of(location), type_of(type)))
DUET_CU_DO(cuMemSetMemPool, Other, Init,
           (CUmemLocation * location, CUmemAllocationType type, CUmemoryPool pool),
           duet::cuda::set_pool_at(place_of(location), type_of(type), pool))
DUET_CU_DO(cuMemPoolCreate, Other, Init, (CUmemoryPool * pool, const CUmemPoolProps* properties),
           duet::cuda::create_pool(pool, reinterpret_cast<const cudaMemPoolProps*>(properties)))
DUET_CU_DO(cuMemPoolDestroy, Other, Init, (CUmemoryPool pool), duet::cuda::destroy_pool(session, pool))
DUET_CU_DO(cuMemPoolSetAttribute, Other, Init,
           (CUmemoryPool pool, CUmemPool_attribute attribute, void* value),
           duet::cuda::set_pool_attribute(pool, static_cast<cudaMemPoolAttr>(attribute), value))
DUET_CU_DO(cuMemPoolGetAttribute, Other, Init,
           (CUmemoryPool pool, CUmemPool_attribute attribute, void* value),
           duet::cuda::get_pool_attribute(pool, static_cast<cudaMemPoolAttr>(attribute), value))
DUET_CU_DO(cuMemPoolTrimTo, Other, Init, (CUmemoryPool pool, size_t keep),
           duet::cuda::trim_pool(session, pool, keep))
DUET_CU_DO(cuMemPoolSetAccess, Other, Init, (CUmemoryPool pool, const CUmemAccessDesc* access, size_t count),
           duet::cuda::set_pool_access(pool, reinterpret_cast<const cudaMemAccessDesc*>(access), count))
DUET_CU_DO(cuMemPoolGetAccess, Other, Init,
           (CUmemAccess_flags * flags, CUmemoryPool pool, CUmemLocation* location),
           duet::cuda::get_pool_access(reinterpret_cast<cudaMemAccessFlags*>(flags), pool,
                                       reinterpret_cast<cudaMemLocation*>(location)))
