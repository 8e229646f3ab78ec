#include "core/copies.h"

#include <memory>
#include <optional>
#include <vector>

#include "core/pageable_copy.h"
#include "process/access_fault.h"

namespace duet::core {

namespace {

using driver::Command;
using driver::CommandKind;
using memory::Allocation;

const Allocation* allocation_of(Runtime& runtime, const void* pointer) {
  return runtime.space().find(duet::virtual_address(pointer));
}
bool on_device(const Allocation* allocation) {
  return allocation != nullptr && allocation->in_device_memory();
}

// Of malloc in a kernel: the host reaches none of it.
bool of_device_heap(const Allocation* allocation) {
  return allocation != nullptr && allocation->kind == memory::AllocationKind::Heap;
}

// Whether the range lies within the allocation that it starts in (pageable memory: nobody knows).
bool in_range(const Allocation* allocation, const CopySide& side, const CopyShape& shape) {
  if (allocation == nullptr) return true;
  const Bytes offset = duet::virtual_address(side.pointer) - allocation->base;
  std::size_t rows = 0, slices = 0, end = 0;  // their sum may be more than there are numbers for
  return !__builtin_mul_overflow(shape.rows - 1, side.pitch, &rows) &&
         !__builtin_mul_overflow(shape.slices - 1, side.slice_pitch, &slices) &&
         !__builtin_add_overflow(rows, slices, &end) && !__builtin_add_overflow(end, shape.width, &end) &&
         offset <= allocation->bytes && end <= allocation->bytes - offset;
}

bool direction_fits(Direction direction, bool to_device, bool from_device, bool to_mapped, bool from_mapped) {
  switch (direction) {
    case Direction::HostToHost:
      return !to_device && !from_device;
    case Direction::HostToDevice:
      return (to_device || to_mapped) && !from_device;
    case Direction::DeviceToHost:
      return !to_device && (from_device || from_mapped);
    case Direction::DeviceToDevice:
      return (to_device || to_mapped) && (from_device || from_mapped);
    case Direction::Any:
      return true;
  }
  return false;
}

}  // namespace

bool whole_granules(Runtime& runtime, const Allocation* allocation, VirtualAddress address, Bytes bytes) {
  if (allocation == nullptr || !runtime.space().tracked(allocation->base)) return false;
  const Bytes granule = runtime.process().full_empty_granule_bytes();
  const VirtualAddress end = allocation->base + allocation->bytes;
  return address % granule == 0 && bytes % granule == 0 && address < end && bytes <= end - address;
}

std::shared_ptr<std::vector<std::byte>> bounce_buffer(Runtime& runtime, Bytes bytes) {
  if (!runtime.space().memory().is_one()) return nullptr;
  return std::make_shared<std::vector<std::byte>>(bytes);
}

void write_bounced(Runtime& runtime, const std::vector<std::byte>& bytes, const driver::CopyJob& job) {
  const std::byte* from = bytes.data();
  for (std::uint64_t z = 0; z < job.slices; ++z)
    for (std::uint64_t y = 0; y < job.rows; ++y, from += job.width_bytes)
      runtime.program().write_memory(
          runtime.space().calling(),
          duet::pointer_of(job.to.address + z * job.to.slice_pitch + y * job.to.row_pitch), from,
          job.width_bytes);
}

Status prepare_copy(Runtime& runtime, const CopySide& to, const CopySide& from, const CopyShape& shape,
                    Direction direction, const FullEmptyUse& full_empty, Command& command) {
  if (shape.width == 0 || shape.rows == 0 || shape.slices == 0) return {};
  if (to.pointer == nullptr || from.pointer == nullptr) return Reason::InvalidValue;
  if (shape.rows > 1 && (to.pitch < shape.width || from.pitch < shape.width)) return Reason::InvalidPitch;
  const Allocation* target = allocation_of(runtime, to.pointer);
  const Allocation* source = allocation_of(runtime, from.pointer);
  // Released, or computed wrongly: host memory never lies there.
  if ((target == nullptr && runtime.space().in_device_region(duet::virtual_address(to.pointer))) ||
      (source == nullptr && runtime.space().in_device_region(duet::virtual_address(from.pointer))))
    return Reason::InvalidValue;
  if (of_device_heap(target) || of_device_heap(source)) return Reason::InvalidValue;
  if (!direction_fits(direction, on_device(target), on_device(source), target != nullptr, source != nullptr))
    return Reason::InvalidValue;
  if (!in_range(target, to, shape) || !in_range(source, from, shape)) return Reason::InvalidValue;
  if (full_empty.any()) {
    const bool to_device = on_device(target);
    if (to_device == on_device(source)) return Reason::InvalidValue;
    if (!whole_granules(runtime, to_device ? target : source,
                        duet::virtual_address(to_device ? to.pointer : from.pointer), shape.width))
      return Reason::InvalidValue;
  }
  command.kind = CommandKind::Copy;
  auto& job = command.copy;
  job.width_bytes = shape.width;
  job.trigger = full_empty.trigger;
  job.action = full_empty.action;
  job.rows = shape.rows;
  job.slices = shape.slices;
  job.to = {!on_device(target), duet::virtual_address(to.pointer), to.pitch, to.slice_pitch};
  job.from = {!on_device(source), duet::virtual_address(from.pointer), from.pitch, from.slice_pitch};
  return {};
}

void submit_copy(Runtime& runtime, host::HostThread& host, const CopySide& to, const CopySide& from,
                 const CopyShape& shape, Command command, bool asynchronous) {
  auto& job = command.copy;
  command.cost = &runtime.cost(asynchronous ? CallKind::MemcpyAsync : CallKind::MemcpySync);
  const bool pageable_target = allocation_of(runtime, to.pointer) == nullptr;
  const bool pageable_source = allocation_of(runtime, from.pointer) == nullptr;
  std::optional<process::HostAccess> access;
  process::ProgramSide* const side = runtime.program().side();
  const auto touch = [&](const CopySide& what, bool writes) {
    if (side != nullptr)
      side->check(runtime.space().calling(), what.pointer, shape.span(what), writes);
    else
      access.emplace(runtime.space().calling(), what.pointer, shape.span(what), writes);
  };
  if (pageable_source) touch(from, false);
  if (pageable_target && (side != nullptr || !pageable_source)) touch(to, true);
  runtime.maintenance().before_copy(host, command);
  if (is_staged(runtime, job, pageable_source, pageable_target)) {
    if (pageable_source)
      copy_to_device(runtime, host, std::move(command), from);
    else
      copy_to_host(runtime, host, std::move(command));
    return;
  }
  if (pageable_source) {
    auto staged = std::make_shared<std::vector<std::byte>>(job.bytes());
    std::byte* next = staged->data();
    for (std::size_t z = 0; z < shape.slices; ++z)
      for (std::size_t y = 0; y < shape.rows; ++y, next += shape.width)
        runtime.program().read_memory(
            runtime.space().calling(),
            static_cast<const std::byte*>(from.pointer) + z * from.slice_pitch + y * from.pitch, next,
            shape.width);
    job.staged = std::move(staged);
  }
  const bool device_to_device = !job.to.host && !job.from.host;
  if (pageable_target) job.bounced = bounce_buffer(runtime, job.bytes());
  const driver::CopyJob whole = job;
  const auto id = host.submit(std::move(command));
  if ((!asynchronous && !device_to_device) || pageable_target)
    host.wait(runtime.cost(asynchronous ? CallKind::MemcpyAsync : CallKind::MemcpySync),
              [&] { return runtime.driver().complete(id); });
  if (whole.bounced != nullptr) write_bounced(runtime, *whole.bounced, whole);
}

Status prepare_fill(Runtime& runtime, const FillRequest& request, Command& command) {
  const unsigned element = request.element_bytes;
  if (element != 1 && element != 2 && element != 4) return Reason::InvalidValue;
  if (element < 4 && request.value >> (8 * element) != 0) return Reason::InvalidValue;
  std::size_t width = 0;
  if (__builtin_mul_overflow(request.width, element, &width)) return Reason::InvalidValue;
  if (width == 0 || request.rows == 0) return Reason::InvalidValue;
  const Allocation* target = allocation_of(runtime, request.to);
  if (target == nullptr || of_device_heap(target) || duet::virtual_address(request.to) % element != 0 ||
      !in_range(target, {request.to, request.pitch, 0}, {width, request.rows, 1}))
    return Reason::InvalidValue;
  if (request.rows > 1 && (request.pitch < width || request.pitch % element != 0))
    return Reason::InvalidValue;
  command.kind = CommandKind::Fill;
  command.cost = &runtime.cost(CallKind::Memset);
  command.fill = {
      duet::virtual_address(request.to), request.pitch, width, request.rows, request.value, element};
  return {};
}

Status change_full_empty(Runtime& runtime, host::HostThread& host, VirtualAddress address, Bytes bytes,
                         memory::Action action, driver::StreamId stream) {
  if (!runtime.process().has_full_empty()) return Reason::NotSupported;
  if (bytes == 0) return {};
  if (!whole_granules(runtime, runtime.space().find(address), address, bytes)) return Reason::InvalidValue;
  Command command;
  command.kind = CommandKind::FullEmptySet;
  command.cost = &runtime.cost(CallKind::Memset);
  command.stream = stream;
  command.full_empty = {address, bytes, action};
  host.submit(std::move(command));
  return {};
}

}  // namespace duet::core
