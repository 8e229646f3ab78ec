// Arithmetic, comparison, selection and logic (PTX ISA 9.0, sections 9.7.1 to 9.7.8).
#include <string_view>

#include "ptx/decode/decode.h"
#include "ptx/decode/decoders.h"

namespace duet::ptx {

using ir::Value;
using ir::ValueKind;

namespace {

// The modifiers that the row has for any type; legality.h has refused them for others.
void take_modifiers(Decoder& d) {
  MicroOp& op = d.out.op;
  const Form& form = d.row.form;
  if (!form.rounds.empty()) op.rounding = d.take_rounding();
  if (!form.flushes.empty()) op.flush_to_zero = d.take("ftz");
  d.take("noftz");
  if (!form.saturates.empty()) op.saturate = d.take("sat");
  if (!form.approximates.empty()) op.approximate = d.take("approx");
  if (form.takes & kFull) {
    if (op.approximate) op.mode = 1;
    if (d.take("full")) op.approximate = true;
  }
  if (form.takes & kCarryOut) op.carry_out = d.take("cc");
  op.carry_in = form.takes & kCarryIn;
}

void default_rounding(Decoder& d) {
  MicroOp& op = d.out.op;
  if (is_float(op.type) && !d.row.form.rounds.empty() && !op.approximate && op.rounding == Rounding::None)
    op.rounding = Rounding::NearestEven;
}

// An operation on two f32 in 64 bits: taken apart, done twice, put together. `out` holds the operation.
void on_both_halves(Decoder& d) {
  const MicroOp op = d.out.op;
  const auto temporary = [&] { return Value::reg(d.temporary(Type::F32), Type::F32); };
  std::array<ir::Instruction, 2> halves = {d.make(op.opcode, Type::F32), d.make(op.opcode, Type::F32)};
  std::array<Value, 2> results;
  for (unsigned i = 1; i < d.in.operand_count; ++i) {
    ir::Instruction apart = d.make(Opcode::Unpack, Type::B64);
    apart.add_source(d.source(i, Type::B64));
    for (ir::Instruction& half : halves) {
      const Value part = temporary();
      apart.add_destination(part);
      half.add_source(part);
    }
    d.append(apart);
  }
  for (unsigned i = 0; i < 2; ++i) {
    halves[i].op.rounding = op.rounding;
    halves[i].op.flush_to_zero = op.flush_to_zero;
    results[i] = temporary();
    halves[i].add_destination(results[i]);
    d.append(halves[i]);
  }
  d.out.op.rounding = Rounding::None;
  d.out.op.flush_to_zero = false;
  d.set(Opcode::Pack, Type::B64);
  for (const Value& result : results) d.out.add_source(result);
  d.destination(0, Type::B64);
  d.finish();
}

// add, sub, fma of f32 with factors or a first summand of a 16-bit format, which is widened first.
void mixed_precision(Decoder& d, Type narrow) {
  if (d.out.op.flush_to_zero) d.illegal(".ftz does not go with two types");
  const unsigned count = d.in.operand_count - 1;
  for (unsigned i = 0; i < count; ++i) {
    if (i + 1 == count) {
      d.out.add_source(d.source(i + 1, Type::F32));
      continue;
    }
    ir::Instruction widen = d.make(Opcode::Cvt, Type::F32);
    widen.op.source_type = narrow;
    widen.add_source(d.source(i + 1, narrow));
    const Value wide = Value::reg(d.temporary(Type::F32), Type::F32);
    widen.add_destination(wide);
    d.append(widen);
    d.out.add_source(wide);
  }
  d.destination(0, Type::F32);
  d.finish();
}

// The type of a .wide product.
Type twice_as_wide(const Decoder& d, Type type) {
  switch (type) {
    case Type::U16:
      return Type::U32;
    case Type::S16:
      return Type::S32;
    case Type::U32:
      return Type::U64;
    case Type::S32:
      return Type::S64;
    default:
      d.fail("no .wide product of this type");
  }
}

// Puts a copy of `out` with the first two sources in front, whose result takes their place.
void split_first_two(Decoder& d, Type type) {
  ir::Instruction first = d.make(d.out.op.opcode, type);
  first.op.mode = d.out.op.mode;
  first.op.flush_to_zero = d.out.op.flush_to_zero;
  const Value result = Value::reg(d.temporary(type_bytes(type) == 4 ? Type::B32 : type), type);
  for (unsigned i = 0; i < 2; ++i) first.add_source(d.out.sources[i]);
  first.add_destination(result);
  d.append(first);
  d.out.op.source_count = 0;
  d.out.add_source(result);
}

Comparison take_comparison(Decoder& d) {
  static constexpr std::pair<std::string_view, Comparison> kComparisons[] = {
      {"eq", Comparison::Eq},   {"ne", Comparison::Ne},   {"lt", Comparison::Lt},   {"le", Comparison::Le},
      {"gt", Comparison::Gt},   {"ge", Comparison::Ge},   {"lo", Comparison::Lt},   {"ls", Comparison::Le},
      {"hi", Comparison::Gt},   {"hs", Comparison::Ge},   {"equ", Comparison::EqU}, {"neu", Comparison::NeU},
      {"ltu", Comparison::LtU}, {"leu", Comparison::LeU}, {"gtu", Comparison::GtU}, {"geu", Comparison::GeU},
      {"num", Comparison::Num}, {"nan", Comparison::Nan}};
  for (const auto& [name, comparison] : kComparisons)
    if (d.take(name)) return comparison;
  d.fail("a comparison is missing");
}
Boolean take_boolean(Decoder& d) {
  if (d.take("and")) return Boolean::And;
  if (d.take("or")) return Boolean::Or;
  if (d.take("xor")) return Boolean::Xor;
  return Boolean::None;
}

}  // namespace

// Instructions whose operands all follow from one type, as the row's shape says.
void decoders::by_shape(Decoder& d) {
  MicroOp& op = d.out.op;
  const std::string_view shape = d.row.form.shape;
  const unsigned takes = d.row.form.takes;
  take_modifiers(d);
  const Type type = d.take_type();
  d.set(type);
  default_rounding(d);
  const unsigned operands = static_cast<unsigned>(shape.size());
  d.expect_operands(operands, operands);
  if (takes & kRelu && d.take("relu")) {
    if (type_bytes(type) > 4 || type == Type::F32 || op.saturate)
      d.illegal(".relu belongs to 16-bit formats, without .sat");
    op.mode = 1;
  }
  if (type == Type::F32x2) return on_both_halves(d);
  if (takes & kNarrowSources && type == Type::F32 && (d.peek("f16") || d.peek("bf16")))
    return mixed_precision(d, d.take_type());
  const auto operand_type = [&](unsigned i) { return shape[i] == 'T' ? type : Type::U32; };
  for (unsigned i = 1; i < operands; ++i) d.out.add_source(d.source(i, operand_type(i)));
  d.destination(0, operand_type(0));
  d.finish();
}

void decoders::multiply(Decoder& d) {
  MicroOp& op = d.out.op;
  const bool mad = d.row.opcode == Opcode::Mad || d.row.opcode == Opcode::Mad24;
  if (d.take("lo"))
    op.product = Product::Low;
  else if (d.take("hi"))
    op.product = Product::High;
  else if (d.take("wide"))
    op.product = Product::Wide;
  take_modifiers(d);
  const Type type = d.take_type();
  if (is_float(type)) {
    if (op.product != Product::None) d.fail("integer modifiers on a float type");
    d.set(mad ? Opcode::Fma : d.row.opcode, type);
  } else {
    if (op.product == Product::None) d.fail("one of .lo, .hi, .wide is missing");
    d.set(type);
  }
  default_rounding(d);
  d.expect_operands(mad ? 4 : 3, mad ? 4 : 3);
  if (type == Type::F32x2) return on_both_halves(d);
  const Type wide = op.product == Product::Wide ? twice_as_wide(d, type) : type;
  d.sources(1, 2, type);
  if (mad) d.out.add_source(d.source(3, wide));
  d.destination(0, wide);
  d.finish();
}

void decoders::min_max(Decoder& d) {
  MicroOp& op = d.out.op;
  d.set(Type::None);
  op.flush_to_zero = d.take("ftz");
  if (d.take("NaN")) op.mode |= 1;
  const bool three = d.in.operand_count == 4;
  const bool xor_sign = d.take("xorsign"), absolute = d.take("abs"), relu = d.take("relu");
  if (xor_sign) op.mode |= 2;
  const Type type = op.type = d.take_type();
  if (xor_sign ? three || !absolute : absolute && !three)
    d.illegal(".abs stands with .xorsign, or alone with three sources");
  if (relu && type != Type::S32 && type != Type::S16x2) d.illegal(".relu belongs to s32 and s16x2");
  if (three && type != Type::F32) d.illegal("three sources have type f32");
  d.expect_operands(3, 4);
  d.sources(1, 2, type);
  if (three) {
    for (unsigned i = 0; i < 2; ++i) d.out.sources[i].absolute = absolute;
    split_first_two(d, type);
    d.sources(3, 1, type);
    d.out.sources[1].absolute = absolute;
  }
  if (relu) {  // the larger of the result and 0
    split_first_two(d, type);
    op.opcode = Opcode::Max;
    d.out.add_source(Value::immediate(0, type));
  }
  d.destination(0, type);
  d.finish();
}

void decoders::compare(Decoder& d) {
  const bool setp = d.row.opcode == Opcode::Setp;
  MicroOp& op = d.out.op;
  op.comparison = take_comparison(d);
  op.boolean = take_boolean(d);
  op.flush_to_zero = d.take("ftz");
  const unsigned operands = op.boolean == Boolean::None ? 3 : 4;
  d.expect_operands(operands, operands);
  const Type type = d.take_type();
  op.source_type = setp ? type : d.take_type();
  d.set(type);
  d.sources(1, 2, op.source_type);
  if (op.boolean != Boolean::None) d.out.add_source(d.predicate_source(3));
  if (setp)
    d.predicate_destination(0);
  else
    d.destination(0, type);
  d.finish();
}

void decoders::select(Decoder& d) {
  const bool selp = d.row.opcode == Opcode::Selp;
  d.out.op.flush_to_zero = !selp && d.take("ftz");
  const Type type = d.take_type();
  d.expect_operands(4, 4);
  d.set(type);
  d.sources(1, 2, type);
  if (selp) {
    d.out.add_source(d.predicate_source(3));
  } else {
    d.out.op.source_type = d.take_type();
    d.out.add_source(d.source(3, d.out.op.source_type));
  }
  d.destination(0, type);
  d.finish();
}

void decoders::logic(Decoder& d) {
  const Type type = d.take_type();
  const bool unary = d.row.opcode == Opcode::Not;
  d.set(type);
  d.expect_operands(unary ? 2 : 3, unary ? 2 : 3);
  if (type != Type::Pred) {
    d.sources(1, unary ? 1 : 2, type);
    d.destination(0, type);
    d.finish();
    return;
  }
  d.predicate_destination(0);
  for (unsigned i = 1; i < d.in.operand_count; ++i) d.out.add_source(d.predicate_source(i));
  d.finish();
}

void decoders::lop3(Decoder& d) {
  MicroOp& op = d.out.op;
  if (d.take("and"))
    op.boolean = Boolean::And;
  else if (d.take("or"))
    op.boolean = Boolean::Or;
  const bool joins = op.boolean != Boolean::None;
  d.set(d.take_type());
  d.expect_operands(joins ? 6 : 5, joins ? 6 : 5);
  d.sources(1, 3, Type::B32);
  if (!d.operand(4).value.is_immediate()) d.fail("the truth table is not a constant");
  op.mode = static_cast<std::uint8_t>(d.operand(4).value.bits);
  const Value& predicate = d.operand(0).second;
  if (joins != (predicate.kind != ValueKind::None)) d.illegal("a predicate d|p goes with .and and .or");
  if (joins) {
    if (!predicate.is_register() || d.context.function.registers[predicate.index] != Type::Pred)
      d.fail("operand 1 has no predicate");
    d.out.predicate = predicate.index;
    d.out.add_source(d.predicate_source(5));
  }
  d.destination(0, Type::B32);
  d.finish();
}

void decoders::funnel_shift(Decoder& d) {
  MicroOp& op = d.out.op;
  if (d.take("r"))
    op.mode = 1;
  else if (!d.take("l"))
    d.fail("one of .l, .r is missing");
  if (d.take("wrap"))
    op.mode |= 2;
  else if (!d.take("clamp"))
    d.fail("one of .wrap, .clamp is missing");
  d.set(d.take_type());
  d.expect_operands(4, 4);
  d.sources(1, 3, Type::B32);
  d.destination(0, Type::B32);
  d.finish();
}

void decoders::permute(Decoder& d) {
  static constexpr std::pair<std::string_view, PrmtMode> kModes[] = {
      {"f4e", PrmtMode::F4e}, {"b4e", PrmtMode::B4e}, {"rc8", PrmtMode::Rc8},
      {"ecl", PrmtMode::Ecl}, {"ecr", PrmtMode::Ecr}, {"rc16", PrmtMode::Rc16}};
  for (const auto& [name, mode] : kModes)
    if (d.take(name)) d.out.op.mode = static_cast<std::uint8_t>(mode);
  d.set(d.take_type());
  d.expect_operands(4, 4);
  d.sources(1, 3, Type::B32);
  d.destination(0, Type::B32);
  d.finish();
}

void decoders::find_bit(Decoder& d) {
  if (d.take("shiftamt")) d.out.op.mode = 1;
  const Type type = d.take_type();
  d.set(type);
  d.expect_operands(2, 2);
  d.sources(1, 1, type);
  d.destination(0, Type::U32);
  d.finish();
}

void decoders::clamp_or_wrap(Decoder& d) {
  if (d.take("wrap"))
    d.out.op.mode = 1;
  else if (!d.take("clamp"))
    d.fail("one of .wrap, .clamp is missing");
  const Type type = d.take_type();
  d.set(type);
  d.expect_operands(3, 3);
  d.sources(1, 2, d.row.opcode == Opcode::Szext ? type : Type::U32);
  if (d.row.opcode == Opcode::Szext) d.out.sources[1].type = Type::U32;
  d.destination(0, type);
  d.finish();
}

void decoders::dot_product(Decoder& d) {
  if (d.row.opcode == Opcode::Dp2a) {
    if (d.take("hi"))
      d.out.op.mode = 1;
    else if (!d.take("lo"))
      d.fail("one of .lo, .hi is missing");
  }
  const Type a = d.take_type(), b = d.take_type();
  d.set(a);
  d.out.op.source_type = b;
  d.expect_operands(4, 4);
  d.sources(1, 3, Type::B32);
  d.destination(0, Type::B32);
  d.finish();
}

void decoders::test_property(Decoder& d) {
  static constexpr std::pair<std::string_view, TestpMode> kModes[] = {
      {"finite", TestpMode::Finite}, {"infinite", TestpMode::Infinite},
      {"number", TestpMode::Number}, {"notanumber", TestpMode::NotANumber},
      {"normal", TestpMode::Normal}, {"subnormal", TestpMode::Subnormal}};
  for (const auto& [name, mode] : kModes)
    if (d.take(name)) d.out.op.mode = static_cast<std::uint8_t>(mode);
  const Type type = d.take_type();
  d.set(type);
  d.expect_operands(2, 2);
  d.sources(1, 1, type);
  d.predicate_destination(0);
  d.finish();
}

}  // namespace duet::ptx
