// Floating-point operations on the values of one lane, and PTX's wrapping: operand modifiers, flush to zero,
// saturation, NaN results. Source: PTX ISA 9.0, section 9.7.3. Single-precision NaN results are the canonical
// 0x7fffffff; double-precision ones keep the payload of the first NaN operand, quieted.
#pragma once

#include <cmath>

#include "ptx/semantics/lanes/lanes.h"

namespace duet::ptx::DUET_LANES {

template <typename T>
using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
template <typename T>
inline constexpr Bits<T> kSignBit = Bits<T>{1} << (sizeof(T) * 8 - 1);

template <typename T, typename... Inputs>
inline T settle_nan(T result, Inputs... inputs) {
  if constexpr (sizeof(T) == 4) {
    return result != result ? std::bit_cast<float>(0x7fffffffu) : result;
  } else {
    std::uint64_t payload = 0xfff8000000000000ull;
    const double reversed[] = {inputs...};
    for (std::size_t i = sizeof...(Inputs); i-- > 0;)
      payload = reversed[i] != reversed[i] ? std::bit_cast<std::uint64_t>(reversed[i]) | 0x0008000000000000ull
                                           : payload;
    return result != result ? std::bit_cast<double>(payload) : result;
  }
}

// The exact sum p + c as a double rounded to odd: rounding it once more, to a format of at most 51 bits,
// gives the correctly rounded sum.
inline double add_to_odd(double p, double c) {
  const double sum = p + c;
  const double part = sum - p;
  const double error = (p - (sum - part)) + (c - part);
  auto bits = std::bit_cast<std::uint64_t>(sum);
  const bool exact = error == 0 || error != error;
  const std::uint64_t step = (error > 0) == (sum > 0) ? 1 : ~0ull;
  bits += exact || (bits & 1) ? 0 : step;
  return std::bit_cast<double>(bits);
}

inline float fused_multiply_add(float a, float b, float c) {
#if defined(__FMA__)
  return __builtin_fmaf(a, b, c);
#else
  return static_cast<float>(add_to_odd(static_cast<double>(a) * b, c));
#endif
}
inline double fused_multiply_add(double a, double b, double c) { return __builtin_fma(a, b, c); }

template <typename T>
struct AddOf {
  T operator()(T a, T b) const { return a + b; }
};
template <typename T>
struct SubtractOf {
  T operator()(T a, T b) const { return a - b; }
};
template <typename T>
struct MultiplyOf {
  T operator()(T a, T b) const { return a * b; }
};
template <typename T>
struct DivideOf {
  T operator()(T a, T b) const { return a / b; }
};
template <typename T>
struct FmaOf {
  T operator()(T a, T b, T c) const { return fused_multiply_add(a, b, c); }
};
template <typename T>
struct SquareRootOf {
  T operator()(T a) const { return std::sqrt(a); }
};
template <typename T>
struct ReciprocalOf {
  T operator()(T a) const { return T{1} / a; }
};

// -0 is below +0. Without .NaN a NaN yields to a number.
template <typename T, bool Maximum>
inline T pick(T a, T b) {
  const auto x = std::bit_cast<Bits<T>>(a), y = std::bit_cast<Bits<T>>(b);
  const T equal = std::bit_cast<T>(Maximum ? x & y : x | y);
  const T ordered = (Maximum ? b < a : a < b) ? a : (Maximum ? a < b : b < a) ? b : equal;
  return a != a ? b : b != b ? a : ordered;
}
template <typename T, bool Maximum>
struct PickOf {
  T operator()(T a, T b) const { return pick<T, Maximum>(a, b); }
};
// With MicroOp::mode bit 0: .NaN, bit 1: .xorsign.abs.
template <typename T, bool Maximum>
struct PickWithMode {
  bool nan, xor_sign;
  explicit PickWithMode(const MicroOp& op) : nan(op.mode & 1), xor_sign(op.mode & 2) {}
  T operator()(T a, T b) const {
    T result = xor_sign ? pick<T, Maximum>(std::fabs(a), std::fabs(b)) : pick<T, Maximum>(a, b);
    if (xor_sign)
      result = std::bit_cast<T>(std::bit_cast<Bits<T>>(result) |
                                ((std::bit_cast<Bits<T>>(a) ^ std::bit_cast<Bits<T>>(b)) & kSignBit<T>));
    return nan && (a != a || b != b) ? std::numeric_limits<T>::quiet_NaN() : result;
  }
};

// The operation alone. Core takes one to three values of type T.
template <typename T, typename Core, typename Arguments = ArgumentsOf<Core>>
struct Plain;
template <typename T, typename Core, typename... A>
struct Plain<T, Core, TypeList<A...>> {
  T operator()(A... in) const { return settle_nan(Core{}(in...), in...); }
};

// The effect of an operand's -x and |x| and the instruction's .ftz on an input.
template <typename T>
class Input {
 public:
  Input(const Operand& operand, bool flush_to_zero)
      : keep_(operand.absolute ? ~kSignBit<T> : ~Bits<T>{0}),
        flip_(operand.negate ? kSignBit<T> : 0),
        threshold_(flush_to_zero ? std::numeric_limits<T>::min() : T{0}) {}
  T operator()(T x) const { return flush(std::bit_cast<T>((std::bit_cast<Bits<T>>(x) & keep_) ^ flip_)); }
  // Subnormal numbers become zeros of their sign.
  T flush(T x) const {
    return std::fabs(x) < threshold_ ? std::bit_cast<T>(std::bit_cast<Bits<T>>(x) & kSignBit<T>) : x;
  }

 private:
  Bits<T> keep_, flip_;
  T threshold_;
};

// The operation with all of PTX's options.
template <typename T, typename Core, typename Arguments = ArgumentsOf<Core>>
class General;
template <typename T, typename Core, typename... A>
class General<T, Core, TypeList<A...>> {
 public:
  explicit General(const MicroOp& op)
      : core_(make_function<Core>(op)),
        inputs_{{op.sources[0], op.flush_to_zero},
                {op.sources[1], op.flush_to_zero},
                {op.sources[2], op.flush_to_zero}},
        saturate_(op.saturate) {}
  T operator()(A... in) const {
    std::size_t i = 0;
    ((in = inputs_[i++](in)), ...);
    return finish(settle_nan(core_(in...), in...));
  }

 private:
  // Saturation maps a NaN and -0 to +0.
  T finish(T result) const {
    result = inputs_[0].flush(result);
    const T clamped = result > T{0} ? (result < T{1} ? result : T{1}) : T{0};
    return saturate_ ? clamped : result;
  }
  Core core_;
  Input<T> inputs_[3];
  bool saturate_;
};

inline bool plain_float(const MicroOp& op) {
  bool modified = op.flush_to_zero || op.saturate || op.mode != 0;
  for (unsigned i = 0; i < op.source_count; ++i)
    modified |= op.sources[i].bank != Bank::Predicate && (op.sources[i].negate || op.sources[i].absolute);
  return !modified;
}
inline bool directed_rounding(const MicroOp& op) {
  return op.rounding == Rounding::Zero || op.rounding == Rounding::MinusInfinity ||
         op.rounding == Rounding::PlusInfinity;
}

}  // namespace duet::ptx::DUET_LANES
