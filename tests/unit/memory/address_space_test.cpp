// Allocation, release and lookup in the address space.
#include "memory/address_space.h"

#include <gtest/gtest.h>

#include <vector>

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
  EXPECT_EQ(space.physical(b->base),
            space.physical(a->base) + 8192);  // frames in allocation order, without gaps
  EXPECT_EQ(space.find(a->base), a);
  EXPECT_EQ(space.find(a->base + 8191), a);
  EXPECT_EQ(space.find(a->base + 8192), nullptr);
  EXPECT_EQ(space.find(a->base - 1), nullptr);
  EXPECT_EQ(space.nearest(a->base + 8192), a);
  EXPECT_EQ(space.nearest(b->base - 1), b);
}

TEST(AddressSpace, BesideAllocationsOfDeviceMemoryLieSparePages) {
  PhysicalMemory physical(64_MiB, 4096);
  AddressSpace space(physical);
  EXPECT_EQ(space.spare_page(kDeviceVirtualBase).bytes, 0u);
  const Allocation* a = space.allocate_device(4096, AllocationKind::Device);
  EXPECT_EQ(space.device_bytes_free(), 64_MiB - 4096);
  const PageRun behind = space.spare_page(a->end() + 100);
  EXPECT_EQ(behind.first, a->end());
  EXPECT_EQ(behind.bytes, 4096u);
  EXPECT_GE(behind.physical, PhysicalAddress(62_MiB));
  EXPECT_EQ(space.spare_page(a->base - 2_MiB).bytes, 4096u);
  EXPECT_EQ(space.spare_page(a->base - 2_MiB - 1).bytes, 0u);
  EXPECT_EQ(space.spare_page(a->base + 2_MiB - 1).bytes, 4096u);
  EXPECT_EQ(space.spare_page(a->base + 2_MiB).bytes, 0u);
  // A granule whose allocations have all been released is not mapped.
  const Allocation* large = space.allocate_device(4_MiB, AllocationKind::Device);
  const Allocation* last = space.allocate_device(4096, AllocationKind::Device);
  const VirtualAddress in_large = large->base + 3_MiB, base = large->base;
  EXPECT_NE(space.spare_page(last->end()).bytes, 0u);
  space.release(base);
  EXPECT_EQ(space.spare_page(in_large).bytes, 0u);
  EXPECT_NE(space.spare_page(base).bytes, 0u);
}

TEST(AddressSpace, AnAllocationGetsTheSpareFramesWhenNoOthersAreLeft) {
  PhysicalMemory physical(64_MiB, 4096);
  AddressSpace space(physical);
  ASSERT_NE(space.allocate_device(62_MiB, AllocationKind::Device), nullptr);
  EXPECT_EQ(space.device_bytes_free(), 2_MiB);
  const Allocation* last = space.allocate_device(2_MiB, AllocationKind::Device);
  ASSERT_NE(last, nullptr);
  EXPECT_EQ(space.device_bytes_free(), 0u);
  EXPECT_EQ(space.spare_page(last->end()).bytes, 0u);
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
  const auto generation = space.pages().generation();
  for (int i : {3, 5, 4}) EXPECT_TRUE(space.release(bases[i]));
  EXPECT_NE(space.pages().generation(), generation);
  EXPECT_FALSE(space.release(bases[4]));
  const Allocation* merged = space.allocate_device(3 * 4096, AllocationKind::Device);
  ASSERT_NE(merged, nullptr);
  EXPECT_EQ(space.physical(merged->base), PhysicalAddress(3 * 4096));
  EXPECT_EQ(space.find(bases[4]), nullptr);  // virtual addresses are not used again
}

