#include "gpu/texel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace duet::gpu {

namespace {

template <typename T>
std::uint32_t saturated(double value) {
  if (std::isnan(value)) return 0;
  constexpr double kLeast = std::numeric_limits<T>::min(), kMost = std::numeric_limits<T>::max();
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(std::clamp(value, kLeast, kMost)));
}

// One channel, in the lower bits.
std::uint32_t stored(const Image& image, std::uint32_t bits) {
  const bool byte = image.channel_bytes == 1;
  if (image.channel_bytes == 4) return bits;
  if (image.format == Image::Format::Float) return float_to_half(std::bit_cast<float>(bits));
  const bool is_signed = image.format == Image::Format::Signed;
  double value = is_signed ? static_cast<double>(static_cast<std::int32_t>(bits)) : bits;
  if (image.scaled) {
    const float largest = is_signed ? (byte ? 127.0f : 32767.0f) : (byte ? 255.0f : 65535.0f);
    value = std::nearbyint(std::bit_cast<float>(bits) * largest);
  }
  if (is_signed) return byte ? saturated<std::int8_t>(value) : saturated<std::int16_t>(value);
  return byte ? saturated<std::uint8_t>(value) : saturated<std::uint16_t>(value);
}

}  // namespace

float half_to_float(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const auto mantissa = static_cast<float>(bits & 1023);
  const float sign = (bits & 0x8000) != 0 ? -1.0f : 1.0f;
  if (exponent == 31)
    return std::bit_cast<float>((std::uint32_t{bits} & 0x8000) << 16 | 0x7f80'0000u |
                                (std::uint32_t{bits} & 1023) << 13);
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024.0f + mantissa, exponent - 25);
}

std::uint16_t float_to_half(float value) {
  constexpr unsigned kInfinity = 0x7c00, kNotANumber = 0x7fff;
  const unsigned sign = std::signbit(value) ? 0x8000 : 0;
  const double size = std::fabs(value);
  if (std::isnan(value)) return kNotANumber;
  if (size >= 65520) return static_cast<std::uint16_t>(sign | kInfinity);
  // Subnormal numbers have the units of the least normal ones; a carry lands in the exponent.
  const int exponent = size < 0x1p-14 ? -14 : std::ilogb(size);
  const auto units = static_cast<unsigned>(std::nearbyint(std::ldexp(size, 10 - exponent)));
  return static_cast<std::uint16_t>(sign | ((static_cast<unsigned>(exponent + 14) << 10) + units));
}

void store_texel(const Image& image, const std::array<std::uint32_t, 4>& values, std::byte* to) {
  for (unsigned channel = 0; channel < image.channels; ++channel) {
    const auto* const from = std::find(image.swizzle.begin(), image.swizzle.end(), channel);
    const std::uint32_t bits =
        from == image.swizzle.end() ? 0 : stored(image, values[from - image.swizzle.begin()]);
    std::memcpy(to + channel * image.channel_bytes, &bits, image.channel_bytes);
  }
}

}  // namespace duet::gpu
