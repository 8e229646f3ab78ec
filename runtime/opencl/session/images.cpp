#include "opencl/session/images.h"

#include <algorithm>
#include <cstring>

#include "opencl/session/image_formats.h"

namespace duet::opencl {

namespace {

constexpr std::size_t kStoreSlot = 1, kSamplerSlot = 2;
constexpr unsigned kAddressModes = 5, kSamplerStates = 2 * 2 * kAddressModes;

// By the address mode of a literal sampler, CLK_ADDRESS_* / 2. Without a mode, coordinates lie within.
constexpr gpu::AddressMode kModes[kAddressModes] = {gpu::AddressMode::Clamp, gpu::AddressMode::Clamp,
                                                    gpu::AddressMode::Border, gpu::AddressMode::Wrap,
                                                    gpu::AddressMode::Mirror};

// As of the literal in OpenCL C: 1 for normalized coordinates, twice the mode, 10 for a linear filter.
unsigned state_of(bool normalized, unsigned mode, bool linear) {
  return (linear ? 2 * kAddressModes : 0) + 2 * mode + (normalized ? 1 : 0);
}

}  // namespace

std::array<std::size_t, 3> ImageData::extent() const {
  if (type == CL_MEM_OBJECT_IMAGE1D_ARRAY) return {array.width, array.depth, 1};
  return {array.width, array.rows(), array.slices()};
}

core::CopySide ImageData::on_device(const std::size_t* origin) const {
  // Rows that are layers are a slice apart, which has one row.
  const auto address =
      array.base + origin[0] * array.texel.bytes() + origin[1] * array.pitch + origin[2] * array.slice_bytes;
  return {duet::pointer_of(address), array.pitch, array.slice_bytes};
}

core::CopySide ImageData::in_memory(const void* first, const std::size_t* origin, std::size_t row,
                                    std::size_t slice) const {
  const std::size_t pitch = type == CL_MEM_OBJECT_IMAGE1D_ARRAY && slice != 0 ? slice : row;
  return {static_cast<const std::byte*>(first) + origin[0] * array.texel.bytes() + origin[1] * pitch +
              origin[2] * slice,
          pitch, slice};
}

std::size_t ImageData::host_bytes() const {
  const auto [width, rows, slices] = extent();
  const core::CopySide all{nullptr, type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? slice_pitch : row_pitch,
                           slice_pitch};
  return core::CopyShape{width * array.texel.bytes(), rows, slices}.span(all);
}

gpu::Image descriptor_of(const ImageData& image) {
  const ImageFormat format = *image_format(image.format);
  gpu::Image descriptor;
  core::describe(descriptor, image.array);
  descriptor.scaled = format.scaled;
  descriptor.swizzle = format.swizzle;
  descriptor.border[3] = format.border_alpha;
  return descriptor;
}

std::vector<std::byte> slots_of(const ImageData& image) {
  std::vector<std::byte> slots((kSamplerSlot + kSamplerStates) * gpu::Image::kStride);
  const auto put = [&](std::size_t slot, const auto& what) {
    std::memcpy(slots.data() + slot * gpu::Image::kStride, &what, sizeof what);
  };
  const auto size = [](std::size_t value) { return static_cast<std::uint32_t>(value); };
  const core::ImageArray& array = image.array;
  const std::uint32_t layers = image.layered() ? size(array.depth) : 0;
  put(0, std::array<std::uint32_t, 6>{
             size(array.width), size(array.height), image.layered() ? 0 : size(array.depth), layers,
             image.format.image_channel_order, image.format.image_channel_data_type});
  const gpu::Image all = descriptor_of(image);
  gpu::Image store = all;
  store.surface = true;
  store.layered = false;
  if (image.type == CL_MEM_OBJECT_IMAGE1D_ARRAY) {
    store.dimensions = 2;
    store.height = layers;
    store.depth = 1;
  } else if (image.type == CL_MEM_OBJECT_IMAGE2D_ARRAY) {
    store.dimensions = 3;
  }
  put(kStoreSlot, store);
  for (const bool linear : {false, true})
    for (unsigned mode = 0; mode < kAddressModes; ++mode)
      for (const bool normalized : {false, true}) {
        gpu::Image read = all;
        read.address.fill(kModes[mode]);
        read.normalized = normalized;
        // Only what is read as floats has something between its texels.
        read.filter = linear && all.reads_floats();
        put(kSamplerSlot + state_of(normalized, mode, linear), read);
      }
  return slots;
}

std::uint64_t sampler_value(cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter) {
  // CL_ADDRESS_* count in the order of CLK_ADDRESS_*.
  const unsigned state = state_of(normalized != 0, addressing - CL_ADDRESS_NONE, filter == CL_FILTER_LINEAR);
  return (kSamplerSlot + state) * gpu::Image::kStride;
}

}  // namespace duet::opencl
