// Does the heap of device code give apart, aligned places, run full, and take back what it gave?
#include "machine/device_heap.h"

#include <gtest/gtest.h>

namespace duet::machine {
namespace {

constexpr Address kBase = 0x2000'0000'1000;

TEST(DeviceHeap, PlacesAreAlignedAndApart) {
  DeviceHeap heap(kBase, 256);
  EXPECT_EQ(heap.allocate(1), kBase);
  EXPECT_EQ(heap.allocate(16), kBase + 16);
  EXPECT_EQ(heap.allocate(17), kBase + 32);
  EXPECT_EQ(heap.allocate(1), kBase + 64);
}

TEST(DeviceHeap, FullToTheLastByte) {
  DeviceHeap heap(kBase, 64);
  EXPECT_EQ(heap.allocate(65), 0u);
  EXPECT_EQ(heap.allocate(48), kBase);
  EXPECT_EQ(heap.allocate(17), 0u);
  EXPECT_EQ(heap.allocate(16), kBase + 48);
  EXPECT_EQ(heap.allocate(1), 0u);
  EXPECT_EQ(heap.allocate(~Bytes{0}), 0u);
  EXPECT_EQ(heap.allocate(0), 0u);
}

TEST(DeviceHeap, FreedNeighboursBecomeOnePlace) {
  DeviceHeap heap(kBase, 96);
  const Address a = heap.allocate(32), b = heap.allocate(32), c = heap.allocate(32);
  EXPECT_TRUE(heap.release(a));
  EXPECT_TRUE(heap.release(c));
  EXPECT_EQ(heap.allocate(48), 0u);
  EXPECT_TRUE(heap.release(b));
  EXPECT_EQ(heap.allocate(96), a);
}

TEST(DeviceHeap, TakesBackOnlyWhatItGave) {
  DeviceHeap heap(kBase, 64);
  const Address a = heap.allocate(32);
  EXPECT_FALSE(heap.release(a + 16));
  EXPECT_FALSE(heap.release(kBase - 16));
  EXPECT_TRUE(heap.release(a));
  EXPECT_FALSE(heap.release(a));
}

}  // namespace
}  // namespace duet::machine
