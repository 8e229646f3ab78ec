#include "rv64/process/address_space.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace duet::rv64 {
namespace {

constexpr std::uint64_t kAddressEnd = kUserAddressEnd;
constexpr std::uint64_t kLowest = 0x10000;  // as vm.mmap_min_addr
constexpr std::uint64_t kMappingsEnd = AddressSpace::kStackTop - 256_MiB;

Rights rights_of(int protection) {
  return {(protection & (PROT_READ | PROT_WRITE)) != 0, (protection & PROT_WRITE) != 0,
          (protection & PROT_EXEC) != 0};
}

std::uint64_t whole_pages(std::uint64_t bytes) { return (bytes + kPageBytes - 1) & ~(kPageBytes - 1); }

bool is_range(std::uint64_t address, std::uint64_t bytes) {
  return address % kPageBytes == 0 && bytes <= kAddressEnd && address <= kAddressEnd - bytes;
}

}  // namespace

void RangeSet::insert(std::uint64_t first, std::uint64_t end) {
  if (first >= end) return;
  auto at = ranges_.upper_bound(first);
  if (at != ranges_.begin() && std::prev(at)->second >= first) --at;
  while (at != ranges_.end() && at->first <= end) {
    first = std::min(first, at->first);
    end = std::max(end, at->second);
    at = ranges_.erase(at);
  }
  ranges_[first] = end;
}

void RangeSet::erase(std::uint64_t first, std::uint64_t end) {
  auto at = ranges_.upper_bound(first);
  if (at != ranges_.begin()) --at;
  while (at != ranges_.end() && at->first < end) {
    const auto [from, to] = *at;
    if (to <= first) {
      ++at;
      continue;
    }
    at = ranges_.erase(at);
    if (from < first) ranges_[from] = first;
    if (to > end) ranges_[end] = to;
  }
}

bool RangeSet::touches(std::uint64_t first, std::uint64_t end) const {
  const auto at = ranges_.lower_bound(end);
  return at != ranges_.begin() && std::prev(at)->second > first;
}

std::optional<std::uint64_t> RangeSet::highest_gap(std::uint64_t bytes, std::uint64_t low,
                                                   std::uint64_t high) const {
  auto at = ranges_.lower_bound(high);
  for (;;) {
    const std::uint64_t below = at == ranges_.begin() ? low : std::max(low, std::prev(at)->second);
    if (high > below && high - below >= bytes) return high - bytes;
    if (at == ranges_.begin() || below == low) return std::nullopt;
    --at;
    high = std::min(high, at->first);
  }
}

std::uint64_t RangeSet::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& [first, end] : ranges_) sum += end - first;
  return sum;
}

AddressSpace::AddressSpace(PagedMemory& memory) : memory_(memory) {
  map_pages(kStackTop - kStackBytes, kStackBytes, {true, true, false});
  // li a7, 139 (rt_sigreturn); ecall. Unwinders know a signal's frame by these two.
  const std::uint32_t code[] = {0x08b00893, 0x00000073};
  map_pages(kSignalReturn, kPageBytes, {true, true, false});
  memory_.write(VirtualAddress(kSignalReturn), std::as_bytes(std::span(code)));
  memory_.protect(VirtualAddress(kSignalReturn), kPageBytes, {true, false, true});
}

void AddressSpace::set_image(std::uint64_t first, std::uint64_t end) {
  used_.insert(first, end);
  heap_first_ = heap_end_ = end;
}

bool AddressSpace::has_room(std::uint64_t more) const {
  return more <= kMostMappedBytes && used_.bytes() + more <= kMostMappedBytes;
}

bool AddressSpace::all_mapped(std::uint64_t first, std::uint64_t bytes) const {
  return memory_.all_mapped(VirtualAddress(first), bytes);
}

void AddressSpace::map_pages(std::uint64_t first, std::uint64_t bytes, Rights rights, MemoryType type) {
  memory_.map(VirtualAddress(first), bytes, rights, type);
  used_.insert(first, first + bytes);
  of_files_.erase(first, first + bytes);
}

void AddressSpace::unmap_pages(std::uint64_t first, std::uint64_t bytes) {
  memory_.unmap(VirtualAddress(first), bytes);
  used_.erase(first, first + bytes);
  of_files_.erase(first, first + bytes);
}

std::int64_t AddressSpace::brk(std::uint64_t end) {
  const std::uint64_t old_page = whole_pages(heap_end_), page = whole_pages(end);
  if (end < heap_first_ || end > kMappingsEnd) return static_cast<std::int64_t>(heap_end_);
  if (page > old_page) {
    if (!has_room(page - old_page) || used_.touches(old_page, page))
      return static_cast<std::int64_t>(heap_end_);
    map_pages(old_page, page - old_page, {true, true, false});
  } else if (page < old_page) {
    unmap_pages(page, old_page - page);
  }
  heap_end_ = end;
  return static_cast<std::int64_t>(heap_end_);
}

