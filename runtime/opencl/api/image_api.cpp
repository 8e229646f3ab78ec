// Images: how they are made, on memory of their own or a buffer's, and what they are.
#include <algorithm>

#include "core/image_limits.h"
#include "core/memory.h"
#include "opencl/api/entries.h"
#include "opencl/api/memory_flags.h"
#include "opencl/api/transfers.h"
#include "opencl/session/image_formats.h"

namespace duet::opencl::api {

namespace {

bool is_image_type(cl_mem_object_type type) {
  switch (type) {
    case CL_MEM_OBJECT_IMAGE1D:
    case CL_MEM_OBJECT_IMAGE1D_BUFFER:
    case CL_MEM_OBJECT_IMAGE1D_ARRAY:
    case CL_MEM_OBJECT_IMAGE2D:
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
    case CL_MEM_OBJECT_IMAGE3D:
      return true;
    default:
      return false;
  }
}

// Sizes that the type has; the others do not count, whatever the program says.
void set_sizes(core::ImageArray& array, const cl_image_desc& wanted) {
  array.width = wanted.image_width;
  array.height = array.depth = 0;
  switch (wanted.image_type) {
    case CL_MEM_OBJECT_IMAGE3D:
      array.depth = wanted.image_depth;
      array.height = wanted.image_height;
      break;
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
      array.depth = wanted.image_array_size;
      array.layered = true;
      array.height = wanted.image_height;
      break;
    case CL_MEM_OBJECT_IMAGE2D:
      array.height = wanted.image_height;
      break;
    case CL_MEM_OBJECT_IMAGE1D_ARRAY:
      array.depth = wanted.image_array_size;
      array.layered = true;
      break;
    default:
      break;
  }
}

bool sizes_fit(const config::Gpu& gpu, const cl_image_desc& wanted) {
  const core::ImageLimits& limits = core::image_limits(gpu);
  const auto fits = [](std::size_t size, int most) {
    return size != 0 && size <= static_cast<std::size_t>(most);
  };
  switch (wanted.image_type) {
    case CL_MEM_OBJECT_IMAGE3D:
      return fits(wanted.image_width, limits.texture_3d) && fits(wanted.image_height, limits.texture_3d) &&
             fits(wanted.image_depth, limits.texture_3d);
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
      return fits(wanted.image_width, limits.texture_2d[0]) &&
             fits(wanted.image_height, limits.texture_2d[1]) &&
             fits(wanted.image_array_size, limits.texture_2d_layered[2]);
    case CL_MEM_OBJECT_IMAGE2D:
      return fits(wanted.image_width, limits.texture_2d[0]) &&
             fits(wanted.image_height, limits.texture_2d[1]);
    case CL_MEM_OBJECT_IMAGE1D_ARRAY:
      return fits(wanted.image_width, limits.texture_2d[0]) &&
             fits(wanted.image_array_size, limits.texture_1d_layered[1]);
    case CL_MEM_OBJECT_IMAGE1D_BUFFER:
      return fits(wanted.image_width, limits.texture_linear);
    default:
      return fits(wanted.image_width, limits.texture_2d[0]);
  }
}

// Those of the program, or dense ones. False: they do not fit.
bool set_pitches(ImageData& image, const cl_image_desc& wanted, bool with_memory) {
  const std::size_t texel = image.array.texel.bytes(), row = image.array.row_bytes();
  if (!with_memory && (wanted.image_row_pitch != 0 || wanted.image_slice_pitch != 0)) return false;
  image.row_pitch = wanted.image_row_pitch != 0 ? wanted.image_row_pitch : row;
  if (image.row_pitch < row || image.row_pitch % texel != 0) return false;
  if (image.array.depth == 0) return true;
  const std::size_t slice = image.row_pitch * image.array.rows();
  image.slice_pitch = wanted.image_slice_pitch != 0 ? wanted.image_slice_pitch : slice;
  return image.slice_pitch >= slice && image.slice_pitch % image.row_pitch == 0;
}

// What an image of one or two dimensions on a buffer needs beyond the rest.
cl_int lie_in_buffer(_cl_mem& made, ImageData& image, const cl_image_desc& wanted, cl_mem_flags flags) {
  _cl_mem* const buffer = wanted.mem_object;
  if (find(buffer) == nullptr || buffer->image) return CL_INVALID_IMAGE_DESCRIPTOR;
  if ((flags & kHostPointer) != 0 || !allowed_in(buffer->flags, flags)) return CL_INVALID_VALUE;
  if (image.host_bytes() > buffer->bytes) return CL_INVALID_IMAGE_SIZE;
  if (image.type == CL_MEM_OBJECT_IMAGE2D &&
      image.row_pitch % (kImagePitchAlignment * image.array.texel.bytes()) != 0)
    return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
  image.array.base = buffer->address;
  image.array.pitch = image.row_pitch;
  image.array.slice_bytes = image.host_bytes();
  made.parent = Ref<_cl_mem>(buffer);
  made.flags = flags_of_part(buffer->flags, flags);
  made.in_host_memory = buffer->in_host_memory;
  return CL_SUCCESS;
}

cl_int make_image(Session& session, HostThread& host, cl_context context, const cl_mem_properties* properties,
                  cl_mem_flags flags, const cl_image_format* format, const cl_image_desc* wanted, void* from,
                  cl_mem& made) {
  if (find(context) == nullptr) return CL_INVALID_CONTEXT;
  if (properties != nullptr && *properties != 0) return CL_INVALID_PROPERTY;
  if (!flags_fit(flags)) return CL_INVALID_VALUE;
  if (format == nullptr || !is_format(*format)) return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
  if (wanted == nullptr || !is_image_type(wanted->image_type)) return CL_INVALID_IMAGE_DESCRIPTOR;
  const bool on_buffer = wanted->mem_object != nullptr;
  if (wanted->num_mip_levels != 0 || wanted->num_samples != 0 ||
      (wanted->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER && !on_buffer) ||
      (on_buffer && wanted->image_type != CL_MEM_OBJECT_IMAGE1D_BUFFER &&
       wanted->image_type != CL_MEM_OBJECT_IMAGE2D))
    return CL_INVALID_IMAGE_DESCRIPTOR;
  const auto known = image_format(*format);
  if (!known) return CL_IMAGE_FORMAT_NOT_SUPPORTED;
  if (!sizes_fit(session.config().gpu, *wanted)) return CL_INVALID_IMAGE_SIZE;
  const bool has_pointer = (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0;
  if (has_pointer != (from != nullptr)) return CL_INVALID_HOST_PTR;

  const Ref<_cl_mem> memory = new_memory();
  memory->is_svm = true;  // nothing is to be given back yet
  memory->context = Ref<_cl_context>(context);
  memory->flags = (flags & kAccess) == 0 ? flags | CL_MEM_READ_WRITE : flags;
  memory->properties = properties_of(properties);
  auto image = std::make_unique<ImageData>();
  image->format = *format;
  image->type = wanted->image_type;
  image->array.texel = known->texel;
  set_sizes(image->array, *wanted);
  if (!set_pitches(*image, *wanted, has_pointer || on_buffer)) return CL_INVALID_IMAGE_DESCRIPTOR;
  memory->bytes = image->host_bytes();
  if (on_buffer) {
    if (const cl_int error = lie_in_buffer(*memory, *image, *wanted, flags); error != CL_SUCCESS)
      return error;
  } else {
    if (const Status status = core::allocate_array(session.core(), image->array); status.failed())
      return error_of(status);
    memory->is_svm = false;
  }
  memory->address = image->array.base;
  if (const Status status = core::add_descriptors(session.core(), slots_of(*image), image->object);
      status.failed())
    return error_of(status);
  if ((flags & CL_MEM_USE_HOST_PTR) != 0) memory->host_pointer = from;
  if (has_pointer) {
    const std::size_t origin[3] = {0, 0, 0};
    write_now(session, host, image->on_device(origin),
              image->in_memory(from, origin, image->row_pitch, image->slice_pitch),
              image->shape(image->extent().data()));
  }
  memory->image = std::move(image);
  made = give_to_program(memory);
  return CL_SUCCESS;
}

// What the calls of 1.1 refuse as a size, a descriptor of 1.2 has as pitches.
cl_int made_as_in_1_1(cl_int result) {
  return result == CL_INVALID_IMAGE_DESCRIPTOR ? CL_INVALID_IMAGE_SIZE : result;
}

}  // namespace

DUET_CL_MAKE(cl_mem, clCreateImage, Allocate,
             (cl_context context, cl_mem_flags flags, const cl_image_format* format,
              const cl_image_desc* wanted, void* from, cl_int* error)) {
  return make_image(session, host, context, nullptr, flags, format, wanted, from, made);
}
DUET_CL_END

DUET_CL_MAKE(cl_mem, clCreateImageWithProperties, Allocate,
             (cl_context context, const cl_mem_properties* properties, cl_mem_flags flags,
              const cl_image_format* format, const cl_image_desc* wanted, void* from, cl_int* error)) {
  return make_image(session, host, context, properties, flags, format, wanted, from, made);
}
DUET_CL_END

DUET_CL_MAKE(cl_mem, clCreateImage2D, Allocate,
             (cl_context context, cl_mem_flags flags, const cl_image_format* format, size_t width,
              size_t height, size_t row_pitch, void* from, cl_int* error)) {
  cl_image_desc wanted{};
  wanted.image_type = CL_MEM_OBJECT_IMAGE2D;
  wanted.image_width = width;
  wanted.image_height = height;
  wanted.image_row_pitch = row_pitch;
  return made_as_in_1_1(make_image(session, host, context, nullptr, flags, format, &wanted, from, made));
}
DUET_CL_END

DUET_CL_MAKE(cl_mem, clCreateImage3D, Allocate,
             (cl_context context, cl_mem_flags flags, const cl_image_format* format, size_t width,
              size_t height, size_t depth, size_t row_pitch, size_t slice_pitch, void* from, cl_int* error)) {
  cl_image_desc wanted{};
  wanted.image_type = CL_MEM_OBJECT_IMAGE3D;
  wanted.image_width = width;
  wanted.image_height = height;
  wanted.image_depth = depth;
  wanted.image_row_pitch = row_pitch;
  wanted.image_slice_pitch = slice_pitch;
  return made_as_in_1_1(make_image(session, host, context, nullptr, flags, format, &wanted, from, made));
}
DUET_CL_END

DUET_CL(clGetSupportedImageFormats, Query,
        (cl_context context, cl_mem_flags flags, cl_mem_object_type type, cl_uint room,
         cl_image_format* formats, cl_uint* count)) {
  if (find(context) == nullptr) return CL_INVALID_CONTEXT;
  // A kernel that reads and writes an image is asked for by a flag of its own.
  const cl_mem_flags of_objects = flags & ~static_cast<cl_mem_flags>(CL_MEM_KERNEL_READ_AND_WRITE);
  if (!flags_fit(of_objects) || !is_image_type(type) || (formats != nullptr && room == 0))
    return CL_INVALID_VALUE;
  const std::vector<cl_image_format> all = image_formats();
  if (formats != nullptr) std::copy_n(all.begin(), std::min<std::size_t>(room, all.size()), formats);
  if (count != nullptr) *count = static_cast<cl_uint>(all.size());
  return CL_SUCCESS;
}
DUET_CL_END

DUET_CL(clGetImageInfo, Query, (cl_mem memory, cl_image_info what, size_t room, void* to, size_t* needed)) {
  if (find(memory) == nullptr || !memory->image) return CL_INVALID_MEM_OBJECT;
  const ImageData& image = *memory->image;
  const Answer answer{room, to, needed};
  switch (what) {
    case CL_IMAGE_FORMAT:
      return answer.value(image.format);
    case CL_IMAGE_ELEMENT_SIZE:
      return answer.value(image.array.texel.bytes());
    case CL_IMAGE_ROW_PITCH:
      return answer.value(image.row_pitch);
    case CL_IMAGE_SLICE_PITCH:
      return answer.value(image.slice_pitch);
    case CL_IMAGE_WIDTH:
      return answer.value(image.array.width);
    case CL_IMAGE_HEIGHT:
      return answer.value(image.array.height);
    case CL_IMAGE_DEPTH:
      return answer.value(image.layered() ? std::size_t{0} : image.array.depth);
    case CL_IMAGE_ARRAY_SIZE:
      return answer.value(image.layered() ? image.array.depth : std::size_t{0});
    case CL_IMAGE_BUFFER:
      return answer.value(static_cast<cl_mem>(memory->parent.get()));
    case CL_IMAGE_NUM_MIP_LEVELS:
    case CL_IMAGE_NUM_SAMPLES:
      return answer.value(cl_uint{0});
    default:
      return CL_INVALID_VALUE;
  }
}
DUET_CL_END

}  // namespace duet::opencl::api
