// Loops over the lanes of a warp: every handler is one of the templates here around a function object on the
// values of one lane. With all lanes given the loop writes the destination directly and vectorises; with
// some, the same loop fills a temporary array, which is blended in, so other lanes keep their values.
// Functions that do not vectorise (`costly`) visit only the lanes given. DUET_LANES names the namespace of
// the compiled copy (lanes_v2, lanes_v3).
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "ptx/semantics/handlers.h"

#if defined(__AVX2__)
#include <immintrin.h>
#else
#include <smmintrin.h>
#endif

namespace duet::ptx::DUET_LANES {

// Values used as bits by these templates.
struct Half {  // binary16
  std::uint16_t bits;
};
struct BFloat {  // bfloat16
  std::uint16_t bits;
};

template <typename T>
using Slot = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <typename T>
inline T from_slot(Slot<T> slot) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat>)
    return T{static_cast<std::uint16_t>(slot)};
  else if constexpr (std::is_floating_point_v<T>)
    return std::bit_cast<T>(slot);
  else
    return static_cast<T>(slot);
}
// Narrow signed values are sign-extended to their slot, others zero-extended.
template <typename T>
inline Slot<T> to_slot(T value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat>)
    return value.bits;
  else if constexpr (std::is_floating_point_v<T>)
    return std::bit_cast<Slot<T>>(value);
  else if constexpr (std::is_signed_v<T> && sizeof(T) < 4)
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
  else
    return static_cast<Slot<T>>(value);
}

template <unsigned W>
inline constexpr std::uint64_t kAllLanes = W == 64 ? ~0ull : (1ull << W) - 1;

template <typename S, unsigned W>
inline const S* source_lanes(const Warp<W>& warp, const Operand& operand) {
  if constexpr (sizeof(S) == 8)
    return static_cast<const S*>(__builtin_assume_aligned(warp.lanes64(operand), 64));
  else
    return static_cast<const S*>(__builtin_assume_aligned(warp.lanes32(operand), 64));
}
template <typename S, unsigned W>
inline S* destination_lanes(Warp<W>& warp, std::uint16_t slot) {
  if constexpr (sizeof(S) == 8)
    return static_cast<S*>(__builtin_assume_aligned(warp.destination64(slot), 64));
  else
    return static_cast<S*>(__builtin_assume_aligned(warp.destination32(slot), 64));
}

// Writes `values` into the lanes given.
template <unsigned W, typename S>
inline void blend(S* out, const S* values, std::uint64_t lanes) {
  if (lanes == kAllLanes<W>) {
    std::memcpy(out, values, W * sizeof(S));
    return;
  }
  for (unsigned base = 0; base < W; base += 32) {
    const auto word = static_cast<std::uint32_t>(lanes >> base);
#pragma GCC ivdep
    for (unsigned i = 0; i < 32; ++i) out[base + i] = (word >> i) & 1 ? values[base + i] : out[base + i];
  }
}

// A function object with parts of the micro-op (flags, modes) is built from it.
template <typename F>
inline F make_function(const MicroOp& op) {
  if constexpr (std::is_constructible_v<F, const MicroOp&>)
    return F(op);
  else
    return F{};
}

template <typename F>
struct SignatureOf : SignatureOf<decltype(&F::operator())> {};
template <typename C, typename R, typename... A>
struct SignatureOf<R (C::*)(A...) const> {
  using Result = R;
  template <template <typename...> class To>
  using Arguments = To<A...>;
};
template <typename... A>
struct TypeList {};
template <typename F>
using ArgumentsOf = typename SignatureOf<F>::template Arguments<TypeList>;

template <unsigned W, bool Costly, typename F, typename R, typename... A, std::size_t... I>
inline void elementwise_loop(Warp<W>& warp, const MicroOp& op, std::uint64_t lanes, TypeList<A...>,
                             std::index_sequence<I...>) {
  const F f = make_function<F>(op);
  [&](const Slot<A>*... in) {
    Slot<R>* out = destination_lanes<Slot<R>>(warp, op.destinations[0]);
    // A result of another width may overlap a source: it goes through the temporary array.
    constexpr bool kSameWidth = ((sizeof(Slot<A>) == sizeof(Slot<R>)) && ...);
    alignas(64) Slot<R> temporary[W];
    if constexpr (Costly) {
      for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
        const int i = std::countr_zero(rest);
        temporary[i] = to_slot<R>(f(from_slot<A>(in[i])...));
      }
      for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
        const int i = std::countr_zero(rest);
        out[i] = temporary[i];
      }
    } else {
      const bool direct = kSameWidth && lanes == kAllLanes<W>;
      Slot<R>* target = static_cast<Slot<R>*>(__builtin_assume_aligned(direct ? out : temporary, 64));
#pragma GCC ivdep
      for (unsigned i = 0; i < W; ++i) target[i] = to_slot<R>(f(from_slot<A>(in[i])...));
      if (!direct) blend<W>(out, target, lanes);
    }
  }(source_lanes<Slot<A>>(warp, op.sources[I])...);
}

