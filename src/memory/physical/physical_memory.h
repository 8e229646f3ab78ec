// The physical memory of a machine: ranges of frames that differ by the route on which the GPU reaches them.
// Device DRAM has bytes of its own. The bytes of host DRAM are the program's, or the driver's, and lie where
// the host keeps them: whoever has bytes that the GPU is to reach lends them frames of host DRAM, for as long
// as that is so. Physical addresses are given in the order of asking, so timing never depends on host address
// bits. Which controller serves a range, and in what time, is the machine's business (machine/board.h).
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "memory/physical/frame_allocator.h"

namespace duet::memory {

// On which way the GPU reaches a range.
enum class Route : std::uint8_t { DeviceDram, HostDram };

struct PhysicalRange {
  std::string name;
  PhysicalAddress base;
  Bytes bytes = 0;
  Route route = Route::DeviceDram;
  FrameAllocator frames;
};

// Where the bytes from a physical address on lie in this process.
struct Backing {
  std::byte* bytes = nullptr;  // null: nothing lies there
  Bytes left = 0;              // that follow without a gap, the first included
  bool through_port = false;   // the program's, reached through the HostPort
};

class PhysicalMemory {
 public:
  // `device_bytes` of device DRAM are reserved lazily; `page_bytes` is a power of two.
  PhysicalMemory(Bytes device_bytes, Bytes page_bytes);
  ~PhysicalMemory();
  PhysicalMemory(const PhysicalMemory&) = delete;
  PhysicalMemory& operator=(const PhysicalMemory&) = delete;

  Bytes page_bytes() const { return page_bytes_; }
  PhysicalRange& range(Route route) { return ranges_[static_cast<std::size_t>(route)]; }
  const PhysicalRange& range(Route route) const { return ranges_[static_cast<std::size_t>(route)]; }
  Route route_of(PhysicalAddress address) const {
    const PhysicalRange& device = ranges_[0];
    return address - device.base < device.bytes ? Route::DeviceDram : Route::HostDram;
  }

  // Frames of host DRAM for bytes of the host, which begin `into_page` bytes into the first of them. Returns
  // the first byte's address. Throws duet::Error when host DRAM is full.
  PhysicalAddress lend(std::byte* host, Bytes bytes, Bytes into_page = 0, bool through_port = false);
  // Takes what was lent at this address back.
  void take_back(PhysicalAddress lent);

  Backing backing(PhysicalAddress address) const {
    const PhysicalRange& device = ranges_[0];
    const Bytes offset = address - device.base;
    if (offset < device.bytes) return {device_bytes_ + offset, device.bytes - offset, false};
    return lent(address);
  }
  // For those who know that there is something.
  std::byte* bytes(PhysicalAddress address) const { return backing(address).bytes; }

 private:
  Backing lent(PhysicalAddress address) const;

  const Bytes page_bytes_;
  std::array<PhysicalRange, 2> ranges_;  // by Route
  std::byte* device_bytes_ = nullptr;
  std::map<PhysicalAddress, Backing> lent_;
  mutable PhysicalAddress last_lent_;  // that backing() found last, and what is there
  mutable Backing last_backing_;
};

}  // namespace duet::memory
