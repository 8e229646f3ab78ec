// Memory with wrong values, because not all blocks of a kernel, or not all of their instructions, were
// executed (--sampled). Kept for whole allocations; copies carry it on.
//   skipped.written(*allocation);                      a partially executed kernel stores there
//   skipped.holds(*allocation)                         before a read of it
//   skipped.read_by_copy(address, bytes, command);     then
//   skipped.written_by_copy(address, bytes, command);  or the host: skipped.host_read()
// A copy or a fill that goes over all of an allocation in the order of its addresses makes it right again.
#pragma once

#include <cstdint>
#include <map>

#include "memory/address_space.h"

namespace duet::predict {

class SkippedData {
 public:
  explicit SkippedData(const memory::AddressSpace& address_space) : address_space_(address_space) {}

  bool any() const { return !wrong_.empty(); }
  void written(const memory::Allocation& allocation);
  bool holds(const memory::Allocation& allocation) const { return wrong_.contains(allocation.id); }
  // By a copy engine, of device memory; a command's in the order of their addresses.
  void read_by_copy(PhysicalAddress first, std::uint64_t command);
  void written_by_copy(PhysicalAddress first, Bytes bytes, std::uint64_t command);
  // Whether the program may have seen any: a copy brought it to the host, or it lies where the host reads it.
  bool host_read() const { return host_read_; }

 private:
  struct Range {
    VirtualAddress base;
    PhysicalAddress first;
    Bytes bytes = 0;
    Bytes made_right = 0;  // from its beginning
  };
  std::uint32_t find(PhysicalAddress address) const;

  const memory::AddressSpace& address_space_;
  std::map<std::uint32_t, Range> wrong_;        // by Allocation::id
  std::uint64_t carrying_ = ~std::uint64_t{0};  // the last copy of such data
  bool host_read_ = false;
  bool host_had_read_ = false;  // before the last copy, whose destination may be the device
};

}  // namespace duet::predict
