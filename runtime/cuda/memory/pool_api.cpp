// Memory pools: handles, attributes, allocation and release in stream order.
#include <algorithm>

#include "cuda/memory/memory_calls.h"
#include "cuda/memory/pools.h"
#include "cuda/streams/capture.h"

using duet::Bytes;
using duet::VirtualAddress;
using duet::cuda::Session;
using duet::cuda::StreamUse;
using duet::cuda::ThreadState;
using Pool = CUmemPoolHandle_st;

namespace duet::cuda {

Pool* default_pool() {
  static Pool* const pool = &static_cast<Pool&>(core::add_pool(std::make_unique<Pool>()));
  return pool;
}

Pool*& current_pool() {
  static Pool* current = default_pool();
  return current;
}

Pool* pool_at(VirtualAddress base) { return static_cast<Pool*>(core::pool_of(base)); }

void forget_pool_attributes() {
  current_pool() = default_pool();
  std::fill(std::begin(default_pool()->reuse), std::end(default_pool()->reuse), 1);
}

namespace {

// The first pool is the default one: pools are trimmed in their order.
bool is_pool(const Pool* pool) { return default_pool() != nullptr && core::is_pool(pool); }

// Makes a node of the stream's captured graph.
cudaError_t capture_allocation(Session& session, const StreamUse& use, void** pointer, Bytes bytes) {
  cudaMemAllocNodeParams params{};
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location = {cudaMemLocationTypeDevice, 0};
  params.bytesize = bytes;
  MemAllocWork work;
  if (const cudaError_t error = allocation_work(session, params, work); error != cudaSuccess) return error;
  *pointer = params.dptr;
  return capture(use, std::move(work));
}

bool is_device(const cudaMemLocation& location) {
  return location.type == cudaMemLocationTypeDevice && location.id == 0;
}

// The value of a 64-bit attribute; null for the others.
std::uint64_t* wide_attribute(Pool& pool, cudaMemPoolAttr attribute) {
  switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold:
      return &pool.release_threshold;
    case cudaMemPoolAttrReservedMemCurrent:
      return &pool.reserved_bytes;
    case cudaMemPoolAttrReservedMemHigh:
      return &pool.reserved_high;
    case cudaMemPoolAttrUsedMemCurrent:
      return &pool.used_bytes;
    case cudaMemPoolAttrUsedMemHigh:
      return &pool.used_high;
    default:
      return nullptr;
  }
}

int* reuse_attribute(Pool& pool, cudaMemPoolAttr attribute) {
  const bool known = attribute >= cudaMemPoolReuseFollowEventDependencies &&
                     attribute <= cudaMemPoolReuseAllowInternalDependencies;
  return known ? &pool.reuse[attribute - cudaMemPoolReuseFollowEventDependencies] : nullptr;
}

}  // namespace

}  // namespace duet::cuda

using namespace duet::cuda;

DUET_API(cudaMallocAsync, Allocate, (void** pointer, size_t bytes, cudaStream_t stream)) {
  return duet::cuda::allocate_in_stream(session, thread, pointer, bytes, current_pool(), stream);
}
DUET_END
cudaError_t duet::cuda::allocate_in_stream(Session& session, ThreadState& thread, void** pointer,
                                           size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  if (pointer == nullptr || !is_pool(pool)) return cudaErrorInvalidValue;
  StreamUse use;
  if (const cudaError_t error = enter_stream(session, stream, use); error != cudaSuccess) return error;
  *pointer = nullptr;
  if (bytes == 0) return cudaErrorInvalidValue;
  if (use.capture != nullptr) return capture_allocation(session, use, pointer, bytes);
  VirtualAddress address;
  const cudaError_t error =
      error_of(core::allocate_from_pool(session.core(), *thread.host, *pool, bytes, use.id, address));
  *pointer = duet::pointer_of(address);
  return error;
}
DUET_API(cudaMallocFromPoolAsync, Allocate,
         (void** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)) {
  return duet::cuda::allocate_in_stream(session, thread, pointer, bytes, pool, stream);
}
DUET_END
cudaError_t duet::cuda::release_in_stream(Session& session, void* pointer, cudaStream_t stream) {
  StreamUse use;
  if (const cudaError_t error = enter_stream(session, stream, use); error != cudaSuccess) return error;
  if (pointer == nullptr) return cudaSuccess;
  const VirtualAddress address = duet::virtual_address(pointer);
  const auto memory = core::graph_memory_of(address);
  if (use.capture != nullptr) {
    if (memory == nullptr) return refuse_capture(use, cudaErrorInvalidValue);
    return capture(use, MemFreeWork{memory});
  }
  if (memory != nullptr) return error_of(core::free_graph_memory(memory));
  return error_of(core::free_in_stream(session.core(), address, use.id));
}
DUET_API(cudaFreeAsync, Allocate, (void* pointer, cudaStream_t stream)) {
  return duet::cuda::release_in_stream(session, pointer, stream);
}
DUET_END

