// The descriptor of a texture or surface object. It lies in device memory, as the headers of the machine's
// textures do, in an allocation of its own, read-only for kernels; a program's object is its virtual address.
// An allocation may have several, one every kStride bytes: those by which an image is read and written.
// Left out: reading a descriptor takes no time; mipmaps, cube maps, sRGB, compression.
#pragma once

#include <array>
#include <cstdint>

#include "base/address.h"
#include "memory/address_space.h"

namespace duet::gpu {

// Numbers as CUDA's.
enum class AddressMode : std::uint8_t { Wrap, Clamp, Mirror, Border };

struct Image {
  static constexpr std::uint64_t kMark = 0x6475'6574'2069'6d67;  // "duet img"
  static constexpr Bytes kStride = 128;

  std::uint64_t mark = kMark;
  VirtualAddress base;
  Bytes pitch = 0, slice_bytes = 0;  // from row to row, from slice or layer to the next
  std::uint32_t width = 1, height = 1,
                depth = 1;  // in texels; of layered images depth is the number of layers
  std::uint8_t dimensions = 1;
  bool layered = false;
  bool surface = false;  // an object for suld and sust
  bool linear = false;   // plain memory, fetched by integers: nothing outside it, and zero there

  enum class Format : std::uint8_t { Unsigned, Signed, Float };
  Format format = Format::Unsigned;
  std::uint8_t channels = 1, channel_bytes = 1;

  std::array<AddressMode, 3> address{};
  bool filter = false;      // linear
  bool normalized = false;  // coordinates
  bool scaled = false;      // integers are read as floats in [0,1] or [-1,1]
  // Of a texel's stored channels, the one that becomes red, green, blue, alpha; where there is no such
  // channel it is 0, and alpha 1.
  std::array<std::uint8_t, 4> swizzle{0, 1, 2, 3};
  std::array<float, 4> border{};

  unsigned texel_bytes() const { return unsigned{channels} * channel_bytes; }
  bool reads_floats() const { return format == Format::Float || scaled; }
};

static_assert(sizeof(Image) <= Image::kStride);

// Null when the number is no object.
inline const Image* find_image(const memory::AddressSpace& space, std::uint64_t object) {
  const memory::Allocation* allocation = space.find(VirtualAddress(object));
  if (allocation == nullptr || allocation->kind != memory::AllocationKind::Constants) return nullptr;
  const Bytes offset = object - allocation->base.value();
  if (offset % Image::kStride != 0 || offset + sizeof(Image) > allocation->bytes) return nullptr;
  const auto* image = reinterpret_cast<const Image*>(space.bytes(VirtualAddress(object)));
  return image->mark == Image::kMark ? image : nullptr;
}

}  // namespace duet::gpu
