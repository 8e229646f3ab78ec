#include "gpu/sm/shared_memory.h"

#include <algorithm>
#include <bit>

#include "base/lane_mask.h"
#include "gpu/sm/coalescer.h"

namespace duet::gpu {

SharedMemoryBanks::SharedMemoryBanks(unsigned banks)
    : banks_(banks),
      power_of_two_(std::has_single_bit(banks)),
      first_(banks, kNone),
      count_(banks, 0),
      nodes_(kMaxWarpWidth),
      last_word_(banks) {}

// Whether every bank is asked for one word: the common case, without lists.
bool SharedMemoryBanks::is_free_of_conflicts(const std::uint32_t* offsets, std::uint64_t lanes,
                                             unsigned words) {
  const auto for_words = [&](auto&& f) {
    if (words == 1) {
      for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) f(offsets[std::countr_zero(rest)] / 4);
      return;
    }
    for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
      const std::uint32_t word = offsets[std::countr_zero(rest)] / 4;
      for (std::uint32_t w = word; w < word + words; ++w) f(w);
    }
  };
  for_words([&](std::uint32_t w) { last_word_[bank_of(w)] = w; });
  std::uint32_t different = 0;
  for_words([&](std::uint32_t w) { different |= last_word_[bank_of(w)] ^ w; });
  return different == 0;
}

// A part touches at most a warp's width of words.
unsigned SharedMemoryBanks::part_passes(const std::uint32_t* offsets, std::uint64_t lanes, unsigned words,
                                        bool atomic) {
  if (lanes == 0) return 0;
  if (!atomic && is_free_of_conflicts(offsets, lanes, words)) return 1;
  std::fill(count_.begin(), count_.end(), std::uint8_t{0});
  if (atomic && words == 1) {
    std::uint8_t most = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
      std::uint8_t& count = count_[bank_of(offsets[std::countr_zero(lanes)] / 4)];
      most = std::max(most, ++count);
    }
    return most;
  }
  std::fill(first_.begin(), first_.end(), kNone);
  unsigned used = 0, most = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::uint32_t word = offsets[std::countr_zero(lanes)] / 4;
    for (std::uint32_t w = word; w < word + words; ++w) {
      const unsigned bank = bank_of(w);
      if (!atomic) {
        std::uint8_t node = first_[bank];
        while (node != kNone && nodes_[node].word != w) node = nodes_[node].next;
        if (node != kNone) continue;  // the word is served anyway
        nodes_[used] = {w, first_[bank]};
        first_[bank] = static_cast<std::uint8_t>(used++);
      }
      most = std::max<unsigned>(most, ++count_[bank]);
    }
  }
  return most;
}

unsigned SharedMemoryBanks::passes(const std::uint32_t* offsets, std::uint64_t lanes, unsigned bytes,
                                   unsigned width, bool atomic) {
  const unsigned words = std::max(bytes / 4, 1u);
  if (words == 1 && !atomic && lanes != 0) {
    const std::uint32_t word = offsets[std::countr_zero(lanes)] & ~3u;
    const std::uint64_t same =
        width > 32 ? lanes_where<64>(offsets, 0, ~3u, word) : lanes_where<32>(offsets, 0, ~3u, word);
    if ((lanes & ~same) == 0) return 1;  // all lanes read one word
  }
  const unsigned lanes_of_part = std::max(width / words, 1u);
  unsigned total = 0;
  for (unsigned from = 0; from < width; from += lanes_of_part) {
    const std::uint64_t part = lanes & (LaneMask::first(lanes_of_part).bits() << from);
    total += banks_ == 0 ? part != 0 : part_passes(offsets, part, words, atomic);
  }
  return std::max(total, 1u);
}

}  // namespace duet::gpu
