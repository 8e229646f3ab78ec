// Addresses of memory. Virtual: the addresses of a program, its kernels and its copies; a page table
// translates them. Physical: the place of the bytes in a machine, the only address of caches, interconnect
// and DRAM. Neither becomes the other, or a number, by itself. Numbers remain where an address is not yet one
// of memory: in lanes, push buffers, and the state spaces of PTX (Address in units.h).
#pragma once

#include <compare>
#include <cstdint>

#include "base/units.h"

namespace duet {

template <typename Kind>
class MemoryAddress {
 public:
  constexpr MemoryAddress() = default;
  constexpr explicit MemoryAddress(std::uint64_t value) : value_(value) {}

  constexpr std::uint64_t value() const { return value_; }
  constexpr explicit operator bool() const { return value_ != 0; }
  // The multiple of `alignment`, a power of two, at or before it.
  constexpr MemoryAddress aligned_down(Bytes alignment) const {
    return MemoryAddress(value_ & ~(alignment - 1));
  }
  constexpr MemoryAddress aligned_up(Bytes alignment) const {
    return MemoryAddress(value_ + alignment - 1).aligned_down(alignment);
  }

  friend constexpr auto operator<=>(const MemoryAddress&, const MemoryAddress&) = default;
  friend constexpr MemoryAddress operator+(MemoryAddress a, Bytes bytes) {
    return MemoryAddress(a.value_ + bytes);
  }
  friend constexpr MemoryAddress operator-(MemoryAddress a, Bytes bytes) {
    return MemoryAddress(a.value_ - bytes);
  }
  friend constexpr Bytes operator-(MemoryAddress a, MemoryAddress b) { return a.value_ - b.value_; }
  constexpr MemoryAddress& operator+=(Bytes bytes) {
    value_ += bytes;
    return *this;
  }
  // The number of its line, page, ..., and the offset in it.
  friend constexpr std::uint64_t operator/(MemoryAddress a, Bytes unit) { return a.value_ / unit; }
  friend constexpr Bytes operator%(MemoryAddress a, Bytes unit) { return a.value_ % unit; }
  friend constexpr std::uint64_t operator>>(MemoryAddress a, unsigned shift) { return a.value_ >> shift; }

 private:
  std::uint64_t value_ = 0;
};

using VirtualAddress = MemoryAddress<struct VirtualKind>;
using PhysicalAddress = MemoryAddress<struct PhysicalKind>;

// Of bytes of the host program: kernels and copies reach them under the same address.
inline VirtualAddress virtual_address(const void* pointer) {
  return VirtualAddress(reinterpret_cast<std::uintptr_t>(pointer));
}
inline void* pointer_of(VirtualAddress address) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address.value()));
}

}  // namespace duet
