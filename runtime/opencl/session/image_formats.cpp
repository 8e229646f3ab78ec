#include "opencl/session/image_formats.h"

#include <algorithm>

namespace duet::opencl {

namespace {

using Format = gpu::Image::Format;

// OpenCL API 3.0, section 5.3.1.1: orders, the types that they may have, and what a read gives.
enum class Types : std::uint8_t { All, Normalized, Bytes };
struct Order {
  cl_channel_order order;
  std::uint8_t channels;
  std::array<std::uint8_t, 4> swizzle;
  Types types;
  float border_alpha;
};
constexpr std::uint8_t kNone = 4;  // 0, or an alpha of 1
constexpr Order kOrders[] = {
    {CL_R, 1, {0, kNone, kNone, kNone}, Types::All, 1},
    {CL_Rx, 1, {0, kNone, kNone, kNone}, Types::All, 0},
    {CL_A, 1, {kNone, kNone, kNone, 0}, Types::All, 0},
    {CL_RG, 2, {0, 1, kNone, kNone}, Types::All, 1},
    {CL_RGx, 2, {0, 1, kNone, kNone}, Types::All, 0},
    {CL_RA, 2, {0, kNone, kNone, 1}, Types::All, 0},
    {CL_RGBA, 4, {0, 1, 2, 3}, Types::All, 0},
    {CL_BGRA, 4, {2, 1, 0, 3}, Types::Bytes, 0},
    {CL_ARGB, 4, {1, 2, 3, 0}, Types::Bytes, 0},
    {CL_ABGR, 4, {3, 2, 1, 0}, Types::Bytes, 0},
    {CL_INTENSITY, 1, {0, 0, 0, 0}, Types::Normalized, 0},
    {CL_LUMINANCE, 1, {0, 0, 0, kNone}, Types::Normalized, 1},
};

struct Type {
  cl_channel_type type;
  Format format;
  std::uint8_t bytes;
  bool scaled;
};
constexpr Type kTypes[] = {
    {CL_SNORM_INT8, Format::Signed, 1, true},        {CL_SNORM_INT16, Format::Signed, 2, true},
    {CL_UNORM_INT8, Format::Unsigned, 1, true},      {CL_UNORM_INT16, Format::Unsigned, 2, true},
    {CL_SIGNED_INT8, Format::Signed, 1, false},      {CL_SIGNED_INT16, Format::Signed, 2, false},
    {CL_SIGNED_INT32, Format::Signed, 4, false},     {CL_UNSIGNED_INT8, Format::Unsigned, 1, false},
    {CL_UNSIGNED_INT16, Format::Unsigned, 2, false}, {CL_UNSIGNED_INT32, Format::Unsigned, 4, false},
    {CL_HALF_FLOAT, Format::Float, 2, false},        {CL_FLOAT, Format::Float, 4, false},
};

bool fits(const Order& order, const Type& type) {
  switch (order.types) {
    case Types::Normalized:
      return type.scaled || type.format == Format::Float;
    case Types::Bytes:
      return type.bytes == 1;
    default:
      return true;
  }
}

}  // namespace

std::optional<ImageFormat> image_format(const cl_image_format& format) {
  const auto* const order = std::find_if(std::begin(kOrders), std::end(kOrders), [&](const Order& one) {
    return one.order == format.image_channel_order;
  });
  const auto* const type = std::find_if(std::begin(kTypes), std::end(kTypes), [&](const Type& one) {
    return one.type == format.image_channel_data_type;
  });
  if (order == std::end(kOrders) || type == std::end(kTypes) || !fits(*order, *type)) return std::nullopt;
  return ImageFormat{
      {type->format, type->bytes, order->channels}, type->scaled, order->swizzle, order->border_alpha};
}

bool is_format(const cl_image_format& format) {
  if (image_format(format)) return true;
  switch (format.image_channel_order) {
    case CL_RGB:
    case CL_RGBx:  // of packed types
      return format.image_channel_data_type == CL_UNORM_SHORT_565 ||
             format.image_channel_data_type == CL_UNORM_SHORT_555 ||
             format.image_channel_data_type == CL_UNORM_INT_101010;
    case CL_RGBA:
      return format.image_channel_data_type == CL_UNORM_INT_101010_2;
    case CL_sRGB:
    case CL_sRGBx:
    case CL_sRGBA:
    case CL_sBGRA:
      return format.image_channel_data_type == CL_UNORM_INT8;
    case CL_DEPTH:
      return format.image_channel_data_type == CL_UNORM_INT16 || format.image_channel_data_type == CL_FLOAT;
    default:
      return false;
  }
}

std::vector<cl_image_format> image_formats() {
  std::vector<cl_image_format> all;
  for (const Order& order : kOrders)
    for (const Type& type : kTypes)
      if (fits(order, type)) all.push_back({order.order, type.type});
  return all;
}

}  // namespace duet::opencl
