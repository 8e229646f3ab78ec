// Texels in memory: what a formatted store makes of four values, red first.
//
//   std::array<std::byte, 16> bytes{};
//   store_texel(image, {bits of 1.0f, 0, 0, bits of 1.0f}, bytes.data());  // BGRA, 8 bits: 0, 0, 255, 255
//
// Source: OpenCL C 3.0, section 8.3, "Conversion Rules": integers saturate, floats round to nearest even.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpu/image.h"

namespace duet::gpu {

float half_to_float(std::uint16_t bits);
std::uint16_t float_to_half(float value);

// The values are bits of floats where the image reads floats, and integers with or without a sign elsewhere.
void store_texel(const Image& image, const std::array<std::uint32_t, 4>& values, std::byte* to);

}  // namespace duet::gpu
