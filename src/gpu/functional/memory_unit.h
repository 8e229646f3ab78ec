// Loads, stores and atomics of a warp, executed at once on the bytes of the address space and of the block.
// Contiguous and uniform accesses take one copy; others go lane by lane in ascending order. Left out: time,
// caches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpu/grid.h"
#include "memory/address_space.h"
#include "ptx/semantics.h"

namespace duet::gpu {

// The memory that belongs to the block in which a warp runs.
struct BlockMemory {
  std::byte* shared = nullptr;
  Bytes shared_bytes = 0;
  std::byte* local = nullptr;  // of the warp's first thread
  Bytes local_bytes = 0;       // per thread
  const std::byte* parameters = nullptr;
  Bytes parameter_bytes = 0;
};

struct AccessFault {
  FaultKind kind = FaultKind::None;
  unsigned lane = 0;
  Address address = 0;  // in the space's own addresses
  ptx::StateSpace space = ptx::StateSpace::Global;
};

template <unsigned W>
class MemoryUnit {
 public:
  explicit MemoryUnit(const memory::AddressSpace& address_space);

  // Executes a Load, Store or Atomic for the lanes given. False: nothing was written and fault() says why.
  bool execute(ptx::Warp<W>& warp, const ptx::MicroOp& op, std::uint64_t lanes, const BlockMemory& block);
  const AccessFault& fault() const { return fault_; }

  // Copies bytes from a generic address as `lane` sees it; false when they are not all readable.
  bool read_bytes(Address address, std::byte* to, Bytes bytes, unsigned lane, const BlockMemory& block);

 private:
  struct Region {
    Address base = 0;
    Bytes bytes = 0;
    std::byte* backing = nullptr;
    const memory::Allocation* allocation = nullptr;  // null where there are no pages
  };
  struct Access {
    ptx::Warp<W>& warp;
    const ptx::MicroOp& op;
    const BlockMemory& block;
    ptx::StateSpace space;
    std::uint64_t lanes;
    unsigned bytes;      // of one lane
    unsigned alignment;  // that its address needs
    bool writes;
    const std::uint64_t* addresses;
  };

  bool execute_in(Access& access);
  Region region_of(const Access& access, Address address);
  bool permitted(const Region& region, Bytes offset, Bytes bytes, bool writes) const;
  bool resolve(const Access& access, std::byte** where);
  bool fail(FaultKind kind, const Access& access, unsigned lane);
  bool access_run(Access& access, const Region& region);
  bool scattered(Access& access, const Region& region);
  void load(Access& access, std::byte** where);
  void store(Access& access, std::byte** where);
  void atomic(Access& access, std::byte** where);

  const memory::AddressSpace& address_space_;
  unsigned page_shift_;
  std::uint64_t generation_ = 0;
  std::array<Region, 64> recent_;  // by micro-op: an instruction mostly stays within one allocation
  AccessFault fault_;
};

}  // namespace duet::gpu
