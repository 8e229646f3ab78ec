// Reading, writing, copying, filling and mapping buffers.
#include <algorithm>
#include <cstring>

#include "core/memory.h"
#include "core/queues.h"
#include "opencl/api/entries.h"
#include "opencl/api/transfers.h"

namespace duet::opencl::api {

namespace {

constexpr cl_mem_flags kNoHostRead = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;
constexpr cl_mem_flags kNoHostWrite = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;

cl_int check_handles(cl_command_queue queue, std::initializer_list<cl_mem> buffers) {
  if (find(queue) == nullptr) return CL_INVALID_COMMAND_QUEUE;
  for (const cl_mem buffer : buffers) {
    if (find(buffer) == nullptr) return CL_INVALID_MEM_OBJECT;
    if (buffer->context.get() != queue->context.get()) return CL_INVALID_CONTEXT;
  }
  return CL_SUCCESS;
}

bool within(const _cl_mem& buffer, std::size_t offset, std::size_t bytes) {
  return bytes != 0 && offset <= buffer.bytes && bytes <= buffer.bytes - offset;
}

void* at(const _cl_mem& buffer, std::size_t offset) { return duet::pointer_of(buffer.address + offset); }

// Between two boxes; the buffers are kept until it has happened.
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

// A rectangle of clEnqueue*Rect, checked as the specification lists it.
struct Rectangle {
  const std::size_t* origin;
  std::size_t row_pitch, slice_pitch;

