// createpolicy (PTX ISA 9.0, section 9.7.9): the 64 bits that stand for an eviction policy. They change
// nothing here, but programs store and compare them: the layout is libcu++'s (cuda/annotated_ptr), the
// rounding of a fraction and the steps for a range are what ptxas makes of the instruction.
//   63..61  0
//   60..59  how it chooses: 2 a fraction of all addresses, 3 a range of them
//   58..57  priority of chosen accesses: 0 as it is, 1 first, 2 last, 3 normal
//   56      priority of all others: 0 as it is, 1 first
//   55..52  a fraction: sixteenths less 1; a range: log2 of the size of a block, less 12
//   50..44, 43..37  a range: its first block and the number of blocks; 0 in a fraction
#include <bit>
#include <initializer_list>

#include "ptx/decode/decode.h"
#include "ptx/decode/decoders.h"

namespace duet::ptx {

using ir::Value;
using ir::ValueKind;

namespace {

constexpr unsigned kFieldInHigh = 20;  // of a fraction or a block's size, in the upper half
constexpr unsigned kStartInHigh = 12, kCountInHigh = 5;
constexpr unsigned kLog2LeastBlock = 12, kLog2MostBlocks = 7, kMostBlocks = 127;
constexpr std::uint32_t kFraction = 2u << 27, kRange = 3u << 27;
constexpr float kSixteenths = 15.99f;

Value word(std::uint32_t bits) { return Value::immediate(bits, Type::U32); }

// The instruction's helpers: each has a register of its own as result.
Value step(Decoder& d, ir::Instruction in, std::initializer_list<Value> sources) {
  for (Value source : sources) in.add_source(source);
  const Value result = Value::reg(d.temporary(in.op.type), in.op.type);
  in.add_destination(result);
  d.append(in);
  return result;
}
Value step(Decoder& d, Opcode opcode, Type type, std::initializer_list<Value> sources) {
  return step(d, d.make(opcode, type), sources);
}
Value converted(Decoder& d, Type to, const Value& value, Rounding rounding = Rounding::None) {
  ir::Instruction in = d.make(Opcode::Cvt, to);
  in.op.source_type = value.type;
  in.op.rounding = rounding;
  return step(d, in, {value});
}

std::uint32_t take_priorities(Decoder& d) {
  std::uint32_t bits = 0;
  if (d.take("L2::evict_last"))
    bits = 2u << 25;
  else if (d.take("L2::evict_normal"))
    bits = 3u << 25;
  else if (d.peek("L2::evict_first") || d.peek("L2::evict_unchanged"))
    bits = d.modifiers().front() == "L2::evict_first" ? 1u << 25 : 0, d.take(d.modifiers().front());
  else
    d.illegal("a priority is missing");
  if (d.take("L2::evict_first"))
    bits |= 1u << 24;
  else
    d.take("L2::evict_unchanged");
  return bits;
}

// The policy in the destination, from its upper half.
void deliver(Decoder& d, const Value& high) {
  d.set(Opcode::Pack, Type::B64);
  d.out.add_source(word(0));
  d.out.add_source(high);
  d.destination(0, Type::B64);
  d.finish();
}

void fraction(Decoder& d) {
  const std::uint32_t fixed = kFraction | take_priorities(d);
  d.expect_operands(1, 2);
  const Value part = d.in.operand_count == 1 ? Value::immediate(std::bit_cast<std::uint32_t>(1.0f), Type::F32)
                                             : d.source(1, Type::F32);
  if (part.is_immediate()) {
    const auto number = std::bit_cast<float>(static_cast<std::uint32_t>(part.bits));
    if (!(number > 0.0f && number <= 1.0f)) d.illegal("a fraction is above 0 and at most 1");
    const auto sixteenths = static_cast<std::uint32_t>(number * kSixteenths);
    d.set(Opcode::Mov, Type::B64);
    d.out.add_source(Value::immediate(std::uint64_t{fixed | sixteenths << kFieldInHigh} << 32, Type::B64));
    d.destination(0, Type::B64);
    return d.finish();
  }
  ir::Instruction multiply = d.make(Opcode::Mul, Type::F32);
  multiply.op.rounding = Rounding::NearestEven;
  const Value product =
      step(d, multiply, {part, Value::immediate(std::bit_cast<std::uint32_t>(kSixteenths), Type::F32)});
  const Value whole = converted(d, Type::U32, product, Rounding::IntegerZero);
  const Value kept = step(d, Opcode::And, Type::B32, {whole, word(15)});
  const Value field = step(d, Opcode::Shl, Type::B32, {kept, word(kFieldInHigh)});
  deliver(d, step(d, Opcode::Or, Type::B32, {field, word(fixed)}));
}

Value address_of(Decoder& d, unsigned index) {
  const ParsedOperand& o = d.operand(index);
  if (o.kind != ParsedOperand::Kind::Address || o.element_count != 0)
    d.fail("operand " + std::to_string(index + 1) + " is not an address");
  const auto offset = static_cast<std::uint64_t>(o.offset);
  if (o.value.kind == ValueKind::Variable)
    return Value::variable(o.value.index, o.value.bits + offset, Type::U64);
  if (!o.value.is_register()) d.illegal("global memory has no immediate addresses");
  if (d.width_of_register(o.value) != 8) d.fail("an address has 64 bits");
  const Value base = Value::reg(o.value.index, Type::U64);
  return offset == 0 ? base : step(d, Opcode::Add, Type::U64, {base, Value::immediate(offset, Type::U64)});
}

// Blocks of the total size's 128th part, 4 KiB at least, from the address's block to the last that the
// primary size touches. A total size of 0 chooses nothing.
void range(Decoder& d) {
  d.take("global");
  const std::uint32_t priorities = take_priorities(d);
  d.expect_operands(4, 4);
  const Value address = address_of(d, 1);
  const Value primary = d.source(2, Type::U32), total = d.source(3, Type::U32);
  if (primary.is_immediate() && total.is_immediate() && primary.bits > total.bits)
    d.illegal("the primary size is larger than the total size");

  const Value size = converted(d, Type::F32, total, Rounding::NearestEven);
  ir::Instruction logarithm = d.make(Opcode::Lg2, Type::F32);
  logarithm.op.approximate = true;
  const Value exact = step(d, logarithm, {size});
  const Value log2 = converted(d, Type::S32, exact, Rounding::IntegerPlusInfinity);
  const Value share = step(d, Opcode::Sub, Type::S32, {log2, word(kLog2MostBlocks)});
  const Value shift = step(d, Opcode::Max, Type::S32, {share, word(kLog2LeastBlock)});

  const Value block = step(d, Opcode::Shl, Type::B32, {word(1), shift});
  const Value before = step(d, Opcode::Sub, Type::U32, {block, word(1)});
  const Value reach = step(d, Opcode::Add, Type::U32, {primary, before});
  const Value end = step(d, Opcode::Add, Type::U64, {address, converted(d, Type::U64, reach)});
  const Value last = step(d, Opcode::Shr, Type::U64, {end, shift});
  const Value start = step(d, Opcode::Shr, Type::U64, {address, shift});
  const Value blocks = step(d, Opcode::Sub, Type::U64, {last, start});
  const Value count = converted(
      d, Type::U32, step(d, Opcode::Min, Type::U64, {blocks, Value::immediate(kMostBlocks, Type::U64)}));
  const Value first = step(d, Opcode::And, Type::B32, {converted(d, Type::U32, start), word(kMostBlocks)});

  const Value log2_block = step(d, Opcode::Sub, Type::U32, {shift, word(kLog2LeastBlock)});
  const Value field = step(d, Opcode::Shl, Type::B32, {log2_block, word(kFieldInHigh)});
  const Value place = step(d, Opcode::Shl, Type::B32, {first, word(kStartInHigh)});
  const Value length = step(d, Opcode::Shl, Type::B32, {count, word(kCountInHigh)});
  const Value shape =
      step(d, Opcode::Or, Type::B32, {step(d, Opcode::Or, Type::B32, {field, place}), length});
  const Value high = step(d, Opcode::Or, Type::B32, {shape, word(kRange | priorities)});

  ir::Instruction compare = d.make(Opcode::Setp, Type::U32);
  compare.op.source_type = Type::U32;
  compare.op.comparison = Comparison::Ne;
  compare.add_source(total);
  compare.add_source(word(0));
  compare.predicate = d.temporary(Type::Pred);
  d.append(compare);
  deliver(d,
          step(d, Opcode::Selp, Type::B32, {high, word(kRange), Value::reg(compare.predicate, Type::Pred)}));
}

// Access properties have the layout of policies.
void convert_property(Decoder& d) {
  if (!d.take("L2")) d.unsupported();
  d.expect_operands(2, 2);
  d.set(Opcode::Mov, Type::B64);
  d.sources(1, 1, Type::B64);
  d.destination(0, Type::B64);
  d.finish();
}

}  // namespace

void decoders::create_policy(Decoder& d) {
  if (!d.take("b64")) d.illegal("its type is b64");
  if (d.take("fractional")) return fraction(d);
  if (d.take("range")) return range(d);
  if (d.take("cvt")) return convert_property(d);
  d.unsupported();
}

}  // namespace duet::ptx
