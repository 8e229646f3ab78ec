#include "memory/address_map.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "base/error.h"
#include "memory/request.h"

namespace duet::memory {

namespace {

unsigned shift_of(std::uint64_t value, const char* key) {
  if (!std::has_single_bit(value))
    throw Error(std::string("address map: ") + key + " = " + std::to_string(value) +
                " is not a power of two");
  return static_cast<unsigned>(std::countr_zero(value));
}

// A number below `range` to which every bit of `value` contributes: consecutive values are spread evenly
// (Fibonacci hashing), and different multipliers give independent numbers.
constexpr std::uint64_t kForChannel = 0x9e37'79b9'7f4a'7c15, kForSlice = 0xd6e8'feb8'6659'fd93,
                        kForBank = 0xff51'afd7'ed55'8ccd;
unsigned mix(std::uint64_t value, std::uint64_t multiplier, unsigned range) {
  value ^= value >> 16;
  value = (value * multiplier) >> 32;
  return static_cast<unsigned>((value * range) >> 32);
}

std::uint64_t low(std::uint64_t value, unsigned bits) { return value & ((1ull << bits) - 1); }

}  // namespace

AddressMap::AddressMap(const config::Dram& dram)
    : channels_(static_cast<unsigned>(dram.channels)),
      interleave_shift_(shift_of(dram.interleave_bytes, "gpu.dram.interleave_bytes")),
      differs_(dram.hash_channels ? kHash : 0) {
  if (channels_ == 0) throw Error("address map: gpu.dram.channels is 0");
  const unsigned row_shift = shift_of(dram.row_bytes, "gpu.dram.row_bytes");
  if (dram.row_bytes < kLineBytes || dram.interleave_bytes < kLineBytes)
    throw Error("address map: gpu.dram.interleave_bytes and gpu.dram.row_bytes are at least " +
                std::to_string(kLineBytes));
  const unsigned banks_shift = shift_of(dram.banks, "gpu.dram.banks");
  group_shift_ = shift_of(dram.bank_groups, "gpu.dram.bank_groups");
  if (group_shift_ > banks_shift) throw Error("address map: gpu.dram.bank_groups exceeds gpu.dram.banks");
  bank_shift_ = banks_shift - group_shift_;
  piece_shift_ = std::min(interleave_shift_, row_shift);
  column_shift_ = row_shift - piece_shift_;
  fields_ = address_fields(dram);
  if (!fields_.empty()) differs_ |= kFields;
  if ((dram.bytes / channels_) >> (row_shift + banks_shift) >= 1ull << 32)
    throw Error("address map: gpu.dram.bytes takes more than 2^32 rows of a bank");
}

AddressMap::Local AddressMap::local(PhysicalAddress physical) const {
  const std::uint64_t piece = physical >> interleave_shift_;
  const std::uint64_t local_piece = piece / channels_;
  auto channel = static_cast<unsigned>(piece - local_piece * channels_);
  if ((differs_ & kHash) != 0) {
    channel += mix(local_piece, kForChannel, channels_);
    if (channel >= channels_) channel -= channels_;
  }
  return {channel, local_piece << interleave_shift_ | low(physical.value(), interleave_shift_)};
}

unsigned AddressMap::turn(const Local& where, unsigned slices_per_channel) const {
  return (differs_ & kHash) != 0 ? mix(where.address >> interleave_shift_, kForSlice, slices_per_channel) : 0;
}

inline std::uint64_t AddressMap::hash_of(std::uint64_t row) const {
  return mix(row, kForBank, 1u << (bank_shift_ + group_shift_));
}

DramPlace AddressMap::place_by_fields(unsigned channel, std::uint64_t address) const {
  std::array<std::uint64_t, 3> value{};
  for (const AddressPiece& piece : fields_) {
    std::uint64_t& own = value[static_cast<std::size_t>(piece.field)];
    own = own << piece.bits | low(address >> piece.shift, piece.bits);
  }
  const auto [bank, group, column] = value;
  const std::uint64_t row = address >> (fields_.front().shift + fields_.front().bits);
  std::uint64_t number = bank << group_shift_ | group;
  if ((differs_ & kHash) != 0) number ^= hash_of(row);
  return {channel, static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(row),
          static_cast<std::uint32_t>(column)};
}

DramPlace AddressMap::place(PhysicalAddress physical) const {
  const Local where = local(physical);
  const std::uint64_t group = where.address >> piece_shift_;
  const std::uint64_t column = group >> group_shift_;
  const std::uint64_t bank = column >> column_shift_;
  const std::uint64_t row = bank >> bank_shift_;
  std::uint64_t number = low(bank, bank_shift_) << group_shift_ | low(group, group_shift_);
  if (differs_ != 0) {
    if ((differs_ & kFields) != 0) return place_by_fields(where.channel, where.address);
    number ^= hash_of(row);
  }
  return {where.channel, static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(row),
          static_cast<std::uint32_t>(low(column, column_shift_) << piece_shift_ |
                                     low(where.address, piece_shift_))};
}

}  // namespace duet::memory
