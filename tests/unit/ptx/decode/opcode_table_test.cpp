// The table of opcodes: names, spellings, units and weights by type, and the forms that its sets refuse.
#include "ptx/decode/opcode_table.h"

#include <gtest/gtest.h>

#include <set>

#include "compile_for_test.h"

namespace duet::ptx {
namespace {

MicroOp op_of(Opcode opcode, Type type, Type source_type = Type::None) {
  MicroOp op;
  op.opcode = opcode;
  op.kind = kind_of(opcode);
  op.type = type;
  op.source_type = source_type;
  return op;
}

TEST(OpcodeTable, EveryOpcodeHasANameOfItsOwn) {
  std::set<std::string> names;
  for (unsigned i = 0; i < kOpcodeCount; ++i)
    EXPECT_TRUE(names.insert(opcode_name(static_cast<Opcode>(i))).second)
        << opcode_name(static_cast<Opcode>(i));
}

TEST(OpcodeTable, PtxFindsAnOpcodeByItsName) {
  const std::set<Opcode> inner = {Opcode::Video,       Opcode::Pack, Opcode::Unpack,     Opcode::CvtPack,
                                  Opcode::ReadSpecial, Opcode::Call, Opcode::SystemCall, Opcode::Nop};
  for (unsigned i = 0; i < kOpcodeCount; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    const OpcodeRow* row = find_row(opcode_name(opcode));
    EXPECT_EQ(row == nullptr, inner.contains(opcode)) << opcode_name(opcode);
    if (row != nullptr) {
      EXPECT_EQ(row->opcode, opcode);
    }
  }
  EXPECT_EQ(find_row("mma"), nullptr);
}

TEST(OpcodeTable, OtherSpellingsBecomeTheSameOpcode) {
  EXPECT_EQ(find_row("subc")->opcode, Opcode::Sub);
  EXPECT_EQ(find_row("ldu")->opcode, Opcode::Load);
  EXPECT_EQ(find_row("fence")->opcode, Opcode::Membar);
  EXPECT_EQ(find_row("vmad")->opcode, Opcode::Video);
  EXPECT_EQ(find_row("vmad2"), nullptr);
}

TEST(OpcodeTable, UnitFollowsFromTheTypeThatDecides) {
  EXPECT_EQ(unit_of(op_of(Opcode::Add, Type::S32)), Unit::Integer);
  EXPECT_EQ(unit_of(op_of(Opcode::Add, Type::BF16x2)), Unit::Half);
  EXPECT_EQ(unit_of(op_of(Opcode::Mul, Type::U64)), Unit::IntegerMultiply);
  EXPECT_EQ(unit_of(op_of(Opcode::Mul, Type::F64)), Unit::Double);
  EXPECT_EQ(unit_of(op_of(Opcode::Ex2, Type::F16)), Unit::SpecialFunction);
  EXPECT_EQ(unit_of(op_of(Opcode::Mov, Type::F64)), Unit::Integer);
  EXPECT_EQ(unit_of(op_of(Opcode::Set, Type::U32, Type::F64)), Unit::Double);
  EXPECT_EQ(unit_of(op_of(Opcode::Cvt, Type::U32, Type::F32)), Unit::Conversion);
  EXPECT_EQ(unit_of(op_of(Opcode::Cvt, Type::F32, Type::F64)), Unit::Double);
  EXPECT_EQ(unit_of(op_of(Opcode::Cvt, Type::U32, Type::U16)), Unit::Integer);
  EXPECT_EQ(unit_of(op_of(Opcode::Prefetch, Type::None)), Unit::Control);
}

TEST(OpcodeTable, WeightIsANumberAPairOrAFunction) {
  EXPECT_EQ(machine_instructions_of(op_of(Opcode::Mul24, Type::U32), false), 3u);
  EXPECT_EQ(machine_instructions_of(op_of(Opcode::Popc, Type::B32), false), 1u);
  EXPECT_EQ(machine_instructions_of(op_of(Opcode::Popc, Type::B64), false), 3u);
  EXPECT_EQ(machine_instructions_of(op_of(Opcode::Pack, Type::B64), false), 0u);
  MicroOp product = op_of(Opcode::Mul, Type::U64);
  product.product = Product::Low;
  EXPECT_EQ(machine_instructions_of(product, false), 4u);
  EXPECT_EQ(machine_instructions_of(product, true), 3u);
}

// What the compiler says against a statement over 32-bit registers %r and 64-bit registers %d.
std::string refusal(const std::string& statement) {
  return compile_body(".reg .b32 %r<5>;\n.reg .b64 %d<5>;\n" + statement + "\nret;").unsupported;
}
bool refused_with(const std::string& statement, const std::string& words) {
  return refusal(statement).find(words) != std::string::npos;
}

TEST(OpcodeTable, FormsOutsideItsSetsAreMalformed) {
  EXPECT_TRUE(refused_with("add.b32 %r0, %r1, %r2;", "malformed: add has no type b32"));
  EXPECT_TRUE(refused_with("fma.f32 %r0, %r1, %r2, %r3;", "malformed: a rounding is missing"));
  EXPECT_TRUE(refused_with("sin.f32 %r0, %r1;", "malformed: .approx is missing"));
  EXPECT_TRUE(refused_with("add.sat.u32 %r0, %r1, %r2;", "malformed: .sat does not go with type u32"));
  EXPECT_TRUE(refused_with("add.ftz.f64 %d0, %d1, %d2;", "malformed: .ftz does not go with type f64"));
  EXPECT_TRUE(refused_with("mul.lo.cc.u32 %r0, %r1, %r2;", "malformed: it hands on no carry"));
  EXPECT_TRUE(
      refused_with("mad24.lo.sat.s32 %r0, %r1, %r2, %r3;", "malformed: .sat does not go with type s32"));
  EXPECT_EQ(refusal("mad24.hi.sat.s32 %r0, %r1, %r2, %r3;"), "");
  EXPECT_EQ(refusal("mad.lo.cc.u32 %r0, %r1, %r2, %r3;"), "");
}

TEST(OpcodeTable, WhatTheManualLacksAndPtxasTakesIsUnsupported) {
  for (const std::string statement : {"addc.sat.s32 %r0, %r1, %r2;", "rcp.rn.ftz.f64 %d0, %d1;"}) {
    EXPECT_TRUE(refused_with(statement, "is not supported")) << statement;
    EXPECT_FALSE(refused_with(statement, "malformed")) << statement;
  }
}

}  // namespace
}  // namespace duet::ptx
