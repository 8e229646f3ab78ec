// Arrays, and copies to and from them.
#include "cuda/device/device_description.h"
#include "cuda/images/arrays.h"
#include "cuda/images/image_calls.h"

#include <algorithm>
#include <memory>
#include <unordered_map>

using duet::cuda::copy;
using duet::cuda::CopySide;
using duet::cuda::error_of;
using duet::cuda::Session;
using duet::cuda::ThreadState;

namespace {

// Never destroyed, as its guarding session.
std::unordered_map<cudaArray_const_t, std::unique_ptr<cudaArray>>& arrays() {
  static auto* const all = new std::unordered_map<cudaArray_const_t, std::unique_ptr<cudaArray>>;
  return *all;
}

// cudaMalloc3DArray's table: the device's limits, for arrays that only textures read.
bool within_limits(const Session& session, cudaExtent extent, bool layered) {
  cudaDeviceProp device{};
  duet::cuda::describe(session, device);
  const auto fits = [](const cudaExtent& wanted, int width, int height, int depth) {
    return wanted.width <= size_t(width) && wanted.height <= size_t(height) && wanted.depth <= size_t(depth);
  };
  if (layered && extent.height == 0)
    return fits(extent, device.maxTexture1DLayered[0], 0, device.maxTexture1DLayered[1]);
  if (layered)
    return fits(extent, device.maxTexture2DLayered[0], device.maxTexture2DLayered[1],
                device.maxTexture2DLayered[2]);
  if (extent.depth != 0)
    return fits(extent, device.maxTexture3D[0], device.maxTexture3D[1], device.maxTexture3D[2]);
  return extent.height == 0 ? fits(extent, device.maxTexture1D, 0, 0)
                            : fits(extent, device.maxTexture2D[0], device.maxTexture2D[1], 0);
}

constexpr unsigned kArrayFlags = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap |
                                 cudaArrayTextureGather | cudaArrayColorAttachment | cudaArraySparse |
                                 cudaArrayDeferredMapping;

cudaError_t make(Session& session, cudaArray_t* result, const cudaChannelFormatDesc* channels,
                 cudaExtent extent, unsigned flags) {
  if (result == nullptr || channels == nullptr || extent.width == 0) return cudaErrorInvalidValue;
  if (flags & (cudaArrayCubemap | cudaArraySparse | cudaArrayDeferredMapping))
    return duet::cuda::refuse("an array with cudaArrayCubemap, cudaArraySparse or cudaArrayDeferredMapping");
  if (flags & ~kArrayFlags) return cudaErrorInvalidValue;
  // Gathers are of planes.
  if ((flags & cudaArrayTextureGather) && (extent.height == 0 || extent.depth != 0))
    return cudaErrorInvalidValue;
  const auto texel = duet::cuda::texel_format(*channels);
  if (!texel) {
    if (channels->f > cudaChannelFormatKindNone)
      return duet::cuda::refuse("an array with channels other than integers and floats");
    return cudaErrorInvalidChannelDescriptor;
  }
  const bool layered = (flags & cudaArrayLayered) != 0;
  if (layered ? extent.depth == 0 : extent.depth != 0 && extent.height == 0) return cudaErrorInvalidValue;
  if (!within_limits(session, extent, layered)) return cudaErrorInvalidValue;
  auto array = std::make_unique<cudaArray>();
  array->channels = *channels;
  array->extent = extent;
  array->flags = flags;
  array->texel = *texel;
  array->width = extent.width;
  array->height = extent.height;
  array->depth = extent.depth;
  array->layered = layered;
  if (const duet::core::Status status = allocate_array(session.core(), *array); status.failed())
    return error_of(status);
  *result = array.get();
  arrays().emplace(array.get(), std::move(array));
  return cudaSuccess;
}

cudaError_t to_array(Session& session, ThreadState& thread, cudaArray_const_t array, size_t x, size_t y,
                     const void* from, size_t pitch, size_t width, size_t height, cudaMemcpyKind kind,
                     cudaStream_t stream, bool asynchronous) {
  if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  CopySide to{};
  if (const cudaError_t error = duet::cuda::array_side(array, x, y, 0, width, height, 1, to);
      error != cudaSuccess)
    return error;
  return copy(session, thread, to, {from, pitch, pitch * height}, {width, height, 1}, kind, stream,
              asynchronous);
}

cudaError_t from_array(Session& session, ThreadState& thread, void* to, size_t pitch, cudaArray_const_t array,
                       size_t x, size_t y, size_t width, size_t height, cudaMemcpyKind kind,
                       cudaStream_t stream, bool asynchronous) {
  if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  CopySide from{};
  if (const cudaError_t error = duet::cuda::array_side(array, x, y, 0, width, height, 1, from);
      error != cudaSuccess)
    return error;
  return copy(session, thread, {to, pitch, pitch * height}, from, {width, height, 1}, kind, stream,
              asynchronous);
}

// `count` bytes from a place on, row after row: the rest of its row, whole rows, the start of the last.
template <typename Copy>
cudaError_t by_rows(cudaArray_const_t array, size_t x, size_t y, size_t count, Copy&& copy) {
  if (!duet::cuda::valid_array(array)) return cudaErrorInvalidValue;
  const size_t row = array->row_bytes();
  if (x >= row || y >= array->rows() || count > (array->rows() - y) * row - x) return cudaErrorInvalidValue;
  size_t done = 0;
  while (done < count) {
    const size_t left = count - done;
    const size_t width = x != 0 || left < row ? std::min(left, row - x) : row;
    const size_t height = width == row ? left / row : 1;
    if (const cudaError_t error = copy(x, y, done, width, height); error != cudaSuccess) return error;
    done += width * height;
    x = 0;
    y += height;
  }
  return cudaSuccess;
}

cudaError_t to_array_by_rows(Session& session, ThreadState& thread, cudaArray_const_t array, size_t x,
                             size_t y, const void* from, size_t count, cudaMemcpyKind kind,
                             cudaStream_t stream, bool asynchronous) {
  return by_rows(array, x, y, count, [&](size_t at_x, size_t at_y, size_t done, size_t width, size_t height) {
    return to_array(session, thread, array, at_x, at_y, static_cast<const std::byte*>(from) + done, width,
                    width, height, kind, stream, asynchronous);
  });
}
cudaError_t from_array_by_rows(Session& session, ThreadState& thread, void* to, cudaArray_const_t array,
                               size_t x, size_t y, size_t count, cudaMemcpyKind kind, cudaStream_t stream,
                               bool asynchronous) {
  return by_rows(array, x, y, count, [&](size_t at_x, size_t at_y, size_t done, size_t width, size_t height) {
    return from_array(session, thread, static_cast<std::byte*>(to) + done, width, array, at_x, at_y, width,
                      height, kind, stream, asynchronous);
  });
}

}  // namespace