template <typename F, bool Costly, typename... A, typename R = typename SignatureOf<F>::Result>
inline Handlers make_elementwise(TypeList<A...>) {
  return {[](Warp<32>& warp, const MicroOp& op, std::uint64_t lanes) {
            elementwise_loop<32, Costly, F, R>(warp, op, lanes, TypeList<A...>{},
                                               std::index_sequence_for<A...>{});
          },
          [](Warp<64>& warp, const MicroOp& op, std::uint64_t lanes) {
            elementwise_loop<64, Costly, F, R>(warp, op, lanes, TypeList<A...>{},
                                               std::index_sequence_for<A...>{});
          }};
}
// destination[0] = f(source[0], source[1], ..), lane by lane; the types are from F's call operator.
template <typename F>
inline Handlers elementwise(F = F{}) {
  return make_elementwise<F, false>(ArgumentsOf<F>{});
}
template <typename F>
inline Handlers costly(F = F{}) {
  return make_elementwise<F, true>(ArgumentsOf<F>{});
}
template <typename F>
inline Handlers elementwise_of() {
  return make_elementwise<F, false>(ArgumentsOf<F>{});
}
template <typename F>
inline Handlers costly_of() {
  return make_elementwise<F, true>(ArgumentsOf<F>{});
}

// The top bits of W all-ones-or-zero elements as a lane mask.
template <unsigned W>
inline std::uint64_t mask_of(const std::uint32_t* values) {
  std::uint64_t mask = 0;
#if defined(__AVX2__)
  for (unsigned i = 0; i < W; i += 8)
    mask |= std::uint64_t{static_cast<std::uint32_t>(
                _mm256_movemask_ps(_mm256_load_ps(reinterpret_cast<const float*>(values + i))))}
            << i;
#else
  for (unsigned i = 0; i < W; i += 4)
    mask |= std::uint64_t{static_cast<std::uint32_t>(
                _mm_movemask_ps(_mm_load_ps(reinterpret_cast<const float*>(values + i))))}
            << i;
#endif
  return mask;
}
template <unsigned W>
inline std::uint64_t mask_of(const std::uint64_t* values) {
  std::uint64_t mask = 0;
#if defined(__AVX2__)
  for (unsigned i = 0; i < W; i += 4)
    mask |= std::uint64_t{static_cast<std::uint32_t>(
                _mm256_movemask_pd(_mm256_load_pd(reinterpret_cast<const double*>(values + i))))}
            << i;
#else
  for (unsigned i = 0; i < W; i += 2)
    mask |= std::uint64_t{static_cast<std::uint32_t>(
                _mm_movemask_pd(_mm_load_pd(reinterpret_cast<const double*>(values + i))))}
            << i;
#endif
  return mask;
}

// The lanes with a true f(source[0], source[1], ..).
template <unsigned W, typename F, typename First, typename... A, std::size_t... I>
inline std::uint64_t lanes_where(const Warp<W>& warp, const MicroOp& op, TypeList<First, A...>,
                                 std::index_sequence<I...>) {
  using S = Slot<First>;
  const F f = make_function<F>(op);
  alignas(64) S truth[W];
  [&](const S* first, const Slot<A>*... in) {
#pragma GCC ivdep
    for (unsigned i = 0; i < W; ++i)
      truth[i] = f(from_slot<First>(first[i]), from_slot<A>(in[i])...) ? ~S{0} : S{0};
  }(source_lanes<S>(warp, op.sources[0]), source_lanes<Slot<A>>(warp, op.sources[I + 1])...);
  return mask_of<W>(truth);
}
template <unsigned W, typename F, typename First, typename... A>
inline std::uint64_t lanes_where(const Warp<W>& warp, const MicroOp& op, TypeList<First, A...> types) {
  return lanes_where<W, F>(warp, op, types, std::index_sequence_for<A...>{});
}

template <unsigned W>
inline std::uint64_t predicate_source(const Warp<W>& warp, const Operand& operand) {
  if (operand.bank != Bank::Predicate) {  // an immediate predicate
    std::uint64_t mask = 0;
    const std::uint32_t* lanes = warp.lanes32(operand);
    for (unsigned i = 0; i < W; ++i) mask |= std::uint64_t{lanes[i] != 0} << i;
    return operand.negate ? ~mask : mask;
  }
  const std::uint64_t mask = warp.predicates[operand.slot];
  return operand.negate ? ~mask : mask;
}
template <unsigned W>
inline void write_predicate(Warp<W>& warp, std::uint8_t predicate, std::uint64_t lanes, std::uint64_t value) {
  if (predicate == kNoPredicate) return;
  std::uint64_t& mask = warp.predicates[predicate];
  mask = (mask & ~lanes) | (value & lanes);
}
inline std::uint64_t combine(Boolean boolean, std::uint64_t a, std::uint64_t b) {
  switch (boolean) {
    case Boolean::And:
      return a & b;
    case Boolean::Or:
      return a | b;
    case Boolean::Xor:
      return a ^ b;
    case Boolean::None:
      break;
  }
  return a;
}

// Calls f.template operator()<T>() for the C++ type of a PTX type; returns no handler for other types.
template <typename F>
inline Handlers for_integer_type(Type type, F f) {
  switch (type) {
    case Type::U16:
    case Type::B16:
      return f.template operator()<std::uint16_t>();
    case Type::S16:
      return f.template operator()<std::int16_t>();
    case Type::U32:
    case Type::B32:
      return f.template operator()<std::uint32_t>();
    case Type::S32:
      return f.template operator()<std::int32_t>();
    case Type::U64:
    case Type::B64:
      return f.template operator()<std::uint64_t>();
    case Type::S64:
      return f.template operator()<std::int64_t>();
    default:
      return {};
  }
}
// Where only the size matters.
template <typename F>
inline Handlers for_bit_size(Type type, F f) {
  switch (type_bytes(type)) {
    case 1:
      return f.template operator()<std::uint8_t>();
    case 2:
      return f.template operator()<std::uint16_t>();
    case 4:
      return f.template operator()<std::uint32_t>();
    case 8:
      return f.template operator()<std::uint64_t>();
    default:
      return {};
  }
}

}  // namespace duet::ptx::DUET_LANES
