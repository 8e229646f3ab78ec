// Reading, writing, copying, filling and mapping images.
#include <algorithm>
#include <cstring>

#include "gpu/texel.h"
#include "opencl/api/entries.h"
#include "opencl/api/transfers.h"

namespace duet::opencl::api {

namespace {

cl_int check_image(cl_command_queue queue, cl_mem memory) {
  if (const cl_int error = check_handles(queue, {memory}); error != CL_SUCCESS) return error;
  return memory->image ? CL_SUCCESS : CL_INVALID_MEM_OBJECT;
}

// A box of an image that is there, and not empty.
bool in_image(const ImageData& image, const std::size_t* origin, const std::size_t* region) {
  if (origin == nullptr || region == nullptr) return false;
  const auto extent = image.extent();
  for (unsigned d = 0; d < 3; ++d)
    if (region[d] == 0 || origin[d] > extent[d] || region[d] > extent[d] - origin[d]) return false;
  return true;
}

// Pitches of the program's memory; those that are 0 are set. False: the region's rows do not fit.
bool set_pitches_of(const ImageData& image, const std::size_t* region, std::size_t& row, std::size_t& slice) {
  const std::size_t width = region[0] * image.array.texel.bytes();
  const bool layers_of_rows = image.type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  if (image.array.depth == 0 && slice != 0) return false;
  if (row == 0) row = width;
  const std::size_t least = layers_of_rows ? row : row * region[1];
  if (slice == 0) slice = least;
  return row >= width && slice >= least;
}

cl_int enqueue_host_box(Session& session, HostThread& host, cl_command_queue queue, cl_mem memory, bool reads,
                        bool blocking, const std::size_t* origin, const std::size_t* region, std::size_t row,
                        std::size_t slice, const void* pointer, const Waits& waits) {
  if (const cl_int error = check_image(queue, memory); error != CL_SUCCESS) return error;
  const ImageData& image = *memory->image;
  if ((memory->flags & (reads ? kNoHostRead : kNoHostWrite)) != 0) return CL_INVALID_OPERATION;
  if (pointer == nullptr || !in_image(image, origin, region) || !set_pitches_of(image, region, row, slice))
    return CL_INVALID_VALUE;
  const std::size_t zero[3] = {0, 0, 0};
  const Box in_host = image.in_memory(pointer, zero, row, slice), on_device = image.on_device(origin);
  return enqueue_box(session, host, queue, reads ? CL_COMMAND_READ_IMAGE : CL_COMMAND_WRITE_IMAGE, waits,
                     blocking, reads ? in_host : on_device, reads ? on_device : in_host, image.shape(region),
                     {Ref<_cl_mem>(memory)});
}

// An image and a buffer, whose rows and slices are dense.
cl_int enqueue_buffer_box(Session& session, HostThread& host, cl_command_queue queue, cl_mem memory,
                          cl_mem buffer, bool to_buffer, const std::size_t* origin, const std::size_t* region,
                          std::size_t offset, const Waits& waits) {
  if (const cl_int error = check_image(queue, memory); error != CL_SUCCESS) return error;
  if (const cl_int error = check_buffers(queue, {buffer}); error != CL_SUCCESS) return error;
  const ImageData& image = *memory->image;
  if (!in_image(image, origin, region)) return CL_INVALID_VALUE;
  const core::CopyShape shape = image.shape(region);
  const Box dense{duet::pointer_of(buffer->address + offset), shape.width, shape.width * shape.rows};
  if (!within(*buffer, offset, shape.span(dense))) return CL_INVALID_VALUE;
  const Box box = image.on_device(origin);
  return enqueue_box(session, host, queue,
                     to_buffer ? CL_COMMAND_COPY_IMAGE_TO_BUFFER : CL_COMMAND_COPY_BUFFER_TO_IMAGE, waits,
                     false, to_buffer ? dense : box, to_buffer ? box : dense, shape,
                     {Ref<_cl_mem>(memory), Ref<_cl_mem>(buffer)});
}

bool overlap(const std::size_t* first, const std::size_t* second, const std::size_t* region) {
  for (unsigned d = 0; d < 3; ++d)
    if (first[d] >= second[d] + region[d] || second[d] >= first[d] + region[d]) return false;
  return true;
}

}  // namespace

DUET_CL(clEnqueueReadImage, MemcpyAsync,
        (cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t* origin, const size_t* region,
         size_t row, size_t slice, void* to, cl_uint count, const cl_event* list, cl_event* event)) {
  return enqueue_host_box(session, host, queue, image, true, blocking != 0, origin, region, row, slice, to,
                          {count, list, event});
}
DUET_CL_END

DUET_CL(clEnqueueWriteImage, MemcpyAsync,
        (cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t* origin, const size_t* region,
         size_t row, size_t slice, const void* from, cl_uint count, const cl_event* list, cl_event* event)) {
  return enqueue_host_box(session, host, queue, image, false, blocking != 0, origin, region, row, slice, from,
                          {count, list, event});
}
DUET_CL_END

DUET_CL(clEnqueueCopyImage, MemcpyAsync,
        (cl_command_queue queue, cl_mem from, cl_mem to, const size_t* from_origin, const size_t* to_origin,
         const size_t* region, cl_uint count, const cl_event* list, cl_event* event)) {
  for (const cl_mem one : {from, to})
    if (const cl_int error = check_image(queue, one); error != CL_SUCCESS) return error;
  const ImageData &source = *from->image, &target = *to->image;
  if (source.format.image_channel_order != target.format.image_channel_order ||
      source.format.image_channel_data_type != target.format.image_channel_data_type)
    return CL_IMAGE_FORMAT_MISMATCH;
  if (!in_image(source, from_origin, region) || !in_image(target, to_origin, region)) return CL_INVALID_VALUE;
  if (from == to && overlap(from_origin, to_origin, region)) return CL_MEM_COPY_OVERLAP;
  return enqueue_box(session, host, queue, CL_COMMAND_COPY_IMAGE, {count, list, event}, false,
                     target.on_device(to_origin), source.on_device(from_origin), source.shape(region),
                     {Ref<_cl_mem>(from), Ref<_cl_mem>(to)});
}
DUET_CL_END

DUET_CL(clEnqueueCopyImageToBuffer, MemcpyAsync,
        (cl_command_queue queue, cl_mem from, cl_mem to, const size_t* origin, const size_t* region,
         size_t offset, cl_uint count, const cl_event* list, cl_event* event)) {
  return enqueue_buffer_box(session, host, queue, from, to, true, origin, region, offset,
                            {count, list, event});
}
DUET_CL_END

DUET_CL(clEnqueueCopyBufferToImage, MemcpyAsync,
        (cl_command_queue queue, cl_mem from, cl_mem to, size_t offset, const size_t* origin,
         const size_t* region, cl_uint count, const cl_event* list, cl_event* event)) {
  return enqueue_buffer_box(session, host, queue, to, from, false, origin, region, offset,
                            {count, list, event});
}
DUET_CL_END

DUET_CL(clEnqueueFillImage, Memset,
        (cl_command_queue queue, cl_mem memory, const void* colour, const size_t* origin,
         const size_t* region, cl_uint count, const cl_event* list, cl_event* event)) {
  if (const cl_int error = check_image(queue, memory); error != CL_SUCCESS) return error;
  const ImageData& image = *memory->image;
  if (colour == nullptr || !in_image(image, origin, region)) return CL_INVALID_VALUE;
  std::array<std::uint32_t, 4> values;
  session.core().program().read_memory("clEnqueueFillImage", colour, values.data(), sizeof values);
  std::vector<std::byte> texel(image.array.texel.bytes());
  gpu::store_texel(descriptor_of(image), values, texel.data());
  EnqueueOptions options;
  options.uses = {Ref<_cl_mem>(memory)};
  return enqueue(session, host, *queue, CL_COMMAND_FILL_IMAGE, {count, list, event}, options,
                 [&session, to = image.on_device(origin), shape = image.shape(region), texel](
                     HostThread& by, driver::StreamId stream) {
                   return submit_pattern(session, by, stream, to, shape, texel);
                 });
}
DUET_CL_END

void* CL_API_CALL clEnqueueMapImage(cl_command_queue queue, cl_mem memory, cl_bool blocking,
                                    cl_map_flags flags, const size_t* origin, const size_t* region,
                                    size_t* row, size_t* slice, cl_uint count, const cl_event* list,
                                    cl_event* event, cl_int* error) {
  static ApiFunction function{"clEnqueueMapImage", CallKind::MemcpyAsync};
  return make<void*>(function, error, [&](Session& session, HostThread& host, void*& made) -> cl_int {
    if (const cl_int wrong = check_image(queue, memory); wrong != CL_SUCCESS) return wrong;
    const ImageData& image = *memory->image;
    if (!in_image(image, origin, region) || row == nullptr || (image.array.depth != 0 && slice == nullptr))
      return CL_INVALID_VALUE;
    if (const cl_int wrong = check_map(*memory, flags); wrong != CL_SUCCESS) return wrong;
    std::byte* first = nullptr;
    if (const cl_int failed = host_view(session, *memory, first); failed != CL_SUCCESS) return failed;
    const _cl_mem::Map map{image.in_memory(first, origin, image.row_pitch, image.slice_pitch),
                           image.on_device(origin), image.shape(region), flags};
    const cl_int failed = enqueue_map(session, host, queue, CL_COMMAND_MAP_IMAGE, {count, list, event},
                                      blocking != 0, *memory, map);
    if (failed != CL_SUCCESS) return failed;
    *row = image.row_pitch;
    if (slice != nullptr) *slice = image.slice_pitch;
    made = const_cast<void*>(map.host.pointer);
    return CL_SUCCESS;
  });
}

}  // namespace duet::opencl::api
