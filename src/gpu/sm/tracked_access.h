// Actions of instructions on the bits of tracked memory, and the accesses that may go with them
// (tracked_order.h). Source: lustig2013 §4.1 (loads wait for full, stores fill), §4.5 (instructions that name
// an action).
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

template <unsigned W>
inline Company company_of(const MemoryInstruction<W>& instruction) {
  using memory::Action;
  using memory::Trigger;
  const ptx::Kind kind = instruction.op->kind;
  if (kind == ptx::Kind::Load && instruction.action == Action::None)
    return instruction.trigger == Trigger::None   ? Company::LoadsNow
           : instruction.trigger == Trigger::Full ? Company::LoadsFull
                                                  : Company::LoadsEmpty;
  if (kind == ptx::Kind::Atomic) return Company::Atomics;
  if (kind != ptx::Kind::Store || instruction.trigger != Trigger::None) return Company::None;
  return instruction.action == Action::None   ? Company::StoresNow
         : instruction.action == Action::Fill ? Company::StoresFill
                                              : Company::None;
}

}  // namespace duet::gpu
