// IEEE 754-2008 arithmetic on raw bits, as RISC-V wants it: five rounding modes, five exception flags,
// tininess detected after rounding, one canonical NaN. Source: The RISC-V Instruction Set Manual, volume I,
// version 20191213, chapters 11 and 12.
//
// Each operation is exact in integers (floating_point.cpp), with any setting of the host's processor. The
// commonest case has a short cut: rounding to nearest even, a normal result, and inexactness either accrued
// already, or known from the error of the host's own operation. The host's result is then the right one
// (TwoSum and the residuals of division and square root: Muller et al., Handbook of Floating-Point
// Arithmetic, chapters 4 and 5). Needs a compiler with two roundings for a * b + c, and x86's SSE or better.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "rv64/instruction.h"

namespace duet::rv64::floating_point {

// Accrued exceptions, as in fflags.
inline constexpr std::uint8_t kInexact = 1, kUnderflow = 2, kOverflow = 4, kDivideByZero = 8, kInvalid = 16;

// A format; Bits is its type in registers and memory.
struct Single {
  using Bits = std::uint32_t;
  using Host = float;
  static constexpr unsigned kFractionBits = 23, kExponentBits = 8;
};
struct Double {
  using Bits = std::uint64_t;
  using Host = double;
  static constexpr unsigned kFractionBits = 52, kExponentBits = 11;
};
template <typename F>
concept Format = std::same_as<F, Single> || std::same_as<F, Double>;

template <Format F>
struct Layout {
  using Bits = typename F::Bits;
  static constexpr Bits kOne = 1;
  static constexpr Bits kSign = kOne << (F::kFractionBits + F::kExponentBits);
  static constexpr Bits kInfinity = kSign - (kOne << F::kFractionBits);
  static constexpr Bits kCanonicalNan = kInfinity | kOne << (F::kFractionBits - 1);
  static constexpr unsigned kMaximumExponent = (1u << F::kExponentBits) - 1;  // of infinities and NaNs

