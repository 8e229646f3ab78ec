// Does the heap of device code give apart, aligned places, run full, and take back what it gave?
#include "machine/device_calls/device_heap.h"

#include <gtest/gtest.h>

namespace duet::machine {
namespace {

constexpr VirtualAddress kBase{0x2000'0000'1000};

TEST(DeviceHeap, PlacesAreAlignedAndApart) {
  DeviceHeap heap(kBase, 256, 1);
  EXPECT_EQ(heap.allocate(0, 1, 5), kBase);
  EXPECT_EQ(heap.allocate(0, 16, 5), kBase + 16);
  EXPECT_EQ(heap.allocate(0, 17, 5), kBase + 32);
  EXPECT_EQ(heap.allocate(0, 1, 5), kBase + 64);
}

TEST(DeviceHeap, FullToTheLastByte) {
  DeviceHeap heap(kBase, 64, 1);
  EXPECT_EQ(heap.allocate(0, 65, 5), VirtualAddress());
  EXPECT_EQ(heap.allocate(0, 48, 5), kBase);
  EXPECT_EQ(heap.allocate(0, 17, 5), VirtualAddress());
  EXPECT_EQ(heap.allocate(0, 16, 5), kBase + 48);
  EXPECT_EQ(heap.allocate(0, 1, 5), VirtualAddress());
  EXPECT_EQ(heap.allocate(0, ~Bytes{0}, 5), VirtualAddress());
  EXPECT_EQ(heap.allocate(0, 0, 5), VirtualAddress());
}

TEST(DeviceHeap, FreedNeighboursBecomeOnePlace) {
  DeviceHeap heap(kBase, 96, 1);
  const VirtualAddress a = heap.allocate(0, 32, 5), b = heap.allocate(0, 32, 5), c = heap.allocate(0, 32, 5);
  EXPECT_TRUE(heap.release(0, a, 5));
  EXPECT_TRUE(heap.release(0, c, 5));
  EXPECT_EQ(heap.allocate(0, 48, 5), VirtualAddress());
  EXPECT_TRUE(heap.release(0, b, 5));
  EXPECT_EQ(heap.allocate(0, 96, 5), a);
}

TEST(DeviceHeap, TakesBackOnlyWhatItGave) {
  DeviceHeap heap(kBase, 64, 1);
  const VirtualAddress a = heap.allocate(0, 32, 5);
  EXPECT_FALSE(heap.release(0, a + 16, 5));
  EXPECT_FALSE(heap.release(0, kBase - 16, 5));
  EXPECT_TRUE(heap.release(0, a, 5));
  EXPECT_FALSE(heap.release(0, a, 5));
}

TEST(DeviceHeap, WhatAnotherSmDoesInTheSameCycleIsNotSeen) {
  for (const bool first : {false, true}) {
    DeviceHeap heap(kBase, 64, 2);
    const VirtualAddress a = heap.allocate(0, 48, 10);
    EXPECT_EQ(a, kBase);
    EXPECT_EQ(heap.allocate(1, 32, 20), VirtualAddress());  // 16 bytes are left in all
    EXPECT_EQ(heap.allocate(1, 16, 20), kBase + 64);
    if (first) {
      EXPECT_TRUE(heap.release(1, a, 30));
    }
    EXPECT_EQ(heap.allocate(0, 16, 30), VirtualAddress());
    if (!first) {
      EXPECT_TRUE(heap.release(1, a, 30));
    }
    EXPECT_FALSE(heap.release(1, a, 30));
    EXPECT_EQ(heap.allocate(0, 48, 40), a);
    EXPECT_EQ(heap.allocate(0, 16, 40), VirtualAddress());
  }
}

}  // namespace
}  // namespace duet::machine
