// CUDA arrays: core/images.h with CUDA's words for channels and extent.
#pragma once

#include "core/images.h"
#include "cuda/memory/copies.h"
#include "cuda/session/session.h"

struct cudaArray final : duet::core::ImageArray {
  cudaChannelFormatDesc channels;
  cudaExtent extent;  // as asked for: 0 where there is no such dimension
  unsigned flags;
};

namespace duet::cuda {

// Nothing where a texture cannot read such texels.
std::optional<core::TexelFormat> texel_format(const cudaChannelFormatDesc& channels);
// Whether a program's pointer is a live array.
bool valid_array(cudaArray_const_t array);
// 0 when it is no array.
size_t texel_bytes(cudaArray_const_t array);
// The box of `width` bytes, rows and slices at a place of an array; an error where it is not within.
cudaError_t array_side(cudaArray_const_t array, size_t x_bytes, size_t y, size_t z, size_t width, size_t rows,
                       size_t slices, CopySide& side);
// Prints once: `what` is not supported.
cudaError_t refuse(const char* what);

}  // namespace duet::cuda
