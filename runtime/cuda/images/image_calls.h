// The calls about textures and surfaces that both interfaces have.
#pragma once

#include "cuda/session/session.h"

namespace duet::cuda {

cudaError_t get_channels(cudaChannelFormatDesc* channels, cudaArray_const_t array);
cudaError_t create_array(Session& session, cudaArray_t* array, const cudaChannelFormatDesc* channels,
                         cudaExtent extent, unsigned flags);
cudaError_t release_array(Session& session, ThreadState& thread, cudaArray_t array);
cudaError_t get_array_info(cudaChannelFormatDesc* channels, cudaExtent* extent, unsigned* flags,
                           cudaArray_t array);
cudaError_t get_texture_resource(cudaResourceDesc* resource, cudaTextureObject_t object);
cudaError_t get_texture(cudaTextureDesc* texture, cudaTextureObject_t object);
cudaError_t create_surface(Session& session, cudaSurfaceObject_t* object, const cudaResourceDesc* resource);
cudaError_t get_surface_resource(cudaResourceDesc* resource, cudaSurfaceObject_t object);
cudaError_t create_texture(Session& session, cudaTextureObject_t* object, const cudaResourceDesc* resource,
                           const cudaTextureDesc* texture, const cudaResourceViewDesc* view);
cudaError_t destroy_texture(Session& session, cudaTextureObject_t object);
cudaError_t destroy_surface(Session& session, cudaSurfaceObject_t object);

// The device is reset: there are none any more. Their descriptors go, their memory others give back.
void forget_arrays();
void forget_objects(Session& session);

}  // namespace duet::cuda
