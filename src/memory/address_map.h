// Where a byte of device memory lies: slice of L2, DRAM channel, bank, row and column. Consecutive
// interleave_bytes go to consecutive slices' channels; within a channel columns change fastest, then banks,
// then rows. The number of channels need not be a power of two. With hash_channels, higher address bits are
// folded into channel and bank, so that strides that are multiples of the row size spread out. Source: the
// map of GPGPU-Sim's GTX 480 (partition bits from 256 B up, then bank, column, row); the hash is XOR folding
// as in public GPU models.
#pragma once

#include "base/units.h"
#include "config/machine.h"

namespace duet::memory {

struct DramPlace {
  std::uint32_t channel = 0, bank = 0;
  std::uint32_t row = 0, column_bytes = 0;  // column_bytes: offset in the row
  friend bool operator==(const DramPlace&, const DramPlace&) = default;
};

class AddressMap {
 public:
  // Throws duet::Error when the numbers do not fit together (slices not a multiple of channels, ...).
  explicit AddressMap(const config::Gpu& gpu);

  unsigned channels() const { return channels_; }
  unsigned slices() const { return slices_; }
  // A slice belongs to one channel: slices of a channel take turns of one L2 line.
  unsigned slice_of(Address physical) const;
  unsigned channel_of_slice(unsigned slice) const { return slice / (slices_ / channels_); }
  DramPlace place(Address physical) const;

 private:
  unsigned channels_, slices_, banks_;
  unsigned line_shift_, interleave_shift_, row_shift_, bank_shift_;
  bool hash_;
};

}  // namespace duet::memory
