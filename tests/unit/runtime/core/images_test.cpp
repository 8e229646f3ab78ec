// Arrays of texels and their descriptors: formats, boxes, and memory that goes when no kernel can use it.
#include "core/images.h"

#include <cstring>

#include "unit/runtime/cuda/runtime_rig.h"

namespace duet::core {
namespace {

using Format = gpu::Image::Format;

TEST(TexelFormat, ChannelsAreAlikeAndOneTwoOrFour) {
  EXPECT_EQ(texel_format({32, 0, 0, 0}, Format::Float)->bytes(), 4u);
  EXPECT_EQ(texel_format({8, 8, 8, 8}, Format::Unsigned)->bytes(), 4u);
  EXPECT_EQ(texel_format({16, 16, 0, 0}, Format::Signed)->channels, 2);
  EXPECT_FALSE(texel_format({8, 8, 8, 0}, Format::Unsigned));   // three
  EXPECT_FALSE(texel_format({8, 16, 0, 0}, Format::Unsigned));  // of two sizes
  EXPECT_FALSE(texel_format({0, 8, 0, 0}, Format::Unsigned));
  EXPECT_FALSE(texel_format({64, 0, 0, 0}, Format::Signed));
  EXPECT_FALSE(texel_format({8, 0, 0, 0}, Format::Float));
}

class Images : public cuda::RuntimeTest {
 protected:
  Runtime& runtime() { return session().core(); }
  ImageArray made(std::size_t width, std::size_t height, std::size_t depth) {
    ImageArray array;
    array.texel = {Format::Float, 4, 1};
    array.width = width;
    array.height = height;
    array.depth = depth;
    EXPECT_FALSE(allocate_array(runtime(), array).failed());
    return array;
  }
};

TEST_F(Images, RowsBeginAtLinesAndSlicesFollow) {
  const ImageArray array = made(33, 5, 2);
  EXPECT_EQ(array.pitch, 256u);
  EXPECT_EQ(array.slice_bytes, 5 * 256u);
  CopySide side{};
  ASSERT_FALSE(side_of(array, 8, 3, 1, {4, 2, 1}, side).failed());
  EXPECT_EQ(duet::virtual_address(side.pointer), array.base + (5 + 3) * 256 + 8);
}

TEST_F(Images, ABoxLiesWithinItsArray) {
  const ImageArray array = made(16, 4, 0);
  CopySide side{};
  EXPECT_FALSE(side_of(array, 0, 0, 0, {64, 4, 1}, side).failed());
  EXPECT_EQ(side_of(array, 4, 0, 0, {64, 4, 1}, side).reason, Reason::InvalidValue);
  EXPECT_EQ(side_of(array, 0, 1, 0, {64, 4, 1}, side).reason, Reason::InvalidValue);
  EXPECT_EQ(side_of(array, 0, 0, 1, {64, 4, 1}, side).reason, Reason::InvalidValue);
}

TEST_F(Images, ADescriptorIsFoundUntilNoKernelCanUseIt) {
  gpu::Image image;
  describe(image, made(16, 4, 0));
  EXPECT_EQ(image.dimensions, 2);
  VirtualAddress object;
  ASSERT_FALSE(add_descriptor(runtime(), image, object).failed());
  ASSERT_NE(gpu::find_image(runtime().space(), object.value()), nullptr);
  launch_slow_kernel(nullptr);
  remove_descriptor(runtime(), object);
  EXPECT_NE(gpu::find_image(runtime().space(), object.value()), nullptr);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  VirtualAddress other;
  ASSERT_FALSE(add_descriptor(runtime(), image, other).failed());  // releases the first one before
  EXPECT_EQ(gpu::find_image(runtime().space(), object.value()), nullptr);
}

TEST_F(Images, DescriptorsOfOneAllocationAreAStrideApart) {
  constexpr Bytes kStride = gpu::Image::kStride;
  std::vector<std::byte> slots(4 * kStride);  // the first is no descriptor
  for (unsigned slot = 1; slot < 4; ++slot) {
    gpu::Image image;
    image.width = slot;
    std::memcpy(slots.data() + slot * kStride, &image, sizeof image);
  }
  VirtualAddress object;
  ASSERT_FALSE(add_descriptors(runtime(), slots, object).failed());
  const auto at = [&](Bytes offset) { return gpu::find_image(runtime().space(), object.value() + offset); };
  EXPECT_EQ(at(0), nullptr);
  for (unsigned slot = 1; slot < 4; ++slot) {
    ASSERT_NE(at(slot * kStride), nullptr);
    EXPECT_EQ(at(slot * kStride)->width, slot);
  }
  EXPECT_EQ(at(kStride + 8), nullptr);
  EXPECT_EQ(at(4 * kStride), nullptr);
  remove_descriptor(runtime(), object);
}

}  // namespace
}  // namespace duet::core
