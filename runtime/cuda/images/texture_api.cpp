// Texture and surface objects. An object is the address of its descriptor in device memory (gpu/image.h).
#include <map>

#include "cuda/images/arrays.h"
#include "cuda/images/image_calls.h"

using duet::VirtualAddress;
using duet::cuda::error_of;
using duet::cuda::refuse;
using duet::cuda::Session;
using duet::gpu::AddressMode;
using duet::gpu::Image;

namespace {

// The description of an object, as programs may ask for it.
struct Description {
  cudaResourceDesc resource{};
  cudaTextureDesc texture{};
  bool surface = false;
};

std::map<VirtualAddress, Description>& objects() {  // never destroyed, as its guarding session
  static auto* const made = new std::map<VirtualAddress, Description>;
  return *made;
}

cudaError_t add(Session& session, const Image& image, const Description& description,
                unsigned long long* object) {
  VirtualAddress place;
  if (const duet::core::Status status = duet::core::add_descriptor(session.core(), image, place);
      status.failed())
    return error_of(status);
  objects().emplace(place, description);
  *object = place.value();
  return cudaSuccess;
}

cudaError_t destroy(Session& session, VirtualAddress object, bool surface) {
  const auto found = objects().find(object);
  if (found == objects().end() || found->second.surface != surface) return cudaErrorInvalidValue;
  objects().erase(found);
  duet::core::remove_descriptor(session.core(), object);
  return cudaSuccess;
}

const Description* find(VirtualAddress object, bool surface) {
  const auto found = objects().find(object);
  return found == objects().end() || found->second.surface != surface ? nullptr : &found->second;
}

cudaError_t set_channels(Image& image, const cudaChannelFormatDesc& channels) {
  const auto texel = duet::cuda::texel_format(channels);
  if (!texel) {
    if (channels.f > cudaChannelFormatKindNone)
      return refuse("a texture with channels other than integers and floats");
    return cudaErrorInvalidChannelDescriptor;
  }
  duet::core::describe(image, *texel);
  return cudaSuccess;
}

cudaError_t set_array(Image& image, cudaArray_const_t array) {
  if (!duet::cuda::valid_array(array)) return cudaErrorInvalidResourceHandle;
  duet::core::describe(image, *array);
  return cudaSuccess;
}

// cudaDeviceProp::textureAlignment, texturePitchAlignment.
bool aligned(const void* pointer) {
  return duet::virtual_address(pointer) % duet::core::kImageAlignment == 0;
}

cudaError_t set_resource(Image& image, const cudaResourceDesc& resource) {
  switch (resource.resType) {
    case cudaResourceTypeArray:
      return set_array(image, resource.res.array.array);
    case cudaResourceTypeLinear: {
      const auto& linear = resource.res.linear;
      if (linear.devPtr == nullptr || !aligned(linear.devPtr)) return cudaErrorInvalidValue;
      const cudaError_t error = set_channels(image, linear.desc);
      if (error != cudaSuccess) return error;
      image.base = duet::virtual_address(linear.devPtr);
      image.width = static_cast<std::uint32_t>(linear.sizeInBytes / image.texel_bytes());
      image.linear = true;
      return image.width == 0 ? cudaErrorInvalidValue : cudaSuccess;
    }
    case cudaResourceTypePitch2D: {
      const auto& plane = resource.res.pitch2D;
      if (plane.devPtr == nullptr || !aligned(plane.devPtr) || plane.width == 0 || plane.height == 0 ||
          plane.pitchInBytes % duet::core::kPlaneAlignment != 0)
        return cudaErrorInvalidValue;
      const cudaError_t error = set_channels(image, plane.desc);
      if (error != cudaSuccess) return error;
      if (plane.pitchInBytes < plane.width * image.texel_bytes()) return cudaErrorInvalidPitchValue;
      image.base = duet::virtual_address(plane.devPtr);
      image.pitch = plane.pitchInBytes;
      image.width = static_cast<std::uint32_t>(plane.width);
      image.height = static_cast<std::uint32_t>(plane.height);
      image.dimensions = 2;
      return cudaSuccess;
    }
    default:
      return refuse("a texture of a mipmapped array");
  }
}

cudaError_t set_sampling(Image& image, const cudaTextureDesc& texture) {
  if (texture.sRGB != 0) return refuse("a texture with cudaTextureDesc::sRGB");
  for (unsigned i = 0; i < 3; ++i) {
    if (static_cast<unsigned>(texture.addressMode[i]) > cudaAddressModeBorder) return cudaErrorInvalidValue;
    image.address[i] = static_cast<AddressMode>(texture.addressMode[i]);
  }
  image.normalized = texture.normalizedCoords != 0;
  if (texture.readMode == cudaReadModeNormalizedFloat && image.format != Image::Format::Float) {
    if (image.channel_bytes > 2) return cudaErrorInvalidNormSetting;
    image.scaled = true;
  }
  image.filter = texture.filterMode == cudaFilterModeLinear && !image.linear;
  if (image.filter && !image.reads_floats()) return cudaErrorInvalidFilterSetting;
  bool any_border = false;
  for (unsigned i = 0; i < 4; ++i) {
    image.border[i] = texture.borderColor[i];
    any_border |= texture.borderColor[i] != 0;
  }
  if (any_border && !image.reads_floats())
    return refuse("a texture of integers with a border colour other than 0");
  return cudaSuccess;
}

}  // namespace