namespace duet::cuda {

std::optional<core::TexelFormat> texel_format(const cudaChannelFormatDesc& channels) {
  const std::array<int, 4> bits{channels.x, channels.y, channels.z, channels.w};
  switch (channels.f) {
    case cudaChannelFormatKindFloat:
      return core::texel_format(bits, gpu::Image::Format::Float);
    case cudaChannelFormatKindSigned:
      return core::texel_format(bits, gpu::Image::Format::Signed);
    case cudaChannelFormatKindUnsigned:
      return core::texel_format(bits, gpu::Image::Format::Unsigned);
    default:
      return std::nullopt;
  }
}

bool valid_array(cudaArray_const_t array) { return arrays().contains(array); }

size_t texel_bytes(cudaArray_const_t array) { return valid_array(array) ? array->texel.bytes() : 0; }

cudaError_t array_side(cudaArray_const_t array, size_t x_bytes, size_t y, size_t z, size_t width, size_t rows,
                       size_t slices, CopySide& side) {
  if (!valid_array(array)) return cudaErrorInvalidValue;
  return error_of(core::side_of(*array, x_bytes, y, z, {width, rows, slices}, side));
}

cudaError_t refuse(const char* what) { return static_cast<cudaError_t>(duet_unsupported(what)); }

}  // namespace duet::cuda

// No call of CUDA's error rules: it returns its arguments.
extern "C" __attribute__((visibility("default"))) cudaChannelFormatDesc cudaCreateChannelDesc(
    int x, int y, int z, int w, cudaChannelFormatKind f) {
  return {x, y, z, w, f};
}

cudaError_t duet::cuda::get_channels(cudaChannelFormatDesc* channels, cudaArray_const_t array) {
  if (channels == nullptr || !duet::cuda::valid_array(array)) return cudaErrorInvalidValue;
  *channels = array->channels;
  return cudaSuccess;
}
DUET_API(cudaGetChannelDesc, Other, (cudaChannelFormatDesc * channels, cudaArray_const_t array)) {
  return duet::cuda::get_channels(channels, array);
}
DUET_END

DUET_API(cudaMallocArray, Allocate,
         (cudaArray_t * array, const cudaChannelFormatDesc* channels, size_t width, size_t height,
          unsigned flags)) {
  if (flags & cudaArrayLayered) return cudaErrorInvalidValue;
  return make(session, array, channels, {width, height, 0}, flags);
}
DUET_END

cudaError_t duet::cuda::create_array(Session& session, cudaArray_t* array,
                                     const cudaChannelFormatDesc* channels, cudaExtent extent,
                                     unsigned flags) {
  return make(session, array, channels, extent, flags);
}
DUET_API(cudaMalloc3DArray, Allocate,
         (cudaArray_t * array, const cudaChannelFormatDesc* channels, cudaExtent extent, unsigned flags)) {
  return duet::cuda::create_array(session, array, channels, extent, flags);
}
DUET_END

