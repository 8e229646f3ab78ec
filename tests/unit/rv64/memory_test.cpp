// Memory as harts see it: rights, faults, misaligned accesses, changes, reservations, code that is written
// to.
#include "rv64/memory.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/error.h"

namespace duet::rv64 {
namespace {

constexpr Rights kReadWrite{true, true, false};
constexpr Rights kReadOnly{true, false, false};

struct RvMemory : ::testing::Test {
  RvMemory() { memory.map(VirtualAddress(0x10000), 4 * kPageBytes, kReadWrite); }
  PagedMemory memory;
  MemoryPort port{memory};
};

TEST_F(RvMemory, PagesAreZeroedAndTakeRoomWhenTouched) {
  EXPECT_EQ(memory.resident_bytes(), 0u);
  std::uint64_t value = 1;
  ASSERT_TRUE(port.load<std::uint64_t>(0x10008, value));
  EXPECT_EQ(value, 0u);
  EXPECT_EQ(memory.resident_bytes(), kPageBytes);
}

TEST_F(RvMemory, StoresAreLoadedAlsoMisalignedAndAcrossPages) {
  for (const std::uint64_t address : {0x10010u, 0x10013u, 0x10ffdu, 0x11ffcu}) {
    ASSERT_TRUE(port.store<std::uint64_t>(address, 0x1122334455667788 + address));
    std::uint64_t value = 0;
    ASSERT_TRUE(port.load<std::uint64_t>(address, value));
    EXPECT_EQ(value, 0x1122334455667788 + address);
    std::uint16_t half = 0;
    ASSERT_TRUE(port.load<std::uint16_t>(address + 3, half));
    EXPECT_EQ(half, static_cast<std::uint16_t>((0x1122334455667788 + address) >> 24));
  }
}

TEST_F(RvMemory, AFaultNamesTheFirstByteThatCannotBeReached) {
  std::uint64_t value = 0;
  EXPECT_FALSE(port.load<std::uint64_t>(0x8000, value));
  EXPECT_EQ(port.fault().address, 0x8000u);
  EXPECT_EQ(port.fault().access, Access::Load);
  EXPECT_FALSE(port.fault().mapped);
  EXPECT_FALSE(port.store<std::uint64_t>(0x13ffc, ~std::uint64_t{0}));
  EXPECT_EQ(port.fault().address, 0x14000u);
  EXPECT_EQ(port.fault().access, Access::Store);
  std::uint32_t before = 1;
  ASSERT_TRUE(port.load<std::uint32_t>(0x13ffc, before));
  EXPECT_EQ(before, 0u) << "nothing of a store that faults is written";
  EXPECT_FALSE(port.load<std::uint64_t>(~std::uint64_t{0} - 3, value));
}

TEST_F(RvMemory, RightsThatChangeAreSeenAtOnce) {
  ASSERT_TRUE(port.store<std::uint8_t>(0x10000, 1));
  memory.protect(VirtualAddress(0x10000), kPageBytes, kReadOnly);
  EXPECT_FALSE(port.store<std::uint8_t>(0x10000, 2));
  EXPECT_TRUE(port.fault().mapped);
  std::uint8_t value = 0;
  EXPECT_TRUE(port.load<std::uint8_t>(0x10000, value));
  EXPECT_EQ(value, 1);
  memory.unmap(VirtualAddress(0x10000), kPageBytes);
  EXPECT_FALSE(port.load<std::uint8_t>(0x10000, value));
  EXPECT_FALSE(memory.any_mapped(VirtualAddress(0x10000), kPageBytes));
  memory.map(VirtualAddress(0x10000), kPageBytes, kReadWrite);
  EXPECT_TRUE(port.load<std::uint8_t>(0x10000, value));
  EXPECT_EQ(value, 0) << "a page that is mapped anew is zeroed";
}

TEST_F(RvMemory, MapRefusesPartsOfPagesAndAddressesBeyond39Bits) {
  EXPECT_THROW(memory.map(VirtualAddress(0x10), kPageBytes, kReadWrite), Error);
  EXPECT_THROW(memory.map(VirtualAddress(0), 5, kReadWrite), Error);
  EXPECT_THROW(memory.map(VirtualAddress(std::uint64_t{1} << 39), kPageBytes, kReadWrite), Error);
  EXPECT_THROW(memory.map(VirtualAddress(~std::uint64_t{0} << 12), kPageBytes, kReadWrite), Error);
}

TEST_F(RvMemory, SystemCallsCopyAcrossPagesAndHeedRights) {
  std::vector<std::byte> bytes(5000, std::byte{7});
  EXPECT_FALSE(memory.write(VirtualAddress(0x10f00), bytes));
  std::vector<std::byte> read(5000);
  EXPECT_FALSE(memory.read(VirtualAddress(0x10f00), read));
  EXPECT_EQ(read, bytes);
  memory.protect(VirtualAddress(0x12000), kPageBytes, kReadOnly);
  const auto fault = memory.write(VirtualAddress(0x10f00), bytes);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->address, 0x12000u);
}

TEST_F(RvMemory, StoreConditionalSucceedsOnceAfterItsLoad) {
  std::uint32_t value = 0;
  bool succeeded = true;
  ASSERT_TRUE(port.store_conditional<std::uint32_t>(0x10000, 5, succeeded));
  EXPECT_FALSE(succeeded);
  ASSERT_TRUE(port.load_reserved<std::uint32_t>(0x10000, value));
  ASSERT_TRUE(port.store_conditional<std::uint32_t>(0x10000, 5, succeeded));
  EXPECT_TRUE(succeeded);
  ASSERT_TRUE(port.store_conditional<std::uint32_t>(0x10000, 6, succeeded));
  EXPECT_FALSE(succeeded);
  ASSERT_TRUE(port.load<std::uint32_t>(0x10000, value));
  EXPECT_EQ(value, 5u);
  EXPECT_FALSE(port.load_reserved<std::uint32_t>(0x10002, value));
  EXPECT_TRUE(port.fault().misaligned);
}

TEST_F(RvMemory, AnotherHartsStoreEndsAReservation) {
  MemoryPort other(memory);
  std::uint64_t value = 0;
  for (const bool same_line : {false, true}) {
    bool succeeded = false;
    ASSERT_TRUE(other.store<std::uint64_t>(0x10000, 1)) << "so that its translation is kept";
    ASSERT_TRUE(port.load_reserved<std::uint64_t>(0x10008, value));
    ASSERT_TRUE(other.store<std::uint64_t>(same_line ? 0x10038 : 0x10040, 1));
    ASSERT_TRUE(port.store_conditional<std::uint64_t>(0x10008, 9, succeeded));
    EXPECT_EQ(succeeded, !same_line);
  }
  bool succeeded = true;
  ASSERT_TRUE(port.load_reserved<std::uint64_t>(0x10008, value));
  ASSERT_TRUE(port.store<std::uint64_t>(0x10010, 4)) << "the hart's own stores leave it";
  const std::byte byte{1};
  ASSERT_FALSE(memory.write(VirtualAddress(0x10020), {&byte, 1})) << "a system call's do not";
  ASSERT_TRUE(port.store_conditional<std::uint64_t>(0x10008, 9, succeeded));
  EXPECT_FALSE(succeeded);
}

TEST_F(RvMemory, AtomicsReadModifyWrite) {
  std::uint64_t old = 1;
  ASSERT_TRUE(port.store<std::uint64_t>(0x10000, 40));
  ASSERT_TRUE(port.read_modify_write<std::uint64_t>(0x10000, old, [](std::uint64_t v) { return v + 2; }));
  EXPECT_EQ(old, 40u);
  ASSERT_TRUE(port.load<std::uint64_t>(0x10000, old));
  EXPECT_EQ(old, 42u);
  memory.protect(VirtualAddress(0x10000), kPageBytes, kReadOnly);
  EXPECT_FALSE(port.read_modify_write<std::uint64_t>(0x10000, old, [](std::uint64_t v) { return v; }));
  EXPECT_EQ(port.fault().access, Access::Store);
}

TEST_F(RvMemory, StoresIntoDecodedCodeAreTold) {
  struct Observer : CodeObserver {
    void code_changed(VirtualAddress first, std::uint64_t pages) override { told.push_back({first, pages}); }
    std::vector<std::pair<VirtualAddress, std::uint64_t>> told;
  } observer;
  memory.attach(observer);
  ASSERT_TRUE(port.store<std::uint32_t>(0x11000, 1));
  memory.watch_code(VirtualAddress(0x11000));
  ASSERT_TRUE(port.store<std::uint32_t>(0x12000, 1));
  EXPECT_TRUE(observer.told.empty());
  ASSERT_TRUE(port.store<std::uint32_t>(0x11ffc, 1));
  ASSERT_EQ(observer.told.size(), 1u);
  EXPECT_EQ(observer.told[0].first, VirtualAddress(0x11000));
  ASSERT_TRUE(port.store<std::uint32_t>(0x11000, 2));
  EXPECT_EQ(observer.told.size(), 1u) << "once, until it is decoded again";
  memory.watch_code(VirtualAddress(0x11000));
  memory.unmap(VirtualAddress(0x10000), 4 * kPageBytes);
  EXPECT_EQ(observer.told.size(), 2u);
  memory.detach(observer);
}

}  // namespace
}  // namespace duet::rv64
