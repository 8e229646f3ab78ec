// Do integer handlers agree with arithmetic on 128-bit integers?
#include <functional>

#include "lane_fixture.h"

namespace duet::ptx::test {
namespace {

using Wide = __int128;

Wide value_of(Type type, std::uint64_t bits) {
  switch (type) {
    case Type::U16:
      return static_cast<std::uint16_t>(bits);
    case Type::S16:
      return static_cast<std::int16_t>(bits);
    case Type::U32:
      return static_cast<std::uint32_t>(bits);
    case Type::S32:
      return static_cast<std::int32_t>(bits);
    case Type::S64:
      return static_cast<std::int64_t>(bits);
    default:
      return bits;
  }
}
std::uint64_t bits_of(Type type, Wide value) {
  const unsigned bytes = type_bytes(type);
  const auto low = static_cast<std::uint64_t>(value);
  return bytes == 8 ? low : low & ((1ull << (8 * bytes)) - 1);
}

using Formula = std::function<Wide(Wide a, Wide b, Wide c, unsigned bits)>;
void check(MicroOp op, Type result, const Formula& formula) {
  Patterns patterns(static_cast<std::uint64_t>(op.opcode) * 64 + static_cast<std::uint64_t>(op.type));
  const bool wide_source = type_bytes(op.type) == 8;
  const bool wide_third = type_bytes(result) == 8;
  for (unsigned round = 0; round < 50; ++round)
    for (const bool version3 : {false, true}) {
      TestWarp<32> warp;
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned i = 0; i < op.source_count; ++i) {
          if (wide_source || (i == 2 && wide_third))
            warp.wide(2 + 2 * i, lane) = patterns.wide();
          else
            warp.word(2 + 2 * i, lane) = patterns.word();
        }
      TestWarp<32> before = warp;
      execute(warp, op, 0xffffffffu, version3);
      for (unsigned lane = 0; lane < 32; ++lane) {
        Wide v[3] = {};
        for (unsigned i = 0; i < op.source_count; ++i) {
          const bool third = i == 2 && wide_third;
          v[i] = value_of(third ? result : op.type,
                          wide_source || third ? before.wide(2 + 2 * i, lane) : before.word(2 + 2 * i, lane));
        }
        const std::uint64_t expected = bits_of(result, formula(v[0], v[1], v[2], type_bytes(op.type) * 8));
        const std::uint64_t got =
            bits_of(result, wide_third ? Wide(warp.wide(0, lane)) : Wide(warp.word(0, lane)));
        ASSERT_EQ(got, expected) << "opcode " << static_cast<int>(op.opcode) << " type "
                                 << static_cast<int>(op.type) << " a " << static_cast<long long>(v[0])
                                 << " b " << static_cast<long long>(v[1]);
      }
    }
}

constexpr Type kTypes[] = {Type::U16, Type::S16, Type::U32, Type::S32, Type::U64, Type::S64};

TEST(IntegerSemantics, AddSubtractMultiply) {
  for (const Type type : kTypes) {
    check(operation(Opcode::Add, type, 2), type, [](Wide a, Wide b, Wide, unsigned) { return a + b; });
    check(operation(Opcode::Sub, type, 2), type, [](Wide a, Wide b, Wide, unsigned) { return a - b; });
    MicroOp low = operation(Opcode::Mad, type, 3);
    low.product = Product::Low;
    // 64-bit products of unsigned operands leave 128 bits of magnitude: the low half does not care.
    check(low, type, [](Wide a, Wide b, Wide c, unsigned) {
      return static_cast<Wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b) +
                               static_cast<unsigned __int128>(c));
    });
  }
}

TEST(IntegerSemantics, HighProducts) {
  for (const Type type : kTypes) {
    MicroOp high = operation(Opcode::Mul, type, 2);
    high.product = Product::High;
    check(high, type, [&](Wide a, Wide b, Wide, unsigned bits) {
      if (type == Type::U64)
        return static_cast<Wide>((static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b)) >>
                                 bits);
      return (a * b) >> bits;
    });
  }
}

