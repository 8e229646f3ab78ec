// The heap of device malloc and free (CUDA C++ Programming Guide, dynamic global memory allocation). Every SM
// has an arena, so addresses do not depend on the order in which the SMs of one cycle are simulated; in an
// arena the first large enough place from below is taken. Memory freed by others is free, and counts as free,
// from the next cycle on. SMs share arenas where device memory has no room for one each; addresses then
// depend on the order of SMs. The heap's books lie outside the simulated memory. Left out: a real allocator's
// accesses to its books; gpu.device_heap has the time of calls.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/address.h"

namespace duet::machine {

class DeviceHeap {
 public:
  // `arenas` ranges of `limit` bytes from `base` on; all allocations together keep to the limit.
  DeviceHeap(VirtualAddress base, Bytes limit, std::uint32_t arenas);

  // 0 when there is no such room, or nothing is asked for. Times never go back.
  VirtualAddress allocate(std::uint32_t sm, Bytes bytes, Picoseconds now);
  // Whether `address` was the start of an allocation.
  bool release(std::uint32_t sm, VirtualAddress address, Picoseconds now);

 private:
  struct Arena {
    std::map<VirtualAddress, Bytes> free;  // sizes; no two ranges touch
    std::int64_t change = 0;               // of the bytes held, by its own SM in this cycle
  };
  void advance(Picoseconds now);
  void give_back(Arena& arena, VirtualAddress address, Bytes bytes);

  const VirtualAddress base_;
  const Bytes limit_;
  std::vector<Arena> arenas_;
  std::map<VirtualAddress, Bytes> held_;
  struct Freed {
    VirtualAddress address;
    Bytes bytes;
  };
  std::vector<Freed> freed_;     // in this cycle, by other SMs than the arena's
  std::int64_t held_bytes_ = 0;  // at the start of this cycle
  Picoseconds now_ = 0;
};

}  // namespace duet::machine
