// The events of a task on its way from an API's call to its blocks (hu2016 §2, §3.1, Table III): the host's
// script is commands of the driver, each a stream of push-buffer commands; these start blocks or moves of
// data. sim/event_sink.h carries these events, the journal keeps them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace duet {

// With the meaning of an event's id and parent. Ids are unique within a kind and parent.
enum class TaskEventKind : std::uint8_t {
  Command,            // id: the driver's number, parent: the API's call; from queued to complete
  Preparation,        // id and parent: the command; the driver's stage (ii), until all of it is sent
  PushBufferCommand,  // id: counted from 1, parent: the command; the moment of its decoding
  Kernel,  // id and parent: the command, unit: its reference counter; from SetLaunchID to the end of
           // WaitRefCnt
  Block,   // id: its linear index in the grid, parent: the kernel; while it keeps room on its SM
  Thread,  // id: of a thread of the program, parent: 0; while it has a core of the machine
  Warp,    // id: its index in the block `argument`, parent: the kernel, stream: its slot on the SM; while it
           // runs
  Move,    // id: counted from 0 in its command, parent: the command; while it keeps its engine
  Dependency,  // id: an earlier incomplete command, parent: the command that has to wait for it; the moment
               // of the latter's submission
  Queue,       // id and parent: the command, unit: the queue; while it stands in the work distributor's queue
               // of its stream
  Count
};
// A kernel launched by a kernel has a number of its own in events, with this bit; commands have small ones.
inline constexpr std::uint64_t kLaunchedByKernel = std::uint64_t{1} << 62;
inline constexpr std::size_t kTaskEventKinds = static_cast<std::size_t>(TaskEventKind::Count);

enum class TaskEventPhase : std::uint8_t { Begin, End, Moment };

// Kinds, a bit each.
using TaskEventMask = std::uint32_t;
inline constexpr TaskEventMask mask_of(TaskEventKind kind) { return 1u << static_cast<unsigned>(kind); }
inline constexpr TaskEventMask kAllTaskEvents = mask_of(TaskEventKind::Count) - 1;

}  // namespace duet
