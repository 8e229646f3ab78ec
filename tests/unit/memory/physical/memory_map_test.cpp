// Who serves a physical address, and where its requests go.
#include "memory/physical/memory_map.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "base/error.h"
#include "config/loader.h"
#include "memory/destinations.h"

namespace duet::memory {
namespace {

constexpr PhysicalAddress kHost{1024_GiB};

MemoryMap two_memories(Home host = Home::HostDram) {
  MemoryMap map;
  map.add({"device DRAM", PhysicalAddress(0), 64_MiB, Home::DeviceDram});
  map.add({"host DRAM", kHost, 1_GiB, host});
  return map;
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(MemoryMap, EveryByteOfARangeHasItsHome) {
  const MemoryMap map = two_memories();
  for (const Bytes byte : {Bytes{0}, 64_MiB - 1})
    EXPECT_EQ(map.home_of(PhysicalAddress(byte)), Home::DeviceDram);
  for (const Bytes byte : {Bytes{0}, 1_GiB - 1}) EXPECT_EQ(map.home_of(kHost + byte), Home::HostDram);
  EXPECT_TRUE(map.is_at(Home::HostDram, kHost));
  EXPECT_FALSE(map.is_at(Home::DeviceDram, kHost));
}

TEST(MemoryMap, AnAddressInNoRangeIsAnErrorOfOneLine) {
  const MemoryMap map = two_memories();
  for (const PhysicalAddress nowhere : {PhysicalAddress(64_MiB), kHost - 1, kHost + 1_GiB}) {
    EXPECT_FALSE(map.is_at(Home::DeviceDram, nowhere) || map.is_at(Home::HostDram, nowhere));
    const std::string error = error_of([&] { map.home_of(nowhere); });
    EXPECT_NE(error.find("is in no memory of the machine: device DRAM from 0x0 to 0x4000000, host DRAM from "
                         "0x10000000000 to 0x10040000000"),
              std::string::npos)
        << error;
    EXPECT_EQ(error.find('\n'), std::string::npos);
  }
}

TEST(MemoryMap, RangesThatOverlapAreRefused) {
  MemoryMap map = two_memories();
  const auto add = [&](PhysicalAddress base, Bytes bytes) {
    return error_of([&] { map.add({"more", base, bytes, Home::HostDram}); });
  };
  EXPECT_EQ(add(PhysicalAddress(64_MiB - 1), 2), "more at 0x3ffffff overlaps device DRAM at 0x0");
  EXPECT_EQ(add(kHost - 1, 2), "more at 0xffffffffff overlaps host DRAM at 0x10000000000");
  EXPECT_EQ(add(PhysicalAddress(4096), 4096), "more at 0x1000 overlaps device DRAM at 0x0");
  EXPECT_EQ(add(kHost - 1, 2_GiB), "more at 0xffffffffff overlaps host DRAM at 0x10000000000");
  EXPECT_EQ(add(PhysicalAddress(~Bytes{0}), 2),
            "more of 2 bytes at 0xffffffffffffffff ends beyond the last physical address");
  // Beside them there is room, and a range of no bytes is nowhere.
  EXPECT_EQ(add(PhysicalAddress(64_MiB), 4096), "no error");
  EXPECT_EQ(add(kHost, 0), "no error");
  EXPECT_EQ(map.ranges().size(), 4u);
}

struct DestinationsTest : testing::Test {
  config::Gpu gpu = config::load_machine("gtx580", DUET_SOURCE_DIRECTORY "/machines").machine.gpu;
  AddressMap address_map{gpu.dram};
  SliceMap slices{address_map, "L2", gpu.l2_slices, gpu.l2.line_bytes};
};

TEST_F(DestinationsTest, ARequestGoesToItsSliceOrToTheBridge) {
  const MemoryMap map = two_memories();
  Destinations from_sms(map);
  from_sms.send(Home::DeviceDram, slices);
  from_sms.send(Home::HostDram, 6);
  for (Bytes line = 0; line < 1_MiB; line += 128)
    ASSERT_EQ(from_sms.of(PhysicalAddress(line)), slices.slice_of(PhysicalAddress(line)));
  EXPECT_EQ(from_sms.of(kHost + 128), 6);
  EXPECT_NE(error_of([&] { from_sms.of(PhysicalAddress(64_MiB)); }).find("is in no memory"),
            std::string::npos);
}

TEST_F(DestinationsTest, AHomeThatIsNotReachedIsAnError) {
  const MemoryMap map = two_memories();
  Destinations device_only(map);
  device_only.send(Home::DeviceDram, slices);
  EXPECT_NE(error_of([&] { device_only.of(kHost); }).find("is not reached from here"), std::string::npos);
}

// One DRAM below slices that GPU and processor share.
TEST_F(DestinationsTest, AnIntegratedChipIsAnotherWayToFillTheMap) {
  const MemoryMap map = two_memories(Home::SharedDram);
  Destinations integrated(map);
  for (const Home home : {Home::DeviceDram, Home::SharedDram}) integrated.send(home, slices);
  EXPECT_EQ(integrated.of(kHost), slices.slice_of(kHost));
  EXPECT_EQ(Destinations(slices).of(kHost), slices.slice_of(kHost));
}

}  // namespace
}  // namespace duet::memory
