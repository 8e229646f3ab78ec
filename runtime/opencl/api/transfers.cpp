#include "opencl/api/transfers.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/queues.h"

namespace duet::opencl {

cl_int check_handles(cl_command_queue queue, std::initializer_list<cl_mem> memories) {
  if (find(queue) == nullptr) return CL_INVALID_COMMAND_QUEUE;
  for (const cl_mem memory : memories) {
    if (find(memory) == nullptr) return CL_INVALID_MEM_OBJECT;
    if (memory->context.get() != queue->context.get()) return CL_INVALID_CONTEXT;
  }
  return CL_SUCCESS;
}

cl_int check_buffers(cl_command_queue queue, std::initializer_list<cl_mem> buffers) {
  if (const cl_int error = check_handles(queue, buffers); error != CL_SUCCESS) return error;
  const bool any_image =
      std::any_of(buffers.begin(), buffers.end(), [](cl_mem one) { return one->image != nullptr; });
  return any_image ? CL_INVALID_MEM_OBJECT : CL_SUCCESS;
}

bool within(const _cl_mem& buffer, std::size_t offset, std::size_t bytes) {
  return bytes != 0 && offset <= buffer.bytes && bytes <= buffer.bytes - offset;
}

cl_int submit_box(Session& session, HostThread& host, driver::StreamId stream, const Box& to, const Box& from,
                  const core::CopyShape& shape) {
  driver::Command command;
  if (const Status status =
          core::prepare_copy(session.core(), to, from, shape, core::Direction::Any, {}, command);
      status.failed())
    return error_of(status);
  command.stream = stream;
  core::submit_copy(session.core(), host, to, from, shape, std::move(command), true);
  return CL_SUCCESS;
}

cl_int enqueue_box(Session& session, HostThread& host, cl_command_queue queue, cl_command_type type,
                   const Waits& waits, bool blocking, const Box& to, const Box& from,
                   const core::CopyShape& shape, std::vector<Ref<_cl_mem>> uses) {
  EnqueueOptions options;
  options.blocking = blocking;
  options.uses = std::move(uses);
  return enqueue(session, host, *queue, type, waits, options,
                 [&session, to, from, shape](HostThread& by, driver::StreamId stream) {
                   return submit_box(session, by, stream, to, from, shape);
                 });
}

cl_int check_map(const _cl_mem& memory, cl_map_flags flags) {
  constexpr cl_map_flags kWrites = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
  if ((flags & ~(CL_MAP_READ | kWrites)) != 0 ||
      ((flags & CL_MAP_WRITE_INVALIDATE_REGION) != 0 && (flags & (CL_MAP_READ | CL_MAP_WRITE)) != 0))
    return CL_INVALID_VALUE;
  const bool forbidden = ((flags & CL_MAP_READ) != 0 && (memory.flags & kNoHostRead) != 0) ||
                         ((flags & kWrites) != 0 && (memory.flags & kNoHostWrite) != 0);
  return forbidden ? CL_INVALID_OPERATION : CL_SUCCESS;
}

cl_int host_view(Session& session, _cl_mem& memory, std::byte*& first) {
  _cl_mem& whole = memory.whole();
  if (whole.shadow == nullptr && whole.host_pointer != nullptr)
    whole.shadow = static_cast<std::byte*>(whole.host_pointer);
  if (whole.shadow == nullptr) {
    void* const pages = session.core().allocate_host(whole.bytes, memory::AllocationKind::Pinned);
    if (pages == nullptr) return CL_MAP_FAILURE;
    whole.shadow = static_cast<std::byte*>(pages);
    whole.shadow_is_own = true;
  }
  first = whole.shadow + (memory.address - whole.address);
  return CL_SUCCESS;
}

cl_int enqueue_map(Session& session, HostThread& host, cl_command_queue queue, cl_command_type type,
                   const Waits& waits, bool blocking, _cl_mem& memory, const _cl_mem::Map& map) {
  const bool copies = !memory.whole().in_host_memory && (map.flags & CL_MAP_WRITE_INVALIDATE_REGION) == 0;
  EnqueueOptions options;
  options.blocking = blocking;
  options.uses = {Ref<_cl_mem>(&memory)};
  const cl_int failed = enqueue(session, host, *queue, type, waits, options,
                                [&session, queue, map, copies](HostThread& by, driver::StreamId stream) {
                                  if (!copies) return submit_mark(session, by, *queue, stream);
                                  return submit_box(session, by, stream, map.host, map.device, map.shape);
                                });
  if (failed != CL_SUCCESS) return failed;
  memory.mapped.push_back(map);
  ++memory.maps;
  ++memory.holders;  // it stays until it is unmapped
  return CL_SUCCESS;
}

void write_now(Session& session, HostThread& host, const Box& to, const Box& from,
               const core::CopyShape& shape) {
  static const driver::StreamId stream = core::create_stream(session.core(), {});
  static_cast<void>(submit_box(session, host, stream, to, from, shape));
  host.wait(session.core().cost(CallKind::MemcpySync), [&] { return session.driver().stream_idle(stream); });
}

cl_int submit_pattern(Session& session, HostThread& host, driver::StreamId stream, const Box& to,
                      const core::CopyShape& shape, const std::vector<std::byte>& pattern) {
  // A pattern of equal words is a fill of words.
  const std::size_t word = std::min<std::size_t>(pattern.size(), 4);
  if (std::equal(pattern.begin() + static_cast<std::ptrdiff_t>(word), pattern.end(), pattern.begin())) {
    core::FillRequest request;
    std::memcpy(&request.value, pattern.data(), word);
    request.element_bytes = static_cast<unsigned>(word);
    request.pitch = to.pitch;
    request.width = shape.width / word;
    request.rows = shape.rows;
    for (std::size_t slice = 0; slice < shape.slices; ++slice) {
      request.to = const_cast<std::byte*>(static_cast<const std::byte*>(to.pointer)) + slice * to.slice_pitch;
      driver::Command command;
      if (const Status status = core::prepare_fill(session.core(), request, command); status.failed())
        return error_of(status);
      command.stream = stream;
      host.submit(std::move(command));
    }
    return CL_SUCCESS;
  }
  // Of others the bytes come from the host, as a copy whose source is staged at the call.
  std::vector<std::byte> all(shape.width * shape.rows * shape.slices);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = pattern[i % pattern.size()];
  driver::Command command;
  command.kind = driver::CommandKind::Copy;
  command.cost = &session.core().cost(CallKind::Memset);
  command.stream = stream;
  command.copy.width_bytes = shape.width;
  command.copy.rows = shape.rows;
  command.copy.slices = shape.slices;
  command.copy.to = {false, virtual_address(to.pointer), to.pitch, to.slice_pitch};
  command.copy.from = {true, {}, shape.width, shape.width * shape.rows};
  command.copy.staged = std::make_shared<const std::vector<std::byte>>(std::move(all));
  host.submit(std::move(command));
  return CL_SUCCESS;
}

}  // namespace duet::opencl
