// What memory has that is an image, and how kernels find it: slots of gpu::Image::kStride bytes in constant
// memory.
//
//   slot 0        width, height, depth, layers, channel order, channel type: what get_image_* load
//   slot 1        the descriptor for stores; layers are its rows or slices
//   slot 2 + s    the descriptor for reads by a sampler in state s
//
// builtins/images.cl has the same numbers. A kernel's argument is the address of slot 0; a sampler's value is
// the distance to its slot.
#pragma once

#include <CL/cl.h>

#include <array>
#include <vector>

#include "core/images.h"

namespace duet::opencl {

struct ImageData {
  cl_image_format format{};
  cl_mem_object_type type = CL_MEM_OBJECT_IMAGE2D;
  core::ImageArray array;                      // sizes, and where its texels are
  std::size_t row_pitch = 0, slice_pitch = 0;  // where the host sees it; 0: there are no slices
  VirtualAddress object;                       // slot 0

  bool layered() const { return array.layered; }
  // Of origins and regions: the layers of rows are the second.
  std::array<std::size_t, 3> extent() const;
  // Both sides of the box at `origin`, of the device and of memory with these pitches; pitches of 0 are
  // dense.
  core::CopySide on_device(const std::size_t* origin) const;
  core::CopySide in_memory(const void* first, const std::size_t* origin, std::size_t row,
                           std::size_t slice) const;
  core::CopyShape shape(const std::size_t* region) const {
    return {region[0] * array.texel.bytes(), region[1], region[2]};
  }
  std::size_t host_bytes() const;
};

// For the store of a texel; the base of every descriptor.
gpu::Image descriptor_of(const ImageData& image);
// All slots.
std::vector<std::byte> slots_of(const ImageData& image);
// The value of a kernel's sampler argument.
std::uint64_t sampler_value(cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter);

}  // namespace duet::opencl
