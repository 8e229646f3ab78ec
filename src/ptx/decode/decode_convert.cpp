// Conversions (PTX ISA 9.0, section 9.7.9: cvt and cvt.pack).
#include "ptx/decode/decode.h"
#include "ptx/decode/decoders.h"

namespace duet::ptx {

using ir::Value;

namespace {

bool is_half_pair(Type type) { return type == Type::F16x2 || type == Type::BF16x2; }
bool is_small_pair(Type type) { return type == Type::E4M3x2 || type == Type::E5M2x2; }

// The newer conversions of PTX: with .relu and .satfinite, tf32 and the 8-bit formats.
void check(Decoder& d, Type to, Type from, bool relu, bool finite) {
  const Rounding rounding = d.out.op.rounding;
  const bool nearest_or_zero = rounding == Rounding::NearestEven || rounding == Rounding::Zero;
  const bool narrow = from == Type::F32 && (to == Type::F16 || to == Type::BF16 || is_half_pair(to));
  const bool small = is_small_pair(to) || is_small_pair(from);
  if ((relu || finite) && !narrow && !small && to != Type::TF32)
    d.illegal(".relu and .satfinite belong to other conversions");
  if ((relu || finite) && narrow && !nearest_or_zero) d.illegal(".relu and .satfinite round by .rn or .rz");
  if (is_half_pair(to) && !is_small_pair(from) && (from != Type::F32 || !nearest_or_zero))
    d.illegal("a pair is made of two f32 by .rn or .rz");
  if (to == Type::TF32 &&
      (from != Type::F32 || (rounding == Rounding::NearestAway ? relu : !nearest_or_zero)))
    d.illegal("tf32 is made of f32 by .rna, .rn or .rz, and .rna takes no .relu");
  if (to != Type::TF32 && rounding == Rounding::NearestAway) d.illegal(".rna is a rounding to tf32");
  if (from == Type::TF32) d.illegal("tf32 is no source");
  if (is_small_pair(to) &&
      ((from != Type::F32 && from != Type::F16x2) || rounding != Rounding::NearestEven || !finite))
    d.illegal("a pair of 8-bit floats is made of f32 or f16x2 by .rn.satfinite");
  if (is_small_pair(from) && (to != Type::F16x2 || rounding != Rounding::NearestEven || finite))
    d.illegal("a pair of 8-bit floats becomes f16x2 by .rn");
  if ((small || to == Type::TF32) && (d.out.op.flush_to_zero || d.out.op.saturate))
    d.illegal("tf32 and 8-bit floats know no .ftz and .sat");
}

void pack(Decoder& d) {
  if (!d.take("sat")) d.illegal(".sat is missing");
  struct Format {
    std::string_view name;
    bool is_signed;
    unsigned bits;
  };
  static constexpr Format kFormats[] = {{"u2", false, 2},   {"s2", true, 2},  {"u4", false, 4},
                                        {"s4", true, 4},    {"u8", false, 8}, {"s8", true, 8},
                                        {"u16", false, 16}, {"s16", true, 16}};
  const Format* format = nullptr;
  for (const Format& f : kFormats)
    if (format == nullptr && d.take(f.name)) format = &f;
  if (format == nullptr || d.take_type() != Type::S32)
    d.illegal("two s32 become u2, s2, u4, s4, u8, s8, u16 or s16");
  const bool third = format->bits < 16;
  if (third && d.take_type_or_none() != Type::B32) d.illegal("the type b32 of the third source is missing");
  d.expect_operands(third ? 4 : 3, third ? 4 : 3);
  d.set(Opcode::CvtPack, format->is_signed ? Type::S32 : Type::U32);
  d.out.op.mode = static_cast<std::uint8_t>(format->bits);
  d.sources(1, 2, Type::S32);
  d.out.add_source(third ? d.source(3, Type::B32) : Value::immediate(0, Type::U32));
  d.destination(0, Type::B32);
  d.finish();
}

}  // namespace

void decoders::convert(Decoder& d) {
  if (d.take("pack")) return pack(d);
  MicroOp& op = d.out.op;
  op.rounding = d.take_rounding();
  op.flush_to_zero = d.take("ftz");
  op.saturate = d.take("sat");
  const bool relu = d.take("relu"), finite = d.take("satfinite");
  op.mode = static_cast<std::uint8_t>(relu | finite << 1);
  const Type type = d.take_type(), from = d.take_type();
  if (d.modifiers_left()) d.unsupported();
  check(d, type, from, relu, finite);
  d.set(type);
  op.source_type = from;
  const bool two = from == Type::F32 && (is_half_pair(type) || is_small_pair(type));
  d.expect_operands(two ? 3 : 2, two ? 3 : 2);
  for (unsigned i = 1; i < d.in.operand_count; ++i) {
    if (d.operand(i).kind != ParsedOperand::Kind::Value) d.fail("the source is not a value");
    d.out.add_source(d.narrowed(d.operand(i).value, from));
  }
  d.destination(0, type, true);
  d.finish();
}

}  // namespace duet::ptx
