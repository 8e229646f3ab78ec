// Windows through which the GPU reaches host memory that is not mapped in the AddressSpace: pageable buffers
// for the duration of one command, staged bytes, push buffers, semaphores. A window's GPU address is given
// in the order of opening, so nothing depends on host address bits. Addresses of windows are physical and
// virtual at once. Left out: the cost of building GPU page tables for a window.
#pragma once

#include <cstddef>
#include <vector>

#include "base/address.h"

namespace duet::memory {

class HostAperture {
 public:
  static constexpr PhysicalAddress kBase{std::uint64_t{1} << 60};
  static constexpr unsigned kWindowBits = 36;  // the largest window: 64 GiB

  struct Window {
    std::byte* host = nullptr;
    Bytes bytes = 0;
    bool through_port = false;  // the bytes are the program's and reached through the HostPort
  };

  static bool holds(PhysicalAddress address) { return address >= kBase; }

  PhysicalAddress open(std::byte* host, Bytes bytes, bool through_port) {
    std::size_t slot = windows_.size();
    if (free_.empty()) {
      windows_.emplace_back();
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    windows_[slot] = {host, bytes, through_port};
    return kBase + (Bytes{slot} << kWindowBits);
  }
  void close(PhysicalAddress base) {
    const std::size_t slot = slot_of(base);
    windows_[slot] = {};
    free_.push_back(slot);
  }
  // The window of an address, or null when the bytes do not lie in an open window.
  const Window* find(PhysicalAddress address, Bytes bytes) const {
    const std::size_t slot = slot_of(address);
    if (slot >= windows_.size()) return nullptr;
    const Window& window = windows_[slot];
    return offset_of(address) + bytes <= window.bytes ? &window : nullptr;
  }
  static Bytes offset_of(PhysicalAddress address) { return address % (Bytes{1} << kWindowBits); }

 private:
  static std::size_t slot_of(PhysicalAddress address) { return (address - kBase) >> kWindowBits; }
  std::vector<Window> windows_;
  std::vector<std::size_t> free_;
};

}  // namespace duet::memory
