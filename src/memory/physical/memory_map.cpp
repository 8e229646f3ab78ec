#include "memory/physical/memory_map.h"

#include <fmt/format.h>

#include "base/error.h"

namespace duet::memory {

void MemoryMap::add(const MemoryRange& range) {
  if (range.base.value() + range.bytes < range.base.value())
    throw Error(fmt::format("{} of {} bytes at {:#x} ends beyond the last physical address", range.name,
                            range.bytes, range.base.value()));
  for (const MemoryRange& other : ranges_)
    if (range.bytes != 0 && other.bytes != 0 && (other.has(range.base) || range.has(other.base)))
      throw Error(fmt::format("{} at {:#x} overlaps {} at {:#x}", range.name, range.base.value(), other.name,
                              other.base.value()));
  ranges_.push_back(range);
}

void MemoryMap::throw_unmapped(PhysicalAddress address) const {
  std::string known;
  for (const MemoryRange& range : ranges_)
    known += fmt::format("{}{} from {:#x} to {:#x}", known.empty() ? "" : ", ", range.name,
                         range.base.value(), (range.base + range.bytes).value());
  throw Error(
      fmt::format("physical address {:#x} is in no memory of the machine: {}", address.value(), known));
}

}  // namespace duet::memory
