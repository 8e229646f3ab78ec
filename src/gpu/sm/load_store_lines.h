// The counts of a load-store unit's requests, and by instruction (line_counts.h). Only load_store_unit.cpp
// and what it includes do.
#pragma once

#include "gpu/sm/load_store_state.h"

namespace duet::gpu {

// Several parts of one path, apart by attributes, are one access.
template <unsigned W>
inline bool begins_access(const MemoryInstruction<W>& instruction, unsigned i) {
  const MemoryPart& part = instruction.parts[i];
  return i == 0 || part.path != instruction.parts[i - 1].path || part.local != instruction.parts[i - 1].local;
}

template <unsigned W>
[[gnu::noinline]] void LoadStoreUnit<W>::State::count_line(const Instruction& instruction) {
  for (unsigned i = 0; i < instruction.part_count; ++i) {
    if (!begins_access(instruction, i)) continue;
    const MemoryPath path = instruction.parts[i].path;
    if (path == MemoryPath::L1) ++count_of(*instruction.counts, InstructionCount::GlobalAccesses);
    if (path == MemoryPath::Shared) ++count_of(*instruction.counts, InstructionCount::SharedAccesses);
  }
}

// A request to L1 has been sent; the instruction uses so many of its bytes.
template <unsigned W>
[[gnu::always_inline]] inline void LoadStoreUnit<W>::State::count_request(const Instruction& instruction,
                                                                          Bytes bytes, unsigned used_bytes) {
  ++statistics.transactions;
  statistics.texture_transactions += instruction.texel;
  statistics.requested_bytes += bytes;
  statistics.used_bytes += used_bytes;
  if (instruction.counts == nullptr) return;
  ++count_of(*instruction.counts, InstructionCount::Requests);
  count_of(*instruction.counts, InstructionCount::RequestedBytes) += bytes;
  count_of(*instruction.counts, InstructionCount::UsedBytes) += used_bytes;
}

// A line that L1 does not keep may have been in L2.
template <unsigned W>
[[gnu::noinline]] void LoadStoreUnit<W>::State::count_answer(InstructionCounts& counts,
                                                             const Request& request) {
  if (request.was_held && request.cacheability.gpu_l1 && !request.tracked)
    ++count_of(counts, InstructionCount::L1Hits);
}

}  // namespace duet::gpu
