// The counts of one instruction of a kernel, of all warps together (`duet run --lines`).
//   InstructionCounts counts{};  ++count_of(counts, InstructionCount::Requests);
#pragma once

#include <array>
#include <cstdint>

#include "base/issue_slot.h"

namespace duet {

// The first ones are the ones of IssueSlot but for NoWarp: slots in which it was issued, and slots lost
// because a warp waited to issue it.
enum class InstructionCount : std::uint8_t {
  ThreadInstructions = static_cast<std::uint8_t>(IssueSlot::NoWarp),  // machine instructions times lanes
  GlobalAccesses,        // warps' accesses to global and local memory, atomics among them
  SharedAccesses,        // warps' accesses to shared memory
  Requests,              // to L1
  RequestedBytes,        // of these requests: whole segments
  UsedBytes,             // of these bytes, read or written by threads
  L1Hits,                // reads answered at once by L1
  SharedConflictCycles,  // passes of shared memory beyond the first of an access
  DivergentBranches,     // executions with lanes on different ways afterwards
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
