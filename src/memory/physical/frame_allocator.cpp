#include "memory/physical/frame_allocator.h"

#include <iterator>

namespace duet::memory {

FrameAllocator::FrameAllocator(PhysicalAddress base, Bytes bytes, Bytes page_bytes)
    : page_bytes_(page_bytes) {
  free_[base] = bytes / page_bytes * page_bytes;
}

std::optional<PhysicalAddress> FrameAllocator::take(Bytes bytes) {
  const Bytes wanted = round_up(bytes, page_bytes_);
  if (wanted < bytes) return std::nullopt;
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    if (it->second < wanted) continue;
    const auto [base, room] = *it;
    free_.erase(it);
    if (room != wanted) free_[base + wanted] = room - wanted;
    return base;
  }
  return std::nullopt;
}

std::optional<PhysicalAddress> FrameAllocator::take_highest(Bytes bytes) {
  const Bytes wanted = round_up(bytes, page_bytes_);
  if (wanted < bytes) return std::nullopt;
  for (auto it = free_.rbegin(); it != free_.rend(); ++it) {
    if (it->second < wanted) continue;
    const PhysicalAddress taken = it->first + (it->second - wanted);
    it->second -= wanted;
    if (it->second == 0) free_.erase(it->first);
    return taken;
  }
  return std::nullopt;
}

void FrameAllocator::give_back(PhysicalAddress first, Bytes bytes) {
  auto own = free_.emplace(first, round_up(bytes, page_bytes_)).first;
  const auto after = std::next(own);
  if (after != free_.end() && own->first + own->second == after->first) {
    own->second += after->second;
    free_.erase(after);
  }
  if (own == free_.begin()) return;
  const auto before = std::prev(own);
  if (before->first + before->second != own->first) return;
  before->second += own->second;
  free_.erase(own);
}

Bytes FrameAllocator::free_bytes() const {
  Bytes total = 0;
  for (const auto& [base, bytes] : free_) total += bytes;
  return total;
}

}  // namespace duet::memory
