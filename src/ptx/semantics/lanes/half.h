// The 16-bit floating-point formats, and rounding of exact values to any binary format. PTX's canonical NaN
// of both 16-bit formats is 0x7fff. Source: PTX ISA 9.0, sections 5.2.3 and 9.7.4; IEEE 754-2019.
#pragma once

#include "ptx/semantics/lanes/float_operations.h"

namespace duet::ptx::DUET_LANES {

template <typename T>
struct Format;
template <>
struct Format<Half> {
  static constexpr unsigned kExponentBits = 5, kMantissaBits = 10;
};
template <>
struct Format<BFloat> {
  static constexpr unsigned kExponentBits = 8, kMantissaBits = 7;
};
template <>
struct Format<float> {
  static constexpr unsigned kExponentBits = 8, kMantissaBits = 23;
};
template <>
struct Format<double> {
  static constexpr unsigned kExponentBits = 11, kMantissaBits = 52;
};

// The encoding of significand * 2^exponent (significand not 0), rounded.
template <unsigned ExponentBits, unsigned MantissaBits>
inline std::uint64_t round_to_format(bool negative, std::uint64_t significand, int exponent,
                                     Rounding rounding) {
  constexpr int kBias = (1 << (ExponentBits - 1)) - 1, kMinimum = 1 - kBias;
  constexpr std::uint64_t kInfinity = ((std::uint64_t{1} << ExponentBits) - 1) << MantissaBits;
  const int top = 63 - std::countl_zero(significand) + exponent;  // the value lies in [2^top, 2^(top+1))
  const bool normal = top >= kMinimum;
  const int last_place = (normal ? top : kMinimum) - static_cast<int>(MantissaBits);
  const int dropped = last_place - exponent;
  std::uint64_t kept = 0;
  bool half = false, sticky = false;
  if (dropped <= 0) {
    kept = significand << -dropped;
  } else if (dropped > 64) {
    sticky = true;
  } else {
    kept = dropped == 64 ? 0 : significand >> dropped;
    const std::uint64_t half_bit = std::uint64_t{1} << (dropped - 1);
    half = significand & half_bit;
    sticky = significand & (half_bit - 1);
  }
  bool up = false;  // in magnitude
  bool to_infinity = true;
  switch (rounding) {
    case Rounding::Zero:
      to_infinity = false;
      break;
    case Rounding::MinusInfinity:
      up = negative && (half || sticky);
      to_infinity = negative;
      break;
    case Rounding::PlusInfinity:
      up = !negative && (half || sticky);
      to_infinity = !negative;
      break;
    case Rounding::NearestAway:
      up = half;
      break;
    default:
      up = half && (sticky || (kept & 1));
      break;
  }
  kept += up;
  // A carry out of the significand lands in the exponent.
  std::uint64_t bits = normal ? (static_cast<std::uint64_t>(top - kMinimum) << MantissaBits) + kept : kept;
  if (top > kBias || bits >= kInfinity) bits = to_infinity ? kInfinity : kInfinity - 1;
  return bits | std::uint64_t{negative} << (ExponentBits + MantissaBits);
}

// A double, rounded to the format of T; NaN becomes the canonical one.
template <typename T>
inline std::uint64_t encode(double value, Rounding rounding) {
  constexpr unsigned kExponentBits = Format<T>::kExponentBits, kMantissaBits = Format<T>::kMantissaBits;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t sign = (bits >> 63) << (kExponentBits + kMantissaBits);
  const int exponent = static_cast<int>((bits >> 52) & 0x7ff);
  const std::uint64_t mantissa = bits & 0xfffffffffffffull;
  if (exponent == 0x7ff) {
    if (mantissa != 0) return (std::uint64_t{1} << (kExponentBits + kMantissaBits)) - 1;
    return sign | ((std::uint64_t{1} << kExponentBits) - 1) << kMantissaBits;
  }
  if (exponent == 0 && mantissa == 0) return sign;
  const std::uint64_t significand = exponent == 0 ? mantissa : mantissa | 0x10000000000000ull;
  return round_to_format<kExponentBits, kMantissaBits>(bits >> 63, significand,
                                                       (exponent == 0 ? 1 : exponent) - 1075, rounding);
}
template <typename H>
inline H to_half(double value, Rounding rounding = Rounding::NearestEven) {
  return H{static_cast<std::uint16_t>(encode<H>(value, rounding))};
}

inline float to_float(Half half) {
  const std::uint32_t magnitude = half.bits & 0x7fffu, sign = std::uint32_t{half.bits & 0x8000u} << 16;
  // Scaling by 2^112 rebiases the exponent and normalizes subnormal numbers.
  const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  const std::uint32_t bits =
      magnitude >= 0x7c00u ? (magnitude << 13) | 0x7f800000u : std::bit_cast<std::uint32_t>(scaled);
  return std::bit_cast<float>(bits | sign);
}
inline float to_float(BFloat half) { return std::bit_cast<float>(std::uint32_t{half.bits} << 16); }

template <typename H>
class HalfInput {
 public:
  HalfInput(const Operand& operand, bool flush_to_zero)
      : keep_(operand.absolute ? 0x7fff : 0xffff),
        flip_(operand.negate ? 0x8000 : 0),
        flush_(flush_to_zero) {}
  H operator()(H x) const { return flush(H{static_cast<std::uint16_t>((x.bits & keep_) ^ flip_)}); }
  H flush(H x) const {
    const bool subnormal = (x.bits & 0x7fff) >> Format<H>::kMantissaBits == 0;
    return flush_ && subnormal ? H{static_cast<std::uint16_t>(x.bits & 0x8000)} : x;
  }

 private:
  std::uint16_t keep_, flip_;
  bool flush_;
};

}  // namespace duet::ptx::DUET_LANES
