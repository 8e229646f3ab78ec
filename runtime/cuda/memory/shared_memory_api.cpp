// duet.h: memory that caches of cores and GPU hold at once, and calls that write them back (sharedalloc and
// gpu_hook of dashti2017 section 3).
#include "cuda/session/session.h"
#include "memory/allocation_methods.h"

using duet::cuda::Session;
using duet::cuda::ThreadState;
using duet::memory::Allocation;
using duet::memory::AllocationKind;

namespace {

// Null: everything. The bytes lie in one allocation.
bool in_an_allocation(Session& session, const void* pointer, size_t bytes) {
  if (pointer == nullptr) return bytes == 0;
  const auto first = duet::virtual_address(pointer);
  const Allocation* const allocation = session.space().find(first);
  return allocation != nullptr && bytes != 0 && first + bytes <= allocation->base + allocation->bytes &&
         bytes <= allocation->bytes;
}

}  // namespace

DUET_API(duetSharedAlloc, Allocate, (void** pointer, size_t bytes)) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (duet::memory::method_of(session.core().config(), duet::memory::AllocatingCall::Shared) == nullptr)
    return cudaErrorNotSupported;
  if (const cudaError_t error = duet::cuda::check_unsafe(thread); error != cudaSuccess) return error;
  duet::core::HostMemoryUse use;
  use.shared = true;
  if (bytes != 0) *pointer = session.core().allocate_host(bytes, AllocationKind::Pinned, use);
  return bytes == 0 || *pointer != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}
DUET_END

DUET_API(duetFlushCpu, Other, (const void* pointer, size_t bytes)) {
  if (!in_an_allocation(session, pointer, bytes)) return cudaErrorInvalidValue;
  session.core().maintenance().flush_cpu(*thread.host, duet::virtual_address(pointer), bytes);
  return cudaSuccess;
}
DUET_END

DUET_API(duetFlushGpu, Other, (const void* pointer, size_t bytes)) {
  if (!in_an_allocation(session, pointer, bytes)) return cudaErrorInvalidValue;
  session.core().maintenance().flush_gpu(*thread.host, duet::virtual_address(pointer), bytes);
  return cudaSuccess;
}
DUET_END
