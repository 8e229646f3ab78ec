// The full/empty bits of one DRAM channel: lustig2013 §4.1, §4.2. A bit tracks a granule; of a granule that
// spans channels each controller tracks the part that lies in its own, so no bit has two owners. All is full
// at first, and after reset(). A granule wider than a word becomes full when each of its words has been
// filled since it was emptied: the model keeps a bit a word for that, where hardware would count. Left out:
// time (dram_controller.h), untracked memory (nobody asks about it).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "config/machine.h"
#include "memory/address_map.h"
#include "memory/cache/byte_masks.h"

namespace duet::memory {

class FullEmptyBits {
 public:
  // Throws duet::Error for a granule that is no power of two from 4.
  FullEmptyBits(const config::FullEmpty& config, const AddressMap& map, unsigned channel);

  // Positions in a request that starts at `address` and stays within one line. A byte's state is that of its
  // granule.
  bool all_full(Address address, const ByteMask& bytes) const { return none_lacks(address, bytes, false); }
  bool all_empty(Address address, const ByteMask& bytes) const { return none_lacks(address, bytes, true); }
  ByteMask full(Address address, const ByteMask& bytes) const;
  // Of a request's bytes; a part of a word counts as the word.
  void fill(Address address, const ByteMask& bytes);
  void empty(Address address, const ByteMask& bytes);
  // Of a request's bytes, those whose whole word it has.
  static ByteMask whole_words(Address address, const ByteMask& bytes);
  // Everything in the range is full.
  void reset(Address base, Bytes bytes);

 private:
  static constexpr unsigned kWordBytes = 4, kWords = kLineBytes / kWordBytes;
  static constexpr std::uint64_t kChunkLines = 4096;
  using Chunk = std::vector<std::uint32_t>;  // a line's words that have not been filled

  static std::uint32_t words_of(const ByteMask& bytes_of_line);
  static ByteMask bytes_of(std::uint32_t words);
  std::uint32_t lacking(std::uint64_t line) const {
    const std::uint64_t chunk = line / kChunkLines;
    return chunk < chunks_.size() && chunks_[chunk] != nullptr ? (*chunks_[chunk])[line % kChunkLines] : 0;
  }
  std::uint32_t& slot(std::uint64_t line);
  // The words whose granules are empty, of the line.
  std::uint32_t empty_words(std::uint64_t line) const;
  std::uint32_t widened(std::uint32_t words) const;
  bool none_lacks(Address address, const ByteMask& bytes, bool wanted_empty) const;
  template <typename F>
  void for_lines_of_granule(std::uint64_t line, F f) const;

  Bytes granule_;
  const AddressMap& map_;
  unsigned channel_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
};

}  // namespace duet::memory
