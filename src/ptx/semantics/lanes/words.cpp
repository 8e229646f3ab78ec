// Word moves between lane arrays and memory. Eight lanes at a time are looked at together, because threads
// along one coordinate read either consecutive words or the same word: a row of a tile and a column of
// another, side by side in one warp, are copies and broadcasts, not gathers.
#include "ptx/semantics/lanes/lanes.h"
#include "ptx/semantics/word_lanes.h"

namespace duet::ptx::DUET_LANES {
namespace {

constexpr unsigned kChunk = 8;

// Other lanes take the address of the first given one.
template <unsigned W, typename A>
[[gnu::noinline]] void give_all(A* all, const A* addresses, std::uint64_t lanes) {
  const A first = addresses[std::countr_zero(lanes)];
  for (unsigned i = 0; i < W; ++i) all[i] = first;
  blend<W>(all, addresses, lanes);
}

#if defined(__AVX2__)

// The offsets of eight lanes in each vector.
template <unsigned W>
struct Offsets {
  __m256i of[W / kChunk];
};

inline __m256i four_addresses(const std::uint64_t* from) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
}
inline __m256i four_addresses(const std::uint32_t* from) {
  return _mm256_cvtepu32_epi64(_mm_load_si128(reinterpret_cast<const __m128i*>(from)));
}

template <unsigned W, typename A>
[[gnu::always_inline]] inline bool find_offsets(const Reach& reach, const A* addresses, Offsets<W>& out) {
  const __m256i addend = _mm256_set1_epi64x(static_cast<long long>(reach.addend));
  __m256i upper = _mm256_setzero_si256(), highest = upper, merged = upper;
#pragma GCC unroll 8
  for (unsigned c = 0; c < W / kChunk; ++c) {
    const __m256i low = _mm256_add_epi64(four_addresses(addresses + c * kChunk), addend);
    const __m256i high = _mm256_add_epi64(four_addresses(addresses + c * kChunk + 4), addend);
    upper = _mm256_or_si256(upper, _mm256_or_si256(low, high));
    const __m256 words =
        _mm256_shuffle_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high), _MM_SHUFFLE(2, 0, 2, 0));
    out.of[c] = _mm256_permute4x64_epi64(_mm256_castps_si256(words), _MM_SHUFFLE(3, 1, 2, 0));
    highest = _mm256_max_epu32(highest, out.of[c]);
    merged = _mm256_or_si256(merged, out.of[c]);
  }
  const __m256i limit = _mm256_set1_epi32(static_cast<int>(reach.limit));
  const __m256i beyond = _mm256_or_si256(_mm256_srli_epi64(upper, 32),
                                         _mm256_xor_si256(_mm256_max_epu32(highest, limit), limit));
  const __m256i odd = _mm256_and_si256(merged, _mm256_set1_epi32(static_cast<int>(reach.misaligned)));
  const __m256i wrong = _mm256_or_si256(beyond, odd);
  return _mm256_testz_si256(wrong, wrong);
}

template <unsigned W>
inline void write_offsets(const Offsets<W>& from, std::uint32_t* to) {
  for (unsigned c = 0; c < W / kChunk; ++c)
    _mm256_store_si256(reinterpret_cast<__m256i*>(to + c * kChunk), from.of[c]);
}

#else

template <unsigned W>
struct Offsets {
  alignas(64) std::uint32_t of[W];
};

template <unsigned W, typename A>
[[gnu::always_inline]] inline bool find_offsets(const Reach& reach, const A* addresses, Offsets<W>& out) {
  std::uint64_t upper = 0;
  for (unsigned i = 0; i < W; ++i) {
    const std::uint64_t offset = addresses[i] + reach.addend;
    upper |= offset;
    out.of[i] = static_cast<std::uint32_t>(offset);
  }
  std::uint32_t highest = 0, merged = 0;
  for (unsigned i = 0; i < W; ++i) {
    highest = out.of[i] > highest ? out.of[i] : highest;
    merged |= out.of[i];
  }
  return upper >> 32 == 0 && highest <= reach.limit && (merged & reach.misaligned) == 0;
}

template <unsigned W>
inline void write_offsets(const Offsets<W>& from, std::uint32_t* to) {
  std::memcpy(to, from.of, sizeof from.of);
}

#endif

// Calls f with the offsets of all lanes unless one lies beyond the reach.
template <unsigned W, typename A, typename F>
inline bool with_offsets(const Reach& reach, const void* addresses, std::uint64_t lanes, F&& f) {
  const A* from = static_cast<const A*>(__builtin_assume_aligned(addresses, 64));
  alignas(64) A all[W];
  if (lanes != kAllLanes<W>) {
    give_all<W, A>(all, from, lanes);
    from = all;
  }
  Offsets<W> offsets;
  if (!find_offsets<W, A>(reach, from, offsets)) return false;
  f(offsets);
  return true;
}

