// Moves one value a lane between a lane array and memory, a whole warp at a time: the inner loops of loads
// and stores whose lanes lie in one piece of memory. Compiled like the lane executors, for x86-64-v2 and -v3.
// Left out: faults and page permissions; the caller checks what locate found before it moves anything.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace duet::ptx {

// Where the lanes of an access lie, as offsets into a piece of memory. Lanes that take no part have the
// offset of the first that does.
template <unsigned W>
struct LaneOffsets {
  alignas(64) std::uint32_t of[W];
  std::uint32_t highest, lowest;
  std::uint32_t merged;  // all offsets or-ed: their alignment
  bool beyond;           // some offset does not fit in 32 bits; the others say nothing then
};

template <unsigned W>
struct WordLanes {
  // The offset of lane i is addresses[i] + addend, modulo 2^64. At least one lane is given.
  void (*locate32)(const std::uint32_t* addresses, std::uint64_t addend, std::uint64_t lanes,
                   LaneOffsets<W>& out);
  void (*locate64)(const std::uint64_t* addresses, std::uint64_t addend, std::uint64_t lanes,
                   LaneOffsets<W>& out);
  // Moves between a lane array of 32-bit or (wide) 64-bit elements and memory, by the memory's element: see
  // load_index and store_index; null where the element is wider than the register. Where stores of several
  // lanes overlap, the highest lane's bytes stay.
  using Load = void (*)(const std::byte* memory, const std::uint32_t* offsets, std::uint64_t lanes, void* to);
  using Store = void (*)(std::byte* memory, const std::uint32_t* offsets, std::uint64_t lanes,
                         const void* from);
  std::array<Load, 16> load;
  std::array<Store, 8> store;
};

// Elements have 1, 2, 4 or 8 bytes.
inline unsigned store_index(unsigned bytes, bool wide) {
  return static_cast<unsigned>(std::countr_zero(bytes)) * 2 + wide;
}
inline unsigned load_index(unsigned bytes, bool wide, bool sign_extend) {
  return store_index(bytes, wide) * 2 + sign_extend;
}

// The fastest that this processor can run.
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
