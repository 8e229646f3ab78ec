// The banks of an SM's shared memory: the number of passes of an access. A pass serves one word of each bank
// to any number of lanes. Source: CUDA C programming guide, compute capability 2.x: 4-byte banks, lanes with
// the same word do not conflict, 8-byte accesses go half warp by half warp, 16-byte accesses quarter by
// quarter (SharedMemoryBanks.WideAccessesGoByPartsOfTheWarp). Atomics on one word are served lane after lane.
// Left out: hashed or 8-byte banks.
#pragma once

#include <cstdint>
#include <vector>

namespace duet::gpu {

class SharedMemoryBanks {
 public:
  // 0 banks: no conflicts, one pass for each part of a warp.
  explicit SharedMemoryBanks(unsigned banks);

  // Lane i accesses `bytes` aligned bytes at offsets[i]; `width` lanes make a warp.
  unsigned passes(const std::uint32_t* offsets, std::uint64_t lanes, unsigned bytes, unsigned width,
                  bool atomic);
  // Whether one pass is enough because all bytes lie in a range of no more words than banks.
  bool one_pass_for_range(std::uint32_t lowest, std::uint32_t highest, unsigned bytes) const {
    return bytes <= 4 && (banks_ == 0 || highest / 4 - lowest / 4 < banks_);
  }
  // The same of `words` words one after the other.
  unsigned passes_of_consecutive(unsigned words) const {
    return banks_ == 0 ? 1 : (words + banks_ - 1) / banks_;
  }

 private:
  static constexpr std::uint8_t kNone = 0xff;
  struct Node {
    std::uint32_t word;
    std::uint8_t next;
  };
  unsigned bank_of(std::uint32_t word) const { return power_of_two_ ? word & (banks_ - 1) : word % banks_; }
  bool is_free_of_conflicts(const std::uint32_t* offsets, std::uint64_t lanes, unsigned words);
  unsigned part_passes(const std::uint32_t* offsets, std::uint64_t lanes, unsigned words, bool atomic);

  unsigned banks_;
  bool power_of_two_;
  // Of the current part: the words of each bank, as a list, and their number.
  std::vector<std::uint8_t> first_, count_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> last_word_;  // of each bank
};

}  // namespace duet::gpu
