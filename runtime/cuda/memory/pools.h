// CUDA's memory pools: handles and queries on core/memory_pool.h.
#pragma once

#include "core/memory_pool.h"
#include "cuda/session/session.h"

struct CUmemPoolHandle_st final : duet::core::MemoryPool {
  int reuse[3] = {1, 1, 1};  // by cudaMemPoolReuse..., kept for queries
};

namespace duet::cuda {

CUmemPoolHandle_st* default_pool();
// Where cudaMallocAsync takes memory from.
CUmemPoolHandle_st*& current_pool();
// The pool of the allocation that begins there; null where it is none's.
CUmemPoolHandle_st* pool_at(VirtualAddress base);
// The device is reset: the default pool is the current one, and has its first attributes.
void forget_pool_attributes();

}  // namespace duet::cuda
