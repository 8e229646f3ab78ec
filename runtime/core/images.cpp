#include "core/images.h"

#include <cstring>

#include "core/notes.h"

namespace duet::core {

namespace {

constexpr Bytes kRowAlignment = 128;  // a line of the caches

// Descriptors removed while kernels may still use them. Never destroyed, as the runtime.
std::vector<VirtualAddress>& leaving() {
  static auto* const objects = new std::vector<VirtualAddress>;
  return *objects;
}

void release_at(Runtime& runtime, VirtualAddress address) {
  if (const memory::Allocation* allocation = runtime.space().find(address))
    runtime.process().release_device(*allocation);
}

void release_leaving(Runtime& runtime) {
  if (!runtime.driver().all_idle()) return;
  for (const VirtualAddress object : leaving()) release_at(runtime, object);
  leaving().clear();
}

}  // namespace

std::optional<TexelFormat> texel_format(const std::array<int, 4>& bits, gpu::Image::Format kind) {
  unsigned count = 0;
  while (count < 4 && bits[count] != 0) ++count;
  for (unsigned i = 0; i < 4; ++i)
    if (bits[i] != (i < count ? bits[0] : 0)) return std::nullopt;
  const bool floats = kind == gpu::Image::Format::Float;
  if (count == 0 || count == 3 || (bits[0] != 16 && bits[0] != 32 && (bits[0] != 8 || floats)))
    return std::nullopt;
  return TexelFormat{kind, static_cast<std::uint8_t>(bits[0] / 8), static_cast<std::uint8_t>(count)};
}

Status allocate_array(Runtime& runtime, ImageArray& array) {
  array.pitch = round_up<Bytes>(array.row_bytes(), kRowAlignment);
  array.slice_bytes = array.pitch * array.rows();
  const memory::Allocation* allocation = allocate_device(runtime, array.slice_bytes * array.slices());
  if (allocation == nullptr) return Reason::OutOfMemory;
  array.base = allocation->base;
  return {};
}

void release_array(Runtime& runtime, const ImageArray& array) { release_at(runtime, array.base); }

Status side_of(const ImageArray& array, std::size_t x, std::size_t y, std::size_t z, const CopyShape& shape,
               CopySide& side) {
  const auto within = [](std::size_t from, std::size_t count, std::size_t size) {
    return from <= size && count <= size - from;
  };
  if (!within(x, shape.width, array.row_bytes()) || !within(y, shape.rows, array.rows()) ||
      !within(z, shape.slices, array.slices()))
    return Reason::InvalidValue;
  side = {duet::pointer_of(array.base + z * array.slice_bytes + y * array.pitch + x), array.pitch,
          array.slice_bytes};
  return {};
}

void describe(gpu::Image& image, const TexelFormat& texel) {
  image.format = texel.kind;
  image.channels = texel.channels;
  image.channel_bytes = texel.channel_bytes;
}

void describe(gpu::Image& image, const ImageArray& array) {
  describe(image, array.texel);
  image.base = array.base;
  image.pitch = array.pitch;
  image.slice_bytes = array.slice_bytes;
  image.width = static_cast<std::uint32_t>(array.width);
  image.height = static_cast<std::uint32_t>(array.rows());
  image.depth = static_cast<std::uint32_t>(array.slices());
  image.layered = array.layered;
  image.dimensions = array.height == 0 ? 1 : array.depth == 0 || array.layered ? 2 : 3;
}

Status add_descriptor(Runtime& runtime, const gpu::Image& image, VirtualAddress& object) {
  std::vector<std::byte> slots(sizeof image);
  std::memcpy(slots.data(), &image, sizeof image);
  return add_descriptors(runtime, slots, object);
}

Status add_descriptors(Runtime& runtime, const std::vector<std::byte>& slots, VirtualAddress& object) {
  release_leaving(runtime);
  const memory::Allocation* allocation =
      runtime.space().allocate_device(slots.size(), memory::AllocationKind::Constants);
  if (allocation == nullptr) return Reason::OutOfMemory;
  // Caches may still hold an earlier owner's bytes.
  runtime.process().system().settle(allocation->base, slots.size());
  runtime.space().write(allocation->base, slots.data(), slots.size());
  object = allocation->base;
  return {};
}

void remove_descriptor(Runtime& runtime, VirtualAddress object) {
  leaving().push_back(object);
  release_leaving(runtime);
}

}  // namespace duet::core
