#include "predict/skipped_data.h"

namespace duet::predict {

void SkippedData::written(const memory::Allocation& allocation) {
  if (!allocation.in_device_memory()) host_read_ = true;
  wrong_[allocation.id] = {allocation.base, address_space_.physical(allocation.base), allocation.mapped_bytes,
                           0};
}

std::uint32_t SkippedData::find(PhysicalAddress address) const {
  for (const auto& [id, range] : wrong_) {
    if (address < range.first || address >= range.first + range.bytes) continue;
    const memory::Allocation* const there = address_space_.find(range.base);
    if (there != nullptr && there->id == id) return id;
  }
  return 0;
}

void SkippedData::read_by_copy(PhysicalAddress first, std::uint64_t command) {
  if (!any() || command == carrying_ || find(first) == 0) return;
  carrying_ = command;
  host_had_read_ = host_read_;
  host_read_ = true;
}

void SkippedData::written_by_copy(PhysicalAddress first, Bytes bytes, std::uint64_t command) {
  if (!any()) return;
  const std::uint32_t id = find(first);
  if (command == carrying_) {
    host_read_ = host_had_read_;
    if (id != 0) return;
    for (const auto& [base, allocation] : address_space_.allocations()) {
      const PhysicalAddress begin = address_space_.physical(base);
      if (first >= begin && first < begin + allocation.mapped_bytes) written(allocation);
    }
  } else if (id != 0) {
    Range& range = wrong_.at(id);
    const PhysicalAddress next = range.first + range.made_right;
    if (first == range.first)
      range.made_right = bytes;
    else if (first == next)
      range.made_right += bytes;
    const memory::Allocation& allocation = *address_space_.find(range.base);
    if (range.made_right >= allocation.bytes) wrong_.erase(id);
  }
}

}  // namespace duet::predict
