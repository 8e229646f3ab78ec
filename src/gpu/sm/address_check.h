// Checks and places the lanes of a memory instruction: generic windows, alignment, bounds, page permissions,
// physical addresses (of the translator), and the attributes for the path. All lanes are checked before
// anything happens; faults are the same as in the functional model. Source: PTX ISA 9.0, state spaces and
// cache operators. Left out: translation costs no time.
#pragma once

#include <vector>

#include "config/machine.h"
#include "gpu/sm/memory_instruction.h"
#include "memory/virtual/translator.h"
#include "ptx/semantics/word_lanes.h"

namespace duet::gpu {

template <unsigned W>
class AddressCheck {
 public:
  AddressCheck(const config::Gpu& config, const memory::AddressSpace& address_space);

  // Fills parts and offsets of an instruction whose op, registers, lanes, memory and sizes are set. At least
  // one lane is given. False: fault() says why.
  bool resolve(MemoryInstruction<W>& instruction);
  const AccessFault& fault() const { return fault_; }
  // From now on accesses beside allocations are none where their granule is mapped.
  void let_outside() { lets_outside_ = true; }
  // Whether the last resolved instruction has lanes beside the allocations. They are reported once it is
  // taken.
  bool went_outside() const { return !outside_.empty(); }
  void forget_outside() { outside_.clear(); }
  void tell_outside(const MemoryInstruction<W>& instruction, OutsideAccesses& to);

 private:
  const memory::PageRun& run_of(const ptx::MicroOp& op, VirtualAddress address);
  bool resolve_together(MemoryInstruction<W>& instruction);
  bool resolve_each(MemoryInstruction<W>& instruction);
  bool check_lane(const MemoryInstruction<W>& instruction, ptx::StateSpace space, Address address,
                  FaultKind& kind, memory::PageRun& run);
  memory::PageRun spare_page(ptx::StateSpace space, VirtualAddress address);
  MemoryPart global_part(const ptx::MicroOp& op, const memory::PageAttributes& page) const;
  MemoryPart block_part(const MemoryInstruction<W>& instruction, ptx::StateSpace space) const;
  void interleave(MemoryInstruction<W>& instruction, std::uint64_t lanes, const MemoryPart& part) const;
  bool has_named_bits(const MemoryInstruction<W>& instruction);

  const memory::AddressSpace& address_space_;
  memory::Translator translator_;
  std::uint32_t line_bytes_, constant_line_bytes_;
  bool l1_keeps_writes_;
  const ptx::WordLanes<W>& words_;
  AccessFault fault_;
  bool lets_outside_ = false;
  std::vector<VirtualAddress> outside_;
};

}  // namespace duet::gpu
