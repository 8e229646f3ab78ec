// Frames: handed out together, given back one by one, given again.
#include "memory/physical/frame_allocator.h"

#include <gtest/gtest.h>

#include <array>

namespace duet::memory {
namespace {

constexpr PhysicalAddress kBase{0x10'0000};
constexpr Bytes kPage = 4096;

TEST(FrameAllocator, GivesTheLowestPlaceWithRoomForAll) {
  FrameAllocator frames(kBase, 8 * kPage, kPage);
  EXPECT_EQ(frames.take(1), kBase);
  EXPECT_EQ(frames.take(2 * kPage + 1), kBase + kPage);
  EXPECT_EQ(frames.take(kPage), kBase + 4 * kPage);
  EXPECT_EQ(frames.free_bytes(), 3 * kPage);
  EXPECT_FALSE(frames.take(4 * kPage));
  EXPECT_FALSE(frames.take(~Bytes{0}));
  EXPECT_EQ(frames.take(3 * kPage), kBase + 5 * kPage);
  EXPECT_FALSE(frames.take(1));
}

TEST(FrameAllocator, TakesBackOneFrameOfSeveral) {
  FrameAllocator frames(kBase, 4 * kPage, kPage);
  ASSERT_EQ(frames.take(4 * kPage), kBase);
  frames.give_back(kBase + 2 * kPage, kPage);
  EXPECT_FALSE(frames.take(2 * kPage));
  EXPECT_EQ(frames.take(kPage), kBase + 2 * kPage);
}

TEST(FrameAllocator, NeighboursThatComeBackInAnyOrderAreOnePlace) {
  for (const auto& order : {std::array{0, 1, 2, 3}, std::array{3, 1, 0, 2}, std::array{1, 3, 2, 0}}) {
    FrameAllocator frames(kBase, 4 * kPage, kPage);
    ASSERT_TRUE(frames.take(4 * kPage));
    for (const int i : order) frames.give_back(kBase + static_cast<Bytes>(i) * kPage, kPage);
    EXPECT_EQ(frames.take(4 * kPage), kBase);
  }
}

TEST(FrameAllocator, APartOfAPageAtTheEndIsNoFrame) {
  FrameAllocator frames(kBase, 2 * kPage - 1, kPage);
  EXPECT_EQ(frames.free_bytes(), kPage);
}

}  // namespace
}  // namespace duet::memory
