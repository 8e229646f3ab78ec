#include "cuda/memory/memory_pool.h"

#include <algorithm>
#include <map>

#include "core/notes.h"
#include "cuda/streams/capture.h"

using duet::Bytes;
using duet::VirtualAddress;
using duet::cuda::PoolBlock;
using duet::cuda::Session;
using duet::cuda::StreamUse;
using duet::cuda::ThreadState;
using duet::memory::Allocation;
using duet::memory::AllocationKind;
using Pool = CUmemPoolHandle_st;

namespace duet::cuda {

namespace {

struct Pools {
  std::vector<std::unique_ptr<Pool>> pools;  // the default pool first
  Pool* current = nullptr;
  std::map<VirtualAddress, PoolBlock> blocks;  // by address, so results do not depend on the host
};
Pools& all() {
  static Pools* const pools = [] {
    auto* made = new Pools;
    made->pools.push_back(std::make_unique<Pool>());
    made->current = made->pools.front().get();
    return made;
  }();
  return *pools;
}

bool is_pool(const Pool* pool) {
  return std::any_of(all().pools.begin(), all().pools.end(),
                     [&](const auto& one) { return one.get() == pool && !pool->destroyed; });
}

Bytes bytes_of(Session& session, VirtualAddress address) { return session.space().find(address)->bytes; }

bool passed(Session& session, PoolBlock& block) {
  std::erase_if(block.before, [&](driver::CommandId id) { return session.driver().complete(id); });
  return block.before.empty();
}

using Blocks = std::map<VirtualAddress, PoolBlock>::iterator;

Blocks give_back(Session& session, Blocks block) {
  const Allocation* allocation = session.space().find(block->first);
  if (Pool* pool = block->second.pool) {
    pool->reserved_bytes -= allocation->bytes;
    if (pool->destroyed && pool->reserved_bytes == 0)
      std::erase_if(all().pools, [&](const auto& one) { return one.get() == pool; });
  }
  session.process().release_device(*allocation);
  return all().blocks.erase(block);
}

// Gives back free blocks of the pool, whose frees have passed, until it keeps no more than `keep`.
void trim(Session& session, const Pool* pool, Bytes keep) {
  for (auto block = all().blocks.begin(); block != all().blocks.end();) {
    if (pool != nullptr && pool->reserved_bytes <= keep) return;
    const bool idle = block->second.pool == pool && !block->second.used && passed(session, block->second);
    const bool last =
        idle && pool != nullptr && pool->destroyed && pool->reserved_bytes == bytes_of(session, block->first);
    block = idle ? give_back(session, block) : std::next(block);
    if (last) return;  // the pool itself is gone
  }
}

// The smallest free block for the stream now, without more than half wasted.
Blocks find_free(Session& session, const Pool* pool, Bytes bytes, driver::StreamId stream) {
  auto& blocks = all().blocks;
  auto best = blocks.end();
  Bytes best_bytes = 0;
  for (auto block = blocks.begin(); block != blocks.end(); ++block) {
    PoolBlock& state = block->second;
    if (state.used || state.pool != pool) continue;
    const Bytes has = bytes_of(session, block->first);
    if (has < bytes || has / 2 > bytes || (best != blocks.end() && has >= best_bytes)) continue;
    if (state.stream != stream && !passed(session, state)) continue;
    best = block;
    best_bytes = has;
  }
  return best;
}

bool fits(const Pool& pool, Bytes bytes) {
  return pool.max_bytes == 0 || pool.reserved_bytes + bytes <= pool.max_bytes;
}

Blocks reserve(Session& session, Pool& pool, Bytes bytes) {
  auto& blocks = all().blocks;
  if (!fits(pool, bytes)) return blocks.end();
  const Allocation* allocation = core::allocate_device(session.core(), bytes);
  if (allocation == nullptr) return blocks.end();
  pool.reserved_bytes += bytes;
  pool.reserved_high = std::max(pool.reserved_high, pool.reserved_bytes);
  return blocks.emplace(allocation->base, PoolBlock{&pool, true, 0, {}}).first;
}

// Waits for memory freed by others, still in use, before it reports none.
Blocks reserve_hard(Session& session, ThreadState& thread, Pool& pool, Bytes bytes) {
  const auto give_all = [&] {
    trim(session, nullptr, 0);
    for (std::size_t i = all().pools.size(); i-- > 0;) trim(session, all().pools[i].get(), 0);
  };
  Blocks block = reserve(session, pool, bytes);
  if (block != all().blocks.end()) return block;
  give_all();
  block = reserve(session, pool, bytes);
  if (block != all().blocks.end()) return block;
  const bool pending =
      std::any_of(all().blocks.begin(), all().blocks.end(), [](const auto& one) { return !one.second.used; });
  if (!pending) return all().blocks.end();
  thread.host->wait(session.cost(CallKind::Allocate), [&] {
    return std::all_of(all().blocks.begin(), all().blocks.end(),
                       [&](auto& one) { return one.second.used || passed(session, one.second); });
  });
  give_all();
  return reserve(session, pool, bytes);
}

void mark_freed(Session& session, Blocks block) {
  block->second.used = false;
  if (Pool* pool = block->second.pool) pool->used_bytes -= bytes_of(session, block->first);
}

// Makes a node of the stream's captured graph.
cudaError_t capture_allocation(Session& session, const StreamUse& use, void** pointer, Bytes bytes) {
  cudaMemAllocNodeParams params{};
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location = {cudaMemLocationTypeDevice, 0};
  params.bytesize = bytes;
  MemAllocWork work;
  if (const cudaError_t error = make_graph_memory(session, params, work); error != cudaSuccess) return error;
  *pointer = params.dptr;
  return capture(use, std::move(work));
}

}  // namespace

CUmemPoolHandle_st* current_pool() { return all().current; }

cudaError_t allocate_from_pool(Session& session, ThreadState& thread, void** pointer, std::size_t bytes,
                               Pool* pool, cudaStream_t stream) {
  if (pointer == nullptr || !is_pool(pool)) return cudaErrorInvalidValue;
  StreamUse use;
  if (const cudaError_t error = enter_stream(session, stream, use); error != cudaSuccess) return error;
  *pointer = nullptr;
  if (bytes == 0) return cudaErrorInvalidValue;
  if (use.capture != nullptr) return capture_allocation(session, use, pointer, bytes);
  const Bytes whole = round_up<Bytes>(bytes, session.space().page_bytes());
  if (whole < bytes) return cudaErrorMemoryAllocation;
  auto block = find_free(session, pool, whole, use.id);
  if (block == all().blocks.end()) block = reserve_hard(session, thread, *pool, whole);
  if (block == all().blocks.end()) return cudaErrorMemoryAllocation;
  block->second.used = true;
  block->second.before.clear();
  pool->used_bytes += bytes_of(session, block->first);
  pool->used_high = std::max(pool->used_high, pool->used_bytes);
  *pointer = duet::pointer_of(block->first);
  return cudaSuccess;
}

bool freed_in_pool(const void* pointer) {
  const auto block = all().blocks.find(duet::virtual_address(pointer));
  return block != all().blocks.end() && !block->second.used;
}

bool free_to_pool(Session& session, void* pointer) {
  const auto block = all().blocks.find(duet::virtual_address(pointer));
  if (block == all().blocks.end() || !block->second.used) return false;
  mark_freed(session, block);
  block->second.before.clear();
  const bool orphan = block->second.pool->destroyed;
  if (orphan) give_back(session, block);
  return true;
}

void trim_pools(Session& session) {
  trim_graph_memory(session);
  if (all().blocks.empty()) return;
  trim(session, nullptr, 0);
  for (std::size_t i = all().pools.size(); i-- > 0;) {
    Pool* pool = all().pools[i].get();
    trim(session, pool, pool->destroyed ? 0 : pool->release_threshold);
  }
}

namespace {

cudaError_t free_in_stream(Session& session, void* pointer, cudaStream_t stream) {
  StreamUse use;
  if (const cudaError_t error = enter_stream(session, stream, use); error != cudaSuccess) return error;
  if (pointer == nullptr) return cudaSuccess;
  const auto memory = graph_memory_of(pointer);
  if (use.capture != nullptr) {
    if (memory == nullptr) return refuse_capture(use, cudaErrorInvalidValue);
    return capture(use, MemFreeWork{memory});
  }
  if (memory != nullptr) return free_graph_memory(memory);
  const auto address = duet::virtual_address(pointer);
  auto block = all().blocks.find(address);
  if (block == all().blocks.end()) {
    const Allocation* allocation = session.space().find(address);
    if (allocation == nullptr || allocation->base != address || allocation->kind != AllocationKind::Device)
      return cudaErrorInvalidValue;
    block = all().blocks.emplace(address, PoolBlock{}).first;
  } else if (!block->second.used) {
    return cudaErrorInvalidValue;
  }
  mark_freed(session, block);
  block->second.stream = use.id;
  block->second.before = session.driver().predecessors(use.id);
  return cudaSuccess;
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
  return allocate_from_pool(session, thread, pointer, bytes, current_pool(), stream);
}
DUET_END
DUET_API(cudaMallocFromPoolAsync, Allocate,
         (void** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)) {
  return allocate_from_pool(session, thread, pointer, bytes, pool, stream);
}
DUET_END
DUET_API(cudaFreeAsync, Allocate, (void* pointer, cudaStream_t stream)) {
  return free_in_stream(session, pointer, stream);
}
DUET_END

DUET_API(cudaDeviceGetDefaultMemPool, Other, (cudaMemPool_t * pool, int device)) {
  if (device != 0) return cudaErrorInvalidDevice;
  if (pool == nullptr) return cudaErrorInvalidValue;
  *pool = all().pools.front().get();
  return cudaSuccess;
}
DUET_END
DUET_API(cudaDeviceGetMemPool, Other, (cudaMemPool_t * pool, int device)) {
  if (device != 0) return cudaErrorInvalidDevice;
  if (pool == nullptr) return cudaErrorInvalidValue;
  *pool = current_pool();
  return cudaSuccess;
}
DUET_END
DUET_API(cudaDeviceSetMemPool, Other, (int device, cudaMemPool_t pool)) {
  if (device != 0) return cudaErrorInvalidDevice;
  if (!is_pool(pool)) return cudaErrorInvalidValue;
  all().current = pool;
  return cudaSuccess;
}
DUET_END

DUET_API(cudaMemPoolCreate, Other, (cudaMemPool_t * pool, const cudaMemPoolProps* props)) {
  if (pool == nullptr || props == nullptr || props->allocType != cudaMemAllocationTypePinned)
    return cudaErrorInvalidValue;
  if (props->handleTypes != cudaMemHandleTypeNone) return cudaErrorNotSupported;
  if (props->location.type != cudaMemLocationTypeDevice) return cudaErrorNotSupported;
  if (!is_device(props->location)) return cudaErrorInvalidDevice;
  all().pools.push_back(std::make_unique<Pool>());
  *pool = all().pools.back().get();
  (*pool)->max_bytes = props->maxSize;
  return cudaSuccess;
}
DUET_END
// Used blocks stay usable; the pool goes with its last block.
DUET_API(cudaMemPoolDestroy, Other, (cudaMemPool_t pool)) {
  if (!is_pool(pool) || pool == all().pools.front().get()) return cudaErrorInvalidValue;
  if (all().current == pool) all().current = all().pools.front().get();
  pool->destroyed = true;
  if (pool->reserved_bytes == 0)
    std::erase_if(all().pools, [&](const auto& one) { return one.get() == pool; });
  else
    trim(session, pool, 0);
  return cudaSuccess;
}
DUET_END

DUET_API(cudaMemPoolSetAttribute, Other, (cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value)) {
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
DUET_END
DUET_API(cudaMemPoolGetAttribute, Other, (cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value)) {
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
DUET_END
DUET_API(cudaMemPoolTrimTo, Other, (cudaMemPool_t pool, size_t keep)) {
  if (!is_pool(pool)) return cudaErrorInvalidValue;
  trim(session, pool, keep);
  return cudaSuccess;
}
DUET_END

// One device; it may always read and write.
DUET_API(cudaMemPoolSetAccess, Other, (cudaMemPool_t pool, const cudaMemAccessDesc* access, size_t count)) {
  if (!is_pool(pool) || (access == nullptr && count != 0)) return cudaErrorInvalidValue;
  const bool fits = std::all_of(access, access + count, [](const cudaMemAccessDesc& one) {
    return is_device(one.location) && one.flags == cudaMemAccessFlagsProtReadWrite;
  });
  return fits ? cudaSuccess : cudaErrorInvalidValue;
}
DUET_END
DUET_API(cudaMemPoolGetAccess, Other,
         (cudaMemAccessFlags * flags, cudaMemPool_t pool, cudaMemLocation* location)) {
  if (flags == nullptr || !is_pool(pool) || location == nullptr) return cudaErrorInvalidValue;
  *flags = is_device(*location) ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
  return cudaSuccess;
}
DUET_END
