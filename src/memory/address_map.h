// Where a byte of device memory lies: DRAM channel, bank, row and column. Consecutive interleave_bytes go to
// consecutive channels, whose number need not be a power of two. The bytes of a channel are numbered without
// holes: column bits below interleave_bytes, then bank group, the rest of the column, the banks of a group,
// and the row. The bank group changes early because column commands to one group follow each other more
// slowly (tCCD_L) than the data bus could serve them. Bank numbers count groups in their low bits. Where
// gpu.dram.address_fields names other bits of a channel's bytes (address_fields.h), they count instead. With
// hash_channels, higher address bits choose too, so strides of whole rows spread out: the bank is XORed with
// a hash of the row; the channel is rotated by a hash of the number of the channel's piece, and so is the
// turn of the channel's slices of a cache (cache/slice_map.h). For a given row, or piece, the hash is a
// permutation, so different addresses never share a place. A hash, and not the folded bits themselves: folds
// of channel and bank are linear in the same bits, and strides of whole rows would leave half of the pairs
// unused. Source: the map of GPGPU-Sim's GTX 480 (partition from 256 B up; bank, column and row, with a bank
// bit right above 256 B); multiplicative hashing, Knuth, TAOCP 3, 6.4. Left out: rows beyond gpu.dram.bytes,
// where device memory ends.
#pragma once

#include <cstdint>
#include <vector>

#include "base/address.h"
#include "config/machine.h"
#include "memory/address_fields.h"

namespace duet::memory {

struct DramPlace {
  std::uint32_t channel = 0, bank = 0;
  std::uint32_t row = 0, column_bytes = 0;  // column_bytes: offset in the row
  friend bool operator==(const DramPlace&, const DramPlace&) = default;
};

class AddressMap {
 public:
  // Throws duet::Error when the numbers do not fit together.
  explicit AddressMap(const config::Dram& dram);

  struct Local {
    unsigned channel;
    std::uint64_t address;  // among the bytes of the channel
  };
  unsigned channels() const { return channels_; }
  Bytes interleave_bytes() const { return Bytes{1} << interleave_shift_; }
  Local local(PhysicalAddress physical) const;
  // By how many the slices of a channel are rotated there.
  unsigned turn(const Local& where, unsigned slices_per_channel) const;
  DramPlace place(PhysicalAddress physical) const;

 private:
  DramPlace place_by_fields(unsigned channel, std::uint64_t address) const;
  std::uint64_t hash_of(std::uint64_t row) const;

  unsigned channels_;
  unsigned interleave_shift_, piece_shift_;           // a piece: consecutive bytes of one row
  unsigned group_shift_, column_shift_, bank_shift_;  // widths of the fields above a piece
  // Bits: what differs from the plain map of fields above.
  static constexpr std::uint8_t kHash = 1, kFields = 2;
  std::uint8_t differs_;
  std::vector<AddressPiece> fields_;
};

}  // namespace duet::memory
