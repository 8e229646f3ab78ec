#include "memory/cache/slice_map.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/error.h"
#include "unit/memory/dram/dram_rig.h"

namespace duet::memory::test {
namespace {

config::Dram dram(unsigned channels, bool hash = false) {
  config::Dram dram = duet::test::gtx580_dram(channels).dram;
  dram.hash_channels = hash;
  return dram;
}

TEST(SliceMap, SlicesOfAChannelTakeTurns) {
  const AddressMap map(dram(6));
  const SliceMap slices(map, "L2", 12, 128);
  EXPECT_TRUE(slices.follows_channels());
  for (Address address = 0; address < 1_MiB; address += 64) {
    const unsigned channel = address / 256 % 6;
    const unsigned slice = slices.slice_of(PhysicalAddress(address));
    EXPECT_EQ(slice, 2 * channel + address / 128 % 2);
    EXPECT_EQ(slices.channel_of(slice), channel);
  }
}

TEST(SliceMap, OtherNumbersTakeTurnsAmongAllAddresses) {
  const AddressMap map(dram(6, true));
  for (const unsigned count : {1u, 4u, 8u}) {
    const SliceMap slices(map, "L3", count, 128);
    EXPECT_FALSE(slices.follows_channels());
    for (Address address = 0; address < 64_KiB; address += 64)
      EXPECT_EQ(slices.slice_of(PhysicalAddress(address)), address / 128 % count);
  }
}

TEST(SliceMap, HashingSpreadsStridesOfRowsOverSlices) {
  for (const unsigned channels : {6u, 8u})
    for (const bool hash : {false, true}) {
      const AddressMap map(dram(channels, hash));
      const SliceMap slices(map, "L2", 2 * channels, 128);
      std::set<unsigned> seen;
      for (unsigned i = 0; i < 512; ++i)
        seen.insert(slices.slice_of(PhysicalAddress(Address{i} * 65536 * channels)));
      EXPECT_EQ(seen.size(), hash ? 2 * channels : 1) << channels;
    }
}

// A slice stays in its channel, and counts its lines through without holes. (With hashing and more slices of
// a channel than lines of a piece it would have holes: two lines of a slice may share a set before others
// do.)
TEST(SliceMap, LinesOfASliceAreNumberedWithoutHoles) {
  for (const bool hash : {false, true})
    for (const unsigned channels : {1u, 3u, 8u})
      for (const unsigned count : {1u, channels, 2 * channels, 5u}) {
        const AddressMap map(dram(channels, hash));
        const SliceMap slices(map, "L2", count, 128);
        if (hash && slices.follows_channels() && count > 2 * channels) continue;
        std::map<unsigned, std::set<std::uint64_t>> lines;
        const Bytes bytes = 128 * 64 * Bytes{channels} * count;
        for (Address address = 0; address < bytes; address += 128) {
          const unsigned slice = slices.slice_of(PhysicalAddress(address));
          ASSERT_LT(slice, count);
          if (slices.follows_channels()) {
            ASSERT_EQ(slices.channel_of(slice), map.place(PhysicalAddress(address)).channel);
          }
          lines[slice].insert(slices.numbering().local(address / 128));
        }
        for (const auto& [slice, numbers] : lines) {
          EXPECT_EQ(numbers.size(), 64u * channels) << slice << " of " << count << ", hash " << hash;
          EXPECT_EQ(*numbers.rbegin(), numbers.size() - 1);
        }
      }
}

TEST(SliceMap, LinesThatDoNotFitAreRefused) {
  const AddressMap map(dram(6));
  EXPECT_THROW(SliceMap(map, "L2", 12, 96), Error);
  EXPECT_THROW(SliceMap(map, "L2", 12, 512), Error);
}

}  // namespace
}  // namespace duet::memory::test
