// Reading, writing, copying, filling and mapping buffers.
#include <algorithm>
#include <cstring>

#include "core/memory.h"
#include "core/queues.h"
#include "opencl/api/entries.h"
#include "opencl/api/transfers.h"

namespace duet::opencl::api {

namespace {

void* at(const _cl_mem& buffer, std::size_t offset) { return duet::pointer_of(buffer.address + offset); }

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
  if (const cl_int error = check_buffers(queue, {buffer}); error != CL_SUCCESS) return error;
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
  if (const cl_int error = check_buffers(queue, {buffer}); error != CL_SUCCESS) return error;
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
  if (const cl_int error = check_buffers(queue, {buffer}); error != CL_SUCCESS) return error;
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
  if (const cl_int error = check_buffers(queue, {from, to}); error != CL_SUCCESS) return error;
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
  if (const cl_int error = check_buffers(queue, {from, to}); error != CL_SUCCESS) return error;
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
  if (const cl_int error = check_buffers(queue, {buffer}); error != CL_SUCCESS) return error;
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
        return submit_pattern(session, by, stream, {duet::pointer_of(to), bytes, bytes}, {bytes, 1, 1},
                              words);
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
    if (const cl_int wrong = check_buffers(queue, {buffer}); wrong != CL_SUCCESS) return wrong;
    if (!within(*buffer, offset, bytes)) return CL_INVALID_VALUE;
    if (const cl_int wrong = check_map(*buffer, flags); wrong != CL_SUCCESS) return wrong;
    std::byte* first = nullptr;
    if (const cl_int failed = host_view(session, *buffer, first); failed != CL_SUCCESS) return failed;
    const _cl_mem::Map map{
        {first + offset, bytes, bytes}, {at(*buffer, offset), bytes, bytes}, {bytes, 1, 1}, flags};
    const cl_int failed = enqueue_map(session, host, queue, CL_COMMAND_MAP_BUFFER, {count, list, event},
                                      blocking != 0, *buffer, map);
    if (failed == CL_SUCCESS) made = first + offset;
    return failed;
  });
}

DUET_CL(clEnqueueUnmapMemObject, MemcpyAsync,
        (cl_command_queue queue, cl_mem memory, void* pointer, cl_uint count, const cl_event* list,
         cl_event* event)) {
  if (const cl_int error = check_handles(queue, {memory}); error != CL_SUCCESS) return error;
  const auto is_its = [&](const _cl_mem::Map& one) { return one.host.pointer == pointer; };
  const auto found = std::find_if(memory->mapped.begin(), memory->mapped.end(), is_its);
  if (found == memory->mapped.end()) return CL_INVALID_VALUE;
  const _cl_mem::Map map = *found;
  const bool copies =
      !memory->whole().in_host_memory && (map.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0;
  EnqueueOptions options;
  options.uses = {Ref<_cl_mem>(memory)};
  const cl_int error =
      enqueue(session, host, *queue, CL_COMMAND_UNMAP_MEM_OBJECT, {count, list, event}, options,
              [&session, queue, map, copies](HostThread& by, driver::StreamId stream) {
                if (!copies) return submit_mark(session, by, *queue, stream);
                return submit_box(session, by, stream, map.device, map.host, map.shape);
              });
  if (error != CL_SUCCESS) return error;
  memory->mapped.erase(std::find_if(memory->mapped.begin(), memory->mapped.end(), is_its));
  --memory->maps;
  let_go(memory);
  return CL_SUCCESS;
}
DUET_CL_END

}  // namespace duet::opencl::api
