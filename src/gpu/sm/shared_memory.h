// The banks of an SM's shared memory: how many passes an access takes. A pass serves one word of each bank to
// any number of lanes. Source: CUDA C programming guide, compute capability 2.x: 4-byte banks, lanes that
// read or write the same word do not conflict, 8-byte accesses go half warp by half warp, 16-byte accesses
// quarter by quarter. Atomics on one word are served lane after lane. Left out: hashed or 8-byte banks.
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

 private:
  static constexpr std::uint8_t kNone = 0xff;
  struct Node {
    std::uint32_t word;
    std::uint8_t next;
  };
  unsigned part_passes(const std::uint32_t* offsets, std::uint64_t lanes, unsigned words, bool atomic);

  unsigned banks_;
  bool power_of_two_;
  // Of the part at hand: the words that a bank has to serve, as a list, and their number.
  std::vector<std::uint8_t> first_, count_;
  std::vector<Node> nodes_;
};

}  // namespace duet::gpu
