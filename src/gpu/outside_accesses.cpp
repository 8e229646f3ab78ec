#include "gpu/outside_accesses.h"

#include <algorithm>

#include "gpu/warp/fault_text.h"

namespace duet::gpu {

void OutsideAccesses::add(const Grid& grid, const ptx::MicroOp& op, VirtualAddress address) {
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = found_.try_emplace({grid.launch_id, op.ptx_line, op.kind});
  OutsideAccess& found = place->second;
  if (is_new) found = {grid.kernel, place_of(grid, op), op.kind, 0, address, address};
  ++found.accesses;
  found.lowest = std::min(found.lowest, address);
  found.highest = std::max(found.highest, address);
}

std::vector<OutsideAccess> OutsideAccesses::take(std::uint64_t launch) {
  std::vector<OutsideAccess> taken;
  auto at = found_.lower_bound({launch, 0, ptx::Kind{}});
  while (at != found_.end() && std::get<0>(at->first) == launch) {
    taken.push_back(std::move(at->second));
    at = found_.erase(at);
  }
  return taken;
}

std::vector<OutsideAccess> OutsideAccesses::take_all() {
  std::vector<OutsideAccess> taken;
  for (auto& [key, access] : found_) taken.push_back(std::move(access));
  found_.clear();
  return taken;
}

const char* maker_of(const memory::Allocation& allocation) {
  const bool by_call = allocation.kind == memory::AllocationKind::Device && allocation.call != nullptr;
  return by_call ? allocation.call : memory::allocation_kind_name(allocation.kind);
}

OutsidePosition outside_position(VirtualAddress address, const memory::AddressSpace& space) {
  const memory::Allocation* nearest = space.nearest(address);
  if (nearest == nullptr) return {0, false, "memory that was released"};
  const bool before = address < nearest->base;
  return {before ? nearest->base - address : address - (nearest->base + nearest->bytes), before,
          "allocation #" + std::to_string(nearest->id) + " (" + maker_of(*nearest) + ", " +
              std::to_string(nearest->bytes) + " bytes at " + hexadecimal(nearest->base.value()) + ")"};
}

}  // namespace duet::gpu