cudaError_t duet::cuda::get_default_pool(cudaMemPool_t* pool, int device) {
  if (device != 0) return cudaErrorInvalidDevice;
  if (pool == nullptr) return cudaErrorInvalidValue;
  *pool = default_pool();
  return cudaSuccess;
}
DUET_API(cudaDeviceGetDefaultMemPool, Other, (cudaMemPool_t * pool, int device)) {
  return duet::cuda::get_default_pool(pool, device);
}
DUET_END
cudaError_t duet::cuda::get_pool(cudaMemPool_t* pool, int device) {
  if (device != 0) return cudaErrorInvalidDevice;
  if (pool == nullptr) return cudaErrorInvalidValue;
  *pool = current_pool();
  return cudaSuccess;
}
namespace {
// There are pools of device memory alone.
cudaError_t check_place(const cudaMemLocation* location, cudaMemAllocationType type) {
  if (location == nullptr) return cudaErrorInvalidValue;
  const bool managed = type == cudaMemAllocationTypeManaged;
  if (!managed && type != cudaMemAllocationTypePinned) return cudaErrorInvalidValue;
  switch (location->type) {
    case cudaMemLocationTypeDevice:
      if (location->id != 0) return cudaErrorInvalidDevice;
      return managed ? cudaErrorNotSupported : cudaSuccess;
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNuma:
      return cudaErrorNotSupported;
    default:
      return managed && location->type == cudaMemLocationTypeNone ? cudaErrorNotSupported
                                                                  : cudaErrorInvalidValue;
  }
}
}  // namespace
cudaError_t duet::cuda::get_default_pool_at(cudaMemPool_t* pool, const cudaMemLocation* location,
                                            cudaMemAllocationType type) {
  const cudaError_t error = check_place(location, type);
  return error != cudaSuccess ? error : get_default_pool(pool, location->id);
}
DUET_API(cudaMemGetDefaultMemPool, Other,
         (cudaMemPool_t * pool, cudaMemLocation* location, cudaMemAllocationType type)) {
  return duet::cuda::get_default_pool_at(pool, location, type);
}
DUET_END
cudaError_t duet::cuda::get_pool_at(cudaMemPool_t* pool, const cudaMemLocation* location,
                                    cudaMemAllocationType type) {
  const cudaError_t error = check_place(location, type);
  return error != cudaSuccess ? error : get_pool(pool, location->id);
}
DUET_API(cudaMemGetMemPool, Other,
         (cudaMemPool_t * pool, cudaMemLocation* location, cudaMemAllocationType type)) {
  return duet::cuda::get_pool_at(pool, location, type);
}
DUET_END
cudaError_t duet::cuda::set_pool_at(const cudaMemLocation* location, cudaMemAllocationType type,
                                    cudaMemPool_t pool) {
  const cudaError_t error = check_place(location, type);
  return error != cudaSuccess ? error : set_pool(location->id, pool);
}
DUET_API(cudaMemSetMemPool, Other,
         (cudaMemLocation * location, cudaMemAllocationType type, cudaMemPool_t pool)) {
  return duet::cuda::set_pool_at(location, type, pool);
}
DUET_END
DUET_API(cudaDeviceGetMemPool, Other, (cudaMemPool_t * pool, int device)) {
  return duet::cuda::get_pool(pool, device);
}
DUET_END
cudaError_t duet::cuda::set_pool(int device, cudaMemPool_t pool) {
  if (device != 0) return cudaErrorInvalidDevice;
  if (!is_pool(pool)) return cudaErrorInvalidValue;
  current_pool() = pool;
  return cudaSuccess;
}
DUET_API(cudaDeviceSetMemPool, Other, (int device, cudaMemPool_t pool)) {
  return duet::cuda::set_pool(device, pool);
}
DUET_END

