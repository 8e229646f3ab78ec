// Moves one value a lane between a lane array and memory, a whole warp at a time: the inner loops of loads
// and stores with all lanes in one piece of memory. Compiled like the lane executors, for x86-64-v2 and -v3.
// Left out: faults and page permissions; an access beyond its piece of memory is only refused.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace duet::ptx {

// The piece of memory for an instruction's lanes.
struct Reach {
  std::uint64_t addend = 0;      // a lane's offset is its address register plus this, modulo 2^64
  std::byte* memory = nullptr;   // the byte at offset 0
  std::uint32_t limit = 0;       // the highest offset of an access
  std::uint32_t misaligned = 0;  // bits to be clear in an offset
};

// How far the lanes of an access spread.
struct LaneSpread {
  std::uint32_t highest, lowest;
  std::uint32_t merged;  // all offsets or-ed: their alignment
  bool beyond;           // some offset does not fit in 32 bits; the others say nothing then
};

template <unsigned W>
struct WordLanes {
  // Moves between a lane array of 32-bit or (wide) 64-bit elements and memory, by the memory's element: see
  // load_index and store_index; null where the element is wider than the register. Where stores of several
  // lanes overlap, the highest lane's bytes stay.
  using Load = void (*)(const std::byte* memory, const std::uint32_t* offsets, std::uint64_t lanes, void* to);
  using Store = void (*)(std::byte* memory, const std::uint32_t* offsets, std::uint64_t lanes,
                         const void* from);
  std::array<Load, 16> load;
  std::array<Store, 8> store;
  // Adds 32-bit words to memory, lane after lane; `old`, if not null, gets the old words.
  using Add = void (*)(std::byte* memory, const std::uint32_t* offsets, std::uint64_t lanes,
                       const std::uint32_t* values, std::uint32_t* old);
  Add add;

  // The offsets of the given lanes (at least one); other lanes get the first given one's. `wide`: the
  // addresses have 64 bits, else 32. False when one lies beyond the reach.
  using Locate = bool (*)(const Reach& reach, const void* addresses, std::uint64_t lanes,
                          std::uint32_t* offsets);
  std::array<Locate, 2> locate;  // by wide

  // As locate, with the spread of the lanes: the offset of lane i is addresses[i] + addend, modulo 2^64.
  // Other lanes get the first given one's. `offsets` is aligned to 64.
  LaneSpread (*spread32)(const std::uint32_t* addresses, std::uint64_t addend, std::uint64_t lanes,
                         std::uint32_t* offsets);
  LaneSpread (*spread64)(const std::uint64_t* addresses, std::uint64_t addend, std::uint64_t lanes,
                         std::uint32_t* offsets);

  // Locates and moves at once. False: nothing was moved. Indexed by wide and as load and store are.
  using Access = bool (*)(const Reach& reach, const void* addresses, std::uint64_t lanes, void* slot);
  std::array<std::array<Access, 16>, 2> load_at;
  std::array<std::array<Access, 8>, 2> store_at;
};

// Elements have 1, 2, 4 or 8 bytes.
inline unsigned store_index(unsigned bytes, bool wide) {
  return static_cast<unsigned>(std::countr_zero(bytes)) * 2 + wide;
}
inline unsigned load_index(unsigned bytes, bool wide, bool sign_extend) {
  return store_index(bytes, wide) * 2 + sign_extend;
}

// The fastest for this processor.
template <unsigned W>
const WordLanes<W>& word_lanes();

namespace lanes_v2 {
void fill(WordLanes<32>& table);
void fill(WordLanes<64>& table);
}  // namespace lanes_v2
namespace lanes_v3 {
void fill(WordLanes<32>& table);
void fill(WordLanes<64>& table);
}  // namespace lanes_v3

}  // namespace duet::ptx
