// Allocation, release and lookup in the address space.
#include "memory/address_space.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace duet::memory {
namespace {

TEST(AddressSpace, AllocationsDoNotTouchAndAreFound) {
  PhysicalMemory physical(1_MiB, 4096);
  AddressSpace space(physical);
  const Allocation* a = space.allocate_device(5000, AllocationKind::Device);
  const Allocation* b = space.allocate_device(1, AllocationKind::Device);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->mapped_bytes, 8192u);
  EXPECT_GT(b->base, a->end());
  EXPECT_EQ(b->physical, a->physical + 8192);  // frames in allocation order, without gaps
  EXPECT_EQ(space.find(a->base), a);
  EXPECT_EQ(space.find(a->base + 8191), a);
  EXPECT_EQ(space.find(a->base + 8192), nullptr);
  EXPECT_EQ(space.find(a->base - 1), nullptr);
  EXPECT_EQ(space.nearest(a->base + 8192), a);
  EXPECT_EQ(space.nearest(b->base - 1), b);
  EXPECT_EQ(space.memory().bytes(b->physical), b->backing);
}

TEST(AddressSpace, ConstantsHaveAddressesOfTheirOwn) {
  PhysicalMemory physical(1_MiB, 4096);
  AddressSpace space(physical);
  const Allocation* global = space.allocate_device(100, AllocationKind::Module);
  const Allocation* constants = space.allocate_device(100, AllocationKind::Constants);
  const Allocation* after = space.allocate_device(100, AllocationKind::Device);
  EXPECT_EQ(constants->base, kConstantVirtualBase);
  EXPECT_EQ(after->base, global->base + 2 * 4096);
  EXPECT_EQ(space.find(constants->base + 99), constants);
  EXPECT_EQ(space.memory().bytes(constants->physical), constants->backing);
}

TEST(AddressSpace, ReleasedFramesAreGivenAgainAndMerged) {
  PhysicalMemory physical(16 * 4096, 4096);
  AddressSpace space(physical);
  const Allocation* blocks[16];
  VirtualAddress bases[16];
  for (int i = 0; i < 16; ++i) {
    blocks[i] = space.allocate_device(4096, AllocationKind::Device);
    ASSERT_NE(blocks[i], nullptr);
    bases[i] = blocks[i]->base;
  }
  EXPECT_EQ(space.device_bytes_free(), 0u);
  EXPECT_EQ(space.allocate_device(1, AllocationKind::Device), nullptr);
  const auto generation = space.generation();
  for (int i : {3, 5, 4}) EXPECT_TRUE(space.release(bases[i]));
  EXPECT_NE(space.generation(), generation);
  EXPECT_FALSE(space.release(bases[4]));
  const Allocation* merged = space.allocate_device(3 * 4096, AllocationKind::Device);
  ASSERT_NE(merged, nullptr);
  EXPECT_EQ(merged->physical, PhysicalAddress(3 * 4096));
  EXPECT_EQ(space.find(bases[4]), nullptr);  // virtual addresses are not used again
}

TEST(AddressSpace, HostMemoryIsMappedUnderItsOwnAddress) {
  PhysicalMemory physical(1_MiB, 4096);
  AddressSpace space(physical);
  alignas(4096) static std::byte memory[3 * 4096];
  const Allocation* a = space.map_host(memory + 100, 5000, AllocationKind::Registered, PageEntry{});
  EXPECT_EQ(a->base, virtual_address(memory + 100));
  EXPECT_EQ(space.find(a->base + 4999), a);
  EXPECT_EQ(space.find(a->base + 5000), nullptr);
  EXPECT_EQ(a->pages[0].route, Route::HostDram);
  EXPECT_EQ(space.memory().bytes(a->physical + 7), memory + 107);
  EXPECT_THROW(space.map_host(memory, 200, AllocationKind::Registered, PageEntry{}), Error);
  const PhysicalAddress there = a->physical;
  EXPECT_TRUE(space.release(a->base));
  EXPECT_EQ(physical.bytes(there), nullptr);
}

TEST(AddressSpace, HostMemoryWithinOnePageHasAPageAndGivesNoFrames) {
  PhysicalMemory physical(1_MiB, 4096);
  AddressSpace space(physical);
  alignas(4096) static std::byte memory[4096];
  const Bytes free = space.device_bytes_free();
  const Allocation* a = space.map_host(memory + 100, 300, AllocationKind::Registered, PageEntry{});
  ASSERT_EQ(a->pages.size(), 1u);
  EXPECT_EQ(a->pages[0].route, Route::HostDram);
  EXPECT_TRUE(space.release(a->base));
  EXPECT_EQ(space.device_bytes_free(), free);
  EXPECT_EQ(space.map_host(memory + 4000, 96, AllocationKind::Registered, PageEntry{})->pages.size(), 1u);
}

}  // namespace
}  // namespace duet::memory
