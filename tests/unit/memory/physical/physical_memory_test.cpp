// Ranges and homes, and frames of host DRAM for bytes that the host lends.
#include "memory/physical/physical_memory.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.h"

namespace duet::memory {
namespace {

constexpr Bytes kPageBytes = 4096;

TEST(PhysicalMemory, DeviceDramHasBytesOfItsOwnThatBeginWithZero) {
  PhysicalMemory memory(16 * kPageBytes, kPageBytes);
  const PhysicalAddress last(16 * kPageBytes - 1);
  EXPECT_EQ(memory.map().home_of(last), Home::DeviceDram);
  const Backing at = memory.backing(last);
  ASSERT_NE(at.bytes, nullptr);
  EXPECT_EQ(*at.bytes, std::byte{0});
  EXPECT_EQ(at.left, 1u);
  EXPECT_EQ(at.bytes, memory.bytes(PhysicalAddress(0)) + 16 * kPageBytes - 1);
  EXPECT_EQ(memory.bytes(PhysicalAddress(16 * kPageBytes)), nullptr);
  EXPECT_THROW(memory.map().home_of(PhysicalAddress(16 * kPageBytes)), Error);
}

Bytes mapped_by_this_process() {
  std::ifstream file("/proc/self/statm");
  Bytes pages = 0;
  file >> pages;
  return pages * 4096;
}

// A process may be limited in what it maps, and a device may have more than the host.
TEST(PhysicalMemory, OnlyWhatIsTakenIsMapped) {
  const Bytes before = mapped_by_this_process();
  PhysicalMemory memory(1024_GiB, kPageBytes);
  EXPECT_LT(mapped_by_this_process() - before, 100_MiB);
  std::vector<PhysicalAddress> taken;
  Bytes bytes = 0;
  for (std::uint64_t i = 0; i < 20; ++i) {
    taken.push_back(*memory.take_device(50_MiB));
    bytes += 50_MiB;
    std::byte* const first = memory.bytes(taken.back());
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(first[50_MiB - 1], std::byte{0});
    std::memcpy(first + 50_MiB - sizeof i, &i, sizeof i);
    EXPECT_LT(mapped_by_this_process() - before, 2 * bytes + 100_MiB);
  }
  for (std::uint64_t i = 0; i < taken.size(); ++i)
    EXPECT_EQ(std::memcmp(memory.bytes(taken[i]) + 50_MiB - sizeof i, &i, sizeof i), 0);
  EXPECT_EQ(memory.bytes(PhysicalAddress(1024_GiB - 1)), nullptr);
  EXPECT_FALSE(memory.take_device(1024_GiB));
}

// A few frames at the upper end need no bytes between, and go on when all is taken.
TEST(PhysicalMemory, TheHighestFramesAreMappedAlone) {
  const Bytes before = mapped_by_this_process();
  PhysicalMemory memory(512_MiB, kPageBytes);
  const PhysicalAddress highest = *memory.take_highest_device(2_MiB);
  EXPECT_EQ(highest, PhysicalAddress(510_MiB));
  EXPECT_LT(mapped_by_this_process() - before, 100_MiB);
  *memory.bytes(highest) = std::byte{7};
  const Backing last = memory.backing(PhysicalAddress(512_MiB - 1));
  ASSERT_NE(last.bytes, nullptr);
  EXPECT_EQ(last.bytes, memory.bytes(highest) + 2_MiB - 1);
  EXPECT_EQ(last.left, 1u);
  EXPECT_EQ(memory.bytes(highest - 1), nullptr);
  EXPECT_EQ(memory.bytes(PhysicalAddress(512_MiB)), nullptr);
  ASSERT_TRUE(memory.take_device(510_MiB));
  EXPECT_EQ(*memory.bytes(highest), std::byte{7});
  EXPECT_EQ(memory.backing(highest - 1).left, 1u);
  memory.device().frames.give_back(highest, 2_MiB);
  ASSERT_TRUE(memory.take_device(2_MiB));
  EXPECT_EQ(memory.backing(highest - 1).left, 2_MiB + 1);
}

TEST(PhysicalMemory, WhatCannotBeMappedIsNotTaken) {
  PhysicalMemory memory(1ull << 62, kPageBytes);  // no process has so much
  const Bytes free = memory.device().frames.free_bytes();
  try {
    memory.take_device(1ull << 61);
    FAIL() << "nothing was thrown";
  } catch (const NoMemory& error) {
    EXPECT_NE(std::string(error.what()).find("cannot map 2199023255552 MiB for device memory: "),
              std::string::npos)
        << error.what();
  }
  EXPECT_EQ(memory.device().frames.free_bytes(), free);
  EXPECT_TRUE(memory.take_device(1_MiB));
}

TEST(PhysicalMemory, WhatIsLentIsReachedFromItsFirstToItsLastByte) {
  PhysicalMemory memory(kPageBytes, kPageBytes);
  std::vector<std::byte> first(2 * kPageBytes), second(100);
  const PhysicalAddress a = memory.lend(first.data(), first.size());
  const PhysicalAddress b = memory.lend(second.data(), second.size(), 60, true);
  EXPECT_EQ(memory.map().home_of(a), Home::HostDram);
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

// Where cores and GPU have one DRAM, frames of host DRAM lie in it; what goes across the link has a range
// beside.
TEST(PhysicalMemory, OfOneDramOnlyTheWindowsAreBehindTheLink) {
  PhysicalMemory memory(kPageBytes, kPageBytes, 16 * kPageBytes, Home::OneDram);
  ASSERT_TRUE(memory.is_one());
  std::vector<std::byte> bytes(kPageBytes);
  const Bytes free = memory.host().frames.free_bytes();
  const PhysicalAddress frame = memory.lend(bytes.data(), 10),
                        through = memory.lend(bytes.data(), 20, 0, true),
                        asked = memory.lend(bytes.data(), 30, 5, false, Home::HostDram),
                        in_l2 = memory.lend(bytes.data(), 40, 0, true, Home::HostInL2);
  EXPECT_EQ(memory.map().home_of(frame), Home::OneDram);
  for (const PhysicalAddress window : {through, asked}) {
    EXPECT_EQ(memory.map().home_of(window), Home::HostDram);
    EXPECT_EQ(memory.bytes(window), bytes.data());
  }
  EXPECT_EQ(memory.map().home_of(in_l2), Home::HostInL2);
  EXPECT_TRUE(behind_link(Home::HostInL2) && duet::memory::in_l2(Home::HostInL2));
  EXPECT_EQ(memory.home_at_host(through, 8), Home::Program);
  EXPECT_EQ(memory.host().frames.free_bytes(), free - kPageBytes);
  for (const PhysicalAddress lent : {frame, through, asked, in_l2}) memory.take_back(lent);
  EXPECT_EQ(memory.host().frames.free_bytes(), free);
  EXPECT_EQ(memory.lend(bytes.data(), 1, 0, true), through);
  EXPECT_EQ(memory.lend(bytes.data(), 1, 0, true, Home::HostInL2), in_l2);
  EXPECT_FALSE(PhysicalMemory(kPageBytes, kPageBytes, 16 * kPageBytes, Home::SharedDram).is_one());
}

TEST(PhysicalMemory, NoBytesTakeAFrameAndGiveItBack) {
  PhysicalMemory memory(kPageBytes, kPageBytes);
  const Bytes free = memory.host().frames.free_bytes();
  std::byte byte{};
  const PhysicalAddress empty = memory.lend(&byte, 0);
  EXPECT_EQ(memory.bytes(empty), nullptr);
  memory.take_back(empty);
  EXPECT_EQ(memory.host().frames.free_bytes(), free);
}

TEST(PhysicalMemory, TheHostServesARequestByItsFirstByteThatExists) {
  PhysicalMemory memory(kPageBytes, kPageBytes);
  std::array<std::byte, 64> programs{}, drivers{};
  const PhysicalAddress program = memory.lend(programs.data(), programs.size(), 100, true);
  const PhysicalAddress driver = memory.lend(drivers.data(), drivers.size(), 100);
  EXPECT_EQ(memory.home_at_host(program, 8), Home::Program);
  EXPECT_EQ(memory.home_at_host(program - 100, 128), Home::Program);
  EXPECT_EQ(memory.home_at_host(driver - 100, 128), Home::Driver);
  memory.take_back(program);
  EXPECT_EQ(memory.home_at_host(program, 8), Home::Driver);
}

}  // namespace
}  // namespace duet::memory
