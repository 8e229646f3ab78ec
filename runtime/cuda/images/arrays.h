// CUDA arrays: rows of texels one behind the other in device memory.
#pragma once

#include "cuda/memory/copies.h"
#include "cuda/session/session.h"

struct cudaArray {
  cudaChannelFormatDesc channels;
  cudaExtent extent;  // as asked for: 0 where there is no such dimension
  unsigned flags;
  duet::VirtualAddress base;
  duet::Bytes pitch, slice_bytes;
};

namespace duet::cuda {

// 8, 16 or 32 bits in one, two or four channels alike; 0 where a texture cannot read such texels.
size_t texel_bytes_of(const cudaChannelFormatDesc& channels);
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
