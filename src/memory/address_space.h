// The allocations of a program, and the page table under them. An allocation is a name for virtual addresses
// that belong together: for messages, and for the calls that ask for it. Each page says in which frame its
// bytes lie, and how they may be accessed (virtual/page_table.h).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/address.h"
#include "base/error.h"
#include "memory/allocation_methods.h"
#include "memory/physical/physical_memory.h"
#include "memory/virtual/page_table.h"

namespace duet::memory {

// First virtual addresses of device memory and of constants.
inline constexpr VirtualAddress kDeviceVirtualBase{0x0200'0000'0000};
inline constexpr VirtualAddress kConstantVirtualBase{0x0f00'0000'0000'0000};

enum class AllocationKind : std::uint8_t { Device, Pinned, Managed, Registered, Module, Constants, Heap };
const char* allocation_kind_name(AllocationKind kind);  // "cudaMalloc", "cudaHostAlloc", ...

// Contiguous virtual addresses.
struct Allocation {
  std::uint32_t id = 0;  // in allocation order, from 1
  AllocationKind kind = AllocationKind::Device;
  VirtualAddress base;
  Bytes bytes = 0;          // as asked for
  Bytes mapped_bytes = 0;   // whole pages
  std::uint32_t flags = 0;  // the runtime's (cudaHostAlloc flags, ...)
  bool lent = false;        // host memory whose bytes are lent frames while it lives
  // For messages: the program's call that made it, and the number of the call among those of its name. Null:
  // no call.
  const char* call = nullptr;
  std::uint32_t call_number = 0;
  VirtualAddress end() const { return base + mapped_bytes; }
  bool in_device_memory() const {
    return kind == AllocationKind::Device || kind == AllocationKind::Module ||
           kind == AllocationKind::Constants || kind == AllocationKind::Heap;
  }
};

class AddressSpace {
 public:
  explicit AddressSpace(PhysicalMemory& memory, const DevicePages& pages = {});
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  // Later allocations of the program are mapped to their last byte, not to the end of its page.
  void map_own_bytes_only() { own_bytes_only_ = true; }

  // Device DRAM. Null when there is no room. The bytes are zero at first, and later those of the last owner.
  // Constants get virtual addresses of their own: generic accesses recognise constants by them. `tracked`
  // memory has full/empty bits.
  const Allocation* allocate_device(Bytes bytes, AllocationKind kind, std::uint32_t flags = 0,
                                    bool tracked = false);
  // Host memory under its host address, for the GPU (pinned, mapped, registered, managed), with these
  // attributes. Its home is host DRAM's; where cores and GPU have one DRAM (PhysicalMemory::is_one), and the
  // attributes do not say Home::OneDram, a window's: Home::HostInL2 where they say so. The caller owns the
  // bytes. Throws duet::Error where the range overlaps another allocation. `backing`: another mapping of the
  // same bytes, where `host` itself is not always accessible. `through_port`: the bytes are not here, and are
  // reached through the HostPort.
  const Allocation* map_host(void* host, Bytes bytes, AllocationKind kind, const PageAttributes& attributes,
                             std::uint32_t flags = 0, std::byte* backing = nullptr,
                             bool through_port = false);
  // The same of a program on simulated cores, page by page in the frames that its pages have:
  // `frame_of(page)` for each. The machine has one DRAM, and pages of the program's size.
  const Allocation* map_frames(VirtualAddress host, Bytes bytes, AllocationKind kind,
                               const PageAttributes& attributes, std::uint32_t flags,
                               const std::function<PhysicalAddress(VirtualAddress)>& frame_of);
  // `base` must be an allocation's base; returns false when it is not.
  bool release(VirtualAddress base);

  // For messages: later allocations are made by this call of the program. `name` is kept.
  void called(const char* name) { call_ = name; }
  const char* calling() const { return call_; }  // null: no call was made
  // "duetMallocTracked #2 (4096 bytes at 0x2000002000) + 512", where [address, address + bytes) lies.
  std::string place_of(VirtualAddress address, Bytes bytes = 1) const;

  // Called when an allocation has been made, and when it is about to be released. Null: no cost.
  std::function<void(const Allocation&, bool made)> on_change;

  // The allocation whose pages hold `address`, or null. The pointer is valid until the allocation is
  // released.
  const Allocation* find(VirtualAddress address) const;
  // Whether the address is in the region of device memory, in an allocation or beside one.
  bool in_device_region(VirtualAddress address) const {
    return address >= kDeviceVirtualBase - granule_bytes() &&
           address < next_device_address_.aligned_up(granule_bytes());
  }
  // For messages: the allocation nearest to an address outside all of them; null when there are none.
  const Allocation* nearest(VirtualAddress address) const;

  PageTable& pages() { return pages_; }
  const PageTable& pages() const { return pages_; }
  bool tracked(VirtualAddress address) const { return pages_.find(address).attributes.tracked; }
  // Calls f(run) for each contiguous part of [first, first + bytes). The range must be mapped.
  template <typename F>
  void for_each_run(VirtualAddress first, Bytes bytes, F f) const;
  // Bytes in memory itself, whatever caches hold of them (System::settle). They must be mapped.
  void read(VirtualAddress from, void* to, Bytes bytes) const;
  void write(VirtualAddress to, const void* from, Bytes bytes);
  void clear(VirtualAddress first, Bytes bytes);
  // The address must be mapped.
  PhysicalAddress physical(VirtualAddress address) const { return pages_.find(address)[address]; }
  std::byte* bytes(VirtualAddress address) const { return memory_.bytes(physical(address)); }

  // GPUs map device memory in granules: addresses of a granule beside its allocations are mapped too, and an
  // access to them goes through. Returns the spare page at an address outside all allocations of device
  // memory, in a granule of one of them; the granule below the first allocation, the driver's own, counts
  // too. All granules share the spare frames. Nothing where no granule is mapped, and where device memory is
  // full or small.
  PageRun spare_page(VirtualAddress address) const;

  // Moves an unused page of device memory, with its bytes, to another frame; the old frame becomes free.
  // False when no frame is free. Not for code and local memory: launches hold their physical addresses.
  bool move_page(VirtualAddress address);

  PhysicalMemory& memory() { return memory_; }
  const PhysicalMemory& memory() const { return memory_; }
  Bytes device_bytes() const { return memory_.device().bytes; }
  Bytes device_bytes_free() const {
    return memory_.device().frames.free_bytes() + (spare_ ? granule_bytes() : 0);
  }
  Bytes page_bytes() const { return page_bytes_; }
  const std::map<VirtualAddress, Allocation>& allocations() const { return by_base_; }

 private:
  static constexpr Bytes kGranuleBytes = 2_MiB;
  Bytes granule_bytes() const { return std::max(kGranuleBytes, page_bytes_); }
  std::optional<PhysicalAddress> take_frames(Bytes bytes);
  void refuse_overlap(VirtualAddress address, Bytes bytes) const;
  const Allocation* insert(Allocation allocation);

  PhysicalMemory& memory_;
  const Bytes page_bytes_;
  const DevicePages device_pages_;
  PageTable pages_;
  std::optional<PhysicalAddress> spare_;  // a granule of frames; an allocation may have its last ones
  std::map<VirtualAddress, Allocation> by_base_;
  VirtualAddress next_device_address_, next_constant_address_;
  Bytes reachable_bytes(const Allocation& allocation) const;
  bool own_bytes_only_ = false;
  std::uint32_t next_id_ = 1;
  const char* call_ = nullptr;
  std::map<std::string, std::uint32_t, std::less<>> calls_;  // the number of allocations by each call
  // By anybody: a wrong guess costs a search and changes nothing.
  mutable std::atomic<const Allocation*> last_found_{nullptr};
};

template <typename F>
void AddressSpace::for_each_run(VirtualAddress first, Bytes bytes, F f) const {
  while (bytes != 0) {
    PageRun run = pages_.find(first);
    if (run.bytes == 0) throw Error("nothing is mapped at virtual address " + std::to_string(first.value()));
    run.physical = run[first];
    run.bytes = std::min(run.end() - first, bytes);
    run.first = first;
    f(run);
    first += run.bytes;
    bytes -= run.bytes;
  }
}

}  // namespace duet::memory
