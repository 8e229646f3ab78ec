// Copies, fills and changes of full/empty bits: the checks, and the way to the driver.
//
//   driver::Command command;
//   if (const Status status = prepare_copy(runtime, to, from, shape, Direction::Any, {}, command); ...)
//   command.stream = stream;
//   submit_copy(runtime, host, to, from, shape, std::move(command), asynchronous);
//
// Memory that the GPU reaches (device, pinned, managed) is read and written while the command executes.
// Pageable memory is staged: a source at the call, so the program may change it at once; a destination makes
// the call wait. A prepared command may also become a node of a graph: nobody waits for it.
#pragma once

#include <memory>
#include <vector>

#include "core/runtime.h"
#include "driver/driver.h"
#include "memory/request.h"

namespace duet::core {

// A box of bytes: rows `pitch` bytes apart, slices `slice_pitch` bytes apart.
struct CopySide {
  const void* pointer;
  std::size_t pitch, slice_pitch;
};

// The size of a box: `width` bytes, rows of a slice, slices.
struct CopyShape {
  std::size_t width, rows, slices;
  // Bytes from the first to behind the last.
  Bytes span(const CopySide& side) const {
    return (slices - 1) * side.slice_pitch + (rows - 1) * side.pitch + width;
  }
};

// The sides as the program names them. Any: by their addresses.
enum class Direction : std::uint8_t { HostToHost, HostToDevice, DeviceToHost, DeviceToDevice, Any };

// The actions of a copy's accesses to tracked memory on full/empty bits; by default they leave them alone.
struct FullEmptyUse {
  memory::Trigger trigger = memory::Trigger::None;
  memory::Action action = memory::Action::None;
  bool any() const { return trigger != memory::Trigger::None || action != memory::Action::None; }
};

// Of a copy to pageable memory: where cores and GPU have one DRAM, it takes this way through a buffer of the
// driver, and write_bounced() copies the bytes to the program when it is complete. Null elsewhere.
std::shared_ptr<std::vector<std::byte>> bounce_buffer(Runtime& runtime, Bytes bytes);
void write_bounced(Runtime& runtime, const std::vector<std::byte>& bytes, const driver::CopyJob& job);

// The checks, then all of the command but stream and cost. A copy of nothing leaves a command of no bytes.
// InvalidPitch, InvalidValue: a side is not where the direction says, or not within its allocation.
Status prepare_copy(Runtime& runtime, const CopySide& to, const CopySide& from, const CopyShape& shape,
                    Direction direction, const FullEmptyUse& full_empty, driver::Command& command);
// The whole call of a prepared copy of some bytes. It waits when it is not asynchronous, and for pageable
// memory.
void submit_copy(Runtime& runtime, host::HostThread& host, const CopySide& to, const CopySide& from,
                 const CopyShape& shape, driver::Command command, bool asynchronous);

// Rows of elements of 1, 2 or 4 bytes, each with the value.
struct FillRequest {
  void* to = nullptr;
  std::size_t pitch = 0;  // bytes
  unsigned value = 0;
  unsigned element_bytes = 1;
  std::size_t width = 0, rows = 1;  // elements of a row; rows
};
// The checks, then all of the command but its stream. A fill of nothing is InvalidValue.
Status prepare_fill(Runtime& runtime, const FillRequest& request, driver::Command& command);

// Whether [address, address + bytes) is tracked, lies in `allocation` and consists of whole granules.
bool whole_granules(Runtime& runtime, const memory::Allocation* allocation, VirtualAddress address,
                    Bytes bytes);
// A command for the bits of a range; with Action::None it releases the accesses that wait there.
Status change_full_empty(Runtime& runtime, host::HostThread& host, VirtualAddress address, Bytes bytes,
                         memory::Action action, driver::StreamId stream);

}  // namespace duet::core
