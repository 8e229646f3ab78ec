#include "memory/address_space.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>

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

AddressSpace::AddressSpace(Bytes device_bytes, Bytes page_bytes)
    : device_bytes_(device_bytes / page_bytes * page_bytes),
      page_bytes_(page_bytes),
      next_device_address_(kDeviceVirtualBase),
      next_constant_address_(kConstantVirtualBase),
      next_host_physical_(kHostPhysicalBase) {
  void* memory = mmap(nullptr, device_bytes_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw Error("cannot reserve " + std::to_string(device_bytes_ >> 20) +
                " MiB of address space for device memory: set gpu.dram.bytes smaller");
  // Touched for the first time in large pieces; where the kernel has no huge pages, it stays as it was.
  madvise(memory, device_bytes_, MADV_HUGEPAGE);
  device_backing_ = static_cast<std::byte*>(memory);
  ranges_.push_back({"device DRAM", PhysicalAddress(0), device_bytes_, Route::DeviceDram});
  ranges_.push_back({"host DRAM", kHostPhysicalBase, kHostPhysicalBase.value(), Route::HostDram});
  free_frames_[PhysicalAddress(0)] = device_bytes_;
}

AddressSpace::~AddressSpace() { munmap(device_backing_, device_bytes_); }

std::optional<PhysicalAddress> AddressSpace::take_frames(Bytes bytes) {
  for (auto it = free_frames_.begin(); it != free_frames_.end(); ++it) {
    if (it->second < bytes) continue;
    const PhysicalAddress base = it->first;
    const Bytes rest = it->second - bytes;
    free_frames_.erase(it);
    if (rest != 0) free_frames_[base + bytes] = rest;
    return base;
  }
  return std::nullopt;
}

const Allocation* AddressSpace::insert(Allocation allocation, const PageEntry& attributes) {
  allocation.id = next_id_++;
  const bool by_the_program =
      allocation.kind == AllocationKind::Device || !allocation.in_device_memory();  // not for its code
  if (call_ != nullptr && by_the_program) {
    allocation.call = call_;
    allocation.call_number = ++calls_[call_];
  }
  allocation.readable = attributes.readable;
  allocation.writable = attributes.writable;
  allocation.tracked = attributes.tracked;
  allocation.pages.resize((allocation.mapped_bytes + page_bytes_ - 1) / page_bytes_, attributes);
  for (std::size_t i = 0; i < allocation.pages.size(); ++i)
    allocation.pages[i].frame = allocation.physical / page_bytes_ + i;
  const VirtualAddress base = allocation.base;
  return &by_base_.emplace(base, std::move(allocation)).first->second;
}

const Allocation* AddressSpace::allocate_device(Bytes bytes, AllocationKind kind, std::uint32_t flags,
                                                bool tracked) {
  if (bytes > device_bytes_) return nullptr;
  Allocation allocation;
  allocation.kind = kind;
  allocation.bytes = bytes;
  allocation.mapped_bytes = round_up(std::max<Bytes>(bytes, 1), page_bytes_);
  const auto physical = take_frames(allocation.mapped_bytes);
  if (!physical) return nullptr;
  allocation.physical = *physical;
  allocation.backing = device_backing_ + physical->value();
  VirtualAddress& next = kind == AllocationKind::Constants ? next_constant_address_ : next_device_address_;
  allocation.base = next;
  // One unmapped page between allocations: running past an end is found.
  next += allocation.mapped_bytes + page_bytes_;
  allocation.flags = flags;
  PageEntry entry;
  entry.tracked = tracked || (track_all_ && kind == AllocationKind::Device);
  return insert(std::move(allocation), entry);
}

const Allocation* AddressSpace::map_host(void* host, Bytes bytes, AllocationKind kind,
                                         const PageEntry& attributes, std::uint32_t flags,
                                         std::byte* backing) {
  const VirtualAddress address = virtual_address(host);
  const VirtualAddress first = address.aligned_down(page_bytes_);
  const VirtualAddress last = (address + std::max<Bytes>(bytes, 1)).aligned_up(page_bytes_);
  const auto after = by_base_.upper_bound(address);
  const bool overlaps = (after != by_base_.end() && after->first < address + bytes) ||
                        (after != by_base_.begin() && std::prev(after)->second.end() > address);
  if (overlaps) throw Error("host range is mapped already");
  Allocation allocation;
  allocation.kind = kind;
  allocation.base = address;
  allocation.bytes = bytes;
  // A registered range need not be page aligned: only its own bytes are reachable.
  allocation.mapped_bytes = first == address ? last - address : bytes;
  if (after != by_base_.end())
    allocation.mapped_bytes = std::min<Bytes>(allocation.mapped_bytes, after->first - address);
  allocation.physical = next_host_physical_ + (address - first);
  allocation.backing = backing != nullptr ? backing : static_cast<std::byte*>(host);
  next_host_physical_ += last - first;
  allocation.flags = flags;
  PageEntry entry = attributes;
  entry.route = Route::HostDram;
  entry.host_may_touch = true;
  const Allocation* result = insert(std::move(allocation), entry);
  host_by_physical_[result->physical] = result;
  return result;
}

bool AddressSpace::release(VirtualAddress base) {
  const auto it = by_base_.find(base);
  if (it == by_base_.end()) return false;
  const Allocation& allocation = it->second;
  if (allocation.in_device_memory()) {
    auto next = free_frames_.emplace(allocation.physical, allocation.mapped_bytes).first;
    const auto follower = std::next(next);
    if (follower != free_frames_.end() && next->first + next->second == follower->first) {
      next->second += follower->second;
      free_frames_.erase(follower);
    }
    if (next != free_frames_.begin()) {
      const auto previous = std::prev(next);
      if (previous->first + previous->second == next->first) {
        previous->second += next->second;
        free_frames_.erase(next);
      }
    }
  } else {
    host_by_physical_.erase(allocation.physical);
  }
  by_base_.erase(it);
  last_found_ = nullptr;
  ++generation_;
  return true;
}

const Allocation* AddressSpace::find(VirtualAddress address) const {
  if (last_found_ != nullptr && address - last_found_->base < last_found_->mapped_bytes) return last_found_;
  auto it = by_base_.upper_bound(address);
  if (it == by_base_.begin()) return nullptr;
  --it;
  if (address >= it->second.end()) return nullptr;
  return last_found_ = &it->second;
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

VirtualAddress AddressSpace::virtual_of(PhysicalAddress physical) const {
  for (const auto& [base, allocation] : by_base_)
    if (allocation.in_device_memory() && physical - allocation.physical < allocation.mapped_bytes)
      return base + (physical - allocation.physical);
  return {};
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

std::byte* AddressSpace::backing(PhysicalAddress physical) const {
  if (physical.value() < device_bytes_) return device_backing_ + physical.value();
  auto it = host_by_physical_.upper_bound(physical);
  if (it == host_by_physical_.begin()) return nullptr;
  const Allocation* allocation = std::prev(it)->second;
  const Bytes offset = physical - allocation->physical;
  return offset < allocation->mapped_bytes ? allocation->backing + offset : nullptr;
}

Bytes AddressSpace::device_bytes_free() const {
  Bytes total = 0;
  for (const auto& [base, bytes] : free_frames_) total += bytes;
  return total;
}

}  // namespace duet::memory