void duet::cuda::forget_arrays() { arrays().clear(); }

cudaError_t duet::cuda::release_array(Session& session, ThreadState& thread, cudaArray_t array) {
  if (array == nullptr) return cudaSuccess;
  if (!duet::cuda::valid_array(array)) return cudaErrorInvalidResourceHandle;
  if (!session.driver().all_idle())
    thread.host->wait(session.cost(duet::cuda::CallKind::Allocate),
                      [&] { return session.driver().all_idle(); });
  if (!duet::cuda::valid_array(array)) return cudaErrorInvalidResourceHandle;  // another thread was faster
  release_array(session.core(), *array);
  arrays().erase(array);
  return cudaSuccess;
}
DUET_API(cudaFreeArray, Allocate, (cudaArray_t array)) {
  return duet::cuda::release_array(session, thread, array);
}
DUET_END

cudaError_t duet::cuda::get_array_info(cudaChannelFormatDesc* channels, cudaExtent* extent, unsigned* flags,
                                       cudaArray_t array) {
  if (!duet::cuda::valid_array(array)) return cudaErrorInvalidResourceHandle;
  if (channels != nullptr) *channels = array->channels;
  if (extent != nullptr) *extent = array->extent;
  if (flags != nullptr) *flags = array->flags;
  return cudaSuccess;
}
DUET_API(cudaArrayGetInfo, Other,
         (cudaChannelFormatDesc * channels, cudaExtent* extent, unsigned* flags, cudaArray_t array)) {
  return duet::cuda::get_array_info(channels, extent, flags, array);
}
DUET_END

DUET_API_SYNC(cudaMemcpy2DToArray, MemcpySync,
              (cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
               size_t height, cudaMemcpyKind kind)) {
  return to_array(session, thread, to, x, y, from, pitch, width, height, kind, nullptr, false);
}
DUET_END
DUET_API(cudaMemcpy2DToArrayAsync, MemcpyAsync,
         (cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width, size_t height,
          cudaMemcpyKind kind, cudaStream_t stream)) {
  return to_array(session, thread, to, x, y, from, pitch, width, height, kind, stream, true);
}
DUET_END
DUET_API_SYNC(cudaMemcpy2DFromArray, MemcpySync,
              (void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
               size_t height, cudaMemcpyKind kind)) {
  return from_array(session, thread, to, pitch, from, x, y, width, height, kind, nullptr, false);
}
DUET_END
DUET_API(cudaMemcpy2DFromArrayAsync, MemcpyAsync,
         (void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height,
          cudaMemcpyKind kind, cudaStream_t stream)) {
  return from_array(session, thread, to, pitch, from, x, y, width, height, kind, stream, true);
}
DUET_END
DUET_API_SYNC(cudaMemcpy2DArrayToArray, MemcpySync,
              (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x, size_t from_y,
               size_t width, size_t height, cudaMemcpyKind kind)) {
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  CopySide target{}, source{};
  cudaError_t error = duet::cuda::array_side(to, to_x, to_y, 0, width, height, 1, target);
  if (error == cudaSuccess) error = duet::cuda::array_side(from, from_x, from_y, 0, width, height, 1, source);
  if (error != cudaSuccess) return error;
  return copy(session, thread, target, source, {width, height, 1}, kind, nullptr, false);
}
DUET_END
DUET_API_SYNC(cudaMemcpyToArray, MemcpySync,
              (cudaArray_t to, size_t x, size_t y, const void* from, size_t count, cudaMemcpyKind kind)) {
  return to_array_by_rows(session, thread, to, x, y, from, count, kind, nullptr, false);
}
DUET_END
DUET_API(cudaMemcpyToArrayAsync, MemcpyAsync,
         (cudaArray_t to, size_t x, size_t y, const void* from, size_t count, cudaMemcpyKind kind,
          cudaStream_t stream)) {
  return to_array_by_rows(session, thread, to, x, y, from, count, kind, stream, true);
}
DUET_END
DUET_API_SYNC(cudaMemcpyFromArray, MemcpySync,
              (void* to, cudaArray_const_t from, size_t x, size_t y, size_t count, cudaMemcpyKind kind)) {
  return from_array_by_rows(session, thread, to, from, x, y, count, kind, nullptr, false);
}
DUET_END
DUET_API(cudaMemcpyFromArrayAsync, MemcpyAsync,
         (void* to, cudaArray_const_t from, size_t x, size_t y, size_t count, cudaMemcpyKind kind,
          cudaStream_t stream)) {
  return from_array_by_rows(session, thread, to, from, x, y, count, kind, stream, true);
}
DUET_END
