// The formats of images: which there are, and what a descriptor has of them.
//
//   image_format({CL_BGRA, CL_UNORM_INT8})->texel.bytes() == 4
#pragma once

#include <CL/cl.h>

#include <array>
#include <optional>
#include <vector>

#include "core/images.h"

namespace duet::opencl {

struct ImageFormat {
  core::TexelFormat texel;
  bool scaled = false;                              // integers that stand for [0,1] or [-1,1]
  std::array<std::uint8_t, 4> swizzle{0, 1, 2, 3};  // gpu::Image::swizzle
  float border_alpha = 0;                           // outside of the image, where the sampler clamps
};

// Nothing: not here.
std::optional<ImageFormat> image_format(const cl_image_format& format);
// Whether OpenCL has such an order of channels of this type, here or elsewhere.
bool is_format(const cl_image_format& format);
// All that are here.
std::vector<cl_image_format> image_formats();

}  // namespace duet::opencl
