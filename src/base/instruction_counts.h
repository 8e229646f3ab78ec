// What is counted of one instruction of a kernel, of all warps together (`duet run --lines`).
//   InstructionCounts counts{};  ++count_of(counts, InstructionCount::Requests);
#pragma once

#include <array>
#include <cstdint>

#include "base/issue_slot.h"

namespace duet {

// The first ones are those of IssueSlot but for NoWarp: the slots in which it was issued, and those that were
// lost because a warp waited to issue it.
enum class InstructionCount : std::uint8_t {
  ThreadInstructions = static_cast<std::uint8_t>(IssueSlot::NoWarp),  // machine instructions times lanes
  GlobalAccesses,        // warps' accesses to global and local memory, atomics among them
  SharedAccesses,        // warps' accesses to shared memory
  Requests,              // to L1
  RequestedBytes,        // of these requests: whole segments
  UsedBytes,             // of these bytes what threads read or write
  L1Hits,                // reads that L1 answered at once
  SharedConflictCycles,  // passes of shared memory beyond the first of an access
  DivergentBranches,     // executions after which lanes of the warp go different ways
  Count
};
inline constexpr std::size_t kInstructionCounts = static_cast<std::size_t>(InstructionCount::Count);
using InstructionCounts = std::array<std::uint64_t, kInstructionCounts>;

inline constexpr std::uint64_t& count_of(InstructionCounts& counts, InstructionCount count) {
  return counts[static_cast<std::size_t>(count)];
}
inline constexpr std::uint64_t count_of(const InstructionCounts& counts, InstructionCount count) {
  return counts[static_cast<std::size_t>(count)];
}

}  // namespace duet
