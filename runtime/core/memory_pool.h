// Memory pools: device memory given and taken back in stream order. A block freed in a stream is given again
// to the same stream at once, because the stream orders the uses; to another stream only when everything
// before the free is complete. Memory of a pool above its release threshold goes back to the device when the
// program synchronizes. Left out: sharing between processes, pools of host memory, reuse across streams
// ordered by events before the free is complete.
#pragma once

#include <memory>
#include <vector>

#include "core/runtime.h"

namespace duet::core {

// An API may derive its handle from it.
struct MemoryPool {
  virtual ~MemoryPool() = default;
  std::uint64_t release_threshold = 0;
  Bytes max_bytes = 0;  // 0: the device's
  Bytes reserved_bytes = 0, reserved_high = 0, used_bytes = 0, used_high = 0;
  bool destroyed = false;  // waits for its last block
};

MemoryPool& add_pool(std::unique_ptr<MemoryPool> pool);
// Used blocks stay usable; the pool goes with its last block.
void destroy_pool(Runtime& runtime, MemoryPool& pool);
// Whether it is a pool that has not been destroyed.
bool is_pool(const MemoryPool* pool);
// Gives back free blocks of the pool, whose frees have passed, until it keeps no more than `keep` bytes.
void trim_pool(Runtime& runtime, MemoryPool& pool, Bytes keep);

// OutOfMemory, when nothing that others have freed helps: it waits for that.
Status allocate_from_pool(Runtime& runtime, host::HostThread& host, MemoryPool& pool, Bytes bytes,
                          driver::StreamId stream, VirtualAddress& address);
// In stream order: of a pool's block, or of device memory from allocate(). InvalidValue: it is neither, or
// has been freed.
Status free_in_stream(Runtime& runtime, VirtualAddress address, driver::StreamId stream);
// A block of a pool when the device is idle. False: it is none, or has been freed.
bool free_to_pool(Runtime& runtime, VirtualAddress address);
// The pool that a used block is of; null where it is none's.
MemoryPool* pool_of(VirtualAddress base);
// The two ways to free must not meet a block twice.
bool freed_in_pool(VirtualAddress address);
// The device is reset: pools are empty, and those but the first destroyed. Their memory others give back.
void forget_pools();
// At every synchronization: gives back the pools' memory above their thresholds.
void trim_pools(Runtime& runtime);

}  // namespace duet::core
