// The physical memory of a machine: ranges of frames, each with its home (memory_map.h).
// Where cores and GPU have one DRAM (Home::OneDram), two more ranges, the windows, are for the program's
// bytes that the GPU reaches across the link all the same, past its L2 or through it. Device DRAM has bytes
// of its own, mapped from below as far as frames have been taken, because a process may be limited in what it
// maps (RLIMIT_AS). The bytes of host DRAM are the program's, or the driver's, and lie where the host keeps
// them: their owner lends them frames of host DRAM while the GPU is to reach them. Physical addresses are
// given in the order of asking, so timing never depends on host address bits. machine/build/board.h connects
// a range to its controllers.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "memory/physical/frame_allocator.h"
#include "memory/physical/memory_map.h"

namespace duet::memory {

struct PhysicalRange : MemoryRange {
  FrameAllocator frames;
};

// Where the bytes from a physical address on lie in this process.
struct Backing {
  std::byte* bytes = nullptr;  // null: nothing lies there
  Bytes left = 0;              // bytes up to the next gap, the first included
  bool through_port = false;   // the program's, reached through the HostPort
};

inline constexpr Bytes kMostHostBytes = 0x0100'0000'0000;

class PhysicalMemory {
 public:
  // `page_bytes` is a power of two; `host_bytes` is how much of the host's memory the GPU can reach at a
  // time, and `host_home` who serves it. Throws duet::NoMemory when not even the first bytes can be mapped.
  PhysicalMemory(Bytes device_bytes, Bytes page_bytes, Bytes host_bytes = kMostHostBytes,
                 Home host_home = Home::HostDram);
  ~PhysicalMemory();
  PhysicalMemory(const PhysicalMemory&) = delete;
  PhysicalMemory& operator=(const PhysicalMemory&) = delete;

  Bytes page_bytes() const { return page_bytes_; }
  const MemoryMap& map() const { return map_; }
  PhysicalRange& device() { return device_; }
  const PhysicalRange& device() const { return device_; }
  PhysicalRange& host() { return host_; }
  // Cores and GPU have one DRAM.
  bool is_one() const { return host_.home == Home::OneDram; }
  // Who serves lent bytes at the end of the link, where the host is simulated: those from `first` on, by the
  // first of them that exists.
  Home home_at_host(PhysicalAddress first, Bytes bytes) const;

  // Frames of device DRAM, with zeros at first; nothing when there are not enough. Throws duet::NoMemory when
  // the process may not map so many. The bytes of all frames may move: a caller with pointers to them asks
  // moves().
  std::optional<PhysicalAddress> take_device(Bytes bytes);
  // The highest frames instead; the frames between get no bytes. Once.
  std::optional<PhysicalAddress> take_highest_device(Bytes bytes);
  // Frames below `end` have bytes from now on. Throws duet::NoMemory as take_device() does.
  void map_up_to(Bytes end);
  std::uint64_t moves() const { return moves_; }

  // Frames of host DRAM for bytes of the host; they begin `into_page` bytes into the first frame. Returns the
  // first byte's address. Where cores and GPU have one DRAM they lie there, or in the window that has `home`;
  // what is reached through the port lies in a window in any case. Throws duet::Error when the range is full.
  PhysicalAddress lend(std::byte* host, Bytes bytes, Bytes into_page = 0, bool through_port = false,
                       Home home = Home::OneDram);
  // Takes back the frames lent at this address.
  void take_back(PhysicalAddress lent);

  Backing backing(PhysicalAddress address) const {
    const Bytes offset = address - device_.base;
    if (offset < mapped_) return {device_bytes_ + offset, mapped_ - offset, false};
    if (offset - highest_from_ < highest_mapped_)
      return {highest_bytes_ + (offset - highest_from_), highest_from_ + highest_mapped_ - offset, false};
    return lent(address);
  }
  // The address of a byte from backing(), in device DRAM; nothing for others.
  std::optional<PhysicalAddress> device_address_of(const std::byte* byte) const;
  // The address must have bytes.
  std::byte* bytes(PhysicalAddress address) const { return backing(address).bytes; }

 private:
  Backing lent(PhysicalAddress address) const;
  bool map(Bytes bytes);
  void unmap_highest();
  PhysicalRange& lender_of(Home home, bool through_port);

  const Bytes page_bytes_;
  PhysicalRange device_, host_, window_, window_in_l2_;
  MemoryMap map_;
  std::byte* device_bytes_ = nullptr;
  Bytes mapped_ = 0;  // of device DRAM, from its first byte
  std::byte* highest_bytes_ = nullptr;
  Bytes highest_from_ = 0, highest_mapped_ = 0;  // until the mapping from below goes so far
  std::uint64_t moves_ = 0;
  std::map<PhysicalAddress, Backing> lent_;
  mutable PhysicalAddress last_lent_;  // the last result of backing(), and its bytes
  mutable Backing last_backing_;
};

}  // namespace duet::memory
