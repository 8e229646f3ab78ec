// Do partial masks leave other lanes alone, do both widths and both instruction sets agree bit for bit?
#include "lane_fixture.h"

namespace duet::ptx::test {
namespace {

std::vector<MicroOp> all_operations() {
  std::vector<MicroOp> result;
  constexpr Type kTypes[] = {Type::B16,   Type::B32,  Type::B64,    Type::U8,  Type::S8,  Type::U16,
                             Type::S16,   Type::U32,  Type::S32,    Type::U64, Type::S64, Type::F16,
                             Type::F16x2, Type::BF16, Type::BF16x2, Type::F32, Type::F64};
  constexpr Rounding kRoundings[] = {Rounding::None, Rounding::Zero, Rounding::PlusInfinity,
                                     Rounding::IntegerMinusInfinity};
  for (unsigned code = 0; code < static_cast<unsigned>(Opcode::Shfl); ++code)
    for (const Type type : kTypes)
      for (const Type source_type : kTypes)
        for (const Rounding rounding : kRoundings)
          for (const bool flags : {false, true}) {
            const auto opcode = static_cast<Opcode>(code);
            const bool uses_source_type =
                opcode == Opcode::Cvt || opcode == Opcode::Set || opcode == Opcode::Slct;
            if (!uses_source_type && source_type != type) continue;
            MicroOp op = operation(opcode, type, opcode == Opcode::Pack ? 2 : 3);
            op.source_type = source_type;
            op.rounding = rounding;
            op.flush_to_zero = flags;
            op.product = flags ? Product::High : Product::Low;
            op.comparison = flags ? Comparison::Lt : Comparison::Ge;
            op.predicate_destination = 1;
            op.space = StateSpace::Shared;
            op.sources[0].negate = flags && is_float(type);
            if (opcode == Opcode::Selp) op.sources[2] = predicate(0);
            if (opcode == Opcode::Cvt && type != Type::F16x2 && type != Type::BF16x2) op.source_count = 1;
            if (opcode == Opcode::Min || opcode == Opcode::Max) op.source_count = 2;
            if (opcode == Opcode::Bfi || opcode == Opcode::Mad) op.source_count = 4;
            if (opcode == Opcode::Unpack) {
              op.source_count = 1;
              op.destination_count = 2;
              op.destinations[1] = 12;
            }
            op.sources[3] = reg(8);
            if (find_handlers(op, true)) result.push_back(op);
          }
  return result;
}

template <unsigned W>
TestWarp<W> random_warp(std::uint64_t seed) {
  Patterns patterns(seed);
  TestWarp<W> warp;
  for (unsigned slot = 0; slot < kSlots; ++slot)
    for (unsigned lane = 0; lane < W; ++lane) warp.word(slot, lane) = patterns.word();
  for (auto& mask : warp.predicates) mask = patterns.wide();
  return warp;
}

template <unsigned W>
void versions_agree() {
  const std::vector<MicroOp> operations = all_operations();
  ASSERT_GT(operations.size(), 500u);
  const std::uint64_t all = LaneMask::first(W).bits();
  std::uint64_t seed = 1;
  for (const MicroOp& op : operations)
    for (const std::uint64_t lanes : {all, std::uint64_t{0x5a5a00ff12345678} & all}) {
      const TestWarp<W> before = random_warp<W>(++seed);
      TestWarp<W> v2 = before, v3 = before;
      execute(v2, op, lanes, false);
      execute(v3, op, lanes, true);
      ASSERT_EQ(v2.registers, v3.registers)
          << "opcode " << static_cast<int>(op.opcode) << " type " << static_cast<int>(op.type) << " from "
          << static_cast<int>(op.source_type);
      ASSERT_EQ(v2.predicates, v3.predicates) << static_cast<int>(op.opcode);
    }
}
TEST(Lanes, InstructionSetsAgreeOn32) { versions_agree<32>(); }
TEST(Lanes, InstructionSetsAgreeOn64) { versions_agree<64>(); }

TEST(Lanes, PartialMasksLeaveOtherLanesAlone) {
  std::uint64_t seed = 1000;
  for (const MicroOp& op : all_operations())
    for (const std::uint64_t lanes : {0x1ull, 0x80000000ull, 0x5a5a1234ull, 0x7fffffffull}) {
      TestWarp<32> before = random_warp<32>(++seed);
      TestWarp<32> partial = before, whole = before;
      execute(partial, op, lanes, true);
      execute(whole, op, 0xffffffffu, true);
      for (unsigned lane = 0; lane < 32; ++lane) {
        TestWarp<32>& expected = (lanes >> lane) & 1 ? whole : before;
        // A destination is 32 or 64 bits wide; whichever it is, the other view of its slots is not a lane's
        // own.
        const bool same_words = partial.word(0, lane) == expected.word(0, lane);
        const bool same_wide = partial.wide(0, lane) == expected.wide(0, lane);
        ASSERT_TRUE(same_words || same_wide) << "opcode " << static_cast<int>(op.opcode) << " lane " << lane;
        ASSERT_EQ(partial.predicates[1] >> lane & 1, expected.predicates[1] >> lane & 1);
      }
    }
}

TEST(Lanes, WidthsAgree) {
  std::uint64_t seed = 2000;
  for (const MicroOp& op : all_operations()) {
    TestWarp<64> wide = random_warp<64>(++seed);
    TestWarp<32> lower;
    for (unsigned slot = 0; slot < kSlots; slot += 2)
      std::memcpy(&lower.word(slot, 0), &wide.word(slot, 0), 256);
    // Where all operands are 64 bits wide, the wide warp's first 32 elements fill both slots of the narrow
    // one.
    const bool all_wide = op.opcode <= Opcode::Mad ||
                          (op.opcode >= Opcode::Sad && op.opcode <= Opcode::Fma) ||
                          (op.opcode >= Opcode::And && op.opcode <= Opcode::Cnot);
    if (type_bytes(op.type) != 8 || !all_wide) continue;
    execute(wide, op, ~0ull, true);
    execute(lower, op, 0xffffffffu, true);
    for (unsigned lane = 0; lane < 32; ++lane) ASSERT_EQ(wide.wide(0, lane), lower.wide(0, lane));
  }
}

TEST(Lanes, NarrowOperandsReadOnlyTheirBits) {
  TestWarp<32> warp;
  for (unsigned lane = 0; lane < 32; ++lane)
    warp.word(2, lane) = 0xabcd0000u | lane, warp.word(4, lane) = 0x12340001u;
  MicroOp op = operation(Opcode::Add, Type::U16, 2);
  execute(warp, op, 0xffffffffu, true);
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(warp.word(0, lane) & 0xffff, lane + 1);
}

}  // namespace
}  // namespace duet::ptx::test
