// Virtual addresses and the pages between them and physical ones. Every address that a program uses is virtual
// here; a page says over which route its bytes are reached, who may cache them and what the GPU may do there.
// Left out: translation costs nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "base/address.h"
#include "memory/physical/physical_memory.h"
#include "memory/request.h"

namespace duet::memory {

enum class AllocationKind : std::uint8_t { Device, Pinned, Managed, Registered, Module, Constants, Heap };
const char* allocation_kind_name(AllocationKind kind);  // "cudaMalloc", "cudaHostAlloc", ...

struct PageEntry {
  Route route = Route::DeviceDram;
  bool readable = true, writable = true;
  bool tracked = false;  // has full/empty bits: accesses carry triggers and actions (lustig2013 §4)
  Cacheability cacheability;
};

// One allocation: contiguous virtual addresses, contiguous frames, contiguous backing bytes in this process.
struct Allocation {
  std::uint32_t id = 0;  // in allocation order, from 1
  AllocationKind kind = AllocationKind::Device;
  VirtualAddress base;
  Bytes bytes = 0;         // as asked for
  Bytes mapped_bytes = 0;  // whole pages
  PhysicalAddress physical;
  std::byte* backing = nullptr;  // the bytes of `base`
  std::uint32_t flags = 0;       // the runtime's (cudaHostAlloc flags, ...)
  // For messages: the program's call that made it, and the how manyth of that name it was; null: no call did.
  const char* call = nullptr;
  std::uint32_t call_number = 0;
  std::vector<PageEntry> pages;
  bool readable = true, writable = true;  // for the GPU: the same in all pages
  bool tracked = false;                   // the same in all pages
  VirtualAddress end() const { return base + mapped_bytes; }
  bool in_device_memory() const {
    return kind == AllocationKind::Device || kind == AllocationKind::Module ||
           kind == AllocationKind::Constants || kind == AllocationKind::Heap;
  }
};

class AddressSpace {
 public:
  explicit AddressSpace(PhysicalMemory& memory);
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  // Device DRAM. Null when there is no room. Contents are what earlier owners left, zero at first. Constants
  // get virtual addresses of their own, by which generic addresses tell them from global memory. `tracked`
  // memory has full/empty bits.
  const Allocation* allocate_device(Bytes bytes, AllocationKind kind, std::uint32_t flags = 0,
                                    bool tracked = false);
  // From now on allocations of kind Device are tracked without being asked to.
  void track_all() { track_all_ = true; }
  // Host memory that the GPU may reach under its host address (pinned, mapped, registered, managed). The
  // caller owns the bytes. Throws duet::Error when the range overlaps another allocation. `backing`: another
  // mapping of the same bytes, where `host` itself is not always accessible.
  const Allocation* map_host(void* host, Bytes bytes, AllocationKind kind, const PageEntry& attributes,
                             std::uint32_t flags = 0, std::byte* backing = nullptr);
  // `base` must be an allocation's base; returns false when it is not.
  bool release(VirtualAddress base);

  // For messages: what is allocated from now on is made by this call of the program. `name` is kept.
  void called(const char* name) { call_ = name; }
  // "duetMallocTracked #2 (4096 bytes at 0x2000002000) + 512", where [address, address + bytes) lies.
  std::string place_of(VirtualAddress address, Bytes bytes = 1) const;

  // The allocation whose pages hold `address`, or null. The pointer stays valid until that allocation is
  // released.
  const Allocation* find(VirtualAddress address) const;
  // For messages: the virtual address of a physical one of device memory; 0 when nothing is allocated there.
  VirtualAddress virtual_of(PhysicalAddress physical) const;
  // For messages: the allocation nearest to an address that none holds; null when there are none.
  const Allocation* nearest(VirtualAddress address) const;
  // Changes with every release, so that a caller may keep what find() answered while it stays the same.
  std::uint64_t generation() const { return generation_; }

  PhysicalMemory& memory() { return memory_; }
  const PhysicalMemory& memory() const { return memory_; }
  Bytes device_bytes() const { return memory_.range(Route::DeviceDram).bytes; }
  Bytes device_bytes_free() const { return memory_.range(Route::DeviceDram).frames.free_bytes(); }
  Bytes page_bytes() const { return page_bytes_; }
  const std::map<VirtualAddress, Allocation>& allocations() const { return by_base_; }

 private:
  const Allocation* insert(Allocation allocation, const PageEntry& attributes);

  PhysicalMemory& memory_;
  const Bytes page_bytes_;
  std::map<VirtualAddress, Allocation> by_base_;
  VirtualAddress next_device_address_, next_constant_address_;
  std::uint32_t next_id_ = 1;
  std::uint64_t generation_ = 0;
  const char* call_ = nullptr;
  std::map<std::string, std::uint32_t, std::less<>> calls_;  // that have made allocations, how many
  bool track_all_ = false;
  mutable const Allocation* last_found_ = nullptr;
};

// First virtual addresses of device memory and of constants.
inline constexpr VirtualAddress kDeviceVirtualBase{0x0200'0000'0000};
inline constexpr VirtualAddress kConstantVirtualBase{0x0f00'0000'0000'0000};

}  // namespace duet::memory
