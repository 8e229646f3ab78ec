// What instructions do with the bits of tracked memory, and which of one warp may be on their way together.
// Source: lustig2013 §4.1 (loads wait for full, stores fill), §4.5 (instructions that name it).
#pragma once

#include "gpu/sm/memory_instruction.h"

namespace duet::gpu {

// Sets trigger and action of an instruction, named or implied.
template <unsigned W>
inline void take_bits(MemoryInstruction<W>& instruction, bool atomics_wait) {
  using memory::Action;
  using memory::Trigger;
  const ptx::MicroOp& op = *instruction.op;
  if (!op.names_bits()) {
    const bool atomic = op.kind == ptx::Kind::Atomic && atomics_wait;
    instruction.trigger = op.kind == ptx::Kind::Load || atomic ? Trigger::Full : Trigger::None;
    instruction.action = op.kind == ptx::Kind::Store || atomic ? Action::Fill : Action::None;
    return;
  }
  instruction.trigger = op.bit_trigger == ptx::BitTrigger::Full    ? Trigger::Full
                        : op.bit_trigger == ptx::BitTrigger::Empty ? Trigger::Empty
                                                                   : Trigger::None;
  instruction.action = op.bit_action == ptx::BitAction::Fill    ? Action::Fill
                       : op.bit_action == ptx::BitAction::Empty ? Action::Empty
                                                                : Action::None;
}

// Those of one company travel in one class and leave the bits as they are, or fill without waiting. None:
// alone.
enum class Company : std::uint8_t { None, LoadsNow, LoadsFull, LoadsEmpty, StoresNow, StoresFill };

template <unsigned W>
inline Company company_of(const MemoryInstruction<W>& instruction) {
  using memory::Action;
  using memory::Trigger;
  const ptx::Kind kind = instruction.op->kind;
  if (kind == ptx::Kind::Load && instruction.action == Action::None)
    return instruction.trigger == Trigger::None   ? Company::LoadsNow
           : instruction.trigger == Trigger::Full ? Company::LoadsFull
                                                  : Company::LoadsEmpty;
  if (kind != ptx::Kind::Store || instruction.trigger != Trigger::None) return Company::None;
  return instruction.action == Action::None   ? Company::StoresNow
         : instruction.action == Action::Fill ? Company::StoresFill
                                              : Company::None;
}

// A warp's accesses to tracked memory that are on their way.
struct TrackedAccesses {
  std::uint32_t in_flight = 0;
  Company company = Company::None;  // of all of them
};

}  // namespace duet::gpu
