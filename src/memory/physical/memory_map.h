// Who serves a physical address: ranges of addresses, and the home of each. Built once, from the machine
// file.
//
//   MemoryMap map;
//   map.add({"device DRAM", PhysicalAddress(0), 6_GiB, Home::DeviceDram});
//   map.add({"host DRAM", PhysicalAddress(1024_GiB), 16_GiB, Home::HostDram});
//   map.home_of(PhysicalAddress(0x1000));   // Home::DeviceDram
//
// Guarantees: ranges do not overlap (add() throws duet::Error), and an address in no range is an error with
// one line. destinations.h turns a home into a number on an interconnect. An integrated chip fills it in
// another way: with one range, or with host DRAM as Home::SharedDram or Home::OneDram.
#pragma once

#include <string>
#include <vector>

#include "base/address.h"

namespace duet::memory {

enum class Home : std::uint8_t {
  DeviceDram,  // the GPU's DRAM: a channel, below slices of L2
  HostDram,    // the host's DRAM, behind the link
  SharedDram,  // the host's, in the channels of the GPU's DRAM: for the GPU behind the link, for the
               // processor below the level of cache that both share
  OneDram,     // the host's, in the channels of the GPU's DRAM, which both reach directly
  HostInL2,    // as HostDram, and the GPU's L2 may hold it: slices of L2 stand before the link
  // Of bytes behind the link, where the host is simulated (PhysicalMemory::home_at_host).
  Program,  // the processor's coherent domain
  Driver    // a simple memory that no core reads
};
inline constexpr std::size_t kHomes = 7;

// Whether the GPU reaches it across the link.
inline bool behind_link(Home home) { return home != Home::DeviceDram && home != Home::OneDram; }
// Whether requests for it go through the GPU's L2.
inline bool in_l2(Home home) { return !behind_link(home) || home == Home::HostInL2; }

struct MemoryRange {
  std::string name;
  PhysicalAddress base;
  Bytes bytes = 0;
  Home home = Home::DeviceDram;

  bool has(PhysicalAddress address) const { return address - base < bytes; }
};

class MemoryMap {
 public:
  // Throws duet::Error where it overlaps another range, or ends beyond the last address. A range of no bytes
  // has no address.
  void add(const MemoryRange& range);
  const std::vector<MemoryRange>& ranges() const { return ranges_; }

  // Throws duet::Error where the address is in no range.
  Home home_of(PhysicalAddress address) const {
    for (const MemoryRange& range : ranges_)
      if (range.has(address)) return range.home;
    throw_unmapped(address);
  }
  bool is_at(Home home, PhysicalAddress address) const {
    for (const MemoryRange& range : ranges_)
      if (range.has(address)) return range.home == home;
    return false;
  }

 private:
  [[noreturn]] void throw_unmapped(PhysicalAddress address) const;

  std::vector<MemoryRange> ranges_;
};

}  // namespace duet::memory
