#include "hsa/session/regions.h"

#include "core/memory.h"
#include "hsa/session/session.h"

namespace duet::hsa {

namespace {

// Packets pass the driver by: their fences are for the GPU's caches alone, and nobody writes back those of
// cores for them.
bool coarse_needs_no_driver(const config::Machine& machine) {
  const config::Method* const method = memory::method_of(machine, memory::AllocatingCall::HsaCoarse);
  if (method == nullptr) return true;
  for (const std::string* words : {&method->at_launch, &method->at_end, &method->at_synchronize})
    for (const std::string_view word : memory::words_of(*words))
      if (word.ends_with("-cpu")) return false;
  return true;
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
  const bool coarse = kind == RegionKind::Coarse && coarse_needs_no_driver(runtime_.config());
  core::HostMemoryUse use;
  use.call = coarse ? memory::AllocatingCall::HsaCoarse : memory::AllocatingCall::HsaFine;
  void* const first = runtime_.allocate_host(
      bytes, coarse ? memory::AllocationKind::Managed : memory::AllocationKind::Pinned, use);
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
