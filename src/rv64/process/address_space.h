// The mapped memory of a process: image, heap, stack, mappings; brk, mmap and their relatives as Linux has
// them. The layout is fixed: the heap behind the image, mappings downward from below the stack.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "rv64/memory.h"

namespace duet::rv64 {

// Disjoint ranges of addresses; neighbours are joined.
class RangeSet {
 public:
  void insert(std::uint64_t first, std::uint64_t end);
  void erase(std::uint64_t first, std::uint64_t end);
  bool touches(std::uint64_t first, std::uint64_t end) const;
  // The highest free place of so many bytes in [low, high).
  std::optional<std::uint64_t> highest_gap(std::uint64_t bytes, std::uint64_t low, std::uint64_t high) const;
  std::uint64_t bytes() const;

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_;  // first to end
};

// Each call answers as the system call does: an address or 0, or a negative errno.
class AddressSpace {
 public:
  static constexpr std::uint64_t kStackTop = 0x3ffffff000;
  static constexpr std::uint64_t kStackBytes = 8_MiB;
  // A page of code behind the stack, as Linux's vdso: to where a signal's handler returns.
  static constexpr std::uint64_t kSignalReturn = kStackTop;
  // More mapped memory than this is refused with ENOMEM, whatever the host has (RLIMIT_AS).
  static constexpr std::uint64_t kMostMappedBytes = std::uint64_t{16} << 30;

  explicit AddressSpace(PagedMemory& memory);

  PagedMemory& memory() { return memory_; }
  // The image has been loaded into [first, end), page addresses.
  void set_image(std::uint64_t first, std::uint64_t end);

  std::int64_t brk(std::uint64_t end);
  // `contents`: of the mapped file; nullptr: anonymous.
  std::int64_t map(std::uint64_t address, std::uint64_t bytes, int protection, int flags,
                   const std::span<const std::byte>* contents);
  std::int64_t unmap(std::uint64_t address, std::uint64_t bytes);
  std::int64_t protect(std::uint64_t address, std::uint64_t bytes, int protection);
  std::int64_t remap(std::uint64_t address, std::uint64_t old_bytes, std::uint64_t new_bytes, int flags,
                     std::uint64_t new_address);
  // Beside Linux's, advice of Duet's own: kAdviseMemoryType and a MemoryType make the pages of this type. On
  // Linux a program gets such pages from a driver.
  static constexpr int kAdviseMemoryType = 0x44550000;
  std::int64_t advise(std::uint64_t address, std::uint64_t bytes, int advice);

 private:
  void map_pages(std::uint64_t first, std::uint64_t bytes, Rights rights,
                 MemoryType type = MemoryType::WriteBack);
  void unmap_pages(std::uint64_t first, std::uint64_t bytes);
  bool has_room(std::uint64_t more) const;
  bool all_mapped(std::uint64_t first, std::uint64_t bytes) const;

  PagedMemory& memory_;
  RangeSet used_;
  RangeSet of_files_;
  std::uint64_t heap_first_ = 0, heap_end_ = 0;
};

}  // namespace duet::rv64
