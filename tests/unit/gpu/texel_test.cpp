// What a formatted store makes of values, and the 16-bit floats of texels.
#include "gpu/texel.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace duet::gpu {
namespace {

using Format = Image::Format;

Image image_of(Format format, std::uint8_t channels, std::uint8_t bytes, bool scaled) {
  Image image;
  image.format = format;
  image.channels = channels;
  image.channel_bytes = bytes;
  image.scaled = scaled;
  return image;
}
std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
std::uint32_t stored(const Image& image, const std::array<std::uint32_t, 4>& values) {
  std::array<std::byte, 16> bytes{};
  store_texel(image, values, bytes.data());
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data(), sizeof word);
  return word;
}

TEST(Texel, ScaledFloatsRoundToEvenAndSaturate) {
  const Image bytes = image_of(Format::Unsigned, 4, 1, true);
  EXPECT_EQ(stored(bytes, {bits(0.5f), bits(-1), bits(2), bits(NAN)}), 0x00ff0080u);  // 127.5 is 128
  EXPECT_EQ(stored(bytes, {bits(2.5f / 255), bits(3.5f / 255), 0, bits(INFINITY)}), 0xff000402u);
  const Image words = image_of(Format::Signed, 2, 2, true);
  EXPECT_EQ(stored(words, {bits(-1), bits(1), 0, 0}), 0x7fff8001u);
  EXPECT_EQ(stored(words, {bits(-2), bits(3), 0, 0}), 0x7fff8000u);
}

TEST(Texel, IntegersSaturate) {
  const auto minus = static_cast<std::uint32_t>(-200);
  EXPECT_EQ(stored(image_of(Format::Signed, 4, 1, false), {minus, 200, 5, ~0u}), 0xff057f80u);
  EXPECT_EQ(stored(image_of(Format::Unsigned, 2, 2, false), {70000, 3, 0, 0}), 0x0003ffffu);
  EXPECT_EQ(stored(image_of(Format::Unsigned, 1, 4, false), {minus, 0, 0, 0}), minus);
}

TEST(Texel, ChannelsLieAsTheSwizzleSays) {
  Image image = image_of(Format::Unsigned, 4, 1, false);
  image.swizzle = {2, 1, 0, 3};
  EXPECT_EQ(stored(image, {1, 2, 3, 4}), 0x04010203u);
  Image alpha = image_of(Format::Unsigned, 1, 1, false);
  alpha.swizzle = {4, 4, 4, 0};
  EXPECT_EQ(stored(alpha, {1, 2, 3, 9}), 9u);
}

TEST(Texel, HalvesAreReadAsTheyWereWritten) {
  for (std::uint32_t half = 0; half < 0x10000; ++half) {
    const float value = half_to_float(static_cast<std::uint16_t>(half));
    if (std::isnan(value)) continue;
    ASSERT_EQ(float_to_half(value), half);
  }
  EXPECT_EQ(float_to_half(NAN), 0x7fff);
  EXPECT_EQ(float_to_half(65519.0f), 0x7bff);
  EXPECT_EQ(float_to_half(65520.0f), 0x7c00);
  EXPECT_EQ(float_to_half(-std::numeric_limits<float>::infinity()), 0xfc00);
  EXPECT_EQ(float_to_half(1 + 0x1p-11f), 0x3c00);         // to even
  EXPECT_EQ(float_to_half(1 + 3 * 0x1p-11f), 0x3c02);     // to even
  EXPECT_EQ(float_to_half(2 - 0x1p-12f), 0x4000);         // a carry
  EXPECT_EQ(float_to_half(0x1p-14f - 0x1p-25f), 0x0400);  // a carry out of the subnormal ones
  EXPECT_EQ(float_to_half(0x1p-25f), 0);
  EXPECT_EQ(float_to_half(3 * 0x1p-25f), 2);
}

}  // namespace
}  // namespace duet::gpu