  // False: pitches that rows do not fit in. Those that are 0 are set.
  bool set_pitches(const std::size_t* region) {
    if (row_pitch == 0) row_pitch = region[0];
    if (row_pitch < region[0]) return false;
    if (slice_pitch == 0) slice_pitch = region[1] * row_pitch;
    return slice_pitch >= region[1] * row_pitch && slice_pitch % row_pitch == 0;
  }
  std::size_t offset() const { return origin[2] * slice_pitch + origin[1] * row_pitch + origin[0]; }
  std::size_t span(const std::size_t* region) const {
    return (region[2] - 1) * slice_pitch + (region[1] - 1) * row_pitch + region[0];
  }
  Box box(const void* memory) const {
    return {static_cast<const std::byte*>(memory) + offset(), row_pitch, slice_pitch};
  }
};

bool empty_region(const std::size_t* region) {
  return region == nullptr || region[0] == 0 || region[1] == 0 || region[2] == 0;
}

cl_int enqueue_rectangle(Session& session, HostThread& host, cl_command_queue queue, cl_mem buffer,
                         bool reads, bool blocking, Rectangle in_buffer, Rectangle in_host,
                         const std::size_t* region, const void* memory, const Waits& waits) {
  if (const cl_int error = check_handles(queue, {buffer}); error != CL_SUCCESS) return error;
  if ((buffer->flags & (reads ? kNoHostRead : kNoHostWrite)) != 0) return CL_INVALID_OPERATION;
  if (in_buffer.origin == nullptr || in_host.origin == nullptr || empty_region(region) || memory == nullptr ||
      !in_buffer.set_pitches(region) || !in_host.set_pitches(region) ||
      !within(*buffer, in_buffer.offset(), in_buffer.span(region)))
    return CL_INVALID_VALUE;
  const Box of_buffer = in_buffer.box(at(*buffer, 0)), of_host = in_host.box(memory);
  return enqueue_box(session, host, queue, reads ? CL_COMMAND_READ_BUFFER_RECT : CL_COMMAND_WRITE_BUFFER_RECT,
                     waits, blocking, reads ? of_host : of_buffer, reads ? of_buffer : of_host,
                     {region[0], region[1], region[2]}, {Ref<_cl_mem>(buffer)});
}

}  // namespace

DUET_CL(clEnqueueReadBuffer, MemcpyAsync,
        (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes, void* to,
         cl_uint count, const cl_event* list, cl_event* event)) {
  if (const cl_int error = check_handles(queue, {buffer}); error != CL_SUCCESS) return error;
  if ((buffer->flags & kNoHostRead) != 0) return CL_INVALID_OPERATION;
  if (to == nullptr || !within(*buffer, offset, bytes)) return CL_INVALID_VALUE;
  return enqueue_box(session, host, queue, CL_COMMAND_READ_BUFFER, {count, list, event}, blocking != 0,
                     {to, bytes, bytes}, {at(*buffer, offset), bytes, bytes}, {bytes, 1, 1},
                     {Ref<_cl_mem>(buffer)});
}
DUET_CL_END

DUET_CL(clEnqueueWriteBuffer, MemcpyAsync,
        (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes,
         const void* from, cl_uint count, const cl_event* list, cl_event* event)) {
  if (const cl_int error = check_handles(queue, {buffer}); error != CL_SUCCESS) return error;
  if ((buffer->flags & kNoHostWrite) != 0) return CL_INVALID_OPERATION;
  if (from == nullptr || !within(*buffer, offset, bytes)) return CL_INVALID_VALUE;
  return enqueue_box(session, host, queue, CL_COMMAND_WRITE_BUFFER, {count, list, event}, blocking != 0,
                     {at(*buffer, offset), bytes, bytes}, {from, bytes, bytes}, {bytes, 1, 1},
                     {Ref<_cl_mem>(buffer)});
}
DUET_CL_END

DUET_CL(clEnqueueReadBufferRect, MemcpyAsync,
        (cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t* buffer_origin,
         const size_t* host_origin, const size_t* region, size_t buffer_row, size_t buffer_slice,
         size_t host_row, size_t host_slice, void* to, cl_uint count, const cl_event* list,
         cl_event* event)) {
  return enqueue_rectangle(session, host, queue, buffer, true, blocking != 0,
                           {buffer_origin, buffer_row, buffer_slice}, {host_origin, host_row, host_slice},
                           region, to, {count, list, event});
}
DUET_CL_END

DUET_CL(clEnqueueWriteBufferRect, MemcpyAsync,
        (cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t* buffer_origin,
         const size_t* host_origin, const size_t* region, size_t buffer_row, size_t buffer_slice,
         size_t host_row, size_t host_slice, const void* from, cl_uint count, const cl_event* list,
         cl_event* event)) {
  return enqueue_rectangle(session, host, queue, buffer, false, blocking != 0,
                           {buffer_origin, buffer_row, buffer_slice}, {host_origin, host_row, host_slice},
                           region, from, {count, list, event});
}
DUET_CL_END

DUET_CL(clEnqueueCopyBuffer, MemcpyAsync,
        (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t bytes,
         cl_uint count, const cl_event* list, cl_event* event)) {
  if (const cl_int error = check_handles(queue, {from, to}); error != CL_SUCCESS) return error;
  if (!within(*from, from_offset, bytes) || !within(*to, to_offset, bytes)) return CL_INVALID_VALUE;
  const VirtualAddress first = from->address + from_offset, second = to->address + to_offset;
  if (&from->whole() == &to->whole() && first < second + bytes && second < first + bytes)
    return CL_MEM_COPY_OVERLAP;
  return enqueue_box(session, host, queue, CL_COMMAND_COPY_BUFFER, {count, list, event}, false,
                     {at(*to, to_offset), bytes, bytes}, {at(*from, from_offset), bytes, bytes},
                     {bytes, 1, 1}, {Ref<_cl_mem>(from), Ref<_cl_mem>(to)});
}
DUET_CL_END

DUET_CL(clEnqueueCopyBufferRect, MemcpyAsync,
        (cl_command_queue queue, cl_mem from, cl_mem to, const size_t* from_origin, const size_t* to_origin,
         const size_t* region, size_t from_row, size_t from_slice, size_t to_row, size_t to_slice,
         cl_uint count, const cl_event* list, cl_event* event)) {
  if (const cl_int error = check_handles(queue, {from, to}); error != CL_SUCCESS) return error;
  Rectangle source{from_origin, from_row, from_slice}, target{to_origin, to_row, to_slice};
  if (from_origin == nullptr || to_origin == nullptr || empty_region(region) || !source.set_pitches(region) ||
      !target.set_pitches(region) || !within(*from, source.offset(), source.span(region)) ||
      !within(*to, target.offset(), target.span(region)))
    return CL_INVALID_VALUE;
  if (from == to && (source.row_pitch != target.row_pitch || source.slice_pitch != target.slice_pitch))
    return CL_INVALID_VALUE;
  if (&from->whole() == &to->whole()) {
    // As the specification's appendix "CL_MEM_COPY_OVERLAP" decides, by rows and slices in one frame.
    const VirtualAddress first = from->address + source.offset(), second = to->address + target.offset();
    const std::size_t distance = first < second ? second - first : first - second;
    const std::size_t slice = distance % source.slice_pitch, row = slice % source.row_pitch;
    const bool rows_meet = row < region[0] || source.row_pitch - row < region[0];
    const bool in_slice =
        slice / source.row_pitch < region[1] || (source.slice_pitch - slice) / source.row_pitch < region[1];
    if (rows_meet && in_slice && distance < source.span(region)) return CL_MEM_COPY_OVERLAP;
  }
  return enqueue_box(session, host, queue, CL_COMMAND_COPY_BUFFER_RECT, {count, list, event}, false,
                     target.box(at(*to, 0)), source.box(at(*from, 0)), {region[0], region[1], region[2]},
                     {Ref<_cl_mem>(from), Ref<_cl_mem>(to)});
}
DUET_CL_END

DUET_CL(clEnqueueFillBuffer, Memset,
        (cl_command_queue queue, cl_mem buffer, const void* pattern, size_t pattern_bytes, size_t offset,
         size_t bytes, cl_uint count, const cl_event* list, cl_event* event)) {
  if (const cl_int error = check_handles(queue, {buffer}); error != CL_SUCCESS) return error;
  if (pattern == nullptr || pattern_bytes == 0 || pattern_bytes > 128 ||
      (pattern_bytes & (pattern_bytes - 1)) != 0 || offset % pattern_bytes != 0 ||
      bytes % pattern_bytes != 0 || !within(*buffer, offset, bytes))
    return CL_INVALID_VALUE;
  std::vector<std::byte> words(pattern_bytes);
  session.core().program().read_memory("clEnqueueFillBuffer", pattern, words.data(), pattern_bytes);
  EnqueueOptions options;
  options.uses = {Ref<_cl_mem>(buffer)};
  return enqueue(
      session, host, *queue, CL_COMMAND_FILL_BUFFER, {count, list, event}, options,
      [&session, to = buffer->address + offset, words, bytes](HostThread& by, driver::StreamId stream) {
        return submit_pattern(session, by, stream, to, words, bytes);
      });
}
DUET_CL_END

DUET_CL(clEnqueueMigrateMemObjects, MemcpyAsync,
        (cl_command_queue queue, cl_uint count, const cl_mem* memories, cl_mem_migration_flags flags,
         cl_uint waits, const cl_event* list, cl_event* event)) {
  if (count == 0 || memories == nullptr) return CL_INVALID_VALUE;
  if ((flags & ~(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED)) != 0)
    return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < count; ++i)
    if (const cl_int error = check_handles(queue, {memories[i]}); error != CL_SUCCESS) return error;
  // There is one device, and everything is there.
  return enqueue(session, host, *queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, {waits, list, event}, {},
                 [&session, queue](HostThread& by, driver::StreamId stream) {
                   return submit_mark(session, by, *queue, stream);
                 });
}
DUET_CL_END

void* CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                     cl_map_flags flags, size_t offset, size_t bytes, cl_uint count,
                                     const cl_event* list, cl_event* event, cl_int* error) {
  static ApiFunction function{"clEnqueueMapBuffer", CallKind::MemcpyAsync};
  return make<void*>(function, error, [&](Session& session, HostThread& host, void*& made) -> cl_int {
    if (const cl_int wrong = check_handles(queue, {buffer}); wrong != CL_SUCCESS) return wrong;
    constexpr cl_map_flags kWrites = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    if ((flags & ~(CL_MAP_READ | kWrites)) != 0 || !within(*buffer, offset, bytes) ||
        ((flags & CL_MAP_WRITE_INVALIDATE_REGION) != 0 && (flags & (CL_MAP_READ | CL_MAP_WRITE)) != 0))
      return CL_INVALID_VALUE;
    if (((flags & CL_MAP_READ) != 0 && (buffer->flags & kNoHostRead) != 0) ||
        ((flags & kWrites) != 0 && (buffer->flags & kNoHostWrite) != 0))
      return CL_INVALID_OPERATION;
    _cl_mem& whole = buffer->whole();
    if (whole.shadow == nullptr && whole.host_pointer != nullptr)
      whole.shadow = static_cast<std::byte*>(whole.host_pointer);
    if (whole.shadow == nullptr) {
      void* const pages = session.core().allocate_host(whole.bytes, memory::AllocationKind::Pinned);
      if (pages == nullptr) return CL_MAP_FAILURE;
      whole.shadow = static_cast<std::byte*>(pages);
      whole.shadow_is_own = true;
    }
    std::byte* const pointer = whole.shadow + buffer->origin + offset;
    const bool copies = !whole.in_host_memory && (flags & CL_MAP_WRITE_INVALIDATE_REGION) == 0;
    EnqueueOptions options;
    options.blocking = blocking != 0;
    options.uses = {Ref<_cl_mem>(buffer)};
    const cl_int failed = enqueue(session, host, *queue, CL_COMMAND_MAP_BUFFER, {count, list, event}, options,
                                  [&session, queue, from = at(*buffer, offset), pointer, copies, bytes](
                                      HostThread& by, driver::StreamId stream) {
                                    if (!copies) return submit_mark(session, by, *queue, stream);
                                    return submit_box(session, by, stream, {pointer, bytes, bytes},
                                                      {from, bytes, bytes}, {bytes, 1, 1});
                                  });
    if (failed != CL_SUCCESS) return failed;
    buffer->mapped.push_back({pointer, offset, bytes, flags});
    ++buffer->maps;
    ++buffer->holders;  // it stays until it is unmapped
    made = pointer;
    return CL_SUCCESS;
  });
}