std::int64_t AddressSpace::map(std::uint64_t address, std::uint64_t bytes, int protection, int flags,
                               const std::span<const std::byte>* contents) {
  if (bytes == 0) return -EINVAL;
  if (bytes > kAddressEnd) return -ENOMEM;
  bytes = whole_pages(bytes);
  if ((flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) != 0) {
    if (address % kPageBytes != 0) return -EINVAL;
    if (!is_range(address, bytes)) return -ENOMEM;
    if (address < kLowest) return -EPERM;
    if ((flags & MAP_FIXED) == 0 && used_.touches(address, address + bytes)) return -EEXIST;
  } else {
    address &= ~(kPageBytes - 1);
    if (address < kLowest || !is_range(address, bytes) || used_.touches(address, address + bytes)) {
      const auto gap = used_.highest_gap(bytes, kLowest, kMappingsEnd);
      if (!gap) return -ENOMEM;
      address = *gap;
    }
  }
  if (!has_room(bytes)) return -ENOMEM;
  map_pages(address, bytes, {true, true, false});
  if (contents != nullptr) {
    memory_.write(VirtualAddress(address), contents->first(std::min<std::size_t>(contents->size(), bytes)));
    of_files_.insert(address, address + bytes);
  }
  memory_.protect(VirtualAddress(address), bytes, rights_of(protection));
  return static_cast<std::int64_t>(address);
}

std::int64_t AddressSpace::unmap(std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0 || bytes > kAddressEnd || !is_range(address, whole_pages(bytes))) return -EINVAL;
  unmap_pages(address, whole_pages(bytes));
  return 0;
}

std::int64_t AddressSpace::protect(std::uint64_t address, std::uint64_t bytes, int protection) {
  if (address % kPageBytes != 0) return -EINVAL;
  if (bytes > kAddressEnd || !is_range(address, whole_pages(bytes)) ||
      !all_mapped(address, whole_pages(bytes)))
    return -ENOMEM;
  memory_.protect(VirtualAddress(address), whole_pages(bytes), rights_of(protection));
  return 0;
}

std::int64_t AddressSpace::remap(std::uint64_t address, std::uint64_t old_bytes, std::uint64_t new_bytes,
                                 int flags, std::uint64_t new_address) {
  if (old_bytes == 0 || new_bytes == 0 || old_bytes > kAddressEnd || new_bytes > kAddressEnd) return -EINVAL;
  if ((flags & ~(MREMAP_MAYMOVE | MREMAP_FIXED)) != 0) return -EINVAL;
  old_bytes = whole_pages(old_bytes);
  new_bytes = whole_pages(new_bytes);
  if (!is_range(address, old_bytes)) return -EINVAL;
  if (!all_mapped(address, old_bytes)) return -EFAULT;
  const bool fixed = (flags & MREMAP_FIXED) != 0;
  if (fixed && ((flags & MREMAP_MAYMOVE) == 0 || !is_range(new_address, new_bytes) || new_address < kLowest ||
                (new_address < address + old_bytes && address < new_address + new_bytes)))
    return -EINVAL;
  if (!fixed && new_bytes <= old_bytes) {
    if (new_bytes < old_bytes) unmap_pages(address + new_bytes, old_bytes - new_bytes);
    return static_cast<std::int64_t>(address);
  }
  if (!has_room(new_bytes)) return -ENOMEM;
  const Page page = memory_.find_page(VirtualAddress(address), Access::Load);
  if (!fixed && is_range(address, new_bytes) && !used_.touches(address + old_bytes, address + new_bytes)) {
    map_pages(address + old_bytes, new_bytes - old_bytes, page.rights, page.type);
    return static_cast<std::int64_t>(address);
  }
  if ((flags & MREMAP_MAYMOVE) == 0) return -ENOMEM;
  if (!fixed) {
    const auto gap = used_.highest_gap(new_bytes, kLowest, kMappingsEnd);
    if (!gap) return -ENOMEM;
    new_address = *gap;
  }
  map_pages(new_address, new_bytes, page.rights, page.type);
  for (std::uint64_t at = 0; at < std::min(old_bytes, new_bytes); at += kPageBytes) {
    const VirtualAddress from(address + at), to(new_address + at);
    std::byte* const place = memory_.find_page(to, Access::Store).bytes;
    memory_.settle(from, kPageBytes);
    std::memcpy(place, memory_.find_page(from, Access::Load).bytes, kPageBytes);
    memory_.written(to, kPageBytes);
  }
  unmap_pages(address, old_bytes);
  return static_cast<std::int64_t>(new_address);
}

std::int64_t AddressSpace::advise(std::uint64_t address, std::uint64_t bytes, int advice) {
  if (address % kPageBytes != 0 || bytes > kAddressEnd || !is_range(address, whole_pages(bytes)))
    return -EINVAL;
  bytes = whole_pages(bytes);
  if (!all_mapped(address, bytes)) return -ENOMEM;
  if (const int type = advice - kAdviseMemoryType;
      type >= 0 && type <= static_cast<int>(MemoryType::Device)) {
    memory_.set_type(VirtualAddress(address), bytes, static_cast<MemoryType>(type));
    return 0;
  }
  if (advice != MADV_DONTNEED) return 0;  // the others change no values
  if (of_files_.touches(address, address + bytes)) return -EINVAL;
  for (std::uint64_t at = address; at != address + bytes; at += kPageBytes) {
    const Page page = memory_.find_page(VirtualAddress(at), Access::Load);
    memory_.map(VirtualAddress(at), kPageBytes, page.rights, page.type);
  }
  return 0;
}

}  // namespace duet::rv64
