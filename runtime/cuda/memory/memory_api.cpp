// Memory allocation: device, pinned, mapped, managed (shared memory: host and GPU reach the same bytes, see
// managed_guard.h for when), registered; and queries about pointers.
#include <cstdint>

#include "core/memory.h"
#include "cuda/device/device_description.h"
#include "cuda/memory/memory_calls.h"
#include "cuda/session/session.h"
#include "cuda/streams/capture.h"

using duet::Bytes;
using duet::VirtualAddress;
using duet::core::Attachment;
using duet::cuda::error_of;
using duet::cuda::Session;
using duet::cuda::ThreadState;
using duet::memory::Allocation;
using duet::memory::AllocationKind;

namespace {

VirtualAddress address_of(const void* pointer) { return duet::virtual_address(pointer); }

// Of one of the flags cudaMemAttach....
Attachment attachment_of(unsigned flags) {
  return flags == cudaMemAttachHost     ? Attachment::Host
         : flags == cudaMemAttachSingle ? Attachment::Single
                                        : Attachment::Global;
}

// Rows start at multiples of this, so each coalesces as an aligned access
// (cudaDeviceProp::texturePitchAlignment's order).
constexpr Bytes kPitchAlignment = 512;

// The bytes of rows of `width` bytes; more than any machine has where the product has no number.
Bytes pitched_bytes(size_t width, size_t rows, size_t slices, size_t& pitch) {
  size_t bytes = 0;
  pitch = 0;
  if (width > SIZE_MAX - kPitchAlignment) return SIZE_MAX;
  pitch = duet::round_up<size_t>(width, kPitchAlignment);
  return __builtin_mul_overflow(pitch, rows, &bytes) || __builtin_mul_overflow(bytes, slices, &bytes)
             ? SIZE_MAX
             : bytes;
}

constexpr unsigned kRegisterFlags =
    cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;

}  // namespace

cudaError_t duet::cuda::allocate(Session& session, ThreadState& thread, void** pointer, size_t bytes) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  if (const cudaError_t error = check_unsafe(thread); error != cudaSuccess) return error;
  VirtualAddress address;
  const cudaError_t error = error_of(core::allocate(session.core(), bytes, address));
  *pointer = duet::pointer_of(address);
  return error;
}
DUET_API(cudaMalloc, Allocate, (void** pointer, size_t bytes)) {
  return duet::cuda::allocate(session, thread, pointer, bytes);
}
DUET_END

cudaError_t duet::cuda::allocate_pitched(Session& session, ThreadState& thread, void** pointer, size_t* pitch,
                                         size_t width, size_t height) {
  if (pointer == nullptr || pitch == nullptr) return cudaErrorInvalidValue;
  size_t found = 0;
  const Bytes bytes = pitched_bytes(width, height, 1, found);
  const cudaError_t error = duet::cuda::allocate(session, thread, pointer, bytes);
  if (error == cudaSuccess) *pitch = found;
  return error;
}
DUET_API(cudaMallocPitch, Allocate, (void** pointer, size_t* pitch, size_t width, size_t height)) {
  return duet::cuda::allocate_pitched(session, thread, pointer, pitch, width, height);
}
DUET_END

DUET_API(cudaMalloc3D, Allocate, (cudaPitchedPtr * pitched, cudaExtent extent)) {
  if (pitched == nullptr) return cudaErrorInvalidValue;
  cudaPitchedPtr made{nullptr, 0, extent.width, extent.height};
  const Bytes bytes = pitched_bytes(extent.width, extent.height, extent.depth, made.pitch);
  const cudaError_t error = duet::cuda::allocate(session, thread, &made.ptr, bytes);
  if (error == cudaSuccess) *pitched = made;
  return error;
}
DUET_END

cudaError_t duet::cuda::release(Session& session, ThreadState& thread, void* pointer) {
  if (pointer == nullptr) return cudaSuccess;
  if (const cudaError_t error = check_unsafe(thread); error != cudaSuccess) return error;
  return error_of(core::release(session.core(), *thread.host, ::address_of(pointer)));
}
DUET_API(cudaFree, Allocate, (void* pointer)) { return duet::cuda::release(session, thread, pointer); }
DUET_END

DUET_API(cudaMallocHost, Allocate, (void** pointer, size_t bytes)) {
  return duet::cuda::allocate_host(session, thread, pointer, bytes, 0);
}
DUET_END
cudaError_t duet::cuda::allocate_host(Session& session, ThreadState& thread, void** pointer, size_t bytes,
                                      unsigned flags) {
  if (pointer == nullptr || (flags & ~7u) != 0) return cudaErrorInvalidValue;
  if (const cudaError_t error = check_unsafe(thread); error != cudaSuccess) return error;
  *pointer = bytes == 0 ? nullptr
                        : session.core().allocate_host(
                              bytes, AllocationKind::Pinned,
                              {(flags & cudaHostAllocWriteCombined) != 0, Attachment::Global, flags});
  return bytes == 0 || *pointer != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}
