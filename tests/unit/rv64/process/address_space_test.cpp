// What a process has mapped: ranges, brk, mmap and their relatives.
#include "rv64/process/address_space.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cerrno>
#include <random>
#include <vector>

namespace duet::rv64 {
namespace {

constexpr int kReadWrite = PROT_READ | PROT_WRITE, kAnonymous = MAP_PRIVATE | MAP_ANONYMOUS;

TEST(RangeSetTest, AgreesWithABitForEachAddress) {
  RangeSet ranges;
  std::vector<bool> model(64);
  std::mt19937 random(3);
  for (int step = 0; step < 3000; ++step) {
    const std::uint64_t first = random() % 60, end = first + random() % 5;
    const bool inserts = random() % 2 == 0;
    if (inserts)
      ranges.insert(first, end);
    else
      ranges.erase(first, end);
    for (std::uint64_t i = first; i < end; ++i) model[i] = inserts;
    std::uint64_t bytes = 0;
    for (std::uint64_t i = 0; i < 64; ++i) {
      ASSERT_EQ(ranges.touches(i, i + 1), model[i]) << step << " at " << i;
      bytes += model[i];
    }
    EXPECT_EQ(ranges.bytes(), bytes);
    const std::uint64_t wanted = 1 + random() % 6;
    std::optional<std::uint64_t> gap;
    for (std::uint64_t low = 4; low + wanted <= 60; ++low) {
      bool free = true;
      for (std::uint64_t i = low; i < low + wanted; ++i) free &= !model[i];
      if (free) gap = low;
    }
    EXPECT_EQ(ranges.highest_gap(wanted, 4, 60), gap) << step;
  }
}

struct RvAddressSpace : ::testing::Test {
  RvAddressSpace() {
    memory.map(VirtualAddress(0x10000), kPageBytes, {true, false, true});
    space.set_image(0x10000, 0x11000);
  }
  std::int64_t map(std::uint64_t address, std::uint64_t bytes, int flags = kAnonymous) {
    return space.map(address, bytes, kReadWrite, flags, nullptr);
  }
  Rights rights(std::int64_t address) {
    return memory.find_page(VirtualAddress(static_cast<std::uint64_t>(address)), Access::Load).rights;
  }
  bool is_mapped(std::int64_t address) {
    return memory.any_mapped(VirtualAddress(static_cast<std::uint64_t>(address)), kPageBytes);
  }
  void put(std::int64_t address, std::uint8_t value) {
    const std::byte byte{value};
    EXPECT_FALSE(memory.write(VirtualAddress(static_cast<std::uint64_t>(address)), {&byte, 1}));
  }
  int get(std::int64_t address) {
    std::byte byte{};
    EXPECT_FALSE(memory.read(VirtualAddress(static_cast<std::uint64_t>(address)), {&byte, 1}));
    return std::to_integer<int>(byte);
  }
  PagedMemory memory;
  AddressSpace space{memory};
};

TEST_F(RvAddressSpace, TheHeapGrowsAndShrinksBehindTheImage) {
  EXPECT_EQ(space.brk(0), 0x11000);
  EXPECT_EQ(space.brk(0x12345), 0x12345);
  put(0x12fff, 7);
  EXPECT_EQ(space.brk(0x12346), 0x12346);
  EXPECT_EQ(get(0x12fff), 7);
  EXPECT_EQ(space.brk(0x11001), 0x11001);
  EXPECT_FALSE(is_mapped(0x12000));
  EXPECT_EQ(space.brk(0x13000), 0x13000);
  EXPECT_EQ(get(0x12fff), 0);  // new pages
  EXPECT_EQ(space.brk(0x10fff), 0x13000);
  ASSERT_EQ(map(0x20000, kPageBytes, kAnonymous | MAP_FIXED), 0x20000);
  EXPECT_EQ(space.brk(0x20001), 0x13000);  // something is in the way
  EXPECT_EQ(space.brk(0x20000), 0x20000);
}

TEST_F(RvAddressSpace, MappingsLieDownwardAndWhereTheyAreAskedFor) {
  const std::int64_t first = map(0, 3 * kPageBytes), second = map(0, 1);
  EXPECT_EQ(second, first - static_cast<std::int64_t>(kPageBytes));
  EXPECT_EQ(map(0x30000, kPageBytes), 0x30000);
  EXPECT_EQ(map(0x30000, kPageBytes), second - static_cast<std::int64_t>(kPageBytes));  // only a hint
  put(0x30000, 1);
  EXPECT_EQ(map(0x30000, kPageBytes, kAnonymous | MAP_FIXED_NOREPLACE), -EEXIST);
  EXPECT_EQ(map(0x30000, kPageBytes, kAnonymous | MAP_FIXED), 0x30000);
  EXPECT_EQ(get(0x30000), 0);
  EXPECT_EQ(map(0x30001, kPageBytes, kAnonymous | MAP_FIXED), -EINVAL);
  EXPECT_EQ(map(0, kPageBytes, kAnonymous | MAP_FIXED), -EPERM);
  EXPECT_EQ(map(0, 0), -EINVAL);
  EXPECT_EQ(map(0, ~std::uint64_t{0}), -ENOMEM);
  EXPECT_EQ(map(0, AddressSpace::kMostMappedBytes), -ENOMEM);  // some are mapped already
}

TEST_F(RvAddressSpace, RightsAreThoseOfTheCall) {
  const std::int64_t at = map(0, 3 * kPageBytes);
  EXPECT_EQ(rights(at), (Rights{true, true, false}));
  const auto middle = static_cast<std::uint64_t>(at) + kPageBytes;
  EXPECT_EQ(space.protect(middle, kPageBytes, PROT_NONE), 0);
  EXPECT_EQ(rights(at + 4096), Rights{});
  EXPECT_EQ(space.protect(middle, 1, PROT_WRITE), 0);  // on this architecture: and read
  EXPECT_EQ(rights(at + 4096), (Rights{true, true, false}));
  EXPECT_EQ(space.protect(middle + 1, kPageBytes, PROT_READ), -EINVAL);
  EXPECT_EQ(space.unmap(middle, kPageBytes), 0);
  EXPECT_EQ(space.protect(static_cast<std::uint64_t>(at), 3 * kPageBytes, PROT_READ), -ENOMEM);
  EXPECT_EQ(space.unmap(middle, kPageBytes), 0);  // nothing there is no error
  EXPECT_EQ(space.unmap(middle + 1, kPageBytes), -EINVAL);
}

TEST_F(RvAddressSpace, RemappingKeepsWhatWasThere) {
  const std::int64_t blocker = map(0, kPageBytes), at = map(0, 2 * kPageBytes);
  put(at + 4096, 9);
  const auto address = static_cast<std::uint64_t>(at);
  EXPECT_EQ(space.remap(address, 2 * kPageBytes, 4 * kPageBytes, 0, 0),
            -ENOMEM);  // the other one is behind it
  const std::int64_t moved = space.remap(address, 2 * kPageBytes, 4 * kPageBytes, MREMAP_MAYMOVE, 0);
  ASSERT_GT(moved, 0);
  EXPECT_EQ(get(moved + 4096), 9);
  EXPECT_EQ(get(moved + 3 * 4096), 0);
  EXPECT_FALSE(is_mapped(at));
  EXPECT_TRUE(is_mapped(blocker));
  const auto to = static_cast<std::uint64_t>(moved);
  EXPECT_EQ(space.remap(to, 4 * kPageBytes, kPageBytes, 0, 0), moved);
  EXPECT_FALSE(is_mapped(moved + 4096));
  EXPECT_EQ(space.remap(to, kPageBytes, kPageBytes, MREMAP_MAYMOVE | MREMAP_FIXED, 0x50000), 0x50000);
  EXPECT_EQ(space.remap(to, kPageBytes, kPageBytes, 0, 0), -EFAULT);
}

TEST_F(RvAddressSpace, DontNeedForgetsAnonymousPages) {
  const std::int64_t at = map(0, 2 * kPageBytes);
  put(at, 5);
  put(at + 4096, 6);
  EXPECT_EQ(space.advise(static_cast<std::uint64_t>(at), kPageBytes, MADV_DONTNEED), 0);
  EXPECT_EQ(get(at), 0);
  EXPECT_EQ(get(at + 4096), 6);
  EXPECT_EQ(space.advise(static_cast<std::uint64_t>(at), kPageBytes, MADV_WILLNEED), 0);
}

TEST_F(RvAddressSpace, ContentsOfAFileAreThere) {
  const std::vector<std::byte> contents(5000, std::byte{3});
  const std::span<const std::byte> view(contents);
  const std::int64_t at = space.map(0, 3 * kPageBytes, PROT_READ, MAP_PRIVATE, &view);
  ASSERT_GT(at, 0);
  EXPECT_EQ(get(at + 4999), 3);
  EXPECT_EQ(get(at + 5000), 0);
  EXPECT_FALSE(rights(at).write);
}

TEST_F(RvAddressSpace, SignalsReturnThroughAPageOfCode) {
  std::uint32_t code[2] = {};
  ASSERT_FALSE(
      memory.read(VirtualAddress(AddressSpace::kSignalReturn), std::as_writable_bytes(std::span(code))));
  EXPECT_EQ(code[0], 0x08b00893u);  // li a7, 139
  EXPECT_EQ(code[1], 0x00000073u);  // ecall
  EXPECT_EQ(rights(AddressSpace::kSignalReturn), (Rights{true, false, true}));
}

}  // namespace
}  // namespace duet::rv64
