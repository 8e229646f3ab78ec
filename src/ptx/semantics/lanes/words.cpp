// Word moves between lane arrays and memory. Eight lanes at a time are looked at together, because threads
// that differ in one coordinate read either consecutive words or the same word: a row of a tile and a column
// of another, side by side in one warp, are copies and broadcasts, not gathers.
#include "ptx/semantics/lanes/lanes.h"
#include "ptx/semantics/word_lanes.h"

namespace duet::ptx::DUET_LANES {
namespace {

constexpr unsigned kChunk = 8;

template <unsigned W, typename A>
void locate(const A* addresses, std::uint64_t addend, std::uint64_t lanes, LaneOffsets<W>& out) {
  const A* from = static_cast<const A*>(__builtin_assume_aligned(addresses, 64));
  alignas(64) A given[W];
  if (lanes != kAllLanes<W>) {
    const A first = from[std::countr_zero(lanes)];
    for (unsigned i = 0; i < W; ++i) given[i] = first;
    blend<W>(given, from, lanes);
    from = given;
  }
  std::uint64_t upper = 0;
#pragma GCC ivdep
  for (unsigned i = 0; i < W; ++i) {
    const std::uint64_t offset = from[i] + addend;
    upper |= offset;
    out.of[i] = static_cast<std::uint32_t>(offset);
  }
  std::uint32_t lowest = ~0u, highest = 0, merged = 0;
  for (unsigned i = 0; i < W; ++i) {
    lowest = out.of[i] < lowest ? out.of[i] : lowest;
    highest = out.of[i] > highest ? out.of[i] : highest;
    merged |= out.of[i];
  }
  out.lowest = lowest;
  out.highest = highest;
  out.merged = merged;
  out.beyond = upper >> 32 != 0;
}

enum class Shape : std::uint8_t { Consecutive, Uniform, Scattered };

template <typename Word>
inline Shape shape_of(const std::uint32_t* offsets) {
#if defined(__AVX2__)
  const __m256i o = _mm256_load_si256(reinterpret_cast<const __m256i*>(offsets));
  const __m256i distance = _mm256_sub_epi32(o, _mm256_broadcastd_epi32(_mm256_castsi256_si128(o)));
  constexpr int s = sizeof(Word);
  const __m256i steps = _mm256_setr_epi32(0, s, 2 * s, 3 * s, 4 * s, 5 * s, 6 * s, 7 * s);
  if (_mm256_testz_si256(distance, distance)) return Shape::Uniform;
  const __m256i difference = _mm256_xor_si256(distance, steps);
  return _mm256_testz_si256(difference, difference) ? Shape::Consecutive : Shape::Scattered;
#else
  std::uint32_t same = 0, step = 0;
  for (unsigned i = 1; i < kChunk; ++i) {
    same |= offsets[i] ^ offsets[0];
    step |= (offsets[i] - offsets[0]) ^ static_cast<std::uint32_t>(i * sizeof(Word));
  }
  return same == 0 ? Shape::Uniform : step == 0 ? Shape::Consecutive : Shape::Scattered;
#endif
}

// Memory's element T extends to the slot by its signedness.
template <typename T, typename S>
inline S extend(T value) {
  return static_cast<S>(
      static_cast<std::conditional_t<std::is_signed_v<T>, std::make_signed_t<S>, S>>(value));
}

template <typename T, typename S>
inline void load_chunk(const std::byte* memory, const std::uint32_t* offsets, S* to) {
  T values[kChunk];
  switch (shape_of<T>(offsets)) {
    case Shape::Consecutive:
      std::memcpy(values, memory + offsets[0], sizeof values);
      for (unsigned i = 0; i < kChunk; ++i) to[i] = extend<T, S>(values[i]);
      return;
    case Shape::Uniform:
      std::memcpy(values, memory + offsets[0], sizeof(T));
      for (unsigned i = 0; i < kChunk; ++i) to[i] = extend<T, S>(values[0]);
      return;
    case Shape::Scattered:
      for (unsigned i = 0; i < kChunk; ++i) {
        std::memcpy(values, memory + offsets[i], sizeof(T));
        to[i] = extend<T, S>(values[0]);
      }
      return;
  }
}

template <unsigned W, typename T, typename S>
void load(const std::byte* memory, const std::uint32_t* offsets, std::uint64_t lanes, void* slot) {
  S* to = static_cast<S*>(__builtin_assume_aligned(slot, 64));
  if (lanes == kAllLanes<W>) {
    for (unsigned i = 0; i < W; i += kChunk) load_chunk<T, S>(memory, offsets + i, to + i);
    return;
  }
  alignas(64) S values[W];
  for (unsigned i = 0; i < W; i += kChunk) load_chunk<T, S>(memory, offsets + i, values + i);
  blend<W>(to, values, lanes);
}

template <unsigned W, typename T, typename S>
void store(std::byte* memory, const std::uint32_t* offsets, std::uint64_t lanes, const void* slot) {
  const S* from = static_cast<const S*>(__builtin_assume_aligned(slot, 64));
  for (unsigned base = 0; base < W; base += kChunk) {
    const auto given = static_cast<unsigned>(lanes >> base & 0xff);
    const std::uint32_t* at = offsets + base;
    if (given == 0xff && shape_of<T>(at) == Shape::Consecutive) {
      T values[kChunk];
      for (unsigned i = 0; i < kChunk; ++i) values[i] = static_cast<T>(from[base + i]);
      std::memcpy(memory + at[0], values, sizeof values);
      continue;
    }
    for (unsigned rest = given; rest != 0; rest &= rest - 1) {
      const int i = std::countr_zero(rest);
      const T value = static_cast<T>(from[base + i]);
      std::memcpy(memory + at[i], &value, sizeof(T));
    }
  }
}

template <unsigned W, typename T, typename Signed>
void fill_element(WordLanes<W>& table) {
  if constexpr (sizeof(T) <= 4) {
    table.load[load_index(sizeof(T), false, false)] = load<W, T, std::uint32_t>;
    table.load[load_index(sizeof(T), false, true)] = load<W, Signed, std::uint32_t>;
    table.store[store_index(sizeof(T), false)] = store<W, T, std::uint32_t>;
  }
  table.load[load_index(sizeof(T), true, false)] = load<W, T, std::uint64_t>;
  table.load[load_index(sizeof(T), true, true)] = load<W, Signed, std::uint64_t>;
  table.store[store_index(sizeof(T), true)] = store<W, T, std::uint64_t>;
}

template <unsigned W>
void fill_table(WordLanes<W>& table) {
  table = {};
  table.locate32 = locate<W, std::uint32_t>;
  table.locate64 = locate<W, std::uint64_t>;
  fill_element<W, std::uint8_t, std::int8_t>(table);
  fill_element<W, std::uint16_t, std::int16_t>(table);
  fill_element<W, std::uint32_t, std::int32_t>(table);
  fill_element<W, std::uint64_t, std::int64_t>(table);
}

}  // namespace

void fill(WordLanes<32>& table) { fill_table(table); }
void fill(WordLanes<64>& table) { fill_table(table); }

}  // namespace duet::ptx::DUET_LANES
