// The address map: order of the fields, those of gpu.dram.address_fields, and that no two addresses share a
// place.
#include "memory/address_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "config/loader.h"
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

// The rule without fields, written out as fields.
std::string plain_fields(const config::Dram& dram) {
  const auto log2 = [](Bytes number) { return static_cast<unsigned>(std::countr_zero(number)); };
  const unsigned groups = log2(dram.bank_groups), banks = log2(dram.banks / dram.bank_groups),
                 piece = log2(std::min(dram.interleave_bytes, dram.row_bytes)),
                 column = log2(dram.row_bytes) - piece;
  std::string fields = "row";
  const auto add = [&fields](const char* name, unsigned bits) {
    if (bits != 0) fields += std::string(" ") + name + ":" + std::to_string(bits);
  };
  add("bank", banks);
  add("column", column);
  add("group", groups);
  add("column", piece);
  return fields;
}

TEST(AddressMap, FieldsSayTheSameAsThePlainRule) {
  for (const auto& [machine, fields] : {std::pair("gtx580", "row bank:2 column:4 group:2 column:8"),
                                        {"gtx480", "row bank:2 column:4 group:2 column:8"},
                                        {"h100", "row bank:2 column:2 group:2 column:8"},
                                        {"fused", "row bank:3 column:3 column:8"},
                                        {"llano", ""}}) {
    const std::string directory = DUET_SOURCE_DIRECTORY "/machines";
    config::Dram dram = config::load_topology(machine, directory).topology.gpu->dram;
    EXPECT_EQ(dram.address_fields, "") << machine;
    for (const Bytes interleave : {dram.interleave_bytes, Bytes{128}, 2 * dram.row_bytes}) {
      dram.address_fields = "";
      dram.interleave_bytes = interleave;
      const AddressMap plain(dram);
      dram.address_fields = *fields != '\0' && interleave == 256 ? fields : plain_fields(dram);
      const AddressMap by_fields(dram);
      Random random;
      unsigned different = 0;
      for (unsigned i = 0; i < 200'000; ++i) {
        const PhysicalAddress address(i < 50'000 ? 64 * i : random(std::min(dram.bytes, 2_GiB)));
        different += plain.place(address) != by_fields.place(address);
      }
      EXPECT_EQ(different, 0u) << machine << " " << dram.address_fields;
    }
  }
}

// The maps of GPGPU-Sim 2.1.1b, as masks over the whole address (its addrdec.cc): a field's number is made of
// the bits of its mask, in their order. Of the addresses with masks 0 and 1 here bits 13 (8 KB pieces) and 10
// (1 KB pieces) to the channel's highest are the channel.
struct Masks {
  Bytes interleave;
  std::uint64_t channel, bank, column;
  const char* fields;
};

std::uint64_t masked(std::uint64_t address, std::uint64_t mask) {
  std::uint64_t result = 0;
  for (unsigned bit = 0, to = 0; bit < 64; ++bit)
    if ((mask >> bit & 1) != 0) result |= (address >> bit & 1) << to++;
  return result;
}

TEST(AddressMap, FieldsSayTheSameAsTheMasksOfGpgpuSim) {
  for (const Masks& masks : {Masks{8192, 0xe000, 0x1800, 0x7ff, "row bank:2 column:11"},
                             Masks{1024, 0x1c00, 0x0300, 0xe0ff, "row column:3 bank:2 column:8"}}) {
    config::Gpu gpu = gtx580_dram(8);
    gpu.dram.banks = 4;
    gpu.dram.bank_groups = 1;
    gpu.dram.row_bytes = 2048;
    gpu.dram.interleave_bytes = masks.interleave;
    gpu.dram.address_fields = masks.fields;
    const AddressMap map(gpu.dram);
    Random random;
    for (unsigned i = 0; i < 100'000; ++i) {
      const std::uint64_t address = i < 20'000 ? 16 * i : random(512_MiB);
      const DramPlace place = map.place(PhysicalAddress(address));
      ASSERT_EQ(place.channel, masked(address, masks.channel)) << address;
      ASSERT_EQ(place.bank, masked(address, masks.bank)) << address;
      ASSERT_EQ(place.column_bytes, masked(address, masks.column)) << address;
      ASSERT_EQ(place.row, masked(address, ~(masks.channel | masks.bank | masks.column))) << address;
    }
  }
}

TEST(AddressMap, WithFieldsDifferentAddressesHaveDifferentPlacesToo) {
  for (const bool hash : {false, true})
    for (const unsigned channels : {1u, 6u, 8u})
      for (const Bytes interleave : {128, 1024, 8192})
        for (const char* fields : {"row bank:2 group:2 column:12", "row column:5 bank:2 group:2 column:7",
                                   "row bank:1 column:2 group:1 bank:1 column:3 group:1 column:7",
                                   "row group:2 column:5 bank:2 column:7"}) {
          SCOPED_TRACE(testing::Message()
                       << channels << " channels, " << interleave << " hash " << hash << " " << fields);
          config::Gpu gpu = gtx580_dram(channels);
          gpu.dram.hash_channels = hash;
          gpu.dram.interleave_bytes = interleave;
          gpu.dram.address_fields = fields;
          expect_bijective(gpu, 64_KiB * 8 * channels);
        }
}

// A field's first piece has its high bits, and a bank's number counts groups in its low bits.
TEST(AddressMap, PiecesOfAField) {
  config::Gpu gpu = gtx580_dram(1);
  gpu.dram.address_fields = "row bank:1 column:4 group:2 bank:1 column:8";
  const AddressMap map(gpu.dram);
  EXPECT_EQ(map.place(PhysicalAddress(0x1'0000)), (DramPlace{0, 0, 1, 0}));
  EXPECT_EQ(map.place(PhysicalAddress(0x8000)), (DramPlace{0, 8, 0, 0}));
  EXPECT_EQ(map.place(PhysicalAddress(0x0100)), (DramPlace{0, 4, 0, 0}));
  EXPECT_EQ(map.place(PhysicalAddress(0x0200)), (DramPlace{0, 1, 0, 0}));
  EXPECT_EQ(map.place(PhysicalAddress(0x0800)), (DramPlace{0, 0, 0, 0x100}));
  EXPECT_EQ(map.place(PhysicalAddress(0x1'edcb)), (DramPlace{0, 8 + 4 + 2, 1, 0xdcb}));
}

TEST(AddressMap, FieldsThatDoNotCoverARowAndTheBanksAreRefused) {
  const auto refusal = [](const std::string& fields) -> std::string {
    config::Gpu gpu = gtx580_dram(1);
    gpu.dram.address_fields = fields;
    try {
      const AddressMap map(gpu.dram);
    } catch (const Error& error) {
      const std::string line = error.what(), begin = "gpu.dram.address_fields = \"" + fields + "\": ";
      EXPECT_EQ(line.substr(0, begin.size()), begin);
      return line.substr(begin.size());
    }
    return "";
  };
  EXPECT_EQ(refusal("row bank:2 group:2 column:12"), "");
  EXPECT_EQ(refusal("  row  bank:2 group:2   column:12 "), "");
  EXPECT_EQ(refusal("row bank:1 bank:1 group:2 column:5 column:7"), "");
  const std::string begins = "it must begin with row, which has all bits above the others and no count";
  EXPECT_EQ(refusal(" "), begins);
  EXPECT_EQ(refusal("bank:2 group:2 column:12"), begins);
  EXPECT_EQ(refusal("row:3 bank:2 group:2 column:12"), begins);
  EXPECT_EQ(refusal("row bank:2 row group:2 column:12"), "row stands at the begin, once and without a count");
  EXPECT_EQ(refusal("row bnk:2 group:2 column:12"),
            "bnk:2 is not known: known are row, bank:BITS, group:BITS, column:BITS");
  EXPECT_EQ(refusal("row bank:2,group:2,column:12"),
            "bank:2,group:2,column:12 has no count of bits: write bank:1 to bank:63");
  for (const std::string word :
       {"bank", "bank:", "bank:0", "bank:-2", "bank:+2", "bank:2x", "bank:64", "bank:99999999999999999999"})
    EXPECT_EQ(refusal("row " + word + " group:2 column:12"),
              word + " has no count of bits: write bank:1 to bank:63");
  const std::string ends = "it must end with column:7 or more: the 128 bytes of a line lie in one row";
  EXPECT_EQ(refusal("row"), ends);
  EXPECT_EQ(refusal("row column:12 bank:2 group:2"), ends);
  EXPECT_EQ(refusal("row column:6 bank:2 group:2 column:6"), ends);
  EXPECT_EQ(refusal("row column:5 bank:2 group:2 column:7"), "");
  EXPECT_EQ(refusal("row bank:3 group:2 column:12"),
            "bank has 3 bits in all: gpu.dram.banks = 16 in gpu.dram.bank_groups = 4 must have 2 bits");
  EXPECT_EQ(refusal("row bank:2 column:12"),
            "group has 0 bits in all: gpu.dram.bank_groups = 4 must have 2 bits");
  EXPECT_EQ(refusal("row bank:2 group:1 column:12"),
            "group has 1 bit in all: gpu.dram.bank_groups = 4 must have 2 bits");
  EXPECT_EQ(refusal("row bank:2 group:2 column:11"),
            "column has 11 bits in all: gpu.dram.row_bytes = 4096 must have 12 bits");
  EXPECT_EQ(refusal("row column:1 bank:2 group:2 column:12"),
            "column has 13 bits in all: gpu.dram.row_bytes = 4096 must have 12 bits");
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
