// Integer arithmetic with operands and results of different widths, 24-bit products, dot products, byte
// differences, and the carry chain. Source: PTX ISA 9.0, sections 9.7.1 and 9.7.2.
#include "ptx/semantics/lanes/lanes.h"

namespace duet::ptx::DUET_LANES {
namespace {

template <typename T>
using Wide =
    std::conditional_t<sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

template <typename T>
Handlers wide(bool mad) {
  using R = Wide<T>;
  using U = std::make_unsigned_t<R>;
  if (mad)
    return elementwise([](T a, T b, R c) {
      return static_cast<R>(static_cast<U>(static_cast<R>(a) * static_cast<R>(b)) + static_cast<U>(c));
    });
  return elementwise([](T a, T b) { return static_cast<R>(static_cast<R>(a) * static_cast<R>(b)); });
}

// The product of the low 24 bits, 48 bits wide.
template <typename T>
inline std::int64_t product24(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    const auto low = [](T x) {
      return std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(x) << 8) >> 8};
    };
    return low(a) * low(b);
  } else {
    return static_cast<std::int64_t>(std::uint64_t{a & 0xffffffu} * (b & 0xffffffu));
  }
}
template <typename T>
Handlers multiply24(const MicroOp& op) {
  const bool mad = op.opcode == Opcode::Mad24;
  if (op.product == Product::High) {  // bits 47..16
    if (op.saturate) {
      if constexpr (std::is_signed_v<T>)
        if (mad)
          return elementwise([](T a, T b, T c) {
            const std::int64_t sum = (product24(a, b) >> 16) + c;
            constexpr std::int64_t kMax = std::numeric_limits<T>::max(), kMin = std::numeric_limits<T>::min();
            return static_cast<T>(sum > kMax ? kMax : sum < kMin ? kMin : sum);
          });
      return {};
    }
    if (mad) return elementwise([](T a, T b, T c) { return static_cast<T>((product24(a, b) >> 16) + c); });
    return elementwise([](T a, T b) { return static_cast<T>(product24(a, b) >> 16); });
  }
  if (mad) return elementwise([](T a, T b, T c) { return static_cast<T>(product24(a, b) + c); });
  return elementwise([](T a, T b) { return static_cast<T>(product24(a, b)); });
}

template <typename A>
inline std::int32_t byte_of(std::uint32_t word, unsigned i) {
  using Byte = std::conditional_t<std::is_signed_v<A>, std::int8_t, std::uint8_t>;
  return static_cast<Byte>(word >> (8 * i));
}
template <typename A>
inline std::int32_t half_of(std::uint32_t word, unsigned i) {
  using Short = std::conditional_t<std::is_signed_v<A>, std::int16_t, std::uint16_t>;
  return static_cast<Short>(word >> (16 * i));
}
template <typename A, typename B>
Handlers dot_product(const MicroOp& op) {
  using U = std::uint32_t;
  if (op.opcode == Opcode::Dp4a)
    return elementwise([](U a, U b, U c) {
      for (unsigned i = 0; i < 4; ++i) c += static_cast<U>(byte_of<A>(a, i) * byte_of<B>(b, i));
      return c;
    });
  if (op.mode & 1)
    return elementwise([](U a, U b, U c) {
      for (unsigned i = 0; i < 2; ++i) c += static_cast<U>(half_of<A>(a, i) * byte_of<B>(b, 2 + i));
      return c;
    });
  return elementwise([](U a, U b, U c) {
    for (unsigned i = 0; i < 2; ++i) c += static_cast<U>(half_of<A>(a, i) * byte_of<B>(b, i));
    return c;
  });
}

// CC.CF is a lane mask of the warp. A subtraction adds the complement of b, as NVIDIA's GPUs do, so CF is set
// when there is no borrow; a chain of additions and subtractions sees it (published test subc_cc passes
// there).
template <typename T>
struct Carry {
  using Double = std::conditional_t<sizeof(T) == 8, unsigned __int128, std::uint64_t>;
  static constexpr unsigned kBits = sizeof(T) * 8;

  template <unsigned W>
  static void run(Warp<W>& warp, const MicroOp& op, std::uint64_t lanes) {
    const T* a = source_lanes<T>(warp, op.sources[0]);
    const T* b = source_lanes<T>(warp, op.sources[1]);
    const T* c = op.opcode == Opcode::Mad ? source_lanes<T>(warp, op.sources[2]) : nullptr;
    T* out = destination_lanes<T>(warp, op.destinations[0]);
    std::uint64_t carries = 0;
    for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
      const int i = std::countr_zero(rest);
      const bool subtracts = op.opcode == Opcode::Sub;
      const Double carry = op.carry_in ? (warp.carry >> i) & 1 : subtracts ? 1 : 0;
      const T first = op.opcode == Opcode::Mad ? product(op, a[i], b[i]) : a[i];
      const T second = c ? c[i] : subtracts ? static_cast<T>(~b[i]) : b[i];
      const Double result = Double{first} + second + carry;
      out[i] = static_cast<T>(result);
      carries |= static_cast<std::uint64_t>((result >> kBits) & 1) << i;
    }
    if (op.carry_out) warp.carry = (warp.carry & ~lanes) | carries;
  }
  static T product(const MicroOp& op, T a, T b) {
    if (op.product != Product::High) return a * b;
    if (is_signed(op.type)) {
      using S = std::make_signed_t<T>;
      using SignedDouble = std::conditional_t<sizeof(T) == 8, __int128, std::int64_t>;
      return static_cast<T>((SignedDouble{static_cast<S>(a)} * static_cast<S>(b)) >> kBits);
    }
    return static_cast<T>((Double{a} * b) >> kBits);
  }
};
template <typename T>
Handlers carry_handlers() {
  return {&Carry<T>::template run<32>, &Carry<T>::template run<64>};
}

}  // namespace

Handlers integer_wide_handlers(const MicroOp& op) {
  if (op.carry_in || op.carry_out) {
    if (op.opcode != Opcode::Add && op.opcode != Opcode::Sub && op.opcode != Opcode::Mad) return {};
    if (is_float(op.type) || op.product == Product::Wide) return {};
    if (type_bytes(op.type) == 4) return carry_handlers<std::uint32_t>();
    if (type_bytes(op.type) == 8) return carry_handlers<std::uint64_t>();
    return {};
  }
  const bool first_signed = is_signed(op.type), second_signed = is_signed(op.source_type);
  switch (op.opcode) {
    case Opcode::Mul:
    case Opcode::Mad:
      if (op.product != Product::Wide) return {};
      switch (op.type) {
        case Type::U16:
          return wide<std::uint16_t>(op.opcode == Opcode::Mad);
        case Type::S16:
          return wide<std::int16_t>(op.opcode == Opcode::Mad);
        case Type::U32:
          return wide<std::uint32_t>(op.opcode == Opcode::Mad);
        case Type::S32:
          return wide<std::int32_t>(op.opcode == Opcode::Mad);
        default:
          return {};
      }
    case Opcode::Mul24:
    case Opcode::Mad24:
      return first_signed ? multiply24<std::int32_t>(op) : multiply24<std::uint32_t>(op);
    case Opcode::Dp4a:
    case Opcode::Dp2a:
      if (first_signed)
        return second_signed ? dot_product<std::int32_t, std::int32_t>(op)
                             : dot_product<std::int32_t, std::uint32_t>(op);
      return second_signed ? dot_product<std::uint32_t, std::int32_t>(op)
                           : dot_product<std::uint32_t, std::uint32_t>(op);
    default:
      return {};
  }
}

}  // namespace duet::ptx::DUET_LANES
