#include "check/global_shadow.h"

namespace duet::check {

Region::Region(const memory::Allocation& allocation, const memory::AddressSpace& space)
    : base_(allocation.base),
      bytes_(allocation.bytes),
      name_(space.place_of(allocation.base)),
      of_host_(!allocation.in_device_memory()),
      of_heap_(allocation.kind == memory::AllocationKind::Heap),
      ordered_by_bits_(space.tracked(allocation.base)) {
  name_.erase(name_.rfind(" + "));
  const bool of_program = allocation.call != nullptr && allocation.kind == memory::AllocationKind::Device;
  if (of_program && !ordered_by_bits_) written_.resize(bytes_ / 64 + 1);
}

bool Region::written(Bytes offset, Bytes bytes) const {
  if (written_.empty()) return true;
  for (const Bytes end = offset + bytes; offset < end;) {
    const unsigned at = offset % 64;
    const Bytes here = std::min<Bytes>(64 - at, end - offset);
    const std::uint64_t mask = (here == 64 ? ~0ull : (1ull << here) - 1) << at;
    if ((written_[offset / 64] & mask) != mask) return false;
    offset += here;
  }
  return true;
}

void Region::set_written(Bytes offset, Bytes bytes, bool value) {
  if (written_.empty()) return;
  for (const Bytes end = offset + bytes; offset < end;) {
    const unsigned at = offset % 64;
    const Bytes here = std::min<Bytes>(64 - at, end - offset);
    const std::uint64_t mask = (here == 64 ? ~0ull : (1ull << here) - 1) << at;
    std::uint64_t& word = written_[offset / 64];
    word = value ? word | mask : word & ~mask;
    offset += here;
  }
}

LineUses& Region::lines() {
  if (lines_ == nullptr)
    lines_ = std::make_unique<LineUses>((bytes_ + base_ % memory::kLineBytes) / memory::kLineBytes + 1);
  return *lines_;
}

GridShadow* Region::in_kernel() {
  if (of_heap_ || ordered_by_bits_) return nullptr;
  if (in_kernel_ == nullptr) in_kernel_ = std::make_unique<GridShadow>(base_ / memory::kLineBytes);
  return in_kernel_.get();
}

Region& GlobalShadow::region_of(const memory::Allocation& allocation) {
  std::unique_ptr<Region>& region = regions_[allocation.base];
  if (region == nullptr) region = std::make_unique<Region>(allocation, space_);
  return *region;
}

Region* GlobalShadow::find(VirtualAddress address) {
  if (last_ != nullptr && last_->holds(address)) return last_;
  const memory::Allocation* const allocation = space_.find(address);
  if (allocation == nullptr) return nullptr;
  Region& region = region_of(*allocation);
  if (!region.holds(address)) return nullptr;  // behind its end, in its last page
  return last_ = &region;
}

const Region* GlobalShadow::find_released(VirtualAddress address) const {
  for (auto region = gone_.rbegin(); region != gone_.rend(); ++region)
    if ((*region)->holds(address)) return region->get();
  return nullptr;
}

void GlobalShadow::released(const memory::Allocation& allocation) {
  region_of(allocation).release();
  auto region = regions_.extract(allocation.base);
  gone_.push_back(std::move(region.mapped()));
  last_ = nullptr;
}

}  // namespace duet::check
