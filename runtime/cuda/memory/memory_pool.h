// Memory pools: device memory given and taken back in stream order. A block freed in a stream is given again
// to the same stream at once, because the stream orders the uses; to another stream only when everything
// before the free is complete. Memory of a pool above its release threshold goes back to the device when the
// program synchronizes. Left out: sharing between processes, pools of host memory, reuse across streams
// ordered by events before the free is complete.
#pragma once

#include "cuda/session/session.h"

namespace duet::cuda {

struct PoolBlock {
  CUmemPoolHandle_st* pool = nullptr;  // null: from cudaMalloc, freed in stream order, kept by nobody
  bool used = true;
  driver::StreamId stream = 0;            // the stream of its free
  std::vector<driver::CommandId> before;  // the commands before the free
};

}  // namespace duet::cuda

struct CUmemPoolHandle_st {
  std::uint64_t release_threshold = 0;
  duet::Bytes max_bytes = 0;  // 0: the device's
  duet::Bytes reserved_bytes = 0, reserved_high = 0, used_bytes = 0, used_high = 0;
  int reuse[3] = {1, 1, 1};  // by cudaMemPoolReuse..., kept for queries
  bool destroyed = false;    // waits for its last block
};

namespace duet::cuda {

cudaError_t allocate_from_pool(Session& session, ThreadState& thread, void** pointer, std::size_t bytes,
                               CUmemPoolHandle_st* pool, cudaStream_t stream);
// cudaFree of memory from a pool, when the device is idle. False: it is not from a pool.
bool free_to_pool(Session& session, void* pointer);
// cudaFree and cudaFreeAsync must not meet a block twice.
bool freed_in_pool(const void* pointer);
// At every synchronization: gives back the pools' memory above their thresholds.
void trim_pools(Session& session);
CUmemPoolHandle_st* current_pool();

}  // namespace duet::cuda
