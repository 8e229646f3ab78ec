// Arithmetic, comparison, logic and moves (PTX ISA 9.0, sections 9.7.1 to 9.7.8 and the register
// part of 9.7.9).
#include <cstring>

#include "ptx/decode/decode.h"

namespace duet::ptx {

using ir::Value;
using ir::ValueKind;

namespace {

enum Accepts : unsigned { kFtz = 1, kRound = 2, kSat = 4, kApprox = 8, kFull = 16, kCarry = 32 };

// Instructions whose operands all follow from one type. Shape: destination, then sources; T the
// instruction's type, u 32-bit.
struct Row {
  const char* name;
  Opcode opcode;
  const char* shape;
  unsigned accepts;
};
constexpr Row kRows[] = {
    {"add", Opcode::Add, "TTT", kFtz | kRound | kSat | kCarry},
    {"addc", Opcode::Add, "TTT", kCarry},
    {"sub", Opcode::Sub, "TTT", kFtz | kRound | kSat | kCarry},
    {"subc", Opcode::Sub, "TTT", kCarry},
    {"sad", Opcode::Sad, "TTTT", 0},
    {"div", Opcode::Div, "TTT", kFtz | kRound | kApprox | kFull},
    {"rem", Opcode::Rem, "TTT", 0},
    {"abs", Opcode::Abs, "TT", kFtz},
    {"neg", Opcode::Neg, "TT", kFtz},
    {"fma", Opcode::Fma, "TTTT", kFtz | kRound | kSat},
    {"popc", Opcode::Popc, "uT", 0},
    {"clz", Opcode::Clz, "uT", 0},
    {"brev", Opcode::Brev, "TT", 0},
    {"bfe", Opcode::Bfe, "TTuu", 0},
    {"bfi", Opcode::Bfi, "TTTuu", 0},
    {"fns", Opcode::Fns, "uuuu", 0},
    {"copysign", Opcode::Copysign, "TTT", 0},
    {"rcp", Opcode::Rcp, "TT", kFtz | kRound | kApprox},
    {"sqrt", Opcode::Sqrt, "TT", kFtz | kRound | kApprox},
    {"rsqrt", Opcode::Rsqrt, "TT", kFtz | kApprox},
    {"sin", Opcode::Sin, "TT", kFtz | kApprox},
    {"cos", Opcode::Cos, "TT", kFtz | kApprox},
    {"lg2", Opcode::Lg2, "TT", kFtz | kApprox},
    {"ex2", Opcode::Ex2, "TT", kFtz | kApprox},
    {"tanh", Opcode::Tanh, "TT", kApprox},
    {"cnot", Opcode::Cnot, "TT", 0},
    {"shl", Opcode::Shl, "TTu", 0},
    {"shr", Opcode::Shr, "TTu", 0},
};

bool rounds(Opcode opcode) {
  return opcode == Opcode::Add || opcode == Opcode::Sub || opcode == Opcode::Mul || opcode == Opcode::Fma ||
         opcode == Opcode::Mad || opcode == Opcode::Div || opcode == Opcode::Rcp || opcode == Opcode::Sqrt;
}

void take_float_modifiers(Decoder& d, unsigned accepts) {
  MicroOp& op = d.out.op;
  if (accepts & kRound) op.rounding = d.take_rounding();
  if (accepts & kFtz) op.flush_to_zero = d.take("ftz");
  d.take("noftz");
  if (accepts & kSat) op.saturate = d.take("sat");
  if (accepts & kApprox) op.approximate = d.take("approx");
  if (d.in.opcode == "div" && op.approximate) op.mode = 1;
  if ((accepts & kFull) && d.take("full")) op.approximate = true;
}

void default_rounding(MicroOp& op) {
  if (is_float(op.type) && rounds(op.opcode) && !op.approximate && op.rounding == Rounding::None)
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
  d.set(Opcode::Pack, Kind::Arithmetic, Type::B64);
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

bool simple(Decoder& d) {
  for (const Row& row : kRows) {
    if (d.in.opcode != row.name) continue;
    MicroOp& op = d.out.op;
    take_float_modifiers(d, row.accepts);
    if (row.accepts & kCarry) {
      op.carry_out = d.take("cc");
      op.carry_in = d.in.opcode.back() == 'c';
    }
    const Type type = d.take_type();
    if (row.opcode == Opcode::Rcp && type == Type::F64 && op.flush_to_zero && !op.approximate)
      d.unsupported();
    if (is_float(type) && op.carry_out) d.fail("carry of a floating-point operation");
    if (type == Type::Pred) d.fail("predicates are no operands here");
    d.set(row.opcode, Kind::Arithmetic, type);
    default_rounding(op);
    const unsigned operands = static_cast<unsigned>(std::strlen(row.shape));
    d.expect_operands(operands, operands);
    if (row.opcode == Opcode::Fma && d.take("relu")) {
      if (type_bytes(type) > 4 || type == Type::F32 || op.saturate)
        d.illegal(".relu belongs to 16-bit formats, without .sat");
      op.mode = 1;
    }
    if (type == Type::F32x2) {
      on_both_halves(d);
      return true;
    }
    const bool sum = row.opcode == Opcode::Add || row.opcode == Opcode::Sub || row.opcode == Opcode::Fma;
    if (sum && type == Type::F32 && (d.peek("f16") || d.peek("bf16"))) {
      mixed_precision(d, d.take_type());
      return true;
    }
    const auto operand_type = [&](unsigned i) { return row.shape[i] == 'T' ? type : Type::U32; };
    for (unsigned i = 1; i < operands; ++i) d.out.add_source(d.source(i, operand_type(i)));
    d.destination(0, operand_type(0));
    d.finish();
    return true;
  }
  return false;
}

void multiply(Decoder& d) {
  MicroOp& op = d.out.op;
  const bool mad = d.in.opcode.starts_with("mad");
  const bool is_24 = d.in.opcode.ends_with("24");
  if (d.take("lo"))
    op.product = Product::Low;
  else if (d.take("hi"))
    op.product = Product::High;
  else if (d.take("wide"))
    op.product = Product::Wide;
  take_float_modifiers(d, kRound | kFtz | kSat);
  op.carry_out = d.take("cc");
  op.carry_in = d.in.opcode == "madc";
  const Type type = d.take_type();
  if (is_float(type)) {
    if (op.product != Product::None || op.carry_out) d.fail("integer modifiers on a float type");
    d.set(mad ? Opcode::Fma : Opcode::Mul, Kind::Arithmetic, type);
  } else {
    if (op.product == Product::None) d.fail("one of .lo, .hi, .wide is missing");
    if (op.rounding != Rounding::None || op.flush_to_zero) d.fail("float modifiers on an integer type");
    d.set(is_24 ? (mad ? Opcode::Mad24 : Opcode::Mul24) : (mad ? Opcode::Mad : Opcode::Mul), Kind::Arithmetic,
          type);
  }
  default_rounding(op);
  d.expect_operands(mad ? 4 : 3, mad ? 4 : 3);
  if (type == Type::F32x2) return on_both_halves(d);
  Type wide = type;
  if (op.product == Product::Wide) {
    switch (type) {
      case Type::U16:
        wide = Type::U32;
        break;
      case Type::S16:
        wide = Type::S32;
        break;
      case Type::U32:
        wide = Type::U64;
        break;
      case Type::S32:
        wide = Type::S64;
        break;
      default:
        d.fail("no .wide product of this type");
    }
  }
  d.sources(1, 2, type);
  if (mad) d.out.add_source(d.source(3, wide));
  d.destination(0, wide);
  d.finish();
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

void min_max(Decoder& d) {
  MicroOp& op = d.out.op;
  d.set(d.in.opcode == "min" ? Opcode::Min : Opcode::Max, Kind::Arithmetic, Type::None);
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

void compare(Decoder& d) {
  const bool setp = d.in.opcode == "setp";
  MicroOp& op = d.out.op;
  op.comparison = take_comparison(d);
  op.boolean = take_boolean(d);
  op.flush_to_zero = d.take("ftz");
  const unsigned operands = op.boolean == Boolean::None ? 3 : 4;
  d.expect_operands(operands, operands);
  const Type type = d.take_type();
  op.source_type = setp ? type : d.take_type();
  d.set(setp ? Opcode::Setp : Opcode::Set, Kind::Arithmetic, type);
  d.sources(1, 2, op.source_type);
  if (op.boolean != Boolean::None) d.out.add_source(d.predicate_source(3));
  if (setp)
    d.predicate_destination(0);
  else
    d.destination(0, type);
  d.finish();
}

void select(Decoder& d) {
  const bool selp = d.in.opcode == "selp";
  d.out.op.flush_to_zero = !selp && d.take("ftz");
  const Type type = d.take_type();
  d.expect_operands(4, 4);
  d.set(selp ? Opcode::Selp : Opcode::Slct, Kind::Arithmetic, type);
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

// A predicate with a constant value: compares 0 with 0.
void constant_predicate(Decoder& d, bool value) {
  d.set(Opcode::Setp, Kind::Arithmetic, Type::U32);
  d.out.op.source_type = Type::U32;
  d.out.op.comparison = value ? Comparison::Eq : Comparison::Ne;
  d.out.op.source_count = 0;
  d.out.add_source(Value::immediate(0, Type::U32));
  d.out.add_source(Value::immediate(0, Type::U32));
}

void logic(Decoder& d, Opcode opcode) {
  const Type type = d.take_type();
  const bool unary = opcode == Opcode::Not;
  d.set(opcode, Kind::Arithmetic, type);
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

void lop3(Decoder& d) {
  MicroOp& op = d.out.op;
  if (d.take("and"))
    op.boolean = Boolean::And;
  else if (d.take("or"))
    op.boolean = Boolean::Or;
  const bool joins = op.boolean != Boolean::None;
  d.set(Opcode::Lop3, Kind::Arithmetic, d.take_type());
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

void funnel_shift(Decoder& d) {
  MicroOp& op = d.out.op;
  if (d.take("r"))
    op.mode = 1;
  else if (!d.take("l"))
    d.fail("one of .l, .r is missing");
  if (d.take("wrap"))
    op.mode |= 2;
  else if (!d.take("clamp"))
    d.fail("one of .wrap, .clamp is missing");
  d.set(Opcode::Shf, Kind::Arithmetic, d.take_type());
  d.expect_operands(4, 4);
  d.sources(1, 3, Type::B32);
  d.destination(0, Type::B32);
  d.finish();
}

void permute(Decoder& d) {
  static constexpr std::pair<std::string_view, PrmtMode> kModes[] = {
      {"f4e", PrmtMode::F4e}, {"b4e", PrmtMode::B4e}, {"rc8", PrmtMode::Rc8},
      {"ecl", PrmtMode::Ecl}, {"ecr", PrmtMode::Ecr}, {"rc16", PrmtMode::Rc16}};
  for (const auto& [name, mode] : kModes)
    if (d.take(name)) d.out.op.mode = static_cast<std::uint8_t>(mode);
  d.set(Opcode::Prmt, Kind::Arithmetic, d.take_type());
  d.expect_operands(4, 4);
  d.sources(1, 3, Type::B32);
  d.destination(0, Type::B32);
  d.finish();
}

void bfind(Decoder& d) {
  if (d.take("shiftamt")) d.out.op.mode = 1;
  const Type type = d.take_type();
  d.set(Opcode::Bfind, Kind::Arithmetic, type);
  d.expect_operands(2, 2);
  d.sources(1, 1, type);
  d.destination(0, Type::U32);
  d.finish();
}

void clamp_or_wrap(Decoder& d, Opcode opcode) {
  if (d.take("wrap"))
    d.out.op.mode = 1;
  else if (!d.take("clamp"))
    d.fail("one of .wrap, .clamp is missing");
  const Type type = d.take_type();
  d.set(opcode, Kind::Arithmetic, type);
  d.expect_operands(3, 3);
  d.sources(1, 2, opcode == Opcode::Szext ? type : Type::U32);
  if (opcode == Opcode::Szext) d.out.sources[1].type = Type::U32;
  d.destination(0, type);
  d.finish();
}

void dot_product(Decoder& d, Opcode opcode) {
  if (opcode == Opcode::Dp2a) {
    if (d.take("hi"))
      d.out.op.mode = 1;
    else if (!d.take("lo"))
      d.fail("one of .lo, .hi is missing");
  }
  const Type a = d.take_type(), b = d.take_type();
  d.set(opcode, Kind::Arithmetic, a);
  d.out.op.source_type = b;
  d.expect_operands(4, 4);
  d.sources(1, 3, Type::B32);
  d.destination(0, Type::B32);
  d.finish();
}

void test_property(Decoder& d) {
  static constexpr std::pair<std::string_view, TestpMode> kModes[] = {
      {"finite", TestpMode::Finite}, {"infinite", TestpMode::Infinite},
      {"number", TestpMode::Number}, {"notanumber", TestpMode::NotANumber},
      {"normal", TestpMode::Normal}, {"subnormal", TestpMode::Subnormal}};
  for (const auto& [name, mode] : kModes)
    if (d.take(name)) d.out.op.mode = static_cast<std::uint8_t>(mode);
  const Type type = d.take_type();
  d.set(Opcode::Testp, Kind::Arithmetic, type);
  d.expect_operands(2, 2);
  d.sources(1, 1, type);
  d.predicate_destination(0);
  d.finish();
}

void pack(Decoder& d, Type type) {
  const ParsedOperand& vector = d.operand(1);
  const unsigned element_bytes = type_bytes(type) / vector.element_count;
  if (vector.element_count > 4) d.unsupported();
  const Type element = element_bytes == 4 ? Type::B32 : element_bytes == 2 ? Type::B16 : Type::B8;
  d.set(Opcode::Pack, Kind::Arithmetic, type);
  for (unsigned i = 0; i < vector.element_count; ++i)
    d.out.add_source(d.narrowed(vector.elements[i], element));
  d.destination(0, type);
  d.finish();
}

void unpack(Decoder& d, Type type) {
  const ParsedOperand& vector = d.operand(0);
  const unsigned element_bytes = type_bytes(type) / vector.element_count;
  if (vector.element_count > 4) d.unsupported();
  const Type element = element_bytes == 4 ? Type::B32 : element_bytes == 2 ? Type::B16 : Type::B8;
  d.set(Opcode::Unpack, Kind::Arithmetic, type);
  d.sources(1, 1, type);
  for (unsigned i = 0; i < vector.element_count; ++i) {
    const Value& e = vector.elements[i];
    if (e.is_register() && d.width_of_register(e) == 8) d.fail("an element is wider than its share");
    d.out.add_destination(e.kind == ValueKind::None ? Value{} : Value::reg(e.index, element));
  }
  d.finish();
}

// mov.v2, mov.v4: element by element, all read before any is written.
void move_vector(Decoder& d, unsigned count) {
  const Type type = d.take_type();
  d.expect_operands(2, 2);
  const ParsedOperand &to = d.operand(0), &from = d.operand(1);
  if (to.kind != ParsedOperand::Kind::Vector || from.kind != ParsedOperand::Kind::Vector ||
      to.element_count != count || from.element_count != count)
    d.fail("operands are not vectors of " + std::to_string(count) + " elements");
  if (d.modifiers_left()) d.unsupported();
  if (count * type_bytes(type) > 16) d.illegal("no vector of so many bytes");
  std::array<Value, 4> read;
  for (unsigned i = 0; i < count; ++i) {
    if (from.elements[i].kind == ValueKind::None) d.fail("`_` has no value");
    const Value value = d.narrowed(from.elements[i], type);
    ir::Instruction copy = d.make(Opcode::Mov, type);
    read[i] = Value::reg(d.temporary(type), type);
    copy.add_source(value);
    copy.add_destination(read[i]);
    d.append(copy);
  }
  d.set(Opcode::Mov, Kind::Arithmetic, type);
  for (unsigned i = 0; i < count; ++i) {
    const Value& element = to.elements[i];
    if (element.kind == ValueKind::None) continue;
    if (!element.is_register() || d.width_of_register(element) != type_bytes(type))
      d.fail("an element does not fit the type");
    d.out.op.source_count = d.out.op.destination_count = 0;
    d.out.add_source(read[i]);
    d.out.add_destination(Value::reg(element.index, type));
    d.append(d.out);
  }
}

void move(Decoder& d) {
  if (d.take("v2")) return move_vector(d, 2);
  if (d.take("v4")) return move_vector(d, 4);
  const Type type = d.take_type();
  d.expect_operands(2, 2);
  if (d.operand(1).kind == ParsedOperand::Kind::Vector) return pack(d, type);
  if (d.operand(0).kind == ParsedOperand::Kind::Vector) return unpack(d, type);
  d.set(Opcode::Mov, Kind::Arithmetic, type);
  if (type == Type::Pred) {
    d.predicate_destination(0);
    if (d.operand(1).value.is_immediate())
      constant_predicate(d, d.operand(1).value.bits != 0);
    else
      d.out.add_source(d.predicate_source(1));
  } else {
    if (d.operand(1).kind == ParsedOperand::Kind::Name)
      d.fail("'" + std::string(d.operand(1).name) + "' is not declared");
    d.sources(1, 1, type);
    d.destination(0, type);
  }
  d.finish();
}

}  // namespace

bool decode_arithmetic(Decoder& d) {
  using Function = void (*)(Decoder&);
  static const std::unordered_map<std::string_view, Function> kFunctions = {
      {"mul", multiply},
      {"mad", multiply},
      {"madc", multiply},
      {"mul24", multiply},
      {"mad24", multiply},
      {"min", min_max},
      {"max", min_max},
      {"setp", compare},
      {"set", compare},
      {"selp", select},
      {"slct", select},
      {"and", [](Decoder& x) { logic(x, Opcode::And); }},
      {"or", [](Decoder& x) { logic(x, Opcode::Or); }},
      {"xor", [](Decoder& x) { logic(x, Opcode::Xor); }},
      {"not", [](Decoder& x) { logic(x, Opcode::Not); }},
      {"lop3", lop3},
      {"shf", funnel_shift},
      {"prmt", permute},
      {"bfind", bfind},
      {"szext", [](Decoder& x) { clamp_or_wrap(x, Opcode::Szext); }},
      {"bmsk", [](Decoder& x) { clamp_or_wrap(x, Opcode::Bmsk); }},
      {"dp4a", [](Decoder& x) { dot_product(x, Opcode::Dp4a); }},
      {"dp2a", [](Decoder& x) { dot_product(x, Opcode::Dp2a); }},
      {"testp", test_property},
      {"mov", move},
  };
  const auto found = kFunctions.find(d.in.opcode);
  if (found != kFunctions.end()) {
    found->second(d);
    return true;
  }
  return simple(d);
}

}  // namespace duet::ptx
