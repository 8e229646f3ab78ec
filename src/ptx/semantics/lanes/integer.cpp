// Integer arithmetic whose result has the operands' width. Source: PTX ISA 9.0, section 9.7.1. Division by
// zero gives all ones, a remainder by zero the dividend, as in the machine code (PTX leaves it unspecified);
// the smallest signed number divided by -1 gives itself.
#include "ptx/semantics/lanes/lanes.h"

namespace duet::ptx::DUET_LANES {
namespace {

template <typename T>
using Unsigned = std::make_unsigned_t<T>;
// Wide enough for arithmetic on T to wrap instead of overflowing a promoted int.
template <typename T>
using Wrapping = std::conditional_t<(sizeof(T) < 4), std::uint32_t, Unsigned<T>>;
template <typename T>
using Double =
    std::conditional_t<sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

template <typename T>
inline T add(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
}
template <typename T>
inline T subtract(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
}
template <typename T>
inline T multiply_low(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
}
template <typename T>
inline T multiply_high(T a, T b) {
  return static_cast<T>((static_cast<Double<T>>(a) * static_cast<Double<T>>(b)) >> (sizeof(T) * 8));
}
inline std::int32_t clamp_to_s32(std::int64_t value) {
  if (value > std::numeric_limits<std::int32_t>::max()) return std::numeric_limits<std::int32_t>::max();
  if (value < std::numeric_limits<std::int32_t>::min()) return std::numeric_limits<std::int32_t>::min();
  return static_cast<std::int32_t>(value);
}

// 32-bit quotients by double division: the exact quotient a/b differs from the next larger integer by at
// least 1/b, relative to it by 1/a > 2^-33, so the rounded quotient truncates to the right integer.
template <typename T>
inline T divide(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    if (b == 0) return static_cast<T>(~T{0});
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return subtract<T>(0, a);
    return a / b;
  } else {
    const double quotient = static_cast<double>(a) / static_cast<double>(b == 0 ? T{1} : b);
    const T result = static_cast<T>(static_cast<std::int64_t>(quotient));
    return b == 0 ? static_cast<T>(~T{0}) : result;
  }
}
template <typename T>
inline T remainder(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return 0;
    return a % b;
  } else {
    return b == 0 ? a : subtract(a, multiply_low(divide(a, b), b));
  }
}

template <typename T>
Handlers low_or_high(const MicroOp& op) {
  const bool mad = op.opcode == Opcode::Mad;
  if (op.product == Product::High) {
    if (op.saturate) {
      if constexpr (std::is_same_v<T, std::int32_t>)
        if (mad)
          return elementwise(
              [](T a, T b, T c) { return clamp_to_s32(std::int64_t{multiply_high(a, b)} + c); });
      return {};
    }
    if constexpr (sizeof(T) == 8) {
      if (mad) return costly([](T a, T b, T c) { return add(multiply_high(a, b), c); });
      return costly([](T a, T b) { return multiply_high(a, b); });
    } else {
      if (mad) return elementwise([](T a, T b, T c) { return add(multiply_high(a, b), c); });
      return elementwise([](T a, T b) { return multiply_high(a, b); });
    }
  }
  if (op.product == Product::Wide || op.saturate) return {};
  if (mad) return elementwise([](T a, T b, T c) { return add(multiply_low(a, b), c); });
  return elementwise([](T a, T b) { return multiply_low(a, b); });
}

template <typename T>
Handlers handlers_of(const MicroOp& op) {
  switch (op.opcode) {
    case Opcode::Add:
      if (op.saturate) {
        if constexpr (std::is_same_v<T, std::int32_t>)
          return elementwise([](T a, T b) { return clamp_to_s32(std::int64_t{a} + b); });
        else
          return {};
      }
      return elementwise([](T a, T b) { return add(a, b); });
    case Opcode::Sub:
      if (op.saturate) {
        if constexpr (std::is_same_v<T, std::int32_t>)
          return elementwise([](T a, T b) { return clamp_to_s32(std::int64_t{a} - b); });
        else
          return {};
      }
      return elementwise([](T a, T b) { return subtract(a, b); });
    case Opcode::Mul:
    case Opcode::Mad:
      return low_or_high<T>(op);
    case Opcode::Sad:
      return elementwise([](T a, T b, T c) { return add(c, a < b ? subtract(b, a) : subtract(a, b)); });
    case Opcode::Div:
      if constexpr (sizeof(T) == 8)
        return costly([](T a, T b) { return divide(a, b); });
      else
        return elementwise([](T a, T b) { return divide(a, b); });
    case Opcode::Rem:
      if constexpr (sizeof(T) == 8)
        return costly([](T a, T b) { return remainder(a, b); });
      else
        return elementwise([](T a, T b) { return remainder(a, b); });
    case Opcode::Abs:
      if constexpr (std::is_signed_v<T>)
        return elementwise([](T a) { return a < 0 ? subtract<T>(0, a) : a; });
      else
        return {};
    case Opcode::Neg:
      return elementwise([](T a) { return subtract<T>(0, a); });
    case Opcode::Min:
      return elementwise([](T a, T b) { return b < a ? b : a; });
    case Opcode::Max:
      return elementwise([](T a, T b) { return a < b ? b : a; });
    default:
      return {};
  }
}

}  // namespace

Handlers integer_handlers(const MicroOp& op) {
  if (op.carry_in || op.carry_out) return {};
  return for_integer_type(op.type, [&]<typename T>() { return handlers_of<T>(op); });
}

}  // namespace duet::ptx::DUET_LANES
