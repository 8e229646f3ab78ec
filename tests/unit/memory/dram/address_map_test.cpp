// The address map: order of the fields, and that no two addresses share a place.
#include "memory/address_map.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "dram_rig.h"

namespace duet::test {
namespace {

using namespace memory;

TEST(AddressMap, FieldsOfOneChannel) {
  const AddressMap map(gtx580_dram(1).dram);
  EXPECT_EQ(map.place(PhysicalAddress(0x12345)),
            (DramPlace{0, 3 + 4 * 0, 0x1, (0x2345u >> 10 & 15) << 8 | 0x45}));
  EXPECT_EQ(map.place(PhysicalAddress(DramRig::at(13, 77, 0xabc))), (DramPlace{0, 13, 77, 0xabc}));
}

TEST(AddressMap, ConsecutivePiecesGoToConsecutiveChannels) {
  const AddressMap map(gtx580_dram(6).dram);
  EXPECT_EQ(map.channels(), 6u);
  for (Address address = 0; address < 1_MiB; address += 64)
    EXPECT_EQ(map.place(PhysicalAddress(address)).channel, address / 256 % 6);
}

// Every burst of a range has its own place, and the range takes no more rows than its bytes need.
void expect_bijective(const config::Gpu& gpu, Bytes bytes) {
  const AddressMap map(gpu.dram);
  const auto& dram = gpu.dram;
  const Bytes rows_of_bank = bytes / dram.channels / dram.banks / dram.row_bytes;
  ASSERT_EQ(rows_of_bank * dram.channels * dram.banks * dram.row_bytes, bytes);
  const std::uint64_t bursts_of_row = dram.row_bytes / 64;
  std::vector<bool> taken(bytes / 64);
  std::uint64_t collisions = 0;
  for (Address address = 0; address < bytes; address += 64) {
    const DramPlace place = map.place(PhysicalAddress(address));
    ASSERT_LT(place.channel, dram.channels);
    ASSERT_LT(place.bank, dram.banks);
    ASSERT_LT(place.row, rows_of_bank);
    ASSERT_LT(place.column_bytes, dram.row_bytes);
    ASSERT_EQ(place.column_bytes % 64, 0u);
    const std::uint64_t index =
        ((place.channel * dram.banks + place.bank) * rows_of_bank + place.row) * bursts_of_row +
        place.column_bytes / 64;
    collisions += taken[index];
    taken[index] = true;
    DramPlace last = map.place(PhysicalAddress(address + 63));
    ASSERT_EQ(last.column_bytes, place.column_bytes + 63);
    last.column_bytes = place.column_bytes;
    ASSERT_EQ(last, place);
  }
  EXPECT_EQ(collisions, 0u);
}

TEST(AddressMap, DifferentAddressesHaveDifferentPlaces) {
  for (const bool hash : {false, true})
    for (const unsigned channels : {1u, 2u, 3u, 4u, 6u, 7u, 8u, 12u})
      for (const Bytes interleave : {128, 256, 1024, 8192}) {
        SCOPED_TRACE(testing::Message() << channels << " channels, " << interleave << " hash " << hash);
        config::Gpu gpu = gtx580_dram(channels);
        gpu.dram.hash_channels = hash;
        gpu.dram.interleave_bytes = interleave;
        expect_bijective(gpu, 64_KiB * 8 * channels);
      }
}

TEST(AddressMap, OneBankAndOneGroup) {
  config::Gpu gpu = gtx580_dram(2);
  gpu.dram.hash_channels = true;
  gpu.dram.bank_groups = 1;
  expect_bijective(gpu, 1_MiB);
  gpu.dram.banks = 1;
  expect_bijective(gpu, 1_MiB);
}

TEST(AddressMap, HashingSpreadsStridesOfRows) {
  for (const unsigned channels : {6u, 8u}) {
    for (const bool hash : {false, true}) {
      config::Gpu gpu = gtx580_dram(channels);
      gpu.dram.hash_channels = hash;
      const AddressMap map(gpu.dram);
      // The same column and bank of row after row: one channel and one bank without hashing.
      std::set<std::tuple<unsigned, unsigned>> places;
      for (unsigned i = 0; i < 512; ++i) {
        const Address address = static_cast<Address>(i) * 65536 * channels;
        places.insert(
            {map.place(PhysicalAddress(address)).channel, map.place(PhysicalAddress(address)).bank});
      }
      if (hash) {
        EXPECT_GE(places.size(), channels * 16 * 3 / 4) << channels;
      } else {
        EXPECT_EQ(places.size(), 1u) << channels;
      }
    }
  }
}

TEST(AddressMap, NumbersThatDoNotFitAreRefused) {
  const auto refused = [](auto change) {
    config::Gpu gpu = gtx580_dram(6);
    change(gpu);
    EXPECT_THROW(AddressMap{gpu.dram}, Error);
  };
  refused([](config::Gpu& gpu) { gpu.dram.interleave_bytes = 384; });
  refused([](config::Gpu& gpu) { gpu.dram.interleave_bytes = 64; });
  refused([](config::Gpu& gpu) { gpu.dram.banks = 12; });
  refused([](config::Gpu& gpu) { gpu.dram.bank_groups = 32; });
  refused([](config::Gpu& gpu) { gpu.dram.row_bytes = 3000; });
  refused([](config::Gpu& gpu) { gpu.dram.bytes = 1ull << 52; });
}

}  // namespace
}  // namespace duet::test