TEST(AddressSpace, HostMemoryIsMappedUnderItsOwnAddress) {
  PhysicalMemory physical(1_MiB, 4096);
  AddressSpace space(physical);
  alignas(4096) static std::byte memory[3 * 4096];
  const Allocation* a = space.map_host(memory + 100, 5000, AllocationKind::Registered,
                                       host_pages({}, AllocatingCall::Registered));
  EXPECT_EQ(a->base, virtual_address(memory + 100));
  EXPECT_EQ(space.find(a->base + 4999), a);
  EXPECT_EQ(space.find(a->base + 5000), nullptr);
  EXPECT_EQ(space.pages().find(a->base).attributes.home, Home::HostDram);
  EXPECT_EQ(space.memory().bytes(space.physical(a->base) + 7), memory + 107);
  EXPECT_THROW(
      space.map_host(memory, 200, AllocationKind::Registered, host_pages({}, AllocatingCall::Registered)),
      Error);
  const PhysicalAddress there = space.physical(a->base);
  EXPECT_TRUE(space.release(a->base));
  EXPECT_EQ(physical.bytes(there), nullptr);
}

TEST(AddressSpace, HostMemoryWithinOnePageHasAPageAndGivesNoFrames) {
  PhysicalMemory physical(1_MiB, 4096);
  AddressSpace space(physical);
  alignas(4096) static std::byte memory[4096];
  const Bytes free = space.device_bytes_free();
  const Allocation* a = space.map_host(memory + 100, 300, AllocationKind::Registered,
                                       host_pages({}, AllocatingCall::Registered));
  EXPECT_EQ(space.pages().find(a->base).attributes.home, Home::HostDram);
  EXPECT_TRUE(space.release(a->base));
  EXPECT_EQ(space.device_bytes_free(), free);
  const Allocation* b = space.map_host(memory + 4000, 96, AllocationKind::Registered,
                                       host_pages({}, AllocatingCall::Registered));
  EXPECT_EQ(space.pages().find(b->base).bytes, 96u);
}

TEST(AddressSpace, APageThatMovesTakesItsBytesAlong) {
  PhysicalMemory physical(4 * 4096, 4096);
  AddressSpace space(physical);
  const Allocation* a = space.allocate_device(3 * 4096, AllocationKind::Device);
  std::vector<std::byte> sent(3 * 4096), back(3 * 4096);
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::byte>(i % 251);
  space.write(a->base, sent.data(), sent.size());
  const VirtualAddress middle = a->base + 4096;
  ASSERT_TRUE(space.move_page(middle + 7));
  EXPECT_EQ(space.physical(middle), PhysicalAddress(3 * 4096));
  space.read(a->base, back.data(), back.size());
  EXPECT_EQ(back, sent);
  ASSERT_TRUE(space.move_page(a->base)) << "the frame that became free is given again";
  EXPECT_EQ(space.physical(a->base), PhysicalAddress(4096));
  const Allocation* last = space.allocate_device(4096, AllocationKind::Device);
  ASSERT_NE(last, nullptr);
  EXPECT_FALSE(space.move_page(middle)) << "no frame is free";
  const VirtualAddress base = a->base;
  ASSERT_TRUE(space.release(base));
  ASSERT_TRUE(space.release(last->base));
  EXPECT_EQ(space.device_bytes_free(), 4u * 4096);
  EXPECT_THROW(space.read(base, back.data(), 1), Error);
}

// Whose caches may hold device memory is the machine's word, and the pages carry it.
TEST(AddressSpace, PagesSayWhoMayCacheDeviceMemory) {
  for (const bool l1 : {false, true})
    for (const bool constants : {false, true})
      for (const bool tracked : {false, true}) {
        config::Gpu gpu;
        gpu.sm.global_in_l1 = l1;
        gpu.sm.constants_cached = constants;
        gpu.full_empty.granule_bytes = 4;
        gpu.full_empty.loads_in_l1 = tracked;
        gpu.full_empty.tracked = "asked";
        PhysicalMemory physical(1_MiB, 4096);
        AddressSpace space(physical, device_pages(gpu));
        const auto of = [&](bool with_bits) {
          const Allocation* own = space.allocate_device(4096, AllocationKind::Device, 0, with_bits);
          return space.pages().find(own->base).attributes.cacheability;
        };
        EXPECT_EQ(of(false), (Cacheability{l1, constants, true}));
        EXPECT_EQ(of(true), (Cacheability{l1 && tracked, constants, true}));
      }
}

}  // namespace
}  // namespace duet::memory
