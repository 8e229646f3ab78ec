// Operand and modifier handling shared by all instructions. Widths: PTX ISA 9.0, section 9.4.1 (operand size
// exceeding instruction-type size).
#include "ptx/decode/decode.h"

#include <bit>

#include "base/error.h"
#include "ptx/decode/legality.h"

namespace duet::ptx {

using ir::Instruction;
using ir::kNone;
using ir::Value;
using ir::ValueKind;

bool type_from_name(std::string_view name, Type& type) {
  static const std::unordered_map<std::string_view, Type> kTypes = {
      {"pred", Type::Pred}, {"b8", Type::B8},         {"b16", Type::B16}, {"b32", Type::B32},
      {"b64", Type::B64},   {"b128", Type::B128},     {"u8", Type::U8},   {"u16", Type::U16},
      {"u32", Type::U32},   {"u64", Type::U64},       {"s8", Type::S8},   {"s16", Type::S16},
      {"s32", Type::S32},   {"s64", Type::S64},       {"f16", Type::F16}, {"f16x2", Type::F16x2},
      {"bf16", Type::BF16}, {"bf16x2", Type::BF16x2}, {"f32", Type::F32}, {"f64", Type::F64}};
  const auto found = kTypes.find(name);
  if (found == kTypes.end()) return false;
  type = found->second;
  return true;
}

bool instruction_type_from_name(std::string_view name, Type& type) {
  static const std::unordered_map<std::string_view, Type> kTypes = {
      {"u16x2", Type::U16x2},   {"s16x2", Type::S16x2},   {"f32x2", Type::F32x2},
      {"e4m3x2", Type::E4M3x2}, {"e5m2x2", Type::E5M2x2}, {"tf32", Type::TF32}};
  if (type_from_name(name, type)) return true;
  const auto found = kTypes.find(name);
  if (found == kTypes.end()) return false;
  type = found->second;
  return true;
}

namespace {

[[noreturn]] void refuse(const ParsedStatement& statement) {
  throw ir::Unsupported{"PTX '" + std::string(statement.text) + "' is not supported"};
}

}  // namespace

Decoder::Decoder(const ParsedStatement& statement, const OpcodeRow& opcode_row, DecodeContext& decode_context)
    : in(statement), row(opcode_row), context(decode_context), modifiers_(statement.modifiers) {
  out.op.ptx_line = in.line;
  out.guard = in.guard;
  out.op.guard_negated = in.guard_negated;
}

void Decoder::fail(const std::string& what) const {
  throw ir::Unsupported{"PTX '" + std::string(in.text) + "' is not supported in this form: " + what};
}
void Decoder::unsupported() const { refuse(in); }

void Decoder::illegal(const std::string& what) const {
  throw ir::Unsupported{"PTX '" + std::string(in.text) + "' is malformed: " + what};
}

bool Decoder::peek(std::string_view modifier) const {
  for (const auto m : modifiers_)
    if (m == modifier) return true;
  return false;
}
bool Decoder::take(std::string_view modifier) {
  for (auto& m : modifiers_)
    if (m == modifier) {
      modifiers_.erase(modifiers_.begin() + (&m - modifiers_.data()));
      return true;
    }
  return false;
}
bool Decoder::modifiers_left() const { return !modifiers_.empty(); }

Type Decoder::take_type_or_none() {
  for (auto& m : modifiers_) {
    Type type;
    if (instruction_type_from_name(m, type)) {
      modifiers_.erase(modifiers_.begin() + (&m - modifiers_.data()));
      return type;
    }
  }
  return Type::None;
}
Type Decoder::take_type() {
  const Type type = take_type_or_none();
  if (type == Type::None) {
    if (modifiers_left()) unsupported();  // a type newer than this compiler
    fail("a type is missing");
  }
  if (type == Type::B128) unsupported();
  return type;
}

Rounding Decoder::take_rounding() {
  static constexpr std::pair<std::string_view, Rounding> kRoundings[] = {
      {"rn", Rounding::NearestEven},         {"rz", Rounding::Zero},
      {"rm", Rounding::MinusInfinity},       {"rp", Rounding::PlusInfinity},
      {"rna", Rounding::NearestAway},        {"rni", Rounding::IntegerNearestEven},
      {"rzi", Rounding::IntegerZero},        {"rmi", Rounding::IntegerMinusInfinity},
      {"rpi", Rounding::IntegerPlusInfinity}};
  for (const auto& [name, rounding] : kRoundings)
    if (take(name)) return rounding;
  return Rounding::None;
}

void Decoder::take_hints() {
  std::erase_if(modifiers_, [](std::string_view m) {
    return m.starts_with("L1::") || m.starts_with("L2::") || m == "level::eviction_priority";
  });
}

MemoryScope Decoder::take_scope() {
  if (take("cta")) return MemoryScope::Cta;
  if (take("cluster")) return MemoryScope::Cluster;
  if (take("gpu")) return MemoryScope::Gpu;
  if (take("sys")) return MemoryScope::System;
  return MemoryScope::None;
}

const ParsedOperand& Decoder::operand(unsigned index) const {
  if (index >= in.operand_count) fail("operand " + std::to_string(index + 1) + " is missing");
  return in.operands[index];
}
void Decoder::expect_operands(unsigned least, unsigned most) const {
  if (in.operand_count < least || in.operand_count > most)
    fail("has " + std::to_string(in.operand_count) + " operands");
}

Instruction Decoder::make(Opcode opcode, Type type) const { return ir::instruction(opcode, type, in.line); }
std::uint32_t Decoder::temporary(Type type) { return context.function.add_register(type); }

unsigned Decoder::width_of_register(const Value& value) const {
  return type_bytes(context.function.registers[value.index]);
}

// The value read as `type`: literals become bits of that type, symbols and special registers get its width.
Value Decoder::value_as(const Value& value, Type type) {
  Value result = value;
  result.type = type;
  const unsigned bytes = type_bytes(type);
  switch (value.kind) {
    case ValueKind::Immediate: {
      const Type literal = value.type;  // U64, F32 or F64
      if (literal == Type::U64) {
        if (type == Type::F32 || type == Type::F64) fail("an integer stands where a float is expected");
        if (bytes < 8) result.bits &= (1ull << (8 * bytes)) - 1;
      } else {
        const double number = literal == Type::F32
                                  ? std::bit_cast<float>(static_cast<std::uint32_t>(value.bits))
                                  : std::bit_cast<double>(value.bits);
        if (bytes == 8)
          result.bits = literal == Type::F64 ? value.bits : std::bit_cast<std::uint64_t>(number);
        else if (bytes == 4)
          result.bits =
              literal == Type::F32 ? value.bits : std::bit_cast<std::uint32_t>(static_cast<float>(number));
        else
          fail("a float constant does not fit type " + std::string(type_name(type)));
      }
      return result;
    }
    case ValueKind::Volatile: {
      Instruction read = make(Opcode::ReadSpecial, value.type);
      read.op.mode = static_cast<std::uint8_t>(value.index);
      const Value destination = Value::reg(temporary(value.type), value.type);
      read.add_destination(destination);
      append(read);
      return value_as(destination, type);
    }
    case ValueKind::Warp:
    case ValueKind::Block:
      if (bytes == 8) {
        Instruction widen = make(Opcode::Cvt, Type::U64);
        widen.op.source_type = Type::U32;
        result.type = Type::U32;
        widen.add_source(result);
        const Value destination = Value::reg(temporary(Type::U64), Type::U64);
        widen.add_destination(destination);
        append(widen);
        result = destination;
        result.type = type;
      }
      return result;
    default:
      return result;
  }
}

Value Decoder::source(unsigned index, Type type) {
  const ParsedOperand& o = operand(index);
  if (o.kind != ParsedOperand::Kind::Value || o.complement || o.second.kind != ValueKind::None)
    fail("operand " + std::to_string(index + 1) + " is not a value");
  if (o.value.is_register()) {
    const Type reg = context.function.registers[o.value.index];
    if (reg == Type::Pred) fail("operand " + std::to_string(index + 1) + " is a predicate");
    if (type_bytes(reg) >= 8 && type_bytes(type) < type_bytes(reg))
      fail("operand " + std::to_string(index + 1) + " is wider than " + type_name(type));
    if (type_bytes(type) > type_bytes(reg))
      fail("operand " + std::to_string(index + 1) + " is narrower than " + type_name(type));
  }
  return value_as(o.value, type);
}

Value Decoder::narrowed(const Value& value, Type type) {
  if (!value.is_register()) return value_as(value, type);
  const Type reg = context.function.registers[value.index];
  if (reg == Type::Pred || reg == Type::B128 || type_bytes(reg) < type_bytes(type))
    fail("an operand does not fit the type");
  if (type_bytes(reg) == 8 && type_bytes(type) < 8) {
    Instruction cut = make(Opcode::Cvt, Type::U32);
    cut.op.source_type = Type::U64;
    cut.add_source(Value::reg(value.index, Type::U64));
    const Value destination = Value::reg(temporary(Type::B32), Type::U32);
    cut.add_destination(destination);
    append(cut);
    return Value::reg(destination.index, type);
  }
  return Value::reg(value.index, type);
}

Value Decoder::predicate_source(unsigned index) {
  const ParsedOperand& o = operand(index);
  if (o.kind == ParsedOperand::Kind::Value && o.value.is_immediate()) {  // compares 0 with 0
    const std::uint32_t constant = temporary(Type::Pred);
    ir::Instruction set = make(Opcode::Setp, Type::U32);
    set.op.source_type = Type::U32;
    set.op.comparison = ((o.value.bits & 1) != 0) != o.complement ? Comparison::Eq : Comparison::Ne;
    set.add_source(Value::immediate(0, Type::U32));
    set.add_source(Value::immediate(0, Type::U32));
    set.predicate = constant;
    append(set);
    return Value::reg(constant, Type::Pred);
  }
  if (o.kind != ParsedOperand::Kind::Value || !o.value.is_register() ||
      context.function.registers[o.value.index] != Type::Pred)
    fail("operand " + std::to_string(index + 1) + " is not a predicate");
  Value value = Value::reg(o.value.index, Type::Pred);
  value.negate = o.complement;
  return value;
}

void Decoder::destination(unsigned index, Type type, bool wider_allowed) {
  const ParsedOperand& o = operand(index);
  if (o.kind == ParsedOperand::Kind::Sink) {
    out.add_destination(Value::reg(temporary(type), type));
    return;
  }
  if (o.kind != ParsedOperand::Kind::Value || !o.value.is_register())
    fail("operand " + std::to_string(index + 1) + " is not a register");
  const Type reg = context.function.registers[o.value.index];
  const unsigned have = type_bytes(reg), need = type_bytes(type);
  if (reg == Type::Pred || reg == Type::B128 || have < need || (have == 8 && need < 8 && !wider_allowed))
    fail("operand " + std::to_string(index + 1) + " does not fit type " + type_name(type));
  if (have == 8 && need < 8) {
    const std::uint32_t narrow = temporary(Type::B32);
    out.add_destination(Value::reg(narrow, type));
    Instruction widen = make(Opcode::Cvt, is_signed(type) ? Type::S64 : Type::U64);
    widen.guard = out.guard;
    widen.op.guard_negated = out.op.guard_negated;
    static constexpr Type kBySize[5][2] = {
        {}, {Type::U8, Type::S8}, {Type::U16, Type::S16}, {}, {Type::U32, Type::S32}};
    widen.op.source_type = kBySize[need][is_signed(type)];
    widen.add_destination(Value::reg(o.value.index, widen.op.type));
    widen.add_source(Value::reg(narrow, widen.op.source_type));
    after_.push_back(widen);
    return;
  }
  out.add_destination(Value::reg(o.value.index, type));
}

void Decoder::predicate_destination(unsigned index) {
  const ParsedOperand& o = operand(index);
  const auto predicate = [&](const Value& value) {
    if (!value.is_register() || context.function.registers[value.index] != Type::Pred)
      fail("operand " + std::to_string(index + 1) + " is not a predicate");
    return value.index;
  };
  if (o.kind == ParsedOperand::Kind::Sink && o.second.kind == ValueKind::None) {
    out.predicate = temporary(Type::Pred);
    return;
  }
  out.predicate = o.kind == ParsedOperand::Kind::Sink ? temporary(Type::Pred) : predicate(o.value);
  if (o.second.kind != ValueKind::None) out.predicate_second = predicate(o.second);
}

void Decoder::sources(unsigned first, unsigned count, Type type) {
  for (unsigned i = 0; i < count; ++i) out.add_source(source(first + i, type));
}

void Decoder::set(Opcode opcode, Type type) {
  out.op.opcode = opcode;
  out.op.kind = kind_of(opcode);
  out.op.type = type;
}

void Decoder::finish() {
  if (modifiers_left()) unsupported();
  append(out);
  for (const auto& instruction : after_) append(instruction);
}

void decode_statement(const ParsedStatement& statement, DecodeContext& context) {
  const OpcodeRow* row = find_row(statement.opcode);
  if (row == nullptr) refuse(statement);
  Decoder decoder(statement, *row, context);
  Legality(decoder).check();
  for (unsigned i = 0; i < statement.operand_count && !(row->form.takes & kParts); ++i) {
    const ParsedOperand& o = statement.operands[i];
    if (!o.selector.empty())
      decoder.illegal("it takes no part '." + std::string(o.selector) + "' of an operand");
    if (o.negate) decoder.illegal("it takes no negated operand");
  }
  row->decode(decoder);
}

}  // namespace duet::ptx
