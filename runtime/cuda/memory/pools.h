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

}  // namespace duet::cuda
