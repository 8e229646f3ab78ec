// The use of an issue slot of an SM's scheduler in one cycle. An idle slot is charged to the reason of the
// least-blocked of its warps, in this order, and to the warp's kernel.
#pragma once

#include <array>
#include <cstdint>

namespace duet {

enum class IssueSlot : std::uint8_t {
  Issued,
  UnitBusy,       // no operand collector of the unit is free
  LoadStoreBusy,  // the load-store unit's queue is full
  Dependency,     // waits for an arithmetic result, or a branch
  Memory,         // waits for a load or an atomic
  TrackedOrder,   // waits for its own earlier accesses to tracked memory
  Fence,
  Barrier,
  Fetch,   // waits for instructions
  NoWarp,  // no warp left to issue
  Count
};
inline constexpr std::size_t kIssueSlots = static_cast<std::size_t>(IssueSlot::Count);
using IssueSlots = std::array<std::uint64_t, kIssueSlots>;  // slots: cycles times schedulers
const char* issue_slot_name(IssueSlot slot);                // "unit_busy"

// What the warps of a kernel did in each cycle of theirs on an SM: warps times cycles, by why the warp could
// not issue. IssueSlot::Issued: it could, and no scheduler chose it; IssueSlot::NoWarp: it issued.
using WarpCycles = std::array<std::uint64_t, kIssueSlots>;
const char* warp_state_name(IssueSlot state);  // "barrier", "not_selected", "selected"

}  // namespace duet