TEST(IntegerSemantics, WideProducts) {
  const std::pair<Type, Type> types[] = {
      {Type::U16, Type::U32}, {Type::S16, Type::S32}, {Type::U32, Type::U64}, {Type::S32, Type::S64}};
  for (const auto& [type, result] : types) {
    MicroOp wide = operation(Opcode::Mad, type, 3);
    wide.product = Product::Wide;
    if (type == Type::U16 || type == Type::S16) {
      // The third operand is wider than the type but still one slot: test the product alone.
      wide = operation(Opcode::Mul, type, 2);
      wide.product = Product::Wide;
    }
    check(wide, result, [](Wide a, Wide b, Wide c, unsigned) { return a * b + c; });
  }
}

TEST(IntegerSemantics, DivisionAndRemainder) {
  for (const Type type : kTypes) {
    check(operation(Opcode::Div, type, 2), type,
          [](Wide a, Wide b, Wide, unsigned) { return b == 0 ? -1 : a / b; });
    check(operation(Opcode::Rem, type, 2), type,
          [](Wide a, Wide b, Wide, unsigned) { return b == 0 ? a : a % b; });
  }
}

TEST(IntegerSemantics, MinimumMaximumAbsoluteDifferences) {
  for (const Type type : kTypes) {
    check(operation(Opcode::Min, type, 2), type,
          [](Wide a, Wide b, Wide, unsigned) { return a < b ? a : b; });
    check(operation(Opcode::Max, type, 2), type,
          [](Wide a, Wide b, Wide, unsigned) { return a > b ? a : b; });
    check(operation(Opcode::Sad, type, 3), type,
          [](Wide a, Wide b, Wide c, unsigned) { return c + (a < b ? b - a : a - b); });
    if (is_signed(type))
      check(operation(Opcode::Abs, type, 1), type,
            [](Wide a, Wide, Wide, unsigned) { return a < 0 ? -a : a; });
  }
}

TEST(IntegerSemantics, SaturatedAddition) {
  MicroOp op = operation(Opcode::Add, Type::S32, 2);
  op.saturate = true;
  check(op, Type::S32, [](Wide a, Wide b, Wide, unsigned) {
    const Wide sum = a + b, top = 0x7fffffff;
    return sum > top ? top : sum < -top - 1 ? -top - 1 : sum;
  });
}

TEST(IntegerSemantics, CarryChainAdds128Bits) {
  Patterns patterns(7);
  for (const bool version3 : {false, true}) {
    TestWarp<32> warp;
    for (unsigned lane = 0; lane < 32; ++lane)
      for (const unsigned slot : {2, 4, 6, 8}) warp.wide(slot, lane) = patterns.wide();
    const TestWarp<32> before = warp;
    MicroOp low = operation(Opcode::Add, Type::U64, 2);
    low.carry_out = true;
    MicroOp high = low;
    high.carry_in = true;
    high.sources[0] = reg(6);
    high.sources[1] = reg(8);
    high.destinations[0] = 10;
    execute(warp, low, 0xffffffffu, version3);
    execute(warp, high, 0xffffffffu, version3);
    TestWarp<32> old = before;
    for (unsigned lane = 0; lane < 32; ++lane) {
      using U = unsigned __int128;
      const U sum =
          (U{old.wide(6, lane)} << 64 | old.wide(2, lane)) + (U{old.wide(8, lane)} << 64 | old.wide(4, lane));
      EXPECT_EQ(warp.wide(0, lane), static_cast<std::uint64_t>(sum));
      EXPECT_EQ(warp.wide(10, lane), static_cast<std::uint64_t>(sum >> 64));
    }
  }
}

TEST(IntegerSemantics, ShiftsClampAtTheWidth) {
  for (const unsigned n : {0u, 1u, 31u, 32u, 33u, 63u, 64u, 255u, 0xffffffffu}) {
    TestWarp<32> warp;
    for (unsigned lane = 0; lane < 32; ++lane)
      warp.word(2, lane) = 0x80000001u + lane, warp.word(4, lane) = n;
    MicroOp op = operation(Opcode::Shr, Type::S32, 2);
    execute(warp, op, 0xffffffffu, true);
    for (unsigned lane = 0; lane < 32; ++lane)
      EXPECT_EQ(static_cast<std::int32_t>(warp.word(0, lane)),
                static_cast<std::int32_t>(0x80000001u + lane) >> std::min(n, 31u));
    op.type = Type::U32;
    execute(warp, op, 0xffffffffu, true);
    for (unsigned lane = 0; lane < 32; ++lane)
      EXPECT_EQ(warp.word(0, lane), n > 31 ? 0 : (0x80000001u + lane) >> n);
  }
}

}  // namespace
}  // namespace duet::ptx::test
