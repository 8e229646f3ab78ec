// Do floating-point handlers agree with the host's operations in its four rounding modes, and with long
// double?
#include <cfenv>
#include <cmath>
#include <functional>

#include "lane_fixture.h"

namespace duet::ptx::test {
namespace {

int host_mode(Rounding rounding) {
  switch (rounding) {
    case Rounding::Zero:
      return FE_TOWARDZERO;
    case Rounding::MinusInfinity:
      return FE_DOWNWARD;
    case Rounding::PlusInfinity:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
  }
}

// The host's answer under a rounding mode; volatile keeps the operation between the changes of mode.
template <typename T>
T host(Rounding rounding, Opcode opcode, T a, T b, T c) {
  volatile T x = a, y = b, z = c;
  volatile T result = 0;
  std::fesetround(host_mode(rounding));
  switch (opcode) {
    case Opcode::Add:
      result = x + y;
      break;
    case Opcode::Sub:
      result = x - y;
      break;
    case Opcode::Mul:
      result = x * y;
      break;
    case Opcode::Div:
      result = x / y;
      break;
    case Opcode::Fma:
      result = std::fma(static_cast<T>(x), static_cast<T>(y), static_cast<T>(z));
      break;
    case Opcode::Sqrt:
      result = std::sqrt(static_cast<T>(x));
      break;
    default:
      result = 1 / x;
      break;
  }
  std::fesetround(FE_TONEAREST);
  return result;
}

constexpr Rounding kRoundings[] = {Rounding::NearestEven, Rounding::Zero, Rounding::MinusInfinity,
                                   Rounding::PlusInfinity};
constexpr std::pair<Opcode, unsigned> kOperations[] = {{Opcode::Add, 2}, {Opcode::Sub, 2}, {Opcode::Mul, 2},
                                                       {Opcode::Div, 2}, {Opcode::Fma, 3}, {Opcode::Sqrt, 1},
                                                       {Opcode::Rcp, 1}};

TEST(FloatSemantics, SinglePrecisionInEveryRounding) {
  Patterns patterns(1);
  for (const auto& [opcode, sources] : kOperations)
    for (const Rounding rounding : kRoundings)
      for (unsigned round = 0; round < 40; ++round)
        for (const bool version3 : {false, true}) {
          MicroOp op = operation(opcode, Type::F32, sources);
          op.rounding = rounding;
          TestWarp<32> warp;
          for (unsigned lane = 0; lane < 32; ++lane)
            for (const unsigned slot : {2, 4, 6}) warp.word(slot, lane) = patterns.word();
          execute(warp, op, 0xffffffffu, version3);
          for (unsigned lane = 0; lane < 32; ++lane) {
            const auto in = [&](unsigned slot) { return std::bit_cast<float>(warp.word(slot, lane)); };
            const float expected = host(rounding, opcode, in(2), in(4), in(6));
            const std::uint32_t bits =
                expected != expected ? 0x7fffffffu : std::bit_cast<std::uint32_t>(expected);
            ASSERT_EQ(warp.word(0, lane), bits)
                << std::hex << "opcode " << static_cast<int>(opcode) << " rounding "
                << static_cast<int>(rounding) << " a " << warp.word(2, lane) << " b " << warp.word(4, lane)
                << " c " << warp.word(6, lane);
          }
        }
}

TEST(FloatSemantics, DoublePrecisionInEveryRounding) {
  Patterns patterns(2);
  for (const auto& [opcode, sources] : kOperations)
    for (const Rounding rounding : kRoundings)
      for (unsigned round = 0; round < 40; ++round)
        for (const bool version3 : {false, true}) {
          MicroOp op = operation(opcode, Type::F64, sources);
          op.rounding = rounding;
          TestWarp<32> warp;
          for (unsigned lane = 0; lane < 32; ++lane)
            for (const unsigned slot : {2, 4, 6}) warp.wide(slot, lane) = patterns.wide();
          execute(warp, op, 0xffffffffu, version3);
          for (unsigned lane = 0; lane < 32; ++lane) {
            const auto in = [&](unsigned slot) { return std::bit_cast<double>(warp.wide(slot, lane)); };
            const double expected = host(rounding, opcode, in(2), in(4), in(6));
            const double got = std::bit_cast<double>(warp.wide(0, lane));
            if (expected != expected)
              ASSERT_TRUE(got != got);
            else
              ASSERT_EQ(warp.wide(0, lane), std::bit_cast<std::uint64_t>(expected))
                  << std::hex << "opcode " << static_cast<int>(opcode) << " rounding "
                  << static_cast<int>(rounding) << " a " << warp.wide(2, lane) << " b " << warp.wide(4, lane)
                  << " c " << warp.wide(6, lane);
          }
        }
}

TEST(FloatSemantics, HostRoundingModeIsRestored) {
  MicroOp op = operation(Opcode::Add, Type::F32, 2);
  op.rounding = Rounding::Zero;
  TestWarp<32> warp;
  execute(warp, op, 0xffffffffu, true);
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST(FloatSemantics, ApproximateFunctionsRoundLongDoubleResults) {
  const std::pair<Opcode, std::function<long double(long double)>> functions[] = {
      {Opcode::Sin, [](long double x) { return std::sin(x); }},
      {Opcode::Cos, [](long double x) { return std::cos(x); }},
      {Opcode::Lg2, [](long double x) { return std::log2(x); }},
      {Opcode::Ex2, [](long double x) { return std::exp2(x); }},
      {Opcode::Tanh, [](long double x) { return std::tanh(x); }},
      {Opcode::Rsqrt, [](long double x) { return 1 / std::sqrt(x); }}};
  std::mt19937 random(3);
  for (const auto& [opcode, function] : functions) {
    MicroOp op = operation(opcode, Type::F32, 1);
    op.approximate = true;
    for (unsigned round = 0; round < 20; ++round) {
      TestWarp<32> warp;
      for (unsigned lane = 0; lane < 32; ++lane)
        warp.word(2, lane) =
            std::bit_cast<std::uint32_t>(std::uniform_real_distribution<float>(-20, 20)(random));
      execute(warp, op, 0xffffffffu, true);
      for (unsigned lane = 0; lane < 32; ++lane) {
        const auto expected = static_cast<float>(function(std::bit_cast<float>(warp.word(2, lane))));
        const float got = std::bit_cast<float>(warp.word(0, lane));
        if (expected != expected)
          EXPECT_TRUE(got != got);
        else
          EXPECT_LE(std::fabs(got - expected), std::fabs(std::nextafter(expected, INFINITY) - expected));
      }
    }
  }
}

TEST(FloatSemantics, SubnormalsFlushAndSaturationClamps) {
  TestWarp<32> warp;
  const std::uint32_t a[] = {0x00000001, 0x80400000, 0x3f000000, 0x40000000, 0xbf000000, 0x7fc00000};
  const std::uint32_t b[] = {0x00000001, 0x80400000, 0x00000000, 0x00000000, 0x00000000, 0x00000000};
  for (unsigned lane = 0; lane < 6; ++lane) warp.word(2, lane) = a[lane], warp.word(4, lane) = b[lane];
  MicroOp op = operation(Opcode::Add, Type::F32, 2);
  op.flush_to_zero = op.saturate = true;
  execute(warp, op, 0x3f, true);
  const std::uint32_t expected[] = {0, 0, 0x3f000000, 0x3f800000, 0, 0};
  for (unsigned lane = 0; lane < 6; ++lane) EXPECT_EQ(warp.word(0, lane), expected[lane]) << lane;
}

// A program may look at the sign of a NaN's bits.
TEST(FloatSemantics, AbsAndNegChangeTheSignOfNaN) {
  TestWarp<32> warp;
  for (const auto& [opcode, expected] :
       {std::pair(Opcode::Abs, 0x7ff8000000000200u), std::pair(Opcode::Neg, 0x7ff8000000000200u)}) {
    warp.wide(2, 0) = 0xfff0000000000200;
    execute(warp, operation(opcode, Type::F64, 1), 1, true);
    EXPECT_EQ(warp.wide(0, 0), expected);
  }
  warp.wide(2, 0) = 0x7ff8000000000000;
  execute(warp, operation(Opcode::Neg, Type::F64, 1), 1, true);
  EXPECT_EQ(warp.wide(0, 0), 0xfff8000000000000);
}

// Each half-precision sum, product and fused product, against exact arithmetic in long double rounded by
// search.
TEST(HalfSemantics, FusedMultiplyAddIsRoundedOnce) {
  std::mt19937 random(5);
  const auto value = [](std::uint16_t bits) -> long double {
    const int exponent = bits >> 10 & 31;
    const int mantissa = bits & 1023;
    const long double magnitude = exponent == 0
                                      ? std::ldexp(static_cast<long double>(mantissa), -24)
                                      : std::ldexp(static_cast<long double>(mantissa + 1024), exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
  };
  MicroOp op = operation(Opcode::Fma, Type::F16, 3);
  for (unsigned round = 0; round < 100; ++round) {
    TestWarp<32> warp;
    for (unsigned lane = 0; lane < 32; ++lane)
      for (const unsigned slot : {2, 4, 6}) {
        const std::uint32_t exponent = 8 + random() % 12;  // no overflow
        warp.word(slot, lane) = (random() & 0x83ff) | exponent << 10;
      }
    execute(warp, op, 0xffffffffu, round & 1);
    for (unsigned lane = 0; lane < 32; ++lane) {
      const auto in = [&](unsigned slot) { return value(static_cast<std::uint16_t>(warp.word(slot, lane))); };
      const long double exact = in(2) * in(4) + in(6);
      const auto got = static_cast<std::uint16_t>(warp.word(0, lane));
      const long double error = std::fabs(value(got) - exact);
      // No neighbour is closer; at a tie the even one wins.
      for (const int step : {-1, 1}) {
        const auto neighbour = static_cast<std::uint16_t>(got + step);
        if ((neighbour & 0x7fff) >= 0x7c00 || ((neighbour ^ got) & 0x8000)) continue;
        const long double other = std::fabs(value(neighbour) - exact);
        ASSERT_TRUE(error < other || (error == other && (got & 1) == 0));
      }
    }
  }
}

}  // namespace
}  // namespace duet::ptx::test
