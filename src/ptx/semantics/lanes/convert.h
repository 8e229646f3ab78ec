// The common part of the conversions. Source: PTX ISA 9.0, section 9.7.9.21 (cvt).
#pragma once

#include "ptx/semantics/lanes/half.h"

namespace duet::ptx::DUET_LANES {

// All integer types of cvt.
template <typename F>
inline Handlers for_convertible_integer(Type type, F f) {
  switch (type) {
    case Type::U8:
    case Type::B8:
      return f.template operator()<std::uint8_t>();
    case Type::S8:
      return f.template operator()<std::int8_t>();
    default:
      return for_integer_type(type, f);
  }
}

template <typename T>
inline T to_arithmetic(T value) {
  return value;
}
inline float to_arithmetic(Half value) { return to_float(value); }
inline float to_arithmetic(BFloat value) { return to_float(value); }
template <typename T>
using Arithmetic = decltype(to_arithmetic(T{}));

// cvt flushes subnormal single-precision inputs and results only.
template <typename T>
inline bool flushes(const MicroOp& op) {
  return op.flush_to_zero && std::is_same_v<T, float>;
}

template <typename T>
inline T round_to_integral(T value, Rounding rounding) {
  switch (rounding) {
    case Rounding::IntegerNearestEven:
      return std::nearbyint(value);
    case Rounding::IntegerMinusInfinity:
      return std::floor(value);
    case Rounding::IntegerPlusInfinity:
      return std::ceil(value);
    case Rounding::IntegerZero:
      return std::trunc(value);
    default:
      return value;
  }
}

}  // namespace duet::ptx::DUET_LANES
