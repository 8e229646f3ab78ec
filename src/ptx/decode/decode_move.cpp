// Moves: of registers, predicates and vectors, and between a vector of narrow registers and a wide one (PTX
// ISA 9.0, section 9.7.9: mov).
#include "ptx/decode/decode.h"
#include "ptx/decode/decoders.h"

namespace duet::ptx {

using ir::Value;
using ir::ValueKind;

namespace {

// A predicate with a constant value: compares 0 with 0.
void constant_predicate(Decoder& d, bool value) {
  d.set(Opcode::Setp, Type::U32);
  d.out.op.source_type = Type::U32;
  d.out.op.comparison = value ? Comparison::Eq : Comparison::Ne;
  d.out.op.source_count = 0;
  d.out.add_source(Value::immediate(0, Type::U32));
  d.out.add_source(Value::immediate(0, Type::U32));
}

void pack(Decoder& d, Type type) {
  const ParsedOperand& vector = d.operand(1);
  const unsigned element_bytes = type_bytes(type) / vector.element_count;
  if (vector.element_count > 4) d.unsupported();
  const Type element = element_bytes == 4 ? Type::B32 : element_bytes == 2 ? Type::B16 : Type::B8;
  d.set(Opcode::Pack, type);
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
  d.set(Opcode::Unpack, type);
  d.sources(1, 1, type);
  for (unsigned i = 0; i < vector.element_count; ++i) {
    const Value& e = vector.elements[i];
    if (e.is_register() && d.width_of_register(e) >= 8) d.fail("an element is wider than its share");
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
  d.set(Opcode::Mov, type);
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

// mov.b128: a register, or its halves as a vector of two, to a register or to such a vector.
void move_b128(Decoder& d) {
  d.expect_operands(2, 2);
  if (d.modifiers_left()) d.unsupported();
  const auto halves = [&](unsigned index) -> std::array<Value, 2> {
    const ParsedOperand& o = d.operand(index);
    if (o.kind == ParsedOperand::Kind::Vector && o.element_count == 2) return {o.elements[0], o.elements[1]};
    if (o.kind != ParsedOperand::Kind::Value || !o.value.is_register() ||
        d.width_of_register(o.value) != type_bytes(Type::B128))
      d.fail("operand " + std::to_string(index + 1) + " has no 128 bits");
    return {ir::low_half(o.value.index), ir::high_half(o.value.index)};
  };
  const std::array<Value, 2> to = halves(0), from = halves(1);
  if (d.operand(0).kind == ParsedOperand::Kind::Vector && d.operand(1).kind == ParsedOperand::Kind::Vector)
    d.illegal("one of the operands is a register");
  for (unsigned i = 0; i < 2; ++i) {
    if (to[i].kind == ValueKind::None) continue;
    if (!to[i].is_register() || d.width_of_register(to[i]) != 8) d.fail("an element has no 64 bits");
    if (from[i].kind == ValueKind::None) d.fail("`_` has no value");
    d.set(Opcode::Mov, Type::B64);
    d.out.op.source_count = d.out.op.destination_count = 0;
    d.out.add_source(d.narrowed(from[i], Type::B64));
    d.out.add_destination(Value::reg(to[i].index, Type::B64));
    d.append(d.out);
  }
}

}  // namespace

void decoders::move(Decoder& d) {
  if (d.take("b128")) return move_b128(d);
  if (d.take("v2")) return move_vector(d, 2);
  if (d.take("v4")) return move_vector(d, 4);
  const Type type = d.take_type();
  d.expect_operands(2, 2);
  if (d.operand(1).kind == ParsedOperand::Kind::Vector) return pack(d, type);
  if (d.operand(0).kind == ParsedOperand::Kind::Vector) return unpack(d, type);
  d.set(Opcode::Mov, type);
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

}  // namespace duet::ptx
