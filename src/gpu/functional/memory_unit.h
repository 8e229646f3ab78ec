// Loads, stores and atomics of a warp, executed at once on the bytes of the address space and of the block,
// lanes in ascending order. Lanes that all lie in one allocation are checked and moved together; others, and
// those that will fault, one by one. Left out: time, caches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpu/grid.h"
#include "memory/address_space.h"
#include "ptx/semantics.h"
#include "ptx/semantics/word_lanes.h"

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
    Bytes permitted_from = 0, permitted_to = 0;      // whole pages that were found to permit this access
  };
  struct Access {
    ptx::Warp<W>& warp;
    const ptx::MicroOp& op;
    const BlockMemory& block;
    ptx::StateSpace space;
    std::uint64_t lanes;
    unsigned element_bytes;
    unsigned bytes;      // of one lane
    unsigned alignment;  // that its address needs
    bool writes;
    const std::uint64_t* addresses;
  };

  [[gnu::always_inline]] inline bool execute_together(Access& access);
  bool execute_in(Access& access);
  [[gnu::always_inline]] inline Region& region_of(const Access& access, Address address);
  bool permitted(const Region& region, Bytes offset, Bytes bytes, bool writes) const;
  bool permitted_range(Region& region, Bytes from, Bytes to, bool writes) const;
  bool resolve(const Access& access, std::byte** where);
  bool fail(FaultKind kind, const Access& access, unsigned lane);
  [[gnu::always_inline]] inline void move(const Access& access, std::byte* memory,
                                          const std::uint32_t* offsets);
  void perform(Access& access, std::byte** where);
  void load(Access& access, std::byte** where);
  void store(Access& access, std::byte** where);
  void atomic(Access& access, std::byte** where);

  const memory::AddressSpace& address_space_;
  unsigned page_shift_;
  std::uint64_t generation_ = 0;
  const ptx::WordLanes<W>& words_;
  ptx::LaneOffsets<W> offsets_;
  // By micro-op, reads and writes apart: an instruction mostly stays within one allocation.
  std::array<Region, 128> recent_;
  Region block_region_;  // of the block's memory, which has no pages
  AccessFault fault_;
};

}  // namespace duet::gpu
