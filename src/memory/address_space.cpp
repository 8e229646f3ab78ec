#include "memory/address_space.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/error.h"

namespace duet::memory {

const char* allocation_kind_name(AllocationKind kind) {
  switch (kind) {
    case AllocationKind::Device:
      return "cudaMalloc";
    case AllocationKind::Pinned:
      return "pinned host memory";
    case AllocationKind::Managed:
      return "cudaMallocManaged";
    case AllocationKind::Registered:
      return "registered host memory";
    case AllocationKind::Module:
      return "module variables";
    case AllocationKind::Constants:
      return "constant variables";
    case AllocationKind::Heap:
      return "device heap";
  }
  return "?";
}

AddressSpace::AddressSpace(PhysicalMemory& memory, const DevicePages& pages)
    : memory_(memory),
      page_bytes_(memory.page_bytes()),
      device_pages_(pages),
      pages_(memory.page_bytes()),
      next_device_address_(kDeviceVirtualBase),
      next_constant_address_(kConstantVirtualBase) {
  constexpr Bytes kFewestGranules = 8;
  if (device_bytes() >= kFewestGranules * granule_bytes())
    spare_ = memory_.take_highest_device(granule_bytes());
}

std::optional<PhysicalAddress> AddressSpace::take_frames(Bytes bytes) {
  const std::uint64_t moves = memory_.moves();
  auto taken = memory_.take_device(bytes);
  if (!taken && spare_) {
    memory_.device().frames.give_back(*spare_, granule_bytes());
    spare_.reset();
    pages_.bytes_moved();
    taken = memory_.take_device(bytes);
  }
  if (memory_.moves() != moves) pages_.bytes_moved();
  return taken;
}

// Its pages are mapped.
const Allocation* AddressSpace::insert(Allocation allocation) {
  allocation.id = next_id_++;
  const bool by_the_program =
      allocation.kind == AllocationKind::Device || !allocation.in_device_memory();  // not for its code
  if (call_ != nullptr && by_the_program) {
    allocation.call = call_;
    allocation.call_number = ++calls_[call_];
  }
  const VirtualAddress base = allocation.base;
  const Allocation* const made = &by_base_.emplace(base, std::move(allocation)).first->second;
  if (on_change) on_change(*made, true);
  return made;
}

Bytes AddressSpace::reachable_bytes(const Allocation& allocation) const {
  const bool of_the_program = allocation.kind == AllocationKind::Device || !allocation.in_device_memory();
  return own_bytes_only_ && of_the_program ? std::max<Bytes>(allocation.bytes, 1) : allocation.mapped_bytes;
}

const Allocation* AddressSpace::allocate_device(Bytes bytes, AllocationKind kind, std::uint32_t flags,
                                                bool tracked) {
  if (bytes > device_bytes()) return nullptr;
  Allocation allocation;
  allocation.kind = kind;
  allocation.bytes = bytes;
  allocation.mapped_bytes = round_up(std::max<Bytes>(bytes, 1), page_bytes_);
  const auto physical = take_frames(allocation.mapped_bytes);
  if (!physical) return nullptr;
  VirtualAddress& next = kind == AllocationKind::Constants ? next_constant_address_ : next_device_address_;
  allocation.base = next;
  // One unmapped page between allocations: running past an end is found.
  next += allocation.mapped_bytes + page_bytes_;
  allocation.flags = flags;
  PageAttributes attributes;
  attributes.tracked = tracked || (device_pages_.track_all && kind == AllocationKind::Device);
  attributes.cacheability = device_pages_.plain;
  if (kind == AllocationKind::Device || attributes.tracked) {
    attributes.cacheability =
        attributes.tracked ? device_pages_.allocated_tracked : device_pages_.allocated.cacheability;
    attributes.coalesced = device_pages_.allocated.coalesced;
  }
  pages_.map({allocation.base, reachable_bytes(allocation), *physical, attributes});
  return insert(std::move(allocation));
}

void AddressSpace::refuse_overlap(VirtualAddress address, Bytes bytes) const {
  const auto after = by_base_.upper_bound(address);
  if ((after != by_base_.end() && after->first < address + bytes) ||
      (after != by_base_.begin() && std::prev(after)->second.end() > address))
    throw Error("host range is mapped already");
}

const Allocation* AddressSpace::map_host(void* host, Bytes bytes, AllocationKind kind,
                                         const PageAttributes& attributes, std::uint32_t flags,
                                         std::byte* backing, bool through_port) {
  const VirtualAddress address = virtual_address(host);
  const VirtualAddress first = address.aligned_down(page_bytes_);
  const VirtualAddress last = (address + std::max<Bytes>(bytes, 1)).aligned_up(page_bytes_);
  refuse_overlap(address, bytes);
  const auto after = by_base_.upper_bound(address);
  Allocation allocation;
  allocation.kind = kind;
  allocation.base = address;
  allocation.bytes = bytes;
  // A registered range need not be page aligned: only its own bytes are reachable.
  allocation.mapped_bytes = first == address ? last - address : bytes;
  if (after != by_base_.end())
    allocation.mapped_bytes = std::min<Bytes>(allocation.mapped_bytes, after->first - address);
  if (backing == nullptr) backing = static_cast<std::byte*>(host);
  const PhysicalAddress physical =
      memory_.lend(backing, allocation.mapped_bytes, address - first, through_port, attributes.home);
  allocation.flags = flags;
  allocation.lent = true;
  PageAttributes own = attributes;
  own.home = memory_.map().home_of(physical);
  pages_.map({allocation.base, reachable_bytes(allocation), physical, own});
  return insert(std::move(allocation));
}

const Allocation* AddressSpace::map_frames(VirtualAddress host, Bytes bytes, AllocationKind kind,
                                           const PageAttributes& attributes, std::uint32_t flags,
                                           const std::function<PhysicalAddress(VirtualAddress)>& frame_of) {
  refuse_overlap(host, bytes);
  Allocation allocation;
  allocation.kind = kind;
  allocation.base = host;
  allocation.bytes = bytes;
  allocation.mapped_bytes = (host + std::max<Bytes>(bytes, 1)).aligned_up(page_bytes_) - host;
  allocation.flags = flags;
  PageAttributes own = attributes;
  own.home = Home::OneDram;
  const VirtualAddress end = host + reachable_bytes(allocation);
  for (VirtualAddress at = host; at < end;) {
    const VirtualAddress page = at.aligned_down(page_bytes_);
    const VirtualAddress next = std::min(page + page_bytes_, end);
    pages_.map({at, next - at, frame_of(page) + (at - page), own});
    at = next;
  }
  return insert(std::move(allocation));
}

bool AddressSpace::release(VirtualAddress base) {
  const auto it = by_base_.find(base);
  if (it == by_base_.end()) return false;
  const Allocation& allocation = it->second;
  if (on_change) on_change(allocation, false);
  if (allocation.in_device_memory())
    for_each_run(base, reachable_bytes(allocation), [this](const PageRun& run) {
      memory_.device().frames.give_back(run.physical, round_up(run.bytes, page_bytes_));
    });
  else if (allocation.lent)
    memory_.take_back(physical(base));
  pages_.unmap(base, allocation.mapped_bytes);
  by_base_.erase(it);
  last_found_ = nullptr;
  return true;
}

const Allocation* AddressSpace::find(VirtualAddress address) const {
  const Allocation* const last = last_found_.load(std::memory_order_relaxed);
  if (last != nullptr && address - last->base < last->mapped_bytes) return last;
  auto it = by_base_.upper_bound(address);
  if (it == by_base_.begin()) return nullptr;
  --it;
  if (address >= it->second.end()) return nullptr;
  last_found_.store(&it->second, std::memory_order_relaxed);
  return &it->second;
}

std::string AddressSpace::place_of(VirtualAddress address, Bytes bytes) const {
  char text[160];
  const Allocation* allocation = find(address);
  if (allocation == nullptr) {
    std::snprintf(text, sizeof text, "0x%llx (in no allocation)",
                  static_cast<unsigned long long>(address.value()));
    return text;
  }
  const bool by_call = allocation->call != nullptr;
  std::snprintf(text, sizeof text, "%s #%u (%llu bytes at 0x%llx) + %llu",
                by_call ? allocation->call : allocation_kind_name(allocation->kind),
                by_call ? allocation->call_number : allocation->id,
                static_cast<unsigned long long>(allocation->bytes),
                static_cast<unsigned long long>(allocation->base.value()),
                static_cast<unsigned long long>(address - allocation->base));
  std::string result = text;
  if (bytes > 1) result += " to " + std::to_string(address - allocation->base + bytes - 1);
  return result;
}

void AddressSpace::read(VirtualAddress from, void* to, Bytes bytes) const {
  for_each_run(from, bytes, [&](const PageRun& run) {
    std::memcpy(static_cast<std::byte*>(to) + (run.first - from), memory_.bytes(run.physical), run.bytes);
  });
}

void AddressSpace::write(VirtualAddress to, const void* from, Bytes bytes) {
  for_each_run(to, bytes, [&](const PageRun& run) {
    std::memcpy(memory_.bytes(run.physical), static_cast<const std::byte*>(from) + (run.first - to),
                run.bytes);
  });
}

void AddressSpace::clear(VirtualAddress first, Bytes bytes) {
  for_each_run(first, bytes,
               [&](const PageRun& run) { std::memset(memory_.bytes(run.physical), 0, run.bytes); });
}

bool AddressSpace::move_page(VirtualAddress address) {
  const VirtualAddress page = address.aligned_down(page_bytes_);
  const auto frame = take_frames(page_bytes_);
  if (!frame) return false;
  const PhysicalAddress old = physical(page);
  std::memcpy(memory_.bytes(*frame), memory_.bytes(old), page_bytes_);
  pages_.remap(page, *frame);
  memory_.device().frames.give_back(old, page_bytes_);
  return true;
}

PageRun AddressSpace::spare_page(VirtualAddress address) const {
  const Bytes granule = granule_bytes();
  const VirtualAddress lowest = kDeviceVirtualBase - granule;
  if (!spare_ || !in_device_region(address)) return {};
  const VirtualAddress first = address.aligned_down(granule);
  if (first != lowest) {
    const auto after = by_base_.lower_bound(first + granule);
    if (after == by_base_.begin()) return {};
    const Allocation& last = std::prev(after)->second;
    if (!last.in_device_memory() || last.end() <= first) return {};
  }
  PageRun run;
  run.first = address.aligned_down(page_bytes_);
  run.bytes = page_bytes_;
  run.physical = *spare_ + run.first % granule;
  run.attributes.cacheability = device_pages_.plain;
  return run;
}

const Allocation* AddressSpace::nearest(VirtualAddress address) const {
  if (by_base_.empty()) return nullptr;
  auto above = by_base_.upper_bound(address);
  if (above == by_base_.begin()) return &above->second;
  const Allocation* below = &std::prev(above)->second;
  if (above == by_base_.end()) return below;
  const Bytes from_below = address - std::min(address, below->end());
  return from_below <= above->first - address ? below : &above->second;
}

}  // namespace duet::memory
