// Loads, stores and atomics of a warp, executed at once on the bytes of the address space and of the block,
// lanes in ascending order. Lanes of one allocation are checked and moved together; others, and faulting
// ones, one by one. Left out: time, caches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "gpu/grid.h"
#include "memory/address_space.h"
#include "memory/virtual/translator.h"
#include "ptx/semantics/semantics.h"
#include "ptx/semantics/word_lanes.h"

namespace duet::gpu {

// The memory of a warp's block.
struct BlockMemory {
  std::byte* shared = nullptr;
  Bytes shared_bytes = 0;
  std::byte* local = nullptr;  // of the warp's first thread
  Bytes local_bytes = 0;       // per thread
  const std::byte* parameters = nullptr;
  Bytes parameter_bytes = 0;
  const Grid* grid = nullptr;
};

class OutsideAccesses;
template <unsigned W>
class ImageAccess;

struct AccessFault {
  FaultKind kind = FaultKind::None;
  unsigned lane = 0;
  Address address = 0;  // in the space's own addresses
  ptx::StateSpace space = ptx::StateSpace::Global;
  bool untracked = false;        // the access names full/empty bits and the memory has none
  const char* reason = nullptr;  // of textures and surfaces, where no address was reached
  Bytes room = 0;                // of a block's, thread's or kernel's own space
};

template <unsigned W>
class MemoryUnit {
 public:
  // `outside` takes accesses beside allocations; null: they are faults.
  explicit MemoryUnit(const memory::AddressSpace& address_space, OutsideAccesses* outside = nullptr);
  ~MemoryUnit();

  // Before anything of another grid executes.
  void forget();
  // Whenever memory may have been released.
  void check_generation() {
    if (generation_ != address_space_.pages().generation()) forget();
  }

  // Of the last Image executed.
  ImageAccess<W>& image_access() { return *images_; }
  // Executes a Load, Store, Atomic or Image for the lanes given. False: nothing was written and fault() says
  // why. The block memory of one grid's blocks lies where it lay when the grid's first access executed.
  bool execute(ptx::Warp<W>& warp, const ptx::MicroOp& op, std::uint64_t lanes, const BlockMemory& block) {
    const Plan& plan = plans_[plan_index(op)];
    if (plan.op == &op && plan.access != nullptr &&
        plan.access(plan.reach, warp.banks[plan.address_bank] + plan.address_offset, lanes,
                    const_cast<std::byte*>(warp.banks[plan.value_bank]) + plan.value_offset))
      return true;
    return execute_unplanned(warp, op, lanes, block);
  }
  const AccessFault& fault() const { return fault_; }

  // Copies bytes from a generic address as `lane` sees it; false when they are not all readable.
  bool read_bytes(Address address, std::byte* to, Bytes bytes, unsigned lane, const BlockMemory& block);

 private:
  // How an instruction's lanes move together while they stay in the range of its last access.
  struct Plan {
    const ptx::MicroOp* op = nullptr;
    typename ptx::WordLanes<W>::Access access = nullptr;  // null where one call cannot do it
    ptx::Reach reach;
    std::uint32_t address_offset = 0, value_offset = 0;  // of the lane arrays in their banks
    std::uint8_t address_bank = 0, value_bank = 0;
    ptx::StateSpace space = ptx::StateSpace::Generic;
  };
  static constexpr std::size_t kPlans = 128;
  static std::size_t plan_index(const ptx::MicroOp& op) {
    return reinterpret_cast<std::uintptr_t>(&op) / sizeof(ptx::MicroOp) % kPlans;
  }

  struct Region {
    Address base = 0;
    Bytes bytes = 0;  // 0: nothing lies at this address
    std::byte* backing = nullptr;
    bool permitted = true;
    bool spare = false;  // beside all allocations
  };
  struct Access {
    ptx::Warp<W>& warp;
    const ptx::MicroOp& op;
    const BlockMemory& block;
    ptx::StateSpace space;
    std::uint64_t lanes;
    unsigned element_bytes;
    unsigned bytes;      // of one lane
    unsigned alignment;  // of its address
    bool writes;
    const std::uint64_t* addresses;
  };

  bool execute_unplanned(ptx::Warp<W>& warp, const ptx::MicroOp& op, std::uint64_t lanes,
                         const BlockMemory& block);
  bool execute_image(ptx::Warp<W>& warp, const ptx::MicroOp& op, std::uint64_t lanes,
                     const BlockMemory& block);
  bool make_plan(Plan& plan, Access& access);
  bool execute_together(const Plan& plan, Access& access);
  bool execute_in(Access& access);
  Region region_of(const Access& access, Address address);
  Region spare_region(const Access& access, Address address);
  bool resolve(const Access& access, std::byte** where);
  bool fail(FaultKind kind, const Access& access, unsigned lane);
  void move(const Access& access, std::byte* memory, const std::uint32_t* offsets);
  void perform(Access& access, std::byte** where);
  void load(Access& access, std::byte** where);
  void store(Access& access, std::byte** where);
  void atomic(Access& access, std::byte** where);

  const memory::AddressSpace& address_space_;
  OutsideAccesses* const outside_;
  const ptx::WordLanes<W>& words_;
  memory::Translator translator_;
  std::uint64_t generation_ = 0;  // of the plans' page table
  std::array<Plan, kPlans> plans_;
  std::unique_ptr<ImageAccess<W>> images_;  // made when first used
  AccessFault fault_;
};

}  // namespace duet::gpu