  static constexpr unsigned exponent(Bits a) { return a >> F::kFractionBits & kMaximumExponent; }
  static constexpr bool is_nan(Bits a) { return (a & ~kSign) > kInfinity; }
  static constexpr bool is_signaling(Bits a) { return is_nan(a) && (a >> (F::kFractionBits - 1) & 1) == 0; }
  static typename F::Host host(Bits a) { return std::bit_cast<typename F::Host>(a); }
  static Bits bits(typename F::Host a) { return std::bit_cast<Bits>(a); }
};

// In integers. `rounding` is not Dynamic; flags are added to `flags`.
namespace exact {
template <Format F>
typename F::Bits add(typename F::Bits a, typename F::Bits b, Rounding rounding, std::uint8_t& flags);
template <Format F>
typename F::Bits multiply(typename F::Bits a, typename F::Bits b, Rounding rounding, std::uint8_t& flags);
template <Format F>
typename F::Bits divide(typename F::Bits a, typename F::Bits b, Rounding rounding, std::uint8_t& flags);
template <Format F>
typename F::Bits square_root(typename F::Bits a, Rounding rounding, std::uint8_t& flags);
// a * b + c, rounded once.
template <Format F>
typename F::Bits fused_multiply_add(typename F::Bits a, typename F::Bits b, typename F::Bits c,
                                    Rounding rounding, std::uint8_t& flags);
// To and from std::int32_t, std::uint32_t, std::int64_t, std::uint64_t.
template <Format F, std::integral Integer>
Integer to_integer(typename F::Bits a, Rounding rounding, std::uint8_t& flags);
template <Format F, std::integral Integer>
typename F::Bits from_integer(Integer a, Rounding rounding, std::uint8_t& flags);
}  // namespace exact

Double::Bits widen(Single::Bits a, std::uint8_t& flags);
Single::Bits narrow(Double::Bits a, Rounding rounding, std::uint8_t& flags);

// Whether the host's result is normal, larger than the smallest such number and not one of the largest:
// neither underflow nor overflow can have been near.
template <Format F>
bool is_ordinary(typename F::Bits result) {
  return Layout<F>::exponent(result) - 2 < Layout<F>::kMaximumExponent - 4;
}
// Also so large that its operation's residual is a normal number.
template <Format F>
bool has_residual(typename F::Bits result) {
  return Layout<F>::exponent(result) - 2 * (F::kFractionBits + 2) <
         Layout<F>::kMaximumExponent - 2 * (F::kFractionBits + 2) - 4;
}

template <Format F>
typename F::Bits add(typename F::Bits a, typename F::Bits b, Rounding rounding, std::uint8_t& flags) {
  using L = Layout<F>;
  if (rounding == Rounding::NearestEven) [[likely]] {
    const auto x = L::host(a), y = L::host(b);
    const auto sum = x + y;
    if (is_ordinary<F>(L::bits(sum))) [[likely]] {
      if ((flags & kInexact) == 0) {
        const auto y_part = sum - x;
        const auto error = (x - (sum - y_part)) + (y - y_part);
        if (error != 0) flags |= kInexact;
      }
      return L::bits(sum);
    }
  }
  return exact::add<F>(a, b, rounding, flags);
}

template <Format F>
typename F::Bits subtract(typename F::Bits a, typename F::Bits b, Rounding rounding, std::uint8_t& flags) {
  using L = Layout<F>;
  // The sign of a NaN is not looked at.
  return add<F>(a, b ^ L::kSign, rounding, flags);
}

template <Format F>
typename F::Bits multiply(typename F::Bits a, typename F::Bits b, Rounding rounding, std::uint8_t& flags) {
  using L = Layout<F>;
  if (rounding == Rounding::NearestEven) [[likely]] {
    const auto product = L::host(a) * L::host(b);
    if ((flags & kInexact) != 0) {
      if (is_ordinary<F>(L::bits(product))) [[likely]]
        return L::bits(product);
    } else if (has_residual<F>(L::bits(product))) {
      if (std::fma(L::host(a), L::host(b), -product) != 0) flags |= kInexact;
      return L::bits(product);
    }
  }
  return exact::multiply<F>(a, b, rounding, flags);
}

template <Format F>
typename F::Bits divide(typename F::Bits a, typename F::Bits b, Rounding rounding, std::uint8_t& flags) {
  using L = Layout<F>;
  if (rounding == Rounding::NearestEven) [[likely]] {
    const auto quotient = L::host(a) / L::host(b);
    if (is_ordinary<F>(L::bits(quotient))) [[likely]] {
      if ((flags & kInexact) != 0) return L::bits(quotient);
      if (has_residual<F>(a)) {
        if (std::fma(quotient, L::host(b), -L::host(a)) != 0) flags |= kInexact;
        return L::bits(quotient);
      }
    }
  }
  return exact::divide<F>(a, b, rounding, flags);
}

template <Format F>
typename F::Bits square_root(typename F::Bits a, Rounding rounding, std::uint8_t& flags) {
  using L = Layout<F>;
  if (rounding == Rounding::NearestEven && (a & L::kSign) == 0 && has_residual<F>(a)) [[likely]] {
    const auto root = std::sqrt(L::host(a));
    if ((flags & kInexact) == 0 && std::fma(root, root, -L::host(a)) != 0) flags |= kInexact;
    return L::bits(root);
  }
  return exact::square_root<F>(a, rounding, flags);
}

template <Format F>
typename F::Bits fused_multiply_add(typename F::Bits a, typename F::Bits b, typename F::Bits c,
                                    Rounding rounding, std::uint8_t& flags) {
  using L = Layout<F>;
  if (rounding == Rounding::NearestEven && (flags & kInexact) != 0) [[likely]] {
    const auto result = std::fma(L::host(a), L::host(b), L::host(c));
    if (is_ordinary<F>(L::bits(result))) [[likely]]
      return L::bits(result);
  }
  return exact::fused_multiply_add<F>(a, b, c, rounding, flags);
}

template <Format F, std::integral Integer>
Integer to_integer(typename F::Bits a, Rounding rounding, std::uint8_t& flags) {
  using L = Layout<F>;
  if (rounding == Rounding::TowardZero) [[likely]] {
    constexpr typename F::Host kLimit = 1ull << (std::is_signed_v<Integer> ? 8 * sizeof(Integer) - 1 : 31);
    const auto value = L::host(a);
    const bool fits =
        std::is_signed_v<Integer> ? value < kLimit && value > -kLimit : value >= 0 && value < kLimit;
    if (fits) [[likely]] {
      const Integer result = static_cast<Integer>(value);
      if (static_cast<typename F::Host>(result) != value) flags |= kInexact;
      return result;
    }
  }
  return exact::to_integer<F, Integer>(a, rounding, flags);
}

template <Format F, std::integral Integer>
typename F::Bits from_integer(Integer a, Rounding rounding, std::uint8_t& flags) {
  using L = Layout<F>;
  constexpr std::int64_t kExact = std::int64_t{1} << F::kFractionBits;
  const std::int64_t value = static_cast<std::int64_t>(a);
  if (a == 0 || (value >= -kExact && value <= kExact && (value < 0) == (a < 0))) [[likely]]
    return L::bits(static_cast<typename F::Host>(value));
  return exact::from_integer<F, Integer>(a, rounding, flags);
}

// Comparisons. equal is quiet; the other two signal for every NaN.
template <Format F>
bool equal(typename F::Bits a, typename F::Bits b, std::uint8_t& flags) {
  using L = Layout<F>;
  if (L::is_signaling(a) || L::is_signaling(b)) flags |= kInvalid;
  return L::host(a) == L::host(b);
}
template <Format F>
bool less(typename F::Bits a, typename F::Bits b, std::uint8_t& flags) {
  using L = Layout<F>;
  if (L::is_nan(a) || L::is_nan(b)) [[unlikely]] {
    flags |= kInvalid;
    return false;
  }
  return L::host(a) < L::host(b);
}
template <Format F>
bool less_equal(typename F::Bits a, typename F::Bits b, std::uint8_t& flags) {
  using L = Layout<F>;
  if (L::is_nan(a) || L::is_nan(b)) [[unlikely]] {
    flags |= kInvalid;
    return false;
  }
  return L::host(a) <= L::host(b);
}

// minimumNumber and maximumNumber of IEEE 754-201x: -0 is less than +0, one NaN is passed over.
template <Format F, bool kMaximum>
typename F::Bits extremum(typename F::Bits a, typename F::Bits b, std::uint8_t& flags) {
  using L = Layout<F>;
  if (L::is_signaling(a) || L::is_signaling(b)) flags |= kInvalid;
  if (L::is_nan(a)) return L::is_nan(b) ? L::kCanonicalNan : b;
  if (L::is_nan(b)) return a;
  const bool a_is_less = L::host(a) == L::host(b) ? (a & L::kSign) > (b & L::kSign) : L::host(a) < L::host(b);
  return a_is_less != kMaximum ? a : b;
}

// The mask of fclass: bit 0 -infinity, negative normal, subnormal, -0, +0, positive subnormal, normal,
// +infinity, signaling NaN, bit 9 quiet NaN.
template <Format F>
std::uint64_t classify(typename F::Bits a) {
  using L = Layout<F>;
  if (L::is_nan(a)) return L::is_signaling(a) ? 1 << 8 : 1 << 9;
  const auto magnitude = a & ~L::kSign;
  const unsigned size = magnitude == L::kInfinity ? 3 : L::exponent(a) != 0 ? 2 : magnitude != 0 ? 1 : 0;
  return (a & L::kSign) != 0 ? 1 << (3 - size) : 1 << (4 + size);
}

}  // namespace duet::rv64::floating_point
