#include "hsa/session/regions.h"

#include "core/memory.h"
#include "hsa/session/session.h"

namespace duet::hsa {

namespace {

// Packets pass the driver by, so that nobody writes caches back for them where the machine does not itself.
bool managed_needs_no_driver(const config::Machine& machine) {
  const config::Method* const method = memory::method_of(machine, memory::AllocatingCall::Managed);
  return method == nullptr ||
         (method->at_launch.empty() && method->at_end.empty() && method->at_synchronize.empty());
}

}  // namespace

std::optional<RegionKind> Regions::find(std::uint64_t handle) {
  if (handle < static_cast<std::uint64_t>(RegionKind::Fine) ||
      handle > static_cast<std::uint64_t>(RegionKind::Private))
    return std::nullopt;
  return static_cast<RegionKind>(handle);
}

std::vector<RegionKind> Regions::of(hsa_agent_t agent) {
  if (agent.handle == kCpuAgent.handle) return {RegionKind::Fine};
  return {RegionKind::Fine, RegionKind::Coarse, RegionKind::Group, RegionKind::Private};
}

Bytes Regions::bytes(RegionKind kind) const {
  const config::Machine& machine = runtime_.config();
  switch (kind) {
    case RegionKind::Fine:
      return machine.host.dram_bytes;
    case RegionKind::Coarse:
      return machine.gpu.dram.bytes;
    case RegionKind::Group:
      return machine.gpu.sm.max_shared_bytes_per_block;
    case RegionKind::Private:
      break;
  }
  return machine.gpu.dram.bytes;
}

Bytes Regions::most(RegionKind kind) const {
  return kind == RegionKind::Fine || kind == RegionKind::Coarse ? bytes(kind) : 0;
}

void* Regions::allocate(RegionKind kind, Bytes bytes) {
  const bool managed = kind == RegionKind::Coarse && managed_needs_no_driver(runtime_.config());
  void* const first = runtime_.allocate_host(
      bytes, managed ? memory::AllocationKind::Managed : memory::AllocationKind::Pinned);
  if (first != nullptr) allocated_[first] = {kind, bytes};
  return first;
}

bool Regions::release(void* first) {
  if (allocated_.erase(first) == 0) return false;
  core::release_unused(runtime_, duet::virtual_address(first));
  return true;
}

std::optional<std::pair<void*, Allocated>> Regions::find_allocation(const void* byte) const {
  auto behind = allocated_.upper_bound(byte);
  if (behind == allocated_.begin()) return std::nullopt;
  const auto& [first, allocated] = *--behind;
  if (static_cast<const std::byte*>(byte) >= static_cast<const std::byte*>(first) + allocated.bytes)
    return std::nullopt;
  return std::pair{const_cast<void*>(first), allocated};
}

void Regions::forget() {
  while (!allocated_.empty()) release(const_cast<void*>(allocated_.begin()->first));
}

}  // namespace duet::hsa
