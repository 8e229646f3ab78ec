#include "core/memory_pool.h"

#include <algorithm>
#include <map>

#include "core/graph_memory.h"
#include "core/notes.h"

namespace duet::core {

namespace {

using memory::Allocation;
using memory::AllocationKind;

struct PoolBlock {
  MemoryPool* pool = nullptr;  // null: from allocate(), freed in stream order, kept by nobody
  bool used = true;
  driver::StreamId stream = 0;            // the stream of its free
  std::vector<driver::CommandId> before;  // the commands before the free
};

struct Pools {
  std::vector<std::unique_ptr<MemoryPool>> pools;  // in the order of their addition
  std::map<VirtualAddress, PoolBlock> blocks;      // by address, so results do not depend on the host
};
Pools& pools() {
  static auto* const made = new Pools;
  return *made;
}

Bytes bytes_of(Runtime& runtime, VirtualAddress address) { return runtime.space().find(address)->bytes; }

bool passed(Runtime& runtime, PoolBlock& block) {
  std::erase_if(block.before, [&](driver::CommandId id) { return runtime.driver().complete(id); });
  return block.before.empty();
}

using Blocks = std::map<VirtualAddress, PoolBlock>::iterator;

Blocks give_back(Runtime& runtime, Blocks block) {
  const Allocation* allocation = runtime.space().find(block->first);
  if (MemoryPool* pool = block->second.pool) {
    pool->reserved_bytes -= allocation->bytes;
    if (pool->destroyed && pool->reserved_bytes == 0)
      std::erase_if(pools().pools, [&](const auto& one) { return one.get() == pool; });
  }
  runtime.process().release_device(*allocation);
  return pools().blocks.erase(block);
}

// Gives back free blocks of the pool, whose frees have passed, until it keeps no more than `keep`.
void trim(Runtime& runtime, const MemoryPool* pool, Bytes keep) {
  for (auto block = pools().blocks.begin(); block != pools().blocks.end();) {
    if (pool != nullptr && pool->reserved_bytes <= keep) return;
    const bool idle = block->second.pool == pool && !block->second.used && passed(runtime, block->second);
    const bool last =
        idle && pool != nullptr && pool->destroyed && pool->reserved_bytes == bytes_of(runtime, block->first);
    block = idle ? give_back(runtime, block) : std::next(block);
    if (last) return;  // the pool itself is gone
  }
}

// The smallest free block for the stream now, without more than half wasted.
Blocks find_free(Runtime& runtime, const MemoryPool* pool, Bytes bytes, driver::StreamId stream) {
  auto& blocks = pools().blocks;
  auto best = blocks.end();
  Bytes best_bytes = 0;
  for (auto block = blocks.begin(); block != blocks.end(); ++block) {
    PoolBlock& state = block->second;
    if (state.used || state.pool != pool) continue;
    const Bytes has = bytes_of(runtime, block->first);
    if (has < bytes || has / 2 > bytes || (best != blocks.end() && has >= best_bytes)) continue;
    if (state.stream != stream && !passed(runtime, state)) continue;
    best = block;
    best_bytes = has;
  }
  return best;
}

bool fits(const MemoryPool& pool, Bytes bytes) {
  return pool.max_bytes == 0 || pool.reserved_bytes + bytes <= pool.max_bytes;
}

Blocks reserve(Runtime& runtime, MemoryPool& pool, Bytes bytes) {
  auto& blocks = pools().blocks;
  if (!fits(pool, bytes)) return blocks.end();
  const Allocation* allocation = allocate_device(runtime, bytes);
  if (allocation == nullptr) return blocks.end();
  pool.reserved_bytes += bytes;
  pool.reserved_high = std::max(pool.reserved_high, pool.reserved_bytes);
  return blocks.emplace(allocation->base, PoolBlock{&pool, true, 0, {}}).first;
}

// Waits for memory freed by others, still in use, before it reports none.
Blocks reserve_hard(Runtime& runtime, host::HostThread& host, MemoryPool& pool, Bytes bytes) {
  const auto give_all = [&] {
    trim(runtime, nullptr, 0);
    for (std::size_t i = pools().pools.size(); i-- > 0;) trim(runtime, pools().pools[i].get(), 0);
  };
  Blocks block = reserve(runtime, pool, bytes);
  if (block != pools().blocks.end()) return block;
  give_all();
  block = reserve(runtime, pool, bytes);
  if (block != pools().blocks.end()) return block;
  const bool pending = std::any_of(pools().blocks.begin(), pools().blocks.end(),
                                   [](const auto& one) { return !one.second.used; });
  if (!pending) return pools().blocks.end();
  host.wait(runtime.cost(CallKind::Allocate), [&] {
    return std::all_of(pools().blocks.begin(), pools().blocks.end(),
                       [&](auto& one) { return one.second.used || passed(runtime, one.second); });
  });
  give_all();
  return reserve(runtime, pool, bytes);
}

void mark_freed(Runtime& runtime, Blocks block) {
  block->second.used = false;
  if (MemoryPool* pool = block->second.pool) pool->used_bytes -= bytes_of(runtime, block->first);
}

}  // namespace

MemoryPool& add_pool(std::unique_ptr<MemoryPool> pool) {
  return *pools().pools.emplace_back(std::move(pool));
}

bool is_pool(const MemoryPool* pool) {
  return std::any_of(pools().pools.begin(), pools().pools.end(),
                     [&](const auto& one) { return one.get() == pool && !pool->destroyed; });
}

void destroy_pool(Runtime& runtime, MemoryPool& pool) {
  pool.destroyed = true;
  if (pool.reserved_bytes == 0)
    std::erase_if(pools().pools, [&](const auto& one) { return one.get() == &pool; });
  else
    trim(runtime, &pool, 0);
}

void trim_pool(Runtime& runtime, MemoryPool& pool, Bytes keep) { trim(runtime, &pool, keep); }

Status allocate_from_pool(Runtime& runtime, host::HostThread& host, MemoryPool& pool, Bytes bytes,
                          driver::StreamId stream, VirtualAddress& address) {
  const Bytes whole = round_up<Bytes>(bytes, runtime.space().page_bytes());
  if (whole < bytes) return Reason::OutOfMemory;
  auto block = runtime.process().keeps_freed_memory() ? pools().blocks.end()
                                                      : find_free(runtime, &pool, whole, stream);
  if (block == pools().blocks.end()) block = reserve_hard(runtime, host, pool, whole);
  if (block == pools().blocks.end()) return Reason::OutOfMemory;
  block->second.used = true;
  block->second.before.clear();
  pool.used_bytes += bytes_of(runtime, block->first);
  pool.used_high = std::max(pool.used_high, pool.used_bytes);
  address = block->first;
  runtime.process().memory_in_stream({.base = address, .bytes = bytes, .stream = stream, .made = true});
  return {};
}

Status free_in_stream(Runtime& runtime, VirtualAddress address, driver::StreamId stream) {
  auto block = pools().blocks.find(address);
  if (block == pools().blocks.end()) {
    const Allocation* allocation = runtime.space().find(address);
    if (allocation == nullptr || allocation->base != address || allocation->kind != AllocationKind::Device)
      return Reason::InvalidValue;
    block = pools().blocks.emplace(address, PoolBlock{}).first;
  } else if (!block->second.used) {
    return Reason::InvalidValue;
  }
  runtime.process().memory_in_stream({.base = address, .stream = stream});
  mark_freed(runtime, block);
  block->second.stream = stream;
  block->second.before = runtime.driver().predecessors(stream);
  return {};
}

MemoryPool* pool_of(VirtualAddress base) {
  const auto block = pools().blocks.find(base);
  return block != pools().blocks.end() && block->second.used ? block->second.pool : nullptr;
}

bool freed_in_pool(VirtualAddress address) {
  const auto block = pools().blocks.find(address);
  return block != pools().blocks.end() && !block->second.used;
}

bool free_to_pool(Runtime& runtime, VirtualAddress address) {
  const auto block = pools().blocks.find(address);
  if (block == pools().blocks.end() || !block->second.used) return false;
  runtime.process().memory_in_stream({.base = address, .all_done = true});
  mark_freed(runtime, block);
  block->second.before.clear();
  const bool orphan = block->second.pool->destroyed;
  if (orphan) give_back(runtime, block);
  return true;
}

void forget_pools() {
  pools().blocks.clear();
  if (pools().pools.empty()) return;
  pools().pools.resize(1);
  MemoryPool& first = *pools().pools.front();
  first.release_threshold = first.reserved_bytes = first.reserved_high = first.used_bytes = first.used_high =
      0;
}

void trim_pools(Runtime& runtime) {
  trim_graph_memory(runtime);
  if (pools().blocks.empty()) return;
  trim(runtime, nullptr, 0);
  for (std::size_t i = pools().pools.size(); i-- > 0;) {
    MemoryPool* pool = pools().pools[i].get();
    trim(runtime, pool, pool->destroyed ? 0 : pool->release_threshold);
  }
}

}  // namespace duet::core
