// The slice of a cache level for each line. Where the slices are a multiple of the DRAM channels, each
// belongs to one channel, and the slices of a channel take turns of one line; with gpu.dram.hash_channels a
// hash of the piece rotates their turn (memory/address_map.h). Other numbers of slices take turns of one line
// among all addresses: such a level cannot stand right above the controllers.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "memory/address_map.h"
#include "memory/cache/line_array.h"

namespace duet::memory {

class SliceMap {
 public:
  // `level` is the level's name, for messages. Throws duet::Error when the numbers do not fit together.
  SliceMap(const AddressMap& map, const std::string& level, std::uint64_t slices, Bytes line_bytes)
      : map_(map),
        slices_(static_cast<unsigned>(slices)),
        per_channel_(slices_ % map.channels() == 0 ? slices_ / map.channels() : 0),
        line_shift_(static_cast<unsigned>(std::countr_zero(line_bytes))),
        interleave_lines_(static_cast<std::uint32_t>(map.interleave_bytes() >> line_shift_)) {
    if (!std::has_single_bit(line_bytes))
      throw Error(level + ": line_bytes = " + std::to_string(line_bytes) + " is not a power of two");
    if (follows_channels() && interleave_lines_ == 0)
      throw Error(level + ": line_bytes = " + std::to_string(line_bytes) +
                  " is more than gpu.dram.interleave_bytes = " + std::to_string(map.interleave_bytes()));
  }

  unsigned slices() const { return slices_; }
  // Each slice belongs to one channel.
  bool follows_channels() const { return per_channel_ != 0; }
  unsigned channel_of(unsigned slice) const { return slice / per_channel_; }
  unsigned slice_of(PhysicalAddress physical) const {
    if (!follows_channels()) return static_cast<unsigned>((physical >> line_shift_) % slices_);
    const AddressMap::Local where = map_.local(physical);
    return where.channel * per_channel_ +
           static_cast<unsigned>(((where.address >> line_shift_) + map_.turn(where, per_channel_)) %
                                 per_channel_);
  }
  LineNumbering numbering() const {
    if (!follows_channels()) return {1, slices_, 1};
    return {interleave_lines_, map_.channels(), per_channel_};
  }

 private:
  const AddressMap& map_;
  unsigned slices_, per_channel_;  // 0: they do not follow the channels
  unsigned line_shift_;
  std::uint32_t interleave_lines_;
};

}  // namespace duet::memory
