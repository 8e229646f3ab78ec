// The full/empty bits of one DRAM channel: lustig2013 §4.1, §4.2. A bit tracks a granule. Where a granule
// spans channels, each controller tracks its own part, so no bit has two owners. All is full at first, and
// after reset(). A granule wider than a word becomes full when each of its words has been filled since it was
// emptied, and empty when each has been emptied since it was full: the model keeps a bit a word here, where
// hardware would count. With reads_per_fill n a word becomes empty only after n emptying accesses since its
// fill: a counter instead of a bit (§4.5). Left out: time (dram_controller.h), untracked memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "config/machine.h"
#include "memory/address_map.h"
#include "memory/cache/byte_masks.h"
#include "memory/granules.h"

namespace duet::memory {

class FullEmptyBits {
 public:
  // Throws duet::Error for a granule other than a power of two from 4.
  FullEmptyBits(const config::FullEmpty& config, const AddressMap& map, unsigned channel);

  // Positions in a request that starts at `address` and stays within one line. A byte has the state of its
  // granule.
  bool all_full(PhysicalAddress address, const ByteMask& bytes) const { return all(address, bytes, false); }
  bool all_empty(PhysicalAddress address, const ByteMask& bytes) const { return all(address, bytes, true); }
  ByteMask full(PhysicalAddress address, const ByteMask& bytes) const;
  // Of a request's bytes; a part of a word counts as the word.
  void fill(PhysicalAddress address, const ByteMask& bytes) {
    if (reads_per_fill_ > 1) forget_reads(address, bytes);
    move(address, bytes, false);
  }
  void empty(PhysicalAddress address, const ByteMask& bytes) { move(address, bytes, true); }
  // As empty(), for one of the `reads_per_fill` accesses of a fill.
  void take(PhysicalAddress address, const ByteMask& bytes);
  // The bytes of a request's whole words.
  static ByteMask whole_words(PhysicalAddress address, const ByteMask& bytes);
  // Everything in the range is full.
  void reset(PhysicalAddress base, Bytes bytes);

 private:
  static constexpr std::uint64_t kChunkLines = 4096;
  struct LineBits {
    std::uint32_t empty = 0;  // words whose granule is empty
    std::uint32_t moved = 0;  // words already changed; the granule changes when all its words have
  };
  using Chunk = std::vector<LineBits>;

  static ByteMask bytes_of(std::uint32_t words);
  LineBits line_bits(std::uint64_t line) const {
    const std::uint64_t chunk = line / kChunkLines;
    return chunk < chunks_.size() && chunks_[chunk] != nullptr ? (*chunks_[chunk])[line % kChunkLines]
                                                               : LineBits{};
  }
  LineBits& slot(std::uint64_t line);
  void forget_reads(PhysicalAddress address, const ByteMask& bytes);
  void move(PhysicalAddress address, const ByteMask& bytes, bool to_empty);
  void move_wide(std::uint64_t line, std::uint32_t words, bool to_empty);
  bool all(PhysicalAddress address, const ByteMask& bytes, bool empty) const;
  template <typename F>
  void for_lines_of_granule(std::uint64_t line, F f) const;

  Bytes granule_;
  std::uint64_t reads_per_fill_;
  const AddressMap& map_;
  unsigned channel_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::unordered_map<std::uint64_t, std::array<std::uint8_t, kLineWords>> reads_;  // of lines, since the fill
};

}  // namespace duet::memory