template <unsigned W, typename A>
bool locate(const Reach& reach, const void* addresses, std::uint64_t lanes, std::uint32_t* out) {
  return with_offsets<W, A>(reach, addresses, lanes,
                            [&](const Offsets<W>& offsets) { write_offsets(offsets, out); });
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
inline void load_consecutive(const std::byte* memory, S* to) {
  T values[kChunk];
  std::memcpy(values, memory, sizeof values);
  for (unsigned i = 0; i < kChunk; ++i) to[i] = extend<T, S>(values[i]);
}
template <typename T, typename S>
inline void load_uniform(const std::byte* memory, S* to) {
  T value;
  std::memcpy(&value, memory, sizeof value);
  for (unsigned i = 0; i < kChunk; ++i) to[i] = extend<T, S>(value);
}

template <typename T, typename S>
inline void load_chunk(const std::byte* memory, const std::uint32_t* offsets, S* to) {
  switch (shape_of<T>(offsets)) {
    case Shape::Consecutive:
      return load_consecutive<T, S>(memory + offsets[0], to);
    case Shape::Uniform:
      return load_uniform<T, S>(memory + offsets[0], to);
    case Shape::Scattered:
      for (unsigned i = 0; i < kChunk; ++i) {
        T value;
        std::memcpy(&value, memory + offsets[i], sizeof value);
        to[i] = extend<T, S>(value);
      }
      return;
  }
}

template <unsigned W, typename T, typename S>
[[gnu::noinline]] void load_chunks(const std::byte* memory, const std::uint32_t* offsets, S* to) {
  for (unsigned i = 0; i < W; i += kChunk) load_chunk<T, S>(memory, offsets + i, to + i);
}

template <unsigned W, typename T, typename S>
void load(const std::byte* memory, const std::uint32_t* offsets, std::uint64_t lanes, void* slot) {
  S* to = static_cast<S*>(__builtin_assume_aligned(slot, 64));
  if (lanes == kAllLanes<W>) {
    load_chunks<W, T, S>(memory, offsets, to);
    return;
  }
  alignas(64) S values[W];
  load_chunks<W, T, S>(memory, offsets, values);
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

template <unsigned W>
void add(std::byte* memory, const std::uint32_t* offsets, std::uint64_t lanes, const std::uint32_t* values,
         std::uint32_t* old) {
  const auto add_lane = [&](unsigned i) {
    std::uint32_t before;
    std::memcpy(&before, memory + offsets[i], 4);
    const std::uint32_t after = before + values[i];
    std::memcpy(memory + offsets[i], &after, 4);
    return before;
  };
  if (old == nullptr && lanes == kAllLanes<W>) {
    for (unsigned i = 0; i < W; ++i) add_lane(i);
    return;
  }
  // The values may lie in the destination register.
  alignas(64) std::uint32_t before[W];
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(rest));
    before[i] = add_lane(i);
  }
  if (old != nullptr) blend<W>(old, before, lanes);
}

// The common shape of the eight lanes of every chunk.
template <unsigned W, typename T>
inline Shape common_shape(const Offsets<W>& offsets) {
#if defined(__AVX2__)
  constexpr int s = sizeof(T);
  const __m256i steps = _mm256_setr_epi32(0, s, 2 * s, 3 * s, 4 * s, 5 * s, 6 * s, 7 * s);
  __m256i distances = _mm256_setzero_si256(), differences = distances;
#pragma GCC unroll 8
  for (unsigned c = 0; c < W / kChunk; ++c) {
    const __m256i first = _mm256_broadcastd_epi32(_mm256_castsi256_si128(offsets.of[c]));
    const __m256i distance = _mm256_sub_epi32(offsets.of[c], first);
    distances = _mm256_or_si256(distances, distance);
    differences = _mm256_or_si256(differences, _mm256_xor_si256(distance, steps));
  }
  if (_mm256_testz_si256(differences, differences)) return Shape::Consecutive;
  return _mm256_testz_si256(distances, distances) ? Shape::Uniform : Shape::Scattered;
#else
  const Shape shape = shape_of<T>(offsets.of);
  for (unsigned c = 1; c < W / kChunk; ++c)
    if (shape_of<T>(offsets.of + c * kChunk) != shape) return Shape::Scattered;
  return shape;
#endif
}

template <unsigned W>
inline std::uint32_t chunk_start(const Offsets<W>& offsets, unsigned chunk) {
#if defined(__AVX2__)
  return static_cast<std::uint32_t>(_mm256_cvtsi256_si32(offsets.of[chunk]));
#else
  return offsets.of[chunk * kChunk];
#endif
}

