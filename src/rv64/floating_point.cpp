// A finite number is significand * 2^(exponent - 63), its significand's highest bit set; further bits are
// joined into the lowest one ("sticky"): every rounding stays right while two more bits than the format's lie
// above it.
#include "rv64/floating_point.h"

namespace duet::rv64::floating_point {
namespace {

using Wide = unsigned __int128;

struct Number {
  bool negative = false;
  int exponent = 0;               // of the highest bit of the significand
  std::uint64_t significand = 0;  // 0 for zero
};

template <Format F>
constexpr int kBias = static_cast<int>(Layout<F>::kMaximumExponent) / 2;

// Neither infinity nor NaN.
template <Format F>
Number unpack(typename F::Bits a) {
  using L = Layout<F>;
  Number number{(a & L::kSign) != 0, 0, 0};
  std::uint64_t fraction = a & ((L::kOne << F::kFractionBits) - 1);
  unsigned exponent = L::exponent(a);
  if (exponent == 0) {
    if (fraction == 0) return number;
    exponent = 1;
  } else {
    fraction |= std::uint64_t{1} << F::kFractionBits;
  }
  const int shift = std::countl_zero(fraction);
  number.significand = fraction << shift;
  number.exponent = static_cast<int>(exponent) - kBias<F> + (63 - static_cast<int>(F::kFractionBits)) - shift;
  return number;
}

template <typename Word>
Word shifted_right_sticky(Word value, unsigned distance) {
  constexpr unsigned kBits = 8 * sizeof(Word);
  if (distance == 0) return value;
  if (distance >= kBits) return value != 0;
  return value >> distance | ((value << (kBits - distance)) != 0);
}

// Whether a number, `kept` with `rest` of `half` * 2 cut off, is rounded away from zero.
bool rounds_away(bool negative, std::uint64_t kept, std::uint64_t rest, std::uint64_t half,
                 Rounding rounding) {
  switch (rounding) {
    case Rounding::NearestEven:
      return rest > half || (rest == half && (kept & 1) != 0);
    case Rounding::Down:
      return negative && rest != 0;
    case Rounding::Up:
      return !negative && rest != 0;
    case Rounding::NearestMaximum:
      return rest >= half;
    default:
      return false;
  }
}

template <Format F>
typename F::Bits overflow(bool negative, Rounding rounding, std::uint8_t& flags) {
  using L = Layout<F>;
  flags |= kOverflow | kInexact;
  const bool to_infinity = rounding == Rounding::NearestEven || rounding == Rounding::NearestMaximum ||
                           rounding == (negative ? Rounding::Down : Rounding::Up);
  return (to_infinity ? L::kInfinity : L::kInfinity - 1) | (negative ? L::kSign : 0);
}

// A number with a significand other than zero, rounded to the format.
template <Format F>
typename F::Bits pack(Number number, Rounding rounding, std::uint8_t& flags) {
  using L = Layout<F>;
  constexpr unsigned kCut = 63 - F::kFractionBits;
  constexpr std::uint64_t kHalf = std::uint64_t{1} << (kCut - 1), kRest = 2 * kHalf - 1;
  constexpr int kMinimum = 1 - kBias<F>;
  std::uint64_t significand = number.significand;
  int exponent = number.exponent;
  const std::uint64_t unbounded = significand >> kCut;
  bool tiny = false;
  if (exponent < kMinimum) {
    const bool carries = rounds_away(number.negative, unbounded, significand & kRest, kHalf, rounding) &&
                         unbounded == (std::uint64_t{2} << F::kFractionBits) - 1;
    tiny = exponent < kMinimum - 1 || !carries;
    significand = shifted_right_sticky(significand, static_cast<unsigned>(kMinimum - exponent));
    exponent = kMinimum;
  }
  std::uint64_t kept = significand >> kCut;
  const std::uint64_t rest = significand & kRest;
  if (rest != 0) flags |= tiny ? kInexact | kUnderflow : kInexact;
  if (rounds_away(number.negative, kept, rest, kHalf, rounding)) ++kept;
  // The hidden bit adds one to the exponent; a carry out of the fraction one more.
  const std::uint64_t biased = static_cast<std::uint64_t>(exponent + kBias<F> - 1);
  const std::uint64_t magnitude = (biased << F::kFractionBits) + kept;
  if (magnitude >= L::kInfinity) {
    return overflow<F>(number.negative, rounding, flags);
  }
  return static_cast<typename F::Bits>(magnitude) | (number.negative ? L::kSign : 0);
}

// A sum of 128 bits whose unit is 2^(exponent - 127).
template <Format F>
typename F::Bits pack_wide(bool negative, int exponent, Wide sum, Rounding rounding, std::uint8_t& flags) {
  const std::uint64_t high = static_cast<std::uint64_t>(sum >> 64);
  const int shift =
      high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(static_cast<std::uint64_t>(sum));
  sum <<= shift;
  const std::uint64_t significand =
      static_cast<std::uint64_t>(sum >> 64) | (static_cast<std::uint64_t>(sum) != 0 ? 1 : 0);
  return pack<F>({negative, exponent - shift, significand}, rounding, flags);
}

// a + b of 126 bits and less; the exponents are of their bit 126.
template <Format F>
typename F::Bits add_wide(bool a_negative, int a_exponent, Wide a, bool b_negative, int b_exponent, Wide b,
                          Rounding rounding, std::uint8_t& flags) {
  const int exponent = b == 0 || (a != 0 && a_exponent > b_exponent) ? a_exponent : b_exponent;
  if (a != 0) a = shifted_right_sticky(a, static_cast<unsigned>(exponent - a_exponent));
  if (b != 0) b = shifted_right_sticky(b, static_cast<unsigned>(exponent - b_exponent));
  if (a_negative == b_negative) {
    if (a == 0 && b == 0) return a_negative ? Layout<F>::kSign : 0;
    return pack_wide<F>(a_negative, exponent + 1, a + b, rounding, flags);
  }
  if (a == b) return rounding == Rounding::Down ? Layout<F>::kSign : 0;
  return a > b ? pack_wide<F>(a_negative, exponent + 1, a - b, rounding, flags)
               : pack_wide<F>(b_negative, exponent + 1, b - a, rounding, flags);
}

template <Format F>
typename F::Bits nan_result(bool invalid, std::uint8_t& flags) {
  if (invalid) flags |= kInvalid;
  return Layout<F>::kCanonicalNan;
}

template <Format F>
bool is_infinite(typename F::Bits a) {
  return (a & ~Layout<F>::kSign) == Layout<F>::kInfinity;
}

template <Format F>
bool is_zero(typename F::Bits a) {
  return (a & ~Layout<F>::kSign) == 0;
}

// The integer part of the square root, and in the lowest bit whether something is left.
std::uint64_t square_root_sticky(Wide radicand) {
  std::uint64_t root = 0;
  Wide rest = 0;
  for (int digit = 63; digit >= 0; --digit) {
    rest = rest << 2 | (radicand >> (2 * digit) & 3);
    const Wide trial = static_cast<Wide>(root) << 2 | 1;
    root <<= 1;
    if (rest >= trial) {
      rest -= trial;
      root |= 1;
    }
  }
  return root | (rest != 0);
}

}  // namespace

namespace exact {

template <Format F>
typename F::Bits add(typename F::Bits a, typename F::Bits b, Rounding rounding, std::uint8_t& flags) {
  using L = Layout<F>;
  if (L::is_nan(a) || L::is_nan(b)) return nan_result<F>(L::is_signaling(a) || L::is_signaling(b), flags);
  if (is_infinite<F>(a)) return is_infinite<F>(b) && a != b ? nan_result<F>(true, flags) : a;
  if (is_infinite<F>(b)) return b;
  const Number x = unpack<F>(a), y = unpack<F>(b);
  return add_wide<F>(x.negative, x.exponent, static_cast<Wide>(x.significand) << 63, y.negative, y.exponent,
                     static_cast<Wide>(y.significand) << 63, rounding, flags);
}

template <Format F>
typename F::Bits multiply(typename F::Bits a, typename F::Bits b, Rounding rounding, std::uint8_t& flags) {
  using L = Layout<F>;
  if (L::is_nan(a) || L::is_nan(b)) return nan_result<F>(L::is_signaling(a) || L::is_signaling(b), flags);
  const typename F::Bits sign = (a ^ b) & L::kSign;
  const bool a_zero = is_zero<F>(a), b_zero = is_zero<F>(b);
  if (is_infinite<F>(a) || is_infinite<F>(b))
    return a_zero || b_zero ? nan_result<F>(true, flags) : sign | L::kInfinity;
  if (a_zero || b_zero) return sign;
  const Number x = unpack<F>(a), y = unpack<F>(b);
  return pack_wide<F>(sign != 0, x.exponent + y.exponent + 1,
                      static_cast<Wide>(x.significand) * y.significand, rounding, flags);
}

template <Format F>
typename F::Bits divide(typename F::Bits a, typename F::Bits b, Rounding rounding, std::uint8_t& flags) {
  using L = Layout<F>;
  if (L::is_nan(a) || L::is_nan(b)) return nan_result<F>(L::is_signaling(a) || L::is_signaling(b), flags);
  const typename F::Bits sign = (a ^ b) & L::kSign;
  const bool a_zero = is_zero<F>(a), b_zero = is_zero<F>(b);
  if (is_infinite<F>(a)) return is_infinite<F>(b) ? nan_result<F>(true, flags) : sign | L::kInfinity;
  if (is_infinite<F>(b)) return sign;
  if (b_zero) {
    if (a_zero) return nan_result<F>(true, flags);
    flags |= kDivideByZero;
    return sign | L::kInfinity;
  }
  if (a_zero) return sign;
  const Number x = unpack<F>(a), y = unpack<F>(b);
  const bool less = x.significand < y.significand;
  const Wide dividend = static_cast<Wide>(x.significand) << (less ? 64 : 63);
  const std::uint64_t quotient = static_cast<std::uint64_t>(dividend / y.significand);
  const bool inexact = dividend % y.significand != 0;
  return pack<F>({sign != 0, x.exponent - y.exponent - (less ? 1 : 0), quotient | inexact}, rounding, flags);
}

template <Format F>
typename F::Bits square_root(typename F::Bits a, Rounding rounding, std::uint8_t& flags) {
  using L = Layout<F>;
  if (L::is_nan(a)) return nan_result<F>(L::is_signaling(a), flags);
  if (is_zero<F>(a)) return a;
  if ((a & L::kSign) != 0) return nan_result<F>(true, flags);
  if (is_infinite<F>(a)) return a;
  const Number x = unpack<F>(a);
  const bool odd = (x.exponent & 1) != 0;
  const Wide radicand = static_cast<Wide>(x.significand) << (odd ? 64 : 63);
  return pack<F>({false, (x.exponent - (odd ? 1 : 0)) / 2, square_root_sticky(radicand)}, rounding, flags);
}

template <Format F>
typename F::Bits fused_multiply_add(typename F::Bits a, typename F::Bits b, typename F::Bits c,
                                    Rounding rounding, std::uint8_t& flags) {
  using L = Layout<F>;
  const bool a_zero = is_zero<F>(a), b_zero = is_zero<F>(b);
  const bool undefined = (is_infinite<F>(a) && b_zero) || (a_zero && is_infinite<F>(b));
  if (undefined || L::is_nan(a) || L::is_nan(b) || L::is_nan(c))
    return nan_result<F>(undefined || L::is_signaling(a) || L::is_signaling(b) || L::is_signaling(c), flags);
  const typename F::Bits sign = (a ^ b) & L::kSign;
  if (is_infinite<F>(a) || is_infinite<F>(b)) {
    const typename F::Bits product = sign | L::kInfinity;
    return is_infinite<F>(c) && c != product ? nan_result<F>(true, flags) : product;
  }
  if (is_infinite<F>(c)) return c;
  const Number x = unpack<F>(a), y = unpack<F>(b), z = unpack<F>(c);
  // The product's highest bit becomes 126 or 125.
  const Wide product = static_cast<Wide>(x.significand) * y.significand >> 1;
  return add_wide<F>(sign != 0, x.exponent + y.exponent + 1, product, z.negative, z.exponent,
                     static_cast<Wide>(z.significand) << 63, rounding, flags);
}

template <Format F, std::integral Integer>
Integer to_integer(typename F::Bits a, Rounding rounding, std::uint8_t& flags) {
  using L = Layout<F>;
  using Limits = std::numeric_limits<Integer>;
  const auto invalid = [&flags](bool negative) {
    flags |= kInvalid;
    return negative ? Limits::min() : Limits::max();
  };
  if (L::is_nan(a)) return invalid(false);
  const bool negative = (a & L::kSign) != 0;
  if (is_infinite<F>(a)) return invalid(negative);
  const Number x = unpack<F>(a);
  if (x.significand == 0) return 0;
  if (x.exponent > 63) return invalid(negative);
  // Integer part and the rest, as a fixed-point number of 64 and 64 bits.
  Wide fixed = static_cast<Wide>(x.significand) << 64;
  fixed = shifted_right_sticky(fixed, static_cast<unsigned>(63 - x.exponent));
  std::uint64_t integer = static_cast<std::uint64_t>(fixed >> 64);
  const std::uint64_t rest = static_cast<std::uint64_t>(fixed);
  if (rounds_away(negative, integer, rest, std::uint64_t{1} << 63, rounding)) {
    if (++integer == 0) return invalid(negative);
  }
  const std::uint64_t limit =
      negative ? 0 - static_cast<std::uint64_t>(static_cast<std::int64_t>(Limits::min())) : Limits::max();
  if (integer > limit) return invalid(negative);
  if (rest != 0) flags |= kInexact;
  return static_cast<Integer>(negative ? 0 - integer : integer);
}

template <Format F, std::integral Integer>
typename F::Bits from_integer(Integer a, Rounding rounding, std::uint8_t& flags) {
  if (a == 0) return 0;
  const bool negative = a < 0;
  const std::uint64_t value = static_cast<std::uint64_t>(
      static_cast<std::conditional_t<std::is_signed_v<Integer>, std::int64_t, std::uint64_t>>(a));
  const std::uint64_t magnitude = negative ? 0 - value : value;
  const int shift = std::countl_zero(magnitude);
  return pack<F>({negative, 63 - shift, magnitude << shift}, rounding, flags);
}

#define INSTANTIATE_INTEGER(F, Integer)                                      \
  template Integer to_integer<F, Integer>(F::Bits, Rounding, std::uint8_t&); \
  template F::Bits from_integer<F, Integer>(Integer, Rounding, std::uint8_t&);
#define INSTANTIATE(F)                                                                        \
  template F::Bits add<F>(F::Bits, F::Bits, Rounding, std::uint8_t&);                         \
  template F::Bits multiply<F>(F::Bits, F::Bits, Rounding, std::uint8_t&);                    \
  template F::Bits divide<F>(F::Bits, F::Bits, Rounding, std::uint8_t&);                      \
  template F::Bits square_root<F>(F::Bits, Rounding, std::uint8_t&);                          \
  template F::Bits fused_multiply_add<F>(F::Bits, F::Bits, F::Bits, Rounding, std::uint8_t&); \
  INSTANTIATE_INTEGER(F, std::int32_t)                                                        \
  INSTANTIATE_INTEGER(F, std::uint32_t)                                                       \
  INSTANTIATE_INTEGER(F, std::int64_t)                                                        \
  INSTANTIATE_INTEGER(F, std::uint64_t)
INSTANTIATE(Single)
INSTANTIATE(Double)
#undef INSTANTIATE
#undef INSTANTIATE_INTEGER

}  // namespace exact

Double::Bits widen(Single::Bits a, std::uint8_t& flags) {
  using S = Layout<Single>;
  if (S::is_nan(a)) return nan_result<Double>(S::is_signaling(a), flags);
  return Layout<Double>::bits(static_cast<double>(S::host(a)));
}

Single::Bits narrow(Double::Bits a, Rounding rounding, std::uint8_t& flags) {
  using D = Layout<Double>;
  using S = Layout<Single>;
  if (D::is_nan(a)) return nan_result<Single>(D::is_signaling(a), flags);
  const Single::Bits sign = (a & D::kSign) != 0 ? S::kSign : 0;
  if (is_infinite<Double>(a)) return sign | S::kInfinity;
  const Number x = unpack<Double>(a);
  return x.significand == 0 ? sign : pack<Single>(x, rounding, flags);
}

}  // namespace duet::rv64::floating_point