DUET_CL(clEnqueueUnmapMemObject, MemcpyAsync,
        (cl_command_queue queue, cl_mem buffer, void* pointer, cl_uint count, const cl_event* list,
         cl_event* event)) {
  if (const cl_int error = check_handles(queue, {buffer}); error != CL_SUCCESS) return error;
  const auto found = std::find_if(buffer->mapped.begin(), buffer->mapped.end(),
                                  [&](const _cl_mem::Map& one) { return one.pointer == pointer; });
  if (found == buffer->mapped.end()) return CL_INVALID_VALUE;
  const _cl_mem::Map map = *found;
  const bool copies =
      !buffer->whole().in_host_memory && (map.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0;
  EnqueueOptions options;
  options.uses = {Ref<_cl_mem>(buffer)};
  const cl_int error =
      enqueue(session, host, *queue, CL_COMMAND_UNMAP_MEM_OBJECT, {count, list, event}, options,
              [&session, queue, target = at(*buffer, map.offset), map, copies](HostThread& by,
                                                                               driver::StreamId stream) {
                if (!copies) return submit_mark(session, by, *queue, stream);
                return submit_box(session, by, stream, {target, map.bytes, map.bytes},
                                  {map.pointer, map.bytes, map.bytes}, {map.bytes, 1, 1});
              });
  if (error != CL_SUCCESS) return error;
  buffer->mapped.erase(std::find_if(buffer->mapped.begin(), buffer->mapped.end(),
                                    [&](const _cl_mem::Map& one) { return one.pointer == pointer; }));
  --buffer->maps;
  let_go(buffer);
  return CL_SUCCESS;
}
DUET_CL_END

}  // namespace duet::opencl::api
