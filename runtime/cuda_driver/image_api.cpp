// Arrays, texture objects and surface objects of the driver interface: descriptors in the runtime interface's
// form. Left out: mipmapped arrays, resource views, sRGB, and texture references (removed in CUDA 12).
#include "cuda/images/arrays.h"
#include "cuda/images/image_calls.h"
#include "cuda_driver/driver_api.h"

using duet::cuda::array_of;
using duet::cuda::pointer_of;
using duet::cuda::Run;
using duet::cuda::Session;
using duet::cuda::ThreadState;

namespace {

struct Format {
  CUarray_format format;
  int bits;
  cudaChannelFormatKind kind;
};
constexpr Format kFormats[] = {{CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
                               {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
                               {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
                               {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
                               {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
                               {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
                               {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
                               {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat}};

cudaError_t channels_of(CUarray_format format, unsigned count, cudaChannelFormatDesc& channels) {
  if (count != 1 && count != 2 && count != 4) return cudaErrorInvalidValue;
  for (const Format& known : kFormats) {
    if (known.format != format) continue;
    channels = {known.bits, count > 1 ? known.bits : 0, count > 2 ? known.bits : 0,
                count > 2 ? known.bits : 0, known.kind};
    return cudaSuccess;
  }
  return duet::cuda::refuse("an array of a format other than integers and floats");
}

cudaError_t format_of(const cudaChannelFormatDesc& channels, CUarray_format& format, unsigned& count) {
  count = channels.y == 0 ? 1 : channels.z == 0 ? 2 : 4;
  for (const Format& known : kFormats)
    if (known.bits == channels.x && known.kind == channels.f) {
      format = known.format;
      return cudaSuccess;
    }
  return cudaErrorInvalidValue;
}

cudaError_t create(const Run& run, CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* asked) {
  if (array == nullptr || asked == nullptr) return cudaErrorInvalidValue;
  cudaChannelFormatDesc channels;
  if (const cudaError_t error = channels_of(asked->Format, asked->NumChannels, channels);
      error != cudaSuccess)
    return error;
  return run([&](Session& session, ThreadState&) {
    return duet::cuda::create_array(session, array_of(array), &channels,
                                    {asked->Width, asked->Height, asked->Depth}, asked->Flags);
  });
}
cudaError_t create(const Run& run, CUarray* array, const CUDA_ARRAY_DESCRIPTOR* asked) {
  if (asked == nullptr) return cudaErrorInvalidValue;
  const CUDA_ARRAY3D_DESCRIPTOR wide{asked->Width, asked->Height, 0, asked->Format, asked->NumChannels, 0};
  return create(run, array, &wide);
}

cudaError_t describe(CUDA_ARRAY3D_DESCRIPTOR* to, CUarray array) {
  cudaChannelFormatDesc channels;
  cudaExtent extent;
  if (const cudaError_t error = duet::cuda::get_array_info(&channels, &extent, &to->Flags, array_of(array));
      error != cudaSuccess)
    return error;
  to->Width = extent.width;
  to->Height = extent.height;
  to->Depth = extent.depth;
  return format_of(channels, to->Format, to->NumChannels);
}
cudaError_t describe(CUDA_ARRAY_DESCRIPTOR* to, CUarray array) {
  CUDA_ARRAY3D_DESCRIPTOR wide{};
  if (const cudaError_t error = describe(&wide, array); error != cudaSuccess) return error;
  *to = {wide.Width, wide.Height, wide.Format, wide.NumChannels};
  return cudaSuccess;
}

cudaError_t resource_of(const CUDA_RESOURCE_DESC* from, cudaResourceDesc& to) {
  if (from == nullptr) return cudaErrorInvalidValue;
  to = {};
  switch (from->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      to.resType = cudaResourceTypeArray;
      to.res.array.array = array_of(from->res.array.hArray);
      return cudaSuccess;
    case CU_RESOURCE_TYPE_LINEAR: {
      const auto& linear = from->res.linear;
      to.resType = cudaResourceTypeLinear;
      to.res.linear.devPtr = pointer_of(linear.devPtr);
      to.res.linear.sizeInBytes = linear.sizeInBytes;
      return channels_of(linear.format, linear.numChannels, to.res.linear.desc);
    }
    case CU_RESOURCE_TYPE_PITCH2D: {
      const auto& plane = from->res.pitch2D;
      to.resType = cudaResourceTypePitch2D;
      to.res.pitch2D.devPtr = pointer_of(plane.devPtr);
      to.res.pitch2D.width = plane.width;
      to.res.pitch2D.height = plane.height;
      to.res.pitch2D.pitchInBytes = plane.pitchInBytes;
      return channels_of(plane.format, plane.numChannels, to.res.pitch2D.desc);
    }
    default:
      return duet::cuda::refuse("a texture of a mipmapped array");
  }
}

cudaError_t resource_of(const cudaResourceDesc& from, CUDA_RESOURCE_DESC* to) {
  *to = {};
  switch (from.resType) {
    case cudaResourceTypeLinear: {
      auto& linear = to->res.linear;
      to->resType = CU_RESOURCE_TYPE_LINEAR;
      linear.devPtr = duet::cuda::address_of(from.res.linear.devPtr);
      linear.sizeInBytes = from.res.linear.sizeInBytes;
      return format_of(from.res.linear.desc, linear.format, linear.numChannels);
    }
    case cudaResourceTypePitch2D: {
      auto& plane = to->res.pitch2D;
      to->resType = CU_RESOURCE_TYPE_PITCH2D;
      plane.devPtr = duet::cuda::address_of(from.res.pitch2D.devPtr);
      plane.width = from.res.pitch2D.width;
      plane.height = from.res.pitch2D.height;
      plane.pitchInBytes = from.res.pitch2D.pitchInBytes;
      return format_of(from.res.pitch2D.desc, plane.format, plane.numChannels);
    }
    default:
      to->resType = CU_RESOURCE_TYPE_ARRAY;
      to->res.array.hArray = reinterpret_cast<CUarray>(from.res.array.array);
      return cudaSuccess;
  }
}

// Integers of at most 16 bits read as fractions unless told otherwise, as in the driver interface.
cudaError_t texture_of(const Run& run, const CUDA_TEXTURE_DESC* from, const cudaResourceDesc& resource,
                       cudaTextureDesc& to) {
  if (from == nullptr) return cudaErrorInvalidValue;
  to = {};
  for (unsigned i = 0; i < 3; ++i)
    to.addressMode[i] = static_cast<cudaTextureAddressMode>(from->addressMode[i]);
  to.filterMode = static_cast<cudaTextureFilterMode>(from->filterMode);
  to.normalizedCoords = (from->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  to.sRGB = (from->flags & CU_TRSF_SRGB) != 0;
  for (unsigned i = 0; i < 4; ++i) to.borderColor[i] = from->borderColor[i];
  cudaChannelFormatDesc channels{};
  if (resource.resType == cudaResourceTypeLinear) channels = resource.res.linear.desc;
  if (resource.resType == cudaResourceTypePitch2D) channels = resource.res.pitch2D.desc;
  if (resource.resType == cudaResourceTypeArray)
    if (const cudaError_t error = run([&](Session&, ThreadState&) {
          return duet::cuda::get_channels(&channels, resource.res.array.array);
        });
        error != cudaSuccess)
      return error;
  const bool fractions = (from->flags & CU_TRSF_READ_AS_INTEGER) == 0 && channels.x <= 16 &&
                         channels.f != cudaChannelFormatKindFloat;
  to.readMode = fractions ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  return cudaSuccess;
}

cudaError_t create_texture(const Run& run, CUtexObject* object, const CUDA_RESOURCE_DESC* resource,
                           const CUDA_TEXTURE_DESC* texture, const CUDA_RESOURCE_VIEW_DESC* view) {
  if (view != nullptr) return duet::cuda::refuse("cuTexObjectCreate with a resource view");
  cudaResourceDesc resource_description;
  cudaTextureDesc texture_description;
  cudaError_t error = resource_of(resource, resource_description);
  if (error == cudaSuccess) error = texture_of(run, texture, resource_description, texture_description);
  if (error != cudaSuccess) return error;
  return run([&](Session& session, ThreadState&) {
    return duet::cuda::create_texture(session, object, &resource_description, &texture_description, nullptr);
  });
}

cudaError_t create_surface(const Run& run, CUsurfObject* object, const CUDA_RESOURCE_DESC* resource) {
  cudaResourceDesc description;
  if (const cudaError_t error = resource_of(resource, description); error != cudaSuccess) return error;
  return run([&](Session& session, ThreadState&) {
    return duet::cuda::create_surface(session, object, &description);
  });
}

cudaError_t texture_description(CUDA_TEXTURE_DESC* to, CUtexObject object) {
  cudaTextureDesc from;
  if (const cudaError_t error = duet::cuda::get_texture(&from, object); error != cudaSuccess) return error;
  *to = {};
  for (unsigned i = 0; i < 3; ++i) to->addressMode[i] = static_cast<CUaddress_mode>(from.addressMode[i]);
  to->filterMode = static_cast<CUfilter_mode>(from.filterMode);
  to->flags = (from.normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
              (from.readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0u);
  for (unsigned i = 0; i < 4; ++i) to->borderColor[i] = from.borderColor[i];
  return cudaSuccess;
}

cudaError_t texture_resource(CUDA_RESOURCE_DESC* to, CUtexObject object) {
  cudaResourceDesc from;
  const cudaError_t error = duet::cuda::get_texture_resource(&from, object);
  return error == cudaSuccess ? resource_of(from, to) : error;
}
cudaError_t surface_resource(CUDA_RESOURCE_DESC* to, CUsurfObject object) {
  cudaResourceDesc from;
  const cudaError_t error = duet::cuda::get_surface_resource(&from, object);
  return error == cudaSuccess ? resource_of(from, to) : error;
}

}  // namespace

DUET_CU_RUN(cuArrayCreate_v2, Allocate, Context, (CUarray * array, const CUDA_ARRAY_DESCRIPTOR* asked),
            create(run, array, asked))
DUET_CU_RUN(cuArray3DCreate_v2, Allocate, Context, (CUarray * array, const CUDA_ARRAY3D_DESCRIPTOR* asked),
            create(run, array, asked))
DUET_CU_UNLESS(to == nullptr, cuArrayGetDescriptor_v2, Other, Context,
               (CUDA_ARRAY_DESCRIPTOR * to, CUarray array), describe(to, array))
DUET_CU_UNLESS(to == nullptr, cuArray3DGetDescriptor_v2, Other, Context,
               (CUDA_ARRAY3D_DESCRIPTOR * to, CUarray array), describe(to, array))
DUET_CU_RUN(cuArrayDestroy, Allocate, Context, (CUarray array),
            array == nullptr ? cudaErrorInvalidResourceHandle
                             : run([&](Session& session, ThreadState& thread) {
                                 return duet::cuda::release_array(session, thread, array_of(array));
                               }))

DUET_CU_RUN(cuTexObjectCreate, Other, Context,
            (CUtexObject * object, const CUDA_RESOURCE_DESC* resource, const CUDA_TEXTURE_DESC* texture,
             const CUDA_RESOURCE_VIEW_DESC* view),
            create_texture(run, object, resource, texture, view))
DUET_CU_DO(cuTexObjectDestroy, Other, Context, (CUtexObject object),
           duet::cuda::destroy_texture(session, object))
DUET_CU_UNLESS(to == nullptr, cuTexObjectGetResourceDesc, Other, Context,
               (CUDA_RESOURCE_DESC * to, CUtexObject object), texture_resource(to, object))
DUET_CU_UNLESS(to == nullptr, cuTexObjectGetTextureDesc, Other, Context,
               (CUDA_TEXTURE_DESC * to, CUtexObject object), texture_description(to, object))
DUET_CU_RUN(cuSurfObjectCreate, Other, Context, (CUsurfObject * object, const CUDA_RESOURCE_DESC* resource),
            create_surface(run, object, resource))
DUET_CU_DO(cuSurfObjectDestroy, Other, Context, (CUsurfObject object),
           duet::cuda::destroy_surface(session, object))
DUET_CU_UNLESS(to == nullptr, cuSurfObjectGetResourceDesc, Other, Context,
               (CUDA_RESOURCE_DESC * to, CUsurfObject object), surface_resource(to, object))
