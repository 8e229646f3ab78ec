// Images: arrays of texels in device memory, and the descriptors by which kernels read them (gpu/image.h).
//
//   ImageArray array{.texel = *texel_format({32, 0, 0, 0}, gpu::Image::Format::Float), .width = 64, .height =
//   64}; if (const Status status = allocate_array(runtime, array); status.failed()) ... gpu::Image image;
//   describe(image, array);
//   add_descriptor(runtime, image, object);  // a kernel's argument
//
// An array is stored row after row, where silicon keeps blocks of rows together: neighbours in two dimensions
// are near in memory only within a row. Left out: mipmaps, cubes, how texels are read (an API sets it).
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/copies.h"
#include "core/runtime.h"
#include "gpu/image.h"

namespace duet::core {

struct TexelFormat {
  gpu::Image::Format kind = gpu::Image::Format::Unsigned;
  std::uint8_t channel_bytes = 1, channels = 1;
  std::size_t bytes() const { return std::size_t{channels} * channel_bytes; }
};
// Of the channels' bits: 8, 16 or 32 in one, two or four channels alike. Nothing where an image cannot have
// it.
std::optional<TexelFormat> texel_format(const std::array<int, 4>& bits, gpu::Image::Format kind);

struct ImageArray {
  TexelFormat texel;
  std::size_t width = 0, height = 0, depth = 0;  // texels; 0: there is no such dimension
  bool layered = false;                          // depth is the number of layers
  VirtualAddress base{};
  Bytes pitch = 0, slice_bytes = 0;
  std::size_t rows() const { return height == 0 ? 1 : height; }
  std::size_t slices() const { return depth == 0 ? 1 : depth; }
  std::size_t row_bytes() const { return width * texel.bytes(); }
};
// Sets base and pitches of an array with texel and sizes. OutOfMemory.
Status allocate_array(Runtime& runtime, ImageArray& array);
// The device is idle.
void release_array(Runtime& runtime, const ImageArray& array);
// A box of an array: `x` and shape.width in bytes. InvalidValue where it is not within.
Status side_of(const ImageArray& array, std::size_t x, std::size_t y, std::size_t z, const CopyShape& shape,
               CopySide& side);

// The parts of a descriptor about the texels, and about where they lie. Plain memory begins at a multiple of
// kImageAlignment, and rows of it at multiples of kPlaneAlignment, as silicon's units ask for.
inline constexpr std::size_t kImageAlignment = 512, kPlaneAlignment = 32;
void describe(gpu::Image& image, const TexelFormat& texel);
void describe(gpu::Image& image, const ImageArray& array);

// In memory that kernels only read. OutOfMemory.
Status add_descriptor(Runtime& runtime, const gpu::Image& image, VirtualAddress& object);
// Several, one every gpu::Image::kStride bytes, as bytes: what is no descriptor is an API's own.
Status add_descriptors(Runtime& runtime, const std::vector<std::byte>& slots, VirtualAddress& object);
// Its memory is given back when no kernel can use it any more.
void remove_descriptor(Runtime& runtime, VirtualAddress object);

}  // namespace duet::core
