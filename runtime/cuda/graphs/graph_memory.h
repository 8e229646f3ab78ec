// Memory of graphs' allocation nodes. Its address is fixed when the node is made, and the memory is kept for
// the node from then on: a launch gives and takes nothing in time. CUDA's rules are kept: memory left
// allocated by a launch must be freed, by a free node, cudaFree or cudaFreeAsync, before the next launch
// allocates it again. Left out: giving physical memory back between launches.
#pragma once

#include <memory>

#include "cuda/session/session.h"

namespace duet::cuda {

// Owned by its nodes, in graphs and executable copies, and by itself while it is allocated.
struct GraphMemory {
  VirtualAddress address;
  Bytes bytes = 0;
  bool allocated = false;  // as it is behind the last launch
  ~GraphMemory();
};

struct MemAllocWork {
  std::shared_ptr<GraphMemory> memory;
  cudaMemAllocNodeParams params{};
};
struct MemFreeWork {
  std::shared_ptr<GraphMemory> memory;
};

// Fills in params.dptr.
cudaError_t make_graph_memory(Session& session, cudaMemAllocNodeParams& params, MemAllocWork& work);
// Null when the pointer is not the start of such memory.
std::shared_ptr<GraphMemory> graph_memory_of(const void* pointer);
// The work of a node of a launch, in the order of the launch; cudaErrorInvalidValue where the rules forbid
// it.
cudaError_t allocate_graph_memory(const std::shared_ptr<GraphMemory>& memory, bool free_first);
cudaError_t free_graph_memory(const std::shared_ptr<GraphMemory>& memory);
// At synchronizations: gives back memory without a node.
void trim_graph_memory(Session& session);

}  // namespace duet::cuda
