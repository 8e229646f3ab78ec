// Memory instructions (PTX ISA 9.0, sections 9.7.9 and 9.7.13).
#include "ptx/decode/decode.h"
#include "ptx/decode/decoders.h"

namespace duet::ptx {

using ir::Value;
using ir::ValueKind;

namespace {

StateSpace take_space(Decoder& d) {
  if (d.take("global")) return StateSpace::Global;
  // A cluster is one block.
  if (d.take("shared") || d.take("shared::cta") || d.take("shared::cluster")) return StateSpace::Shared;
  if (d.take("local")) return StateSpace::Local;
  if (d.take("const")) return StateSpace::Const;
  if (d.take("param") || d.take("param::entry") || d.take("param::func")) return StateSpace::Param;
  return StateSpace::Generic;
}

void take_ordering(Decoder& d) {
  MicroOp& op = d.out.op;
  if (d.take("volatile"))
    op.semantics = MemorySemantics::Volatile;
  else if (d.take("relaxed"))
    op.semantics = MemorySemantics::Relaxed;
  else if (d.take("acquire"))
    op.semantics = MemorySemantics::Acquire;
  else if (d.take("release"))
    op.semantics = MemorySemantics::Release;
  else if (d.take("acq_rel"))
    op.semantics = MemorySemantics::AcquireRelease;
  else
    d.take("weak");
  op.scope = d.take_scope();
}

void take_cache_operator(Decoder& d) {
  static constexpr std::pair<std::string_view, CacheOperator> kOperators[] = {
      {"ca", CacheOperator::CacheAll},     {"cg", CacheOperator::CacheGlobal},
      {"cs", CacheOperator::Streaming},    {"lu", CacheOperator::LastUse},
      {"cv", CacheOperator::Volatile},     {"wb", CacheOperator::WriteBack},
      {"wt", CacheOperator::WriteThrough}, {"nc", CacheOperator::NonCoherent}};
  for (const auto& [name, cache] : kOperators)
    if (d.take(name)) d.out.op.cache = cache;
}

// Full/empty bits, an extension of PTX: a trigger, an action, or both in this order, right after the opcode.
//   trigger: .now .full .empty     action: .fill .empty
// Without a trigger there is none, without an action the bits stay; so .empty alone is the trigger.
void take_bits(Decoder& d) {
  MicroOp& op = d.out.op;
  const auto next = [&](std::string_view name) {
    if (d.modifiers().empty() || d.modifiers().front() != name) return false;
    return d.take(name);
  };
  if (next("now"))
    op.bit_trigger = BitTrigger::None;
  else if (next("full"))
    op.bit_trigger = BitTrigger::Full;
  else if (next("empty"))
    op.bit_trigger = BitTrigger::Empty;
  if (next("fill"))
    op.bit_action = BitAction::Fill;
  else if (op.names_bits() && next("empty"))
    op.bit_action = BitAction::Empty;
  if (op.bit_action != BitAction::None && !op.names_bits()) op.bit_trigger = BitTrigger::None;
}

// The address operand: a register (either width), a variable or a constant, and the offset. Variables carry
// the offset themselves; everything else leaves it in address_offset.
void address(Decoder& d, unsigned index) {
  const ParsedOperand& o = d.operand(index);
  if (o.kind != ParsedOperand::Kind::Address)
    d.fail("operand " + std::to_string(index + 1) + " is not an address");
  if (o.element_count != 0) d.fail("an address has no coordinates");
  MicroOp& op = d.out.op;
  if (o.value.is_register()) {
    const unsigned bytes = d.width_of_register(o.value);
    if (bytes != 4 && bytes != 8) d.fail("an address has 32 or 64 bits");
    op.address_is_64_bit = bytes == 8;
    op.address_offset = o.offset;
    d.out.add_source(Value::reg(o.value.index, bytes == 8 ? Type::U64 : Type::U32));
  } else if (o.value.kind == ValueKind::Variable) {
    d.out.add_source(
        Value::variable(o.value.index, o.value.bits + static_cast<std::uint64_t>(o.offset), Type::U64));
  } else if (o.value.is_immediate()) {
    d.out.add_source(Value::immediate(o.value.bits + static_cast<std::uint64_t>(o.offset), Type::U64));
  } else {
    d.fail("this cannot be an address");
  }
}

unsigned take_vector(Decoder& d) {
  if (d.take("v2")) return 2;
  if (d.take("v4")) return 4;
  if (d.take("v8")) return 8;
  return 1;
}

// A vector operand's elements; one element for a scalar.
std::array<Value, 8> elements(Decoder& d, unsigned index, unsigned count) {
  const ParsedOperand& o = d.operand(index);
  if (o.kind == ParsedOperand::Kind::Vector) {
    if (o.element_count != count) d.fail("the vector has " + std::to_string(o.element_count) + " elements");
    return o.elements;
  }
  if (count != 1) d.fail("operand " + std::to_string(index + 1) + " is not a vector");
  std::array<Value, 8> one{};
  if (o.kind == ParsedOperand::Kind::Value)
    one[0] = o.value;
  else if (o.kind != ParsedOperand::Kind::Sink)
    d.fail("operand " + std::to_string(index + 1) + " is not a value");
  return one;
}

// The halves of a register of 128 bits, or of nothing.
std::array<Value, 8> halves(Decoder& d, unsigned index) {
  const ParsedOperand& o = d.operand(index);
  std::array<Value, 8> both{};
  if (o.kind == ParsedOperand::Kind::Sink) return both;
  if (o.kind != ParsedOperand::Kind::Value || !o.value.is_register() ||
      d.width_of_register(o.value) != type_bytes(Type::B128))
    d.fail("operand " + std::to_string(index + 1) + " has no 128 bits");
  both[0] = ir::low_half(o.value.index);
  both[1] = ir::high_half(o.value.index);
  return both;
}

// Adds elements `first` to `first + count` of a load or a store to `out`.
void transfer(Decoder& d, bool load, const std::array<Value, 8>& values, unsigned first, unsigned count) {
  MicroOp& op = d.out.op;
  const Type type = op.type;
  const unsigned size = type_bytes(type);
  op.vector_elements = static_cast<std::uint8_t>(count);
  for (unsigned i = first; i < first + count; ++i) {
    const Value& v = values[i];
    if (!load) {
      if (v.kind == ValueKind::None) d.fail("`_` cannot be stored");
      d.out.add_source(d.narrowed(v, type));
      continue;
    }
    if (v.kind == ValueKind::None) {
      d.out.add_destination(Value::reg(d.temporary(type), type));
      continue;
    }
    if (!v.is_register()) d.fail("the destination is not a register");
    const unsigned width = d.width_of_register(v);
    if (width < size) d.fail("the destination is narrower than the type");
    if (width == type_bytes(Type::B128)) d.fail("the destination is wider than the type");
    d.out.add_destination(Value::reg(v.index, type));
    if (width == 8 && size < 8) op.source_type = Type::B64;
  }
  // 64-bit destinations of a narrower type hold for all elements alike; a vector that mixes widths is no PTX
  // that compilers write.
  if (op.source_type != Type::B64) return;
  for (unsigned i = 0; i < op.destination_count; ++i)
    if (d.width_of_register(d.out.destinations[i]) != 8) d.fail("destinations of different widths");
}

// An access of eight elements or of 256 bits is two of half as many: its elements are accesses of their own,
// in no order.
void both_halves(Decoder& d, bool load, const std::array<Value, 8>& values, unsigned count) {
  if (d.modifiers_left()) d.unsupported();
  Value& base = d.out.sources[0];
  for (unsigned i = 0; load && i < count / 2; ++i)
    if (base.is_register() && values[i].is_register(base.index)) {  // the first half overwrites the address
      ir::Instruction copy = d.make(Opcode::Mov, base.type);
      copy.add_source(base);
      base = Value::reg(d.temporary(base.type), base.type);
      copy.add_destination(base);
      d.append(copy);
    }
  const ir::Instruction whole = d.out;
  const unsigned bytes = count / 2 * type_bytes(d.out.op.type);
  transfer(d, load, values, 0, count / 2);
  const ir::Instruction first = d.out;
  d.out = whole;
  if (base.is_register())
    d.out.op.address_offset += bytes;
  else
    d.out.sources[0].bits += bytes;
  transfer(d, load, values, count / 2, count / 2);
  d.append(first);
  d.finish();
}

struct AtomicName {
  std::string_view name;
  AtomicOperation operation;
};
constexpr AtomicName kAtomics[] = {
    {"exch", AtomicOperation::Exchange}, {"add", AtomicOperation::Add},
    {"inc", AtomicOperation::Increment}, {"dec", AtomicOperation::Decrement},
    {"min", AtomicOperation::Minimum},   {"max", AtomicOperation::Maximum},
    {"and", AtomicOperation::And},       {"or", AtomicOperation::Or},
    {"xor", AtomicOperation::Xor},       {"cas", AtomicOperation::CompareAndSwap}};

bool atomic_type(Type type, AtomicType& result) {
  switch (type) {
    case Type::U32:
      result = AtomicType::U32;
      return true;
    case Type::S32:
      result = AtomicType::S32;
      return true;
    case Type::U64:
      result = AtomicType::U64;
      return true;
    case Type::S64:
      result = AtomicType::S64;
      return true;
    case Type::B16:
      result = AtomicType::B16;
      return true;
    case Type::B32:
      result = AtomicType::B32;
      return true;
    case Type::B64:
      result = AtomicType::B64;
      return true;
    case Type::F16:
      result = AtomicType::F16;
      return true;
    case Type::F16x2:
      result = AtomicType::F16x2;
      return true;
    case Type::BF16:
      result = AtomicType::BF16;
      return true;
    case Type::BF16x2:
      result = AtomicType::BF16x2;
      return true;
    case Type::F32:
      result = AtomicType::F32;
      return true;
    case Type::F64:
      result = AtomicType::F64;
      return true;
    default:
      return false;
  }
}

// Exchange and compare-and-swap: operands and result in halves.
void atomic_b128(Decoder& d) {
  MicroOp& op = d.out.op;
  const bool cas = op.atomic_operation == AtomicOperation::CompareAndSwap;
  if (d.row.opcode == Opcode::Red || (!cas && op.atomic_operation != AtomicOperation::Exchange))
    d.illegal("of 128 bits there are atom.exch and atom.cas");
  op.atomic_type = AtomicType::B128;
  d.set(Type::B64);
  d.expect_operands(3 + cas, 4 + cas);
  address(d, 1);
  for (unsigned i = 2; i < 3u + cas; ++i) {
    const auto both = halves(d, i);
    if (both[0].kind == ValueKind::None) d.fail("`_` has no value");
    d.out.add_source(both[0]);
    d.out.add_source(both[1]);
  }
  const auto old = halves(d, 0);
  if (old[0].kind == ValueKind::None) d.set(Opcode::Red, Type::B64);
  for (unsigned i = 0; i < 2 && old[i].kind != ValueKind::None; ++i) d.out.add_destination(old[i]);
  d.finish();
}

}  // namespace

void decoders::load_or_store(Decoder& d) {
  const bool load = d.row.opcode == Opcode::Load;
  MicroOp& op = d.out.op;
  if (d.in.opcode != "ldu") take_bits(d);
  d.take_hints();
  if (d.take("mmio")) d.unsupported();
  op.space = take_space(d);
  if (op.names_bits() && op.space != StateSpace::Global && op.space != StateSpace::Generic)
    throw ir::Unsupported{"PTX '" + std::string(d.in.text) +
                          "' is not supported: only global memory has full/empty bits"};
  take_ordering(d);
  take_cache_operator(d);
  d.take("uniform");                 // the uniform-load hint of ldu and of some compilers
  const bool b128 = d.take("b128");  // as two elements of half the size
  if (b128 && (d.peek("v2") || d.peek("v4") || d.peek("v8"))) d.illegal("no vector has elements of 128 bits");
  const unsigned count = b128 ? 2 : take_vector(d);
  const Type type = b128 ? Type::B64 : d.take_type();
  if (type == Type::Pred) d.fail("predicates have no place in memory");
  d.set(type);
  const unsigned size = type_bytes(type);
  d.expect_operands(2, 3);
  address(d, load ? 1 : 0);
  const auto values = b128 ? halves(d, load ? 0 : 1) : elements(d, load ? 0 : 1, count);
  const bool may_be_global = op.space == StateSpace::Global || op.space == StateSpace::Generic;
  if (count * size > (may_be_global ? 32 : 16)) d.illegal("no access of so many bytes");
  if (count == 8 || count * size == 32) return both_halves(d, load, values, count);
  transfer(d, load, values, 0, count);
  d.finish();
}

void decoders::atomic(Decoder& d) {
  const bool red = d.row.opcode == Opcode::Red;
  MicroOp& op = d.out.op;
  if (d.peek("async") || d.peek("v2") || d.peek("v4") || d.peek("v8")) d.unsupported();
  d.take_hints();
  op.space = take_space(d);
  take_ordering(d);
  // Without a qualifier atom is .relaxed at .gpu scope.
  if (op.semantics == MemorySemantics::Weak) op.semantics = MemorySemantics::Relaxed;
  if (op.scope == MemoryScope::None) op.scope = MemoryScope::Gpu;
  bool found = false;
  for (const auto& [name, operation] : kAtomics)
    if (!found && d.take(name)) op.atomic_operation = operation, found = true;
  if (!found) d.unsupported();
  d.take("noftz");
  if (d.take("b128")) return atomic_b128(d);
  const Type type = d.take_type();
  // PTX ISA: atom.add.f32 on global memory flushes subnormals, on shared memory it does not.
  op.flush_to_zero = type == Type::F32 && op.space == StateSpace::Global;
  if (!atomic_type(type, op.atomic_type)) d.unsupported();
  d.set(type);
  const unsigned first = red ? 0 : 1;
  const bool cas = op.atomic_operation == AtomicOperation::CompareAndSwap;
  d.expect_operands(first + 2 + cas, first + 3 + cas);  // a cache policy may follow
  address(d, first);
  d.sources(first + 1, cas ? 2 : 1, type);
  if (!red) {
    if (d.operand(0).kind == ParsedOperand::Kind::Sink)
      d.set(Opcode::Red, type);
    else
      d.destination(0, type);
  }
  d.finish();
}

void decoders::convert_address(Decoder& d) {
  const bool to = d.take("to");
  const StateSpace space = take_space(d);
  if (space == StateSpace::Generic) d.unsupported();
  const Type type = d.take_type();
  if (type_bytes(type) != 8) d.unsupported();
  d.expect_operands(2, 2);
  // Global and constant addresses are generic addresses as they are.
  if (space == StateSpace::Global || space == StateSpace::Const) {
    d.set(Opcode::Mov, Type::U64);
  } else {
    d.set(Type::U64);
    d.out.op.space = space;
    d.out.op.mode = to;
  }
  const ParsedOperand& o = d.operand(1);
  if (o.kind != ParsedOperand::Kind::Value) d.fail("the source is not a value");
  Value value = o.value;
  if (value.kind == ValueKind::Variable) value.bits += static_cast<std::uint64_t>(o.offset);
  d.out.add_source(d.value_as(value, Type::U64));
  d.destination(0, Type::U64);
  d.finish();
}

// A shared variable's address in another block of the cluster, which is this block.
void decoders::map_address(Decoder& d) {
  const StateSpace space = take_space(d);
  if (space != StateSpace::Generic && space != StateSpace::Shared) d.illegal("its space is .shared::cluster");
  const Type type = d.take_type();
  if (type != Type::U32 && type != Type::U64) d.illegal("an address has type u32 or u64");
  d.expect_operands(3, 3);
  d.set(Opcode::Mov, type);
  const ParsedOperand& o = d.operand(1);
  if (o.kind == ParsedOperand::Kind::Value && o.value.kind == ValueKind::Variable)
    d.out.add_source(d.value_as(o.value, type));
  else
    d.sources(1, 1, type);
  d.source(2, Type::U32);
  d.destination(0, type);
  d.finish();
}

void decoders::block_rank(Decoder& d) {
  const StateSpace space = take_space(d);
  if (space != StateSpace::Generic && space != StateSpace::Shared) d.illegal("its space is .shared::cluster");
  const Type type = d.take_type();
  if (type != Type::U32 && type != Type::U64) d.illegal("an address has type u32 or u64");
  d.expect_operands(2, 2);
  d.set(Opcode::Mov, Type::U32);
  d.source(1, type);
  d.out.add_source(Value::immediate(0, Type::U32));
  d.destination(0, Type::U32);
  d.finish();
}

void decoders::is_space(Decoder& d) {
  const StateSpace space = take_space(d);
  d.set(Type::U64);
  d.out.op.space = space;
  if (space == StateSpace::Generic) d.unsupported();
  d.expect_operands(2, 2);
  d.sources(1, 1, Type::U64);
  d.predicate_destination(0);
  d.finish();
}

void decoders::fence(Decoder& d) {
  MicroOp& op = d.out.op;
  d.set(Type::None);
  if (d.in.opcode == "membar") {
    op.semantics = MemorySemantics::SequentiallyConsistent;
    if (d.take("cta"))
      op.scope = MemoryScope::Cta;
    else if (d.take("gl"))
      op.scope = MemoryScope::Gpu;
    else if (d.take("sys"))
      op.scope = MemoryScope::System;
    else
      d.unsupported();
  } else {
    op.semantics = MemorySemantics::AcquireRelease;
    if (d.take("sc"))
      op.semantics = MemorySemantics::SequentiallyConsistent;
    else if (d.take("acquire"))
      op.semantics = MemorySemantics::Acquire;
    else if (d.take("release"))
      op.semantics = MemorySemantics::Release;
    else
      d.take("acq_rel");
    op.scope = d.take_scope();
    if (op.scope == MemoryScope::None) d.unsupported();  // fence.proxy and relatives
  }
  d.expect_operands(0, 0);
  d.finish();
}

void decoders::prefetch(Decoder& d) {
  d.take_hints();
  d.set(Type::None);
  d.out.op.space = take_space(d);
  d.take("L1") || d.take("L2");
  d.expect_operands(1, 1);
  address(d, 0);
  d.finish();
}

// On silicon a discard drops a line of L2 without writing it back, and applypriority renews its priority.
// Both leave memory as it may be anyway: what is read after a discard is undefined, so the old value will do.
// As with prefetch nothing looks at the address, and one where nothing lies is no fault.
void decoders::cache_line(Decoder& d) {
  const bool discard = d.in.opcode == "discard";
  d.set(Type::None);
  d.out.op.space = take_space(d);
  if (d.out.op.space != StateSpace::Global && d.out.op.space != StateSpace::Generic)
    d.illegal("only global memory has lines in L2");
  if (!d.take(discard ? "L2" : "L2::evict_normal"))
    d.illegal(discard ? ".L2 is missing" : "its priority is .L2::evict_normal");
  d.expect_operands(2, 2);
  if (!d.operand(1).value.is_immediate() || d.operand(1).value.bits != 128) d.illegal("the size is 128");
  address(d, 0);
  d.finish();
}

}  // namespace duet::ptx
