#include "core/graph_memory.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/notes.h"

namespace duet::core {

namespace {

struct GraphMemories {
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
GraphMemories& memories() {  // never destroyed, as the runtime
  static auto* const made = new GraphMemories;
  return *made;
}

}  // namespace

GraphMemory::~GraphMemory() {
  memories().by_address.erase(address);
  memories().leaving.push_back(address);
}

Status make_graph_memory(Runtime& runtime, Bytes bytes, std::shared_ptr<GraphMemory>& memory) {
  trim_graph_memory(runtime);
  const memory::Allocation* allocation = allocate_device(runtime, bytes);
  if (allocation == nullptr) return Reason::OutOfMemory;
  memory = std::make_shared<GraphMemory>();
  memory->address = allocation->base;
  memory->bytes = allocation->mapped_bytes;
  memories().by_address[allocation->base] = memory;
  memories().reserved_high = std::max(memories().reserved_high, memories().reserved());
  return {};
}

std::shared_ptr<GraphMemory> graph_memory_of(VirtualAddress address) {
  const auto found = memories().by_address.find(address);
  return found == memories().by_address.end() ? nullptr : found->second.lock();
}

Status allocate_graph_memory(const std::shared_ptr<GraphMemory>& memory, bool free_first) {
  if (memory->allocated && !free_first) return Reason::InvalidValue;
  memory->allocated = true;
  memories().allocated.insert(memory);
  memories().used_high = std::max(memories().used_high, memories().used());
  return {};
}

Status free_graph_memory(const std::shared_ptr<GraphMemory>& memory) {
  if (!memory->allocated) return Reason::InvalidValue;
  memory->allocated = false;
  memories().allocated.erase(memory);
  return {};
}

void forget_graph_memory() {
  const auto allocated = std::exchange(memories().allocated, {});
  for (const auto& memory : allocated) memory->allocated = false;
}

void trim_graph_memory(Runtime& runtime) {
  if (memories().leaving.empty() || !runtime.driver().all_idle()) return;
  for (const VirtualAddress address : memories().leaving)
    if (const memory::Allocation* allocation = runtime.space().find(address))
      runtime.process().release_device(*allocation);
  memories().leaving.clear();
}

GraphMemoryUse graph_memory_use() {
  return {memories().used(), memories().used_high, memories().reserved(), memories().reserved_high};
}
void reset_used_high() { memories().used_high = memories().used(); }
void reset_reserved_high() { memories().reserved_high = memories().reserved(); }

}  // namespace duet::core