cudaError_t duet::cuda::create_pool(cudaMemPool_t* pool, const cudaMemPoolProps* props) {
  if (pool == nullptr || props == nullptr || props->allocType != cudaMemAllocationTypePinned)
    return cudaErrorInvalidValue;
  if (props->handleTypes != cudaMemHandleTypeNone) return cudaErrorNotSupported;
  if (props->location.type != cudaMemLocationTypeDevice) return cudaErrorNotSupported;
  if (!is_device(props->location)) return cudaErrorInvalidDevice;
  default_pool();  // it comes first
  *pool = &static_cast<Pool&>(duet::core::add_pool(std::make_unique<Pool>()));
  (*pool)->max_bytes = props->maxSize;
  return cudaSuccess;
}
DUET_API(cudaMemPoolCreate, Other, (cudaMemPool_t * pool, const cudaMemPoolProps* props)) {
  return duet::cuda::create_pool(pool, props);
}
DUET_END
cudaError_t duet::cuda::destroy_pool(Session& session, cudaMemPool_t pool) {
  if (!is_pool(pool) || pool == default_pool()) return cudaErrorInvalidValue;
  if (current_pool() == pool) current_pool() = default_pool();
  duet::core::destroy_pool(session.core(), *pool);
  return cudaSuccess;
}
DUET_API(cudaMemPoolDestroy, Other, (cudaMemPool_t pool)) { return duet::cuda::destroy_pool(session, pool); }
DUET_END

cudaError_t duet::cuda::set_pool_attribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  if (!is_pool(pool) || value == nullptr) return cudaErrorInvalidValue;
  if (int* reuse = reuse_attribute(*pool, attribute)) {
    *reuse = *static_cast<const int*>(value);
    return cudaSuccess;
  }
  const auto wide = wide_attribute(*pool, attribute);
  if (wide == nullptr) return cudaErrorInvalidValue;
  const std::uint64_t number = *static_cast<const std::uint64_t*>(value);
  if (attribute == cudaMemPoolAttrReleaseThreshold) {
    *wide = number;
    return cudaSuccess;
  }
  const bool high = attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh;
  if (!high || number != 0) return cudaErrorInvalidValue;  // high marks can only be reset
  *wide = attribute == cudaMemPoolAttrUsedMemHigh ? pool->used_bytes : pool->reserved_bytes;
  return cudaSuccess;
}
DUET_API(cudaMemPoolSetAttribute, Other, (cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value)) {
  return duet::cuda::set_pool_attribute(pool, attribute, value);
}
DUET_END
cudaError_t duet::cuda::get_pool_attribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  if (!is_pool(pool) || value == nullptr) return cudaErrorInvalidValue;
  if (const int* reuse = reuse_attribute(*pool, attribute)) {
    *static_cast<int*>(value) = *reuse;
    return cudaSuccess;
  }
  const auto wide = wide_attribute(*pool, attribute);
  if (wide == nullptr) return cudaErrorInvalidValue;
  *static_cast<std::uint64_t*>(value) = *wide;
  return cudaSuccess;
}
DUET_API(cudaMemPoolGetAttribute, Other, (cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value)) {
  return duet::cuda::get_pool_attribute(pool, attribute, value);
}
DUET_END
cudaError_t duet::cuda::trim_pool(Session& session, cudaMemPool_t pool, size_t keep) {
  if (!is_pool(pool)) return cudaErrorInvalidValue;
  duet::core::trim_pool(session.core(), *pool, keep);
  return cudaSuccess;
}
DUET_API(cudaMemPoolTrimTo, Other, (cudaMemPool_t pool, size_t keep)) {
  return duet::cuda::trim_pool(session, pool, keep);
}
DUET_END

// One device; it may always read and write.
cudaError_t duet::cuda::set_pool_access(cudaMemPool_t pool, const cudaMemAccessDesc* access, size_t count) {
  if (!is_pool(pool) || (access == nullptr && count != 0)) return cudaErrorInvalidValue;
  const bool fits = std::all_of(access, access + count, [](const cudaMemAccessDesc& one) {
    return is_device(one.location) && one.flags == cudaMemAccessFlagsProtReadWrite;
  });
  return fits ? cudaSuccess : cudaErrorInvalidValue;
}
DUET_API(cudaMemPoolSetAccess, Other, (cudaMemPool_t pool, const cudaMemAccessDesc* access, size_t count)) {
  return duet::cuda::set_pool_access(pool, access, count);
}
DUET_END
cudaError_t duet::cuda::get_pool_access(cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                        cudaMemLocation* location) {
  if (flags == nullptr || !is_pool(pool) || location == nullptr) return cudaErrorInvalidValue;
  *flags = is_device(*location) ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
  return cudaSuccess;
}
DUET_API(cudaMemPoolGetAccess, Other,
         (cudaMemAccessFlags * flags, cudaMemPool_t pool, cudaMemLocation* location)) {
  return duet::cuda::get_pool_access(flags, pool, location);
}
DUET_END
