// Accesses of kernels beside allocations. They go through because their granule of device memory is mapped
// (AddressSpace::spare_page). Kept for all SMs, by launch and instruction: sums and extremes only, so the
// order of the SMs does not matter.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "gpu/grid.h"
#include "memory/address_space.h"

namespace duet::gpu {

struct OutsideAccess {
  const ptx::Kernel* kernel = nullptr;
  std::string place;  // "k.ptx:12"
  ptx::Kind kind = ptx::Kind::Load;
  std::uint64_t accesses = 0;      // of threads
  VirtualAddress lowest, highest;  // of their first bytes
};

class OutsideAccesses {
 public:
  // From the tick of any SM.
  void add(const Grid& grid, const ptx::MicroOp& op, VirtualAddress address);
  // Of one launch, in the order of their lines. Each is told once. Nobody ticks meanwhile.
  std::vector<OutsideAccess> take(std::uint64_t launch);
  // Of all launches.
  std::vector<OutsideAccess> take_all();

 private:
  using Key = std::tuple<std::uint64_t, std::uint32_t, ptx::Kind>;  // launch, line
  std::mutex mutex_;
  std::map<Key, OutsideAccess> found_;
};

// The place of an address outside all allocations, for a message.
struct OutsidePosition {
  Bytes distance_bytes = 0;
  bool before = false;     // otherwise past the end
  std::string allocation;  // the nearest: "allocation #1 (cudaMalloc, 4096 bytes at 0x20000000000)"
};
// For messages: the program's call that made memory of the device ("clCreateBuffer"), otherwise its kind.
const char* maker_of(const memory::Allocation& allocation);
OutsidePosition outside_position(VirtualAddress address, const memory::AddressSpace& space);

}  // namespace duet::gpu
