// Ranges and routes, and frames of host DRAM for bytes that the host lends.
#include "memory/physical/physical_memory.h"

#include <gtest/gtest.h>

#include <vector>

namespace duet::memory {
namespace {

constexpr Bytes kPageBytes = 4096;

TEST(PhysicalMemory, DeviceDramHasBytesOfItsOwnThatBeginWithZero) {
  PhysicalMemory memory(16 * kPageBytes, kPageBytes);
  const PhysicalAddress last(16 * kPageBytes - 1);
  EXPECT_EQ(memory.route_of(last), Route::DeviceDram);
  const Backing at = memory.backing(last);
  ASSERT_NE(at.bytes, nullptr);
  EXPECT_EQ(*at.bytes, std::byte{0});
  EXPECT_EQ(at.left, 1u);
  EXPECT_EQ(at.bytes, memory.bytes(PhysicalAddress(0)) + 16 * kPageBytes - 1);
  EXPECT_EQ(memory.bytes(PhysicalAddress(16 * kPageBytes)), nullptr);
  EXPECT_EQ(memory.route_of(PhysicalAddress(16 * kPageBytes)), Route::HostDram);
}

TEST(PhysicalMemory, WhatIsLentIsReachedFromItsFirstToItsLastByte) {
  PhysicalMemory memory(kPageBytes, kPageBytes);
  std::vector<std::byte> first(2 * kPageBytes), second(100);
  const PhysicalAddress a = memory.lend(first.data(), first.size());
  const PhysicalAddress b = memory.lend(second.data(), second.size(), 60, true);
  EXPECT_EQ(memory.route_of(a), Route::HostDram);
  EXPECT_EQ(a % kPageBytes, 0u);
  EXPECT_EQ(b, a + 2 * kPageBytes + 60) << "frames in the order of asking";
  const Backing in_first = memory.backing(a + 5000);
  EXPECT_EQ(in_first.bytes, first.data() + 5000);
  EXPECT_EQ(in_first.left, 2 * kPageBytes - 5000);
  EXPECT_FALSE(in_first.through_port);
  const Backing in_second = memory.backing(b + 99);
  EXPECT_EQ(in_second.bytes, second.data() + 99);
  EXPECT_EQ(in_second.left, 1u);
  EXPECT_TRUE(in_second.through_port);
  EXPECT_EQ(memory.bytes(b + 100), nullptr);
  EXPECT_EQ(memory.bytes(b - 1), nullptr);
}

TEST(PhysicalMemory, FramesThatAreTakenBackAreLentAgainAndNothingIsRemembered) {
  PhysicalMemory memory(kPageBytes, kPageBytes);
  std::vector<std::byte> bytes(3 * kPageBytes);
  const PhysicalAddress a = memory.lend(bytes.data(), kPageBytes, 10);  // two frames
  const PhysicalAddress b = memory.lend(bytes.data(), 1);
  ASSERT_EQ(memory.bytes(a), bytes.data());
  memory.take_back(a);
  EXPECT_EQ(memory.bytes(a), nullptr);
  EXPECT_EQ(memory.bytes(b), bytes.data());
  const PhysicalAddress again = memory.lend(bytes.data() + kPageBytes, 2 * kPageBytes);
  EXPECT_EQ(again, a - 10);
  EXPECT_EQ(memory.bytes(again), bytes.data() + kPageBytes);
}

TEST(PhysicalMemory, NoBytesTakeAFrameAndGiveItBack) {
  PhysicalMemory memory(kPageBytes, kPageBytes);
  const Bytes free = memory.range(Route::HostDram).frames.free_bytes();
  std::byte byte{};
  const PhysicalAddress empty = memory.lend(&byte, 0);
  EXPECT_EQ(memory.bytes(empty), nullptr);
  memory.take_back(empty);
  EXPECT_EQ(memory.range(Route::HostDram).frames.free_bytes(), free);
}

}  // namespace
}  // namespace duet::memory
