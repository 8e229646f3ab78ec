// Arithmetic, comparison, logic, moves and conversions (PTX ISA 9.0, sections 9.7.1 to 9.7.8 and the register
// part of 9.7.9).
#include <cstring>

#include "ptx/decode.h"

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
    if (is_float(type) && op.carry_out) d.fail("carry of a floating-point operation");
    if (type == Type::Pred) d.fail("predicates are no operands here");
    d.set(row.opcode, Kind::Arithmetic, type);
    default_rounding(op);
    const unsigned operands = static_cast<unsigned>(std::strlen(row.shape));
    d.expect_operands(operands, operands);
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

void min_max(Decoder& d) {
  d.set(d.in.opcode == "min" ? Opcode::Min : Opcode::Max, Kind::Arithmetic, Type::None);
  d.out.op.flush_to_zero = d.take("ftz");
  if (d.take("NaN")) d.out.op.mode |= 1;
  if (d.peek("xorsign")) {
    d.take("xorsign");
    d.take("abs");
    d.out.op.mode |= 2;
  }
  const Type type = d.out.op.type = d.take_type();
  if (d.in.operand_count == 4) d.unsupported();
  d.expect_operands(3, 3);
  d.sources(1, 2, type);
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
  if (d.take("and") || d.take("or")) d.unsupported();
  d.set(Opcode::Lop3, Kind::Arithmetic, d.take_type());
  d.expect_operands(5, 5);
  d.sources(1, 3, Type::B32);
  if (!d.operand(4).value.is_immediate()) d.fail("the truth table is not a constant");
  d.out.op.mode = static_cast<std::uint8_t>(d.operand(4).value.bits);
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

void absolute_differences(Decoder& d, Opcode opcode) {
  const Type result = d.take_type(), a = d.take_type(), b = d.take_type();
  if (d.take("sat")) d.unsupported();
  const bool add = d.take("add");
  if (a != b || result != Type::U32) d.unsupported();
  d.set(opcode, Kind::Arithmetic, a);
  d.expect_operands(4, 4);
  // Without .add the third operand fills the fields that a mask leaves out; here there are none.
  d.sources(1, add ? 3 : 2, Type::B32);
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

void move(Decoder& d) {
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

void convert(Decoder& d) {
  MicroOp& op = d.out.op;
  op.rounding = d.take_rounding();
  op.flush_to_zero = d.take("ftz");
  op.saturate = d.take("sat");
  const Type type = d.take_type(), from = d.take_type();
  d.set(Opcode::Cvt, Kind::Arithmetic, type);
  op.source_type = from;
  const bool two = type == Type::F16x2 || type == Type::BF16x2;
  d.expect_operands(two ? 3 : 2, two ? 3 : 2);
  for (unsigned i = 1; i < d.in.operand_count; ++i) {
    if (d.operand(i).kind != ParsedOperand::Kind::Value) d.fail("the source is not a value");
    d.out.add_source(d.narrowed(d.operand(i).value, from));
  }
  d.destination(0, type, true);
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
      {"vabsdiff2", [](Decoder& x) { absolute_differences(x, Opcode::Vabsdiff2); }},
      {"vabsdiff4", [](Decoder& x) { absolute_differences(x, Opcode::Vabsdiff4); }},
      {"testp", test_property},
      {"mov", move},
      {"cvt", convert},
  };
  const auto found = kFunctions.find(d.in.opcode);
  if (found != kFunctions.end()) {
    found->second(d);
    return true;
  }
  return simple(d);
}

}  // namespace duet::ptx