void duet::cuda::forget_objects(Session& session) {
  for (const auto& [object, description] : objects()) core::remove_descriptor(session.core(), object);
  objects().clear();
}

cudaError_t duet::cuda::create_texture(Session& session, cudaTextureObject_t* object,
                                       const cudaResourceDesc* resource, const cudaTextureDesc* texture,
                                       const cudaResourceViewDesc* view) {
  if (object == nullptr || resource == nullptr || texture == nullptr) return cudaErrorInvalidValue;
  if (view != nullptr) return refuse("cudaCreateTextureObject with a resource view");
  gpu::Image image;
  cudaError_t error = set_resource(image, *resource);
  if (error == cudaSuccess) error = set_sampling(image, *texture);
  return error == cudaSuccess ? add(session, image, {*resource, *texture, false}, object) : error;
}
DUET_API(cudaCreateTextureObject, Other,
         (cudaTextureObject_t * object, const cudaResourceDesc* resource, const cudaTextureDesc* texture,
          const cudaResourceViewDesc* view)) {
  return duet::cuda::create_texture(session, object, resource, texture, view);
}
DUET_END

cudaError_t duet::cuda::destroy_texture(Session& session, cudaTextureObject_t object) {
  return destroy(session, VirtualAddress(object), false);
}
DUET_API(cudaDestroyTextureObject, Other, (cudaTextureObject_t object)) {
  return duet::cuda::destroy_texture(session, object);
}
DUET_END

cudaError_t duet::cuda::get_texture_resource(cudaResourceDesc* resource, cudaTextureObject_t object) {
  const Description* description = find(VirtualAddress(object), false);
  if (resource == nullptr || description == nullptr) return cudaErrorInvalidValue;
  *resource = description->resource;
  return cudaSuccess;
}
DUET_API(cudaGetTextureObjectResourceDesc, Other, (cudaResourceDesc * resource, cudaTextureObject_t object)) {
  return duet::cuda::get_texture_resource(resource, object);
}
DUET_END

cudaError_t duet::cuda::get_texture(cudaTextureDesc* texture, cudaTextureObject_t object) {
  const Description* description = find(VirtualAddress(object), false);
  if (texture == nullptr || description == nullptr) return cudaErrorInvalidValue;
  *texture = description->texture;
  return cudaSuccess;
}
DUET_API(cudaGetTextureObjectTextureDesc, Other, (cudaTextureDesc * texture, cudaTextureObject_t object)) {
  return duet::cuda::get_texture(texture, object);
}
DUET_END

cudaError_t duet::cuda::create_surface(Session& session, cudaSurfaceObject_t* object,
                                       const cudaResourceDesc* resource) {
  if (object == nullptr || resource == nullptr || resource->resType != cudaResourceTypeArray)
    return cudaErrorInvalidValue;
  gpu::Image image;
  image.surface = true;
  if (const cudaError_t error = set_array(image, resource->res.array.array); error != cudaSuccess)
    return error;
  if ((resource->res.array.array->flags & cudaArraySurfaceLoadStore) == 0) return cudaErrorInvalidValue;
  return add(session, image, {*resource, {}, true}, object);
}
DUET_API(cudaCreateSurfaceObject, Other, (cudaSurfaceObject_t * object, const cudaResourceDesc* resource)) {
  return duet::cuda::create_surface(session, object, resource);
}
DUET_END

cudaError_t duet::cuda::destroy_surface(Session& session, cudaSurfaceObject_t object) {
  // No object may be destroyed: cuda-samples volumeFiltering does so.
  return object == 0 ? cudaSuccess : destroy(session, VirtualAddress(object), true);
}
DUET_API(cudaDestroySurfaceObject, Other, (cudaSurfaceObject_t object)) {
  return duet::cuda::destroy_surface(session, object);
}
DUET_END

cudaError_t duet::cuda::get_surface_resource(cudaResourceDesc* resource, cudaSurfaceObject_t object) {
  const Description* description = find(VirtualAddress(object), true);
  if (resource == nullptr || description == nullptr) return cudaErrorInvalidValue;
  *resource = description->resource;
  return cudaSuccess;
}
DUET_API(cudaGetSurfaceObjectResourceDesc, Other, (cudaResourceDesc * resource, cudaSurfaceObject_t object)) {
  return duet::cuda::get_surface_resource(resource, object);
}
DUET_END
