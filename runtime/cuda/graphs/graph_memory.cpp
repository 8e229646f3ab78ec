#include "cuda/graphs/graph_memory.h"

#include "core/notes.h"

#include <algorithm>
#include <map>
#include <set>

namespace duet::cuda {

struct All {
  std::map<VirtualAddress, std::weak_ptr<GraphMemory>> by_address;
  std::set<std::shared_ptr<GraphMemory>> allocated;
  std::vector<VirtualAddress> leaving;  // named by nobody, perhaps still used by commands under way
  std::uint64_t used_high = 0, reserved_high = 0;

  std::uint64_t used() const {
    std::uint64_t bytes = 0;
    for (const auto& memory : allocated) bytes += memory->bytes;
    return bytes;
  }
  std::uint64_t reserved() const {
    std::uint64_t bytes = 0;
    for (const auto& [address, memory] : by_address)
      if (const auto alive = memory.lock()) bytes += alive->bytes;
    return bytes;
  }
};
static All& all() {  // never destroyed, as its guarding session
  static auto* const made = new All;
  return *made;
}

GraphMemory::~GraphMemory() {
  all().by_address.erase(address);
  all().leaving.push_back(address);
}

cudaError_t make_graph_memory(Session& session, cudaMemAllocNodeParams& params, MemAllocWork& work) {
  const cudaMemPoolProps& pool = params.poolProps;
  if (params.bytesize == 0 || pool.allocType != cudaMemAllocationTypePinned) return cudaErrorInvalidValue;
  if (pool.handleTypes != cudaMemHandleTypeNone || pool.location.type != cudaMemLocationTypeDevice)
    return cudaErrorNotSupported;
  if (pool.location.id != 0) return cudaErrorInvalidDevice;
  trim_graph_memory(session);
  const memory::Allocation* allocation = core::allocate_device(session.core(), params.bytesize);
  if (allocation == nullptr) return cudaErrorMemoryAllocation;
  work.memory = std::make_shared<GraphMemory>();
  work.memory->address = allocation->base;
  work.memory->bytes = allocation->mapped_bytes;
  all().by_address[allocation->base] = work.memory;
  all().reserved_high = std::max(all().reserved_high, all().reserved());
  params.dptr = duet::pointer_of(allocation->base);
  work.params = params;
  return cudaSuccess;
}

std::shared_ptr<GraphMemory> graph_memory_of(const void* pointer) {
  const auto found = all().by_address.find(duet::virtual_address(pointer));
  return found == all().by_address.end() ? nullptr : found->second.lock();
}

cudaError_t allocate_graph_memory(const std::shared_ptr<GraphMemory>& memory, bool free_first) {
  if (memory->allocated && !free_first) return cudaErrorInvalidValue;
  memory->allocated = true;
  all().allocated.insert(memory);
  all().used_high = std::max(all().used_high, all().used());
  return cudaSuccess;
}

cudaError_t free_graph_memory(const std::shared_ptr<GraphMemory>& memory) {
  if (!memory->allocated) return cudaErrorInvalidValue;
  memory->allocated = false;
  all().allocated.erase(memory);
  return cudaSuccess;
}

void trim_graph_memory(Session& session) {
  if (all().leaving.empty() || !session.driver().all_idle()) return;
  for (const VirtualAddress address : all().leaving)
    if (const memory::Allocation* allocation = session.space().find(address))
      session.process().release_device(*allocation);
  all().leaving.clear();
}

}  // namespace duet::cuda

using duet::cuda::all;

DUET_API(cudaDeviceGraphMemTrim, Other, (int device)) {
  if (device != 0) return cudaErrorInvalidDevice;
  duet::cuda::trim_graph_memory(session);
  return cudaSuccess;
}
DUET_END
DUET_API(cudaDeviceGetGraphMemAttribute, Other,
         (int device, cudaGraphMemAttributeType attribute, void* value)) {
  if (device != 0) return cudaErrorInvalidDevice;
  if (value == nullptr) return cudaErrorInvalidValue;
  auto& number = *static_cast<std::uint64_t*>(value);
  switch (attribute) {
    case cudaGraphMemAttrUsedMemCurrent:
      number = all().used();
      return cudaSuccess;
    case cudaGraphMemAttrUsedMemHigh:
      number = all().used_high;
      return cudaSuccess;
    case cudaGraphMemAttrReservedMemCurrent:
      number = all().reserved();
      return cudaSuccess;
    case cudaGraphMemAttrReservedMemHigh:
      number = all().reserved_high;
      return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}
DUET_END
// High marks can only be reset.
DUET_API(cudaDeviceSetGraphMemAttribute, Other,
         (int device, cudaGraphMemAttributeType attribute, void* value)) {
  if (device != 0) return cudaErrorInvalidDevice;
  if (value == nullptr || *static_cast<const std::uint64_t*>(value) != 0) return cudaErrorInvalidValue;
  if (attribute == cudaGraphMemAttrUsedMemHigh)
    all().used_high = all().used();
  else if (attribute == cudaGraphMemAttrReservedMemHigh)
    all().reserved_high = all().reserved();
  else
    return cudaErrorInvalidValue;
  return cudaSuccess;
}
DUET_END
