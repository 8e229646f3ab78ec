// Arithmetic against the host's, in its four rounding modes, and the short cuts against the exact way.
#include "rv64/floating_point.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <random>

namespace duet::rv64::floating_point {
namespace {

constexpr int kRounds = 200000;

// Bits with many of the kinds at which arithmetic goes wrong.
template <Format F>
typename F::Bits random_bits(std::mt19937_64& generator) {
  using L = Layout<F>;
  const auto below = [&](std::uint64_t limit) { return static_cast<unsigned>(generator() % limit); };
  typename F::Bits fraction = static_cast<typename F::Bits>(generator());
  if (below(3) == 0) fraction = below(2) == 0 ? 0 : ~typename F::Bits{0};
  if (below(3) == 0) fraction &= ~typename F::Bits{0} << below(F::kFractionBits);
  fraction &= (L::kOne << F::kFractionBits) - 1;
  unsigned exponent = L::kMaximumExponent / 2 - 4 + below(9);
  const unsigned kind = below(8);
  if (kind == 0) exponent = below(L::kMaximumExponent + 1);
  if (kind == 1) exponent = below(3);
  if (kind == 2) exponent = L::kMaximumExponent - below(3);
  return (static_cast<typename F::Bits>(exponent) << F::kFractionBits) | fraction |
         (below(2) != 0 ? L::kSign : 0);
}

struct Mode {
  Rounding rounding;
  int host;
};
constexpr Mode kModes[] = {{Rounding::NearestEven, FE_TONEAREST},
                           {Rounding::TowardZero, FE_TOWARDZERO},
                           {Rounding::Down, FE_DOWNWARD},
                           {Rounding::Up, FE_UPWARD}};

std::uint8_t host_flags() {
  const int raised = std::fetestexcept(FE_ALL_EXCEPT);
  return static_cast<std::uint8_t>(
      (raised & FE_INEXACT ? kInexact : 0) | (raised & FE_UNDERFLOW ? kUnderflow : 0) |
      (raised & FE_OVERFLOW ? kOverflow : 0) | (raised & FE_DIVBYZERO ? kDivideByZero : 0) |
      (raised & FE_INVALID ? kInvalid : 0));
}

// One operation of the host, with its flags.
template <typename Operation>
auto on_host(int rounding, std::uint8_t& flags, Operation operation) {
  std::fesetround(rounding);
  std::feclearexcept(FE_ALL_EXCEPT);
  auto result = operation();
  flags = host_flags();
  std::fesetround(FE_TONEAREST);
  return result;
}

template <Format F>
void expect_same(typename F::Bits ours, std::uint8_t our_flags, typename F::Host theirs,
                 std::uint8_t their_flags, const char* what, typename F::Bits a, typename F::Bits b,
                 typename F::Bits c) {
  using L = Layout<F>;
  const typename F::Bits expected = L::is_nan(L::bits(theirs)) ? L::kCanonicalNan : L::bits(theirs);
  ASSERT_EQ(ours, expected) << what << std::hex << " a " << a << " b " << b << " c " << c;
  ASSERT_EQ(our_flags, their_flags) << what << std::hex << " a " << a << " b " << b << " c " << c;
}

template <Format F>
void compare_with_host() {
  using L = Layout<F>;
  using Host = typename F::Host;
  std::mt19937_64 generator(F::kFractionBits);
  for (int i = 0; i < kRounds; ++i) {
    const auto a = random_bits<F>(generator), b = random_bits<F>(generator), c = random_bits<F>(generator);
    const Mode mode = kModes[i % 4];
    volatile Host x = L::host(a), y = L::host(b);
    std::uint8_t flags = 0, expected = 0;
    const auto check = [&](const char* what, typename F::Bits ours, Host theirs) {
      expect_same<F>(ours, flags, theirs, expected, what, a, b, c);
      flags = 0;
    };
    Host host = on_host(mode.host, expected, [&] {
      volatile Host r = x + y;
      return Host(r);
    });
    check("add", exact::add<F>(a, b, mode.rounding, flags), host);
    host = on_host(mode.host, expected, [&] {
      volatile Host r = x * y;
      return Host(r);
    });
    check("multiply", exact::multiply<F>(a, b, mode.rounding, flags), host);
    host = on_host(mode.host, expected, [&] {
      volatile Host r = x / y;
      return Host(r);
    });
    check("divide", exact::divide<F>(a, b, mode.rounding, flags), host);
    host = on_host(mode.host, expected, [&] {
      volatile Host r = std::sqrt(Host(x));
      return Host(r);
    });
    check("square root", exact::square_root<F>(a, mode.rounding, flags), host);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(RvFloatingPoint, DoublesAgreeWithTheHost) { compare_with_host<Double>(); }
TEST(RvFloatingPoint, SinglesAgreeWithTheHost) { compare_with_host<Single>(); }

// std::fma of glibc is right in every mode where the processor has the instruction.
template <Format F>
void compare_fused() {
  using L = Layout<F>;
  using Host = typename F::Host;
  std::mt19937_64 generator(7 + F::kFractionBits);
  for (int i = 0; i < kRounds; ++i) {
    const auto a = random_bits<F>(generator), b = random_bits<F>(generator), c = random_bits<F>(generator);
    if (L::is_nan(c) && !L::is_signaling(c)) continue;  // RISC-V flags infinity times zero there too
    const Mode mode = kModes[i % 4];
    volatile Host x = L::host(a), y = L::host(b), z = L::host(c);
    std::uint8_t flags = 0, expected = 0;
    const Host host = on_host(mode.host, expected, [&] {
      volatile Host r = std::fma(Host(x), Host(y), Host(z));
      return Host(r);
    });
    const auto ours = exact::fused_multiply_add<F>(a, b, c, mode.rounding, flags);
    expect_same<F>(ours, flags, host, expected, "fused", a, b, c);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(RvFloatingPoint, FusedDoublesAgreeWithTheHost) {
  if (!__builtin_cpu_supports("fma")) GTEST_SKIP();
  compare_fused<Double>();
}
TEST(RvFloatingPoint, FusedSinglesAgreeWithTheHost) {
  if (!__builtin_cpu_supports("fma")) GTEST_SKIP();
  compare_fused<Single>();
}

template <Format F>
void compare_short_cuts() {
  std::mt19937_64 generator(99 + F::kFractionBits);
  for (int i = 0; i < kRounds; ++i) {
    const auto a = random_bits<F>(generator), b = random_bits<F>(generator), c = random_bits<F>(generator);
    for (const std::uint8_t before : {std::uint8_t{0}, kInexact}) {
      const auto check = [&](const char* what, auto quick, auto slow) {
        std::uint8_t quick_flags = before, slow_flags = before;
        const auto got = quick(quick_flags);
        const auto expected = slow(slow_flags);
        ASSERT_EQ(got, expected) << what << std::hex << " a " << a << " b " << b << " c " << c;
        ASSERT_EQ(quick_flags, slow_flags) << what << std::hex << " a " << a << " b " << b << " c " << c;
      };
      constexpr Rounding kMode = Rounding::NearestEven;
      check(
          "add", [&](auto& f) { return add<F>(a, b, kMode, f); },
          [&](auto& f) { return exact::add<F>(a, b, kMode, f); });
      check(
          "multiply", [&](auto& f) { return multiply<F>(a, b, kMode, f); },
          [&](auto& f) { return exact::multiply<F>(a, b, kMode, f); });
      check(
          "divide", [&](auto& f) { return divide<F>(a, b, kMode, f); },
          [&](auto& f) { return exact::divide<F>(a, b, kMode, f); });
      check(
          "square root", [&](auto& f) { return square_root<F>(a, kMode, f); },
          [&](auto& f) { return exact::square_root<F>(a, kMode, f); });
      check(
          "fused", [&](auto& f) { return fused_multiply_add<F>(a, b, c, kMode, f); },
          [&](auto& f) { return exact::fused_multiply_add<F>(a, b, c, kMode, f); });
      for (const Rounding mode : {kMode, Rounding::TowardZero}) {
        check(
            "to int32", [&](auto& f) { return to_integer<F, std::int32_t>(a, mode, f); },
            [&](auto& f) { return exact::to_integer<F, std::int32_t>(a, mode, f); });
        check(
            "to uint32", [&](auto& f) { return to_integer<F, std::uint32_t>(a, mode, f); },
            [&](auto& f) { return exact::to_integer<F, std::uint32_t>(a, mode, f); });
        check(
            "to int64", [&](auto& f) { return to_integer<F, std::int64_t>(a, mode, f); },
            [&](auto& f) { return exact::to_integer<F, std::int64_t>(a, mode, f); });
        check(
            "to uint64", [&](auto& f) { return to_integer<F, std::uint64_t>(a, mode, f); },
            [&](auto& f) { return exact::to_integer<F, std::uint64_t>(a, mode, f); });
      }
      const std::uint64_t bits = generator() >> (generator() % 64);
      check(
          "from int64", [&](auto& f) { return from_integer<F>(static_cast<std::int64_t>(bits), kMode, f); },
          [&](auto& f) { return exact::from_integer<F>(static_cast<std::int64_t>(bits), kMode, f); });
      check(
          "from uint64", [&](auto& f) { return from_integer<F>(bits, kMode, f); },
          [&](auto& f) { return exact::from_integer<F>(bits, kMode, f); });
    }
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(RvFloatingPoint, ShortCutsOfDoublesAreExact) { compare_short_cuts<Double>(); }
TEST(RvFloatingPoint, ShortCutsOfSinglesAreExact) { compare_short_cuts<Single>(); }

TEST(RvFloatingPoint, TiesAwayFromZero) {
  std::uint8_t flags = 0;
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  EXPECT_EQ((to_integer<Double, std::int32_t>(bits(2.5), Rounding::NearestMaximum, flags)), 3);
  EXPECT_EQ((to_integer<Double, std::int32_t>(bits(2.5), Rounding::NearestEven, flags)), 2);
  EXPECT_EQ((to_integer<Double, std::int32_t>(bits(-2.5), Rounding::NearestMaximum, flags)), -3);
  EXPECT_EQ(flags, kInexact);
  flags = 0;
  const double half_ulp = 0x1p-53;
  EXPECT_EQ(add<Double>(bits(1), bits(half_ulp), Rounding::NearestMaximum, flags), bits(1 + 0x1p-52));
  EXPECT_EQ(add<Double>(bits(1), bits(half_ulp), Rounding::NearestEven, flags), bits(1));
}

}  // namespace
}  // namespace duet::rv64::floating_point