template <unsigned W, typename T, typename S>
[[gnu::always_inline]] inline void load_offsets(const std::byte* memory, const Offsets<W>& offsets, S* to) {
  switch (common_shape<W, T>(offsets)) {
    case Shape::Consecutive:
#pragma GCC unroll 8
      for (unsigned c = 0; c < W / kChunk; ++c)
        load_consecutive<T, S>(memory + chunk_start(offsets, c), to + c * kChunk);
      return;
    case Shape::Uniform:
#pragma GCC unroll 8
      for (unsigned c = 0; c < W / kChunk; ++c)
        load_uniform<T, S>(memory + chunk_start(offsets, c), to + c * kChunk);
      return;
    case Shape::Scattered: {
      alignas(64) std::uint32_t of[W];
      write_offsets(offsets, of);
      load_chunks<W, T, S>(memory, of, to);
      return;
    }
  }
}

template <unsigned W, typename A, typename T, typename S>
bool load_at(const Reach& reach, const void* addresses, std::uint64_t lanes, void* slot) {
  return with_offsets<W, A>(reach, addresses, lanes, [&](const Offsets<W>& offsets) {
    S* to = static_cast<S*>(__builtin_assume_aligned(slot, 64));
    alignas(64) S values[W];
    load_offsets<W, T, S>(reach.memory, offsets, lanes == kAllLanes<W> ? to : values);
    if (lanes != kAllLanes<W>) blend<W>(to, values, lanes);
  });
}

template <unsigned W, typename A, typename T, typename S>
bool store_at(const Reach& reach, const void* addresses, std::uint64_t lanes, void* slot) {
  return with_offsets<W, A>(reach, addresses, lanes, [&](const Offsets<W>& offsets) {
    if (lanes == kAllLanes<W> && common_shape<W, T>(offsets) == Shape::Consecutive) {
      const S* from = static_cast<const S*>(__builtin_assume_aligned(slot, 64));
#pragma GCC unroll 8
      for (unsigned c = 0; c < W / kChunk; ++c) {
        T values[kChunk];
        for (unsigned i = 0; i < kChunk; ++i) values[i] = static_cast<T>(from[c * kChunk + i]);
        std::memcpy(reach.memory + chunk_start(offsets, c), values, sizeof values);
      }
      return;
    }
    alignas(64) std::uint32_t of[W];
    write_offsets(offsets, of);
    store<W, T, S>(reach.memory, of, lanes, slot);
  });
}

template <unsigned W, typename T, typename Signed, typename S>
void fill_slot(WordLanes<W>& table) {
  constexpr bool kWide = sizeof(S) == 8;
  const unsigned loads = load_index(sizeof(T), kWide, false), stores = store_index(sizeof(T), kWide);
  table.load[loads] = load<W, T, S>;
  table.load[loads + 1] = load<W, Signed, S>;
  table.store[stores] = store<W, T, S>;
  table.load_at[0][loads] = load_at<W, std::uint32_t, T, S>;
  table.load_at[0][loads + 1] = load_at<W, std::uint32_t, Signed, S>;
  table.load_at[1][loads] = load_at<W, std::uint64_t, T, S>;
  table.load_at[1][loads + 1] = load_at<W, std::uint64_t, Signed, S>;
  table.store_at[0][stores] = store_at<W, std::uint32_t, T, S>;
  table.store_at[1][stores] = store_at<W, std::uint64_t, T, S>;
}

template <unsigned W, typename T, typename Signed>
void fill_element(WordLanes<W>& table) {
  if constexpr (sizeof(T) <= 4) fill_slot<W, T, Signed, std::uint32_t>(table);
  fill_slot<W, T, Signed, std::uint64_t>(table);
}

template <unsigned W, typename A>
LaneSpread spread(const A* addresses, std::uint64_t addend, std::uint64_t lanes, std::uint32_t* offsets) {
  const A* from = static_cast<const A*>(__builtin_assume_aligned(addresses, 64));
  auto* const of = static_cast<std::uint32_t*>(__builtin_assume_aligned(offsets, 64));
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
    of[i] = static_cast<std::uint32_t>(offset);
  }
  std::uint32_t lowest = ~0u, highest = 0, merged = 0;
  for (unsigned i = 0; i < W; ++i) {
    lowest = of[i] < lowest ? of[i] : lowest;
    highest = of[i] > highest ? of[i] : highest;
    merged |= of[i];
  }
  return {highest, lowest, merged, upper >> 32 != 0};
}

template <unsigned W>
void fill_table(WordLanes<W>& table) {
  table = {};
  table.spread32 = spread<W, std::uint32_t>;
  table.spread64 = spread<W, std::uint64_t>;
  table.add = add<W>;
  table.locate = {locate<W, std::uint32_t>, locate<W, std::uint64_t>};
  fill_element<W, std::uint8_t, std::int8_t>(table);
  fill_element<W, std::uint16_t, std::int16_t>(table);
  fill_element<W, std::uint32_t, std::int32_t>(table);
  fill_element<W, std::uint64_t, std::int64_t>(table);
}

}  // namespace

void fill(WordLanes<32>& table) { fill_table(table); }
void fill(WordLanes<64>& table) { fill_table(table); }

}  // namespace duet::ptx::DUET_LANES
