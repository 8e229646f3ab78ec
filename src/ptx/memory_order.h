// What an instruction orders, by its semantics (PTX ISA 9.0, memory consistency model). At which scope, it
// says itself.
//   if (ptx::releases(op) && op.scope != MemoryScope::Cta) ...
#pragma once

#include "ptx/micro_op.h"

namespace duet::ptx {

inline bool acquires(const MicroOp& op) {
  return op.semantics == MemorySemantics::Acquire || op.semantics == MemorySemantics::AcquireRelease ||
         op.semantics == MemorySemantics::SequentiallyConsistent;
}

// Its written value makes earlier accesses visible to others.
inline bool releases(const MicroOp& op) {
  return op.semantics == MemorySemantics::Release || op.semantics == MemorySemantics::AcquireRelease ||
         op.semantics == MemorySemantics::SequentiallyConsistent;
}

}  // namespace duet::ptx
