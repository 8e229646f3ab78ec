// How much of a run timeline.pftrace has; each level includes the levels before it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/task_event.h"

namespace duet {

enum class TraceDetail : std::uint8_t {
  None,     // no timeline.pftrace
  Call,     // API calls, stage (ii) of commands that compute or move data, kernels and copies
  Command,  // stage (ii) of every command, push-buffer commands, launches, moves
  Block,    // blocks, and threads on the machine's cores
  Warp      // warps
};
inline constexpr std::array<std::string_view, 5> kTraceDetails = {"none", "call", "command", "block", "warp"};

// The kinds of events for it.
inline constexpr TaskEventMask events_of(TraceDetail detail) {
  TaskEventMask mask = 0;
  if (detail >= TraceDetail::Call) mask |= mask_of(TaskEventKind::Command);
  if (detail >= TraceDetail::Command)
    mask |= mask_of(TaskEventKind::Preparation) | mask_of(TaskEventKind::PushBufferCommand) |
            mask_of(TaskEventKind::Kernel) | mask_of(TaskEventKind::Move);
  if (detail >= TraceDetail::Block) mask |= mask_of(TaskEventKind::Block) | mask_of(TaskEventKind::Thread);
  if (detail >= TraceDetail::Warp) mask |= mask_of(TaskEventKind::Warp);
  return mask;
}

// Events that are not drawn: dependencies and queues.
inline constexpr TaskEventMask kNotDrawnEvents =
    mask_of(TaskEventKind::Dependency) | mask_of(TaskEventKind::Queue);
// The events for `duet explain`.
inline constexpr TaskEventMask kExplainedEvents = events_of(TraceDetail::Warp) | kNotDrawnEvents;

}  // namespace duet
