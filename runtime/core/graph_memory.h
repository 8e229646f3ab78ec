// Memory of graphs' allocation nodes. Its address is fixed when the node is made, and the memory is kept for
// the node from then on: a launch gives and takes nothing in time. Memory left allocated by a launch must be
// freed, by a free node or another call, before the next launch allocates it again. Left out: giving physical
// memory back between launches.
#pragma once

#include <memory>

#include "core/runtime.h"

namespace duet::core {

// Owned by its nodes, in graphs and executable copies, and by itself while it is allocated.
struct GraphMemory {
  VirtualAddress address;
  Bytes bytes = 0;
  bool allocated = false;  // as it is behind the last launch
  ~GraphMemory();
};

// OutOfMemory.
Status make_graph_memory(Runtime& runtime, Bytes bytes, std::shared_ptr<GraphMemory>& memory);
// Null when such memory does not begin there.
std::shared_ptr<GraphMemory> graph_memory_of(VirtualAddress address);
// The work of a node of a launch, in the order of the launch; InvalidValue where the rules forbid it.
Status allocate_graph_memory(const std::shared_ptr<GraphMemory>& memory, bool free_first);
Status free_graph_memory(const std::shared_ptr<GraphMemory>& memory);
// The device is reset: no launch has left any allocated.
void forget_graph_memory();
// At synchronizations: gives back memory without a node.
void trim_graph_memory(Runtime& runtime);

// Bytes allocated by launches and kept for nodes, now and at most since the last reset.
struct GraphMemoryUse {
  std::uint64_t used = 0, used_high = 0, reserved = 0, reserved_high = 0;
};
GraphMemoryUse graph_memory_use();
void reset_used_high();
void reset_reserved_high();

}  // namespace duet::core
