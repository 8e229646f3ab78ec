// A shadow of the allocations of kernels and commands: the written bytes of device memory, and the last
// commands of each line. It is made at the first access to an allocation, and kept after its release, so a
// later access can name it.
//   Region* region = shadow.find(address);  if (!region->written(offset, bytes)) ...
// Bytes of the host (pinned, managed, registered), of modules, of constants and of the device heap count as
// written, as does memory not allocated by a call of the program: their writes are not seen.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "check/grid_shadow.h"
#include "check/line_uses.h"
#include "memory/address_space.h"

namespace duet::check {

class Region {
 public:
  Region(const memory::Allocation& allocation, const memory::AddressSpace& space);

  VirtualAddress base() const { return base_; }
  Bytes bytes() const { return bytes_; }
  bool holds(VirtualAddress address, Bytes bytes = 1) const {
    return address - base_ < bytes_ && bytes_ - (address - base_) >= bytes;
  }
  bool released() const { return released_; }
  // Of memory that is allocated or freed in stream order: the last command whose use was looked at.
  bool in_stream_order = false;
  CommandNumber last_user = 0;
  // Its memory is given anew, so many bytes of it.
  void begin_again(Bytes bytes) {
    bytes_ = bytes;
    last_user = 0;
    in_stream_order = true;
    std::fill(written_.begin(), written_.end(), 0);
  }
  // Its bytes are gone; its name stays.
  void release() {
    released_ = true;
    written_.clear();
    lines_.reset();
    in_kernel_.reset();
  }
  // "cudaMalloc #2 (4096 bytes at 0x2000002000)"
  const std::string& name() const { return name_; }
  bool of_host() const { return of_host_; }
  bool ordered_by_bits() const { return ordered_by_bits_; }

  bool keeps_written() const { return !written_.empty(); }
  bool written(Bytes offset, Bytes bytes) const;
  void set_written(Bytes offset, Bytes bytes, bool value = true);
  LineUses& lines();
  // The accesses of one kernel; null: its allocator orders them.
  GridShadow* in_kernel();

 private:
  VirtualAddress base_;
  Bytes bytes_;
  std::string name_;
  bool of_host_, of_heap_, ordered_by_bits_, released_ = false;
  std::vector<std::uint64_t> written_;  // a bit a byte; none: all are
  std::unique_ptr<LineUses> lines_;     // made when first used, as the next one
  std::unique_ptr<GridShadow> in_kernel_;
};

class GlobalShadow {
 public:
  explicit GlobalShadow(const memory::AddressSpace& space) : space_(space) {}
  // Where the address lies: in an allocation; null: in none.
  Region* find(VirtualAddress address);
  // The last released one with the address; null: none.
  const Region* find_released(VirtualAddress address) const;
  void released(const memory::Allocation& allocation);
  const memory::AddressSpace& space() const { return space_; }
  // So many bytes of the allocation are the program's.
  Bytes bytes_of(const memory::Allocation& allocation) const {
    const auto region = regions_.find(allocation.base);
    return region == regions_.end() ? allocation.bytes : region->second->bytes();
  }

 private:
  Region& region_of(const memory::Allocation& allocation);

  const memory::AddressSpace& space_;
  std::map<VirtualAddress, std::unique_ptr<Region>> regions_;  // by base
  std::vector<std::unique_ptr<Region>> gone_;                  // released, the latest last
  Region* last_ = nullptr;
};

}  // namespace duet::check
