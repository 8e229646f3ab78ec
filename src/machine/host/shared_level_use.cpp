#include "machine/host/shared_level_use.h"

namespace duet::machine {

using memory::CacheEvent;

void SharedLevelUse::observe(const CacheEvent& event) {
  sim::Counter* count = nullptr;
  switch (event.kind) {
    case CacheEvent::Kind::Evict:
    case CacheEvent::Kind::Drop:
      if (unused_.erase(event.line.value()) != 0) ++statistics_.processor_fills_unused;
      return;
    case CacheEvent::Kind::Hit:
      count = &statistics_.gpu_read_hits;
      break;
    case CacheEvent::Kind::Merge:
      count = &statistics_.gpu_read_merges;
      break;
    case CacheEvent::Kind::Miss:
      count = &statistics_.gpu_read_misses;
      break;
    default:
      return;
  }
  const bool reads = event.operation == memory::Operation::Read;
  if (event.by.agent == memory::Agent::Host) {
    if (reads && event.kind == CacheEvent::Kind::Miss && unused_.insert(event.line.value()).second)
      ++statistics_.processor_fills;
    return;
  }
  if (reads) ++*count;
  if (unused_.erase(event.line.value()) != 0) ++statistics_.processor_fills_used;
}

}  // namespace duet::machine