DUET_API(cudaHostAlloc, Allocate, (void** pointer, size_t bytes, unsigned flags)) {
  return duet::cuda::allocate_host(session, thread, pointer, bytes, flags);
}
DUET_END

cudaError_t duet::cuda::release_host(Session& session, ThreadState& thread, void* pointer) {
  if (pointer == nullptr) return cudaSuccess;
  if (!duet::core::begins_at(session.core(), address_of(pointer), AllocationKind::Pinned))
    return cudaErrorInvalidValue;
  if (const cudaError_t error = duet::cuda::check_unsafe(thread); error != cudaSuccess) return error;
  return error_of(duet::core::release_host(session.core(), *thread.host, address_of(pointer)));
}
DUET_API(cudaFreeHost, Allocate, (void* pointer)) {
  return duet::cuda::release_host(session, thread, pointer);
}
DUET_END

cudaError_t duet::cuda::allocate_managed(Session& session, void** pointer, size_t bytes, unsigned flags) {
  if (pointer == nullptr || bytes == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
    return cudaErrorInvalidValue;
  *pointer =
      session.core().allocate_host(bytes, AllocationKind::Managed, {false, attachment_of(flags), flags});
  return *pointer != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}
DUET_API(cudaMallocManaged, Allocate, (void** pointer, size_t bytes, unsigned flags)) {
  return duet::cuda::allocate_managed(session, pointer, bytes, flags);
}
DUET_END

cudaError_t duet::cuda::register_host(Session& session, void* pointer, size_t bytes, unsigned flags) {
  if (pointer == nullptr || bytes == 0 || (flags & ~kRegisterFlags) != 0) return cudaErrorInvalidValue;
  int read_only = 0;
  if (const cudaError_t error = attribute_value(session, cudaDevAttrHostRegisterReadOnlySupported, read_only);
      error != cudaSuccess)
    return error;
  if ((flags & cudaHostRegisterReadOnly) != 0 && read_only == 0) return cudaErrorNotSupported;
  return error_of(duet::core::register_host(session.core(), pointer, bytes, flags));
}
DUET_API(cudaHostRegister, Allocate, (void* pointer, size_t bytes, unsigned flags)) {
  return duet::cuda::register_host(session, pointer, bytes, flags);
}
DUET_END

cudaError_t duet::cuda::unregister_host(Session& session, ThreadState& thread, void* pointer) {
  return error_of(duet::core::unregister_host(session.core(), *thread.host, address_of(pointer)));
}
DUET_API(cudaHostUnregister, Allocate, (void* pointer)) {
  return duet::cuda::unregister_host(session, thread, pointer);
}
DUET_END

cudaError_t duet::cuda::get_device_pointer(Session& session, void** device, void* host, unsigned flags) {
  if (device == nullptr || flags != 0) return cudaErrorInvalidValue;
  const Allocation* allocation = session.space().find(address_of(host));
  if (allocation == nullptr || allocation->in_device_memory()) return cudaErrorInvalidValue;
  *device = host;  // unified addressing: the same address on both sides
  return cudaSuccess;
}
DUET_API(cudaHostGetDevicePointer, Other, (void** device, void* host, unsigned flags)) {
  return duet::cuda::get_device_pointer(session, device, host, flags);
}
DUET_END

cudaError_t duet::cuda::get_host_flags(Session& session, unsigned* flags, void* host) {
  const Allocation* allocation = session.space().find(address_of(host));
  if (flags == nullptr || allocation == nullptr || allocation->kind != AllocationKind::Pinned)
    return cudaErrorInvalidValue;
  *flags = allocation->flags | cudaHostAllocMapped;
  return cudaSuccess;
}
DUET_API(cudaHostGetFlags, Other, (unsigned* flags, void* host)) {
  return duet::cuda::get_host_flags(session, flags, host);
}
DUET_END

cudaError_t duet::cuda::get_memory_info(Session& session, size_t* free, size_t* total) {
  if (free == nullptr || total == nullptr) return cudaErrorInvalidValue;
  *free = session.space().device_bytes_free();
  *total = session.space().device_bytes();
  return cudaSuccess;
}
DUET_API(cudaMemGetInfo, Other, (size_t * free, size_t* total)) {
  return duet::cuda::get_memory_info(session, free, total);
}
DUET_END

DUET_API(cudaPointerGetAttributes, Other, (cudaPointerAttributes * attributes, const void* pointer)) {
  if (attributes == nullptr) return cudaErrorInvalidValue;
  *attributes = {};
  const Allocation* allocation = session.space().find(address_of(pointer));
  void* const same = const_cast<void*>(pointer);
  if (allocation == nullptr) {
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->hostPointer = same;
    return cudaSuccess;
  }
  attributes->devicePointer = same;
  switch (allocation->kind) {
    case AllocationKind::Device:
    case AllocationKind::Module:
    case AllocationKind::Constants:
    case AllocationKind::Heap:
      attributes->type = cudaMemoryTypeDevice;
      break;
    case AllocationKind::Managed:
      attributes->type = cudaMemoryTypeManaged;
      attributes->hostPointer = same;
      break;
    default:
      attributes->type = cudaMemoryTypeHost;
      attributes->hostPointer = same;
  }
  return cudaSuccess;
}
DUET_END

DUET_API(cudaGetSymbolAddress, Other, (void** address, const void* symbol)) {
  Bytes bytes = 0;
  const VirtualAddress found = session.symbol_address(symbol, bytes);
  if (!found) return cudaErrorInvalidSymbol;
  if (address == nullptr) return cudaErrorInvalidValue;
  *address = duet::pointer_of(found);
  return cudaSuccess;
}
DUET_END

DUET_API(cudaGetSymbolSize, Other, (size_t * size, const void* symbol)) {
  Bytes bytes = 0;
  if (!session.symbol_address(symbol, bytes)) return cudaErrorInvalidSymbol;
  if (size == nullptr) return cudaErrorInvalidValue;
  *size = bytes;
  return cudaSuccess;
}
DUET_END

// Managed memory is plain shared memory: nothing has to move ahead of its use, and advice changes nothing.
namespace {
cudaError_t check_managed(Session& session, const void* pointer, size_t count) {
  const Allocation* allocation = session.space().find(address_of(pointer));
  if (allocation == nullptr || allocation->kind != AllocationKind::Managed ||
      count > allocation->end() - address_of(pointer))
    return cudaErrorInvalidValue;
  return cudaSuccess;
}

// There is one device; the host's number says nothing.
cudaError_t check_location(const cudaMemLocation& location, bool numa) {
  switch (location.type) {
    case cudaMemLocationTypeDevice:
      return location.id == 0 ? cudaSuccess : cudaErrorInvalidDevice;
    case cudaMemLocationTypeHost:
      return cudaSuccess;
    case cudaMemLocationTypeHostNuma:
    case cudaMemLocationTypeHostNumaCurrent:
      return numa ? cudaSuccess : cudaErrorInvalidValue;
    default:
      return cudaErrorInvalidValue;
  }
}
}  // namespace
cudaError_t duet::cuda::prefetch(Session& session, const void* pointer, size_t count,
                                 const cudaMemLocation& location, unsigned flags, cudaStream_t stream) {
  if (!session.valid_stream(stream)) return cudaErrorInvalidResourceHandle;
  if (flags != 0) return cudaErrorInvalidValue;
  if (const cudaError_t error = check_location(location, true); error != cudaSuccess) return error;
  return check_managed(session, pointer, count);
}
DUET_API(cudaMemPrefetchAsync, Other,
         (const void* pointer, size_t count, cudaMemLocation location, unsigned flags, cudaStream_t stream)) {
  return duet::cuda::prefetch(session, pointer, count, location, flags, stream);
}
DUET_END
cudaError_t duet::cuda::check_advice(Session& session, const void* pointer, size_t count,
                                     cudaMemoryAdvise advice, const cudaMemLocation& location) {
  cudaError_t error = cudaSuccess;
  switch (advice) {
    case cudaMemAdviseSetReadMostly:
    case cudaMemAdviseUnsetReadMostly:
    case cudaMemAdviseUnsetPreferredLocation:
      break;  // the location says nothing
    case cudaMemAdviseSetPreferredLocation:
      error = check_location(location, true);
      break;
    case cudaMemAdviseSetAccessedBy:
    case cudaMemAdviseUnsetAccessedBy:
      error = check_location(location, false);
      break;
    default:
      return cudaErrorInvalidValue;
  }
  return error != cudaSuccess ? error : check_managed(session, pointer, count);
}
DUET_API(cudaMemAdvise, Other,
         (const void* pointer, size_t count, cudaMemoryAdvise advice, cudaMemLocation location)) {
  return duet::cuda::check_advice(session, pointer, count, advice, location);
}
DUET_END
cudaError_t duet::cuda::attach_memory(Session& session, cudaStream_t stream, void* pointer, size_t bytes,
                                      unsigned flags) {
  if (!session.valid_stream(stream)) return cudaErrorInvalidResourceHandle;
  if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle)
    return cudaErrorInvalidValue;
  if (flags == cudaMemAttachSingle && session.stream_handle(stream) == nullptr) return cudaErrorInvalidValue;
  if (const cudaError_t error = check_managed(session, pointer, 0); error != cudaSuccess) return error;
  const Allocation* allocation = session.space().find(address_of(pointer));
  if (allocation->base != address_of(pointer) || (bytes != 0 && bytes != allocation->bytes))
    return cudaErrorInvalidValue;
  if (duet::core::ManagedGuard* guard = session.core().managed_guard())
    guard->attach(allocation->base, attachment_of(flags), session.stream_id(stream));
  return cudaSuccess;
}
DUET_API(cudaStreamAttachMemAsync, Other,
         (cudaStream_t stream, void* pointer, size_t bytes, unsigned flags)) {
  return duet::cuda::attach_memory(session, stream, pointer, bytes, flags);
}
DUET_END
