// Exchange between the lanes of a warp (PTX ISA 9.0, section 9.7.13).
#include "ptx/decode/decode.h"
#include "ptx/decode/decoders.h"

namespace duet::ptx {

using ir::Value;
using ir::ValueKind;

void decoders::shuffle(Decoder& d) {
  const bool sync = d.take("sync");
  const auto mode = [&](ShuffleMode m) { d.out.op.mode = static_cast<std::uint8_t>(m); };
  if (d.take("up"))
    mode(ShuffleMode::Up);
  else if (d.take("down"))
    mode(ShuffleMode::Down);
  else if (d.take("bfly"))
    mode(ShuffleMode::Bfly);
  else if (d.take("idx"))
    mode(ShuffleMode::Idx);
  else
    d.fail("the shuffle mode is missing");
  d.set(d.take_type());
  d.expect_operands(sync ? 5 : 4, sync ? 5 : 4);
  d.sources(1, sync ? 4 : 3, Type::B32);
  // d|p: the pair's first part is a register.
  const ParsedOperand& o = d.operand(0);
  if (o.second.kind != ValueKind::None) d.out.predicate = o.second.index;
  d.destination(0, Type::B32);
  d.context.function.names_32_lanes = true;
  d.finish();
}

void decoders::vote(Decoder& d) {
  const bool sync = d.take("sync");
  const auto mode = [&](VoteMode m) { d.out.op.mode = static_cast<std::uint8_t>(m); };
  bool ballot = false;
  if (d.take("all"))
    mode(VoteMode::All);
  else if (d.take("any"))
    mode(VoteMode::Any);
  else if (d.take("uni"))
    mode(VoteMode::Uni);
  else if (d.take("ballot"))
    mode(VoteMode::Ballot), ballot = true;
  else
    d.fail("the vote mode is missing");
  d.set(d.take_type());
  d.expect_operands(sync ? 3 : 2, sync ? 3 : 2);
  const ParsedOperand& o = d.operand(1);
  if (o.value.is_immediate()) {
    // vote of a constant: a predicate holds it.
    const std::uint32_t constant = d.temporary(Type::Pred);
    ir::Instruction set = d.make(Opcode::Setp, Type::U32);
    set.op.source_type = Type::U32;
    set.op.comparison = o.value.bits != 0 ? Comparison::Eq : Comparison::Ne;
    set.add_source(Value::immediate(0, Type::U32));
    set.add_source(Value::immediate(0, Type::U32));
    set.predicate = constant;
    d.append(set);
    d.out.add_source(Value::reg(constant, Type::Pred));
  } else {
    d.out.add_source(d.predicate_source(1));
  }
  if (sync) d.sources(2, 1, Type::B32);
  if (ballot)
    d.destination(0, Type::B32);
  else
    d.predicate_destination(0);
  d.context.function.names_32_lanes = true;
  d.finish();
}

void decoders::match(Decoder& d) {
  const bool any = d.take("any");
  if (!any && !d.take("all")) d.fail("one of .any, .all is missing");
  if (!d.take("sync")) d.unsupported();
  const Type type = d.take_type();
  d.set(type);
  d.out.op.mode = static_cast<std::uint8_t>(any ? MatchMode::Any : MatchMode::All);
  d.expect_operands(3, 3);
  d.sources(1, 1, type);
  d.sources(2, 1, Type::B32);
  if (d.operand(0).second.kind != ValueKind::None) d.out.predicate = d.operand(0).second.index;
  d.destination(0, Type::B32);
  d.context.function.names_32_lanes = true;
  d.finish();
}

void decoders::reduce(Decoder& d) {
  MicroOp& op = d.out.op;
  if (!d.take("sync")) d.unsupported();
  if (d.take("add"))
    op.atomic_operation = AtomicOperation::Add;
  else if (d.take("min"))
    op.atomic_operation = AtomicOperation::Minimum;
  else if (d.take("max"))
    op.atomic_operation = AtomicOperation::Maximum;
  else if (d.take("and"))
    op.atomic_operation = AtomicOperation::And;
  else if (d.take("or"))
    op.atomic_operation = AtomicOperation::Or;
  else if (d.take("xor"))
    op.atomic_operation = AtomicOperation::Xor;
  else
    d.unsupported();
  const Type type = d.take_type();
  d.set(type);
  d.expect_operands(3, 3);
  d.sources(1, 1, type);
  d.sources(2, 1, Type::B32);
  if (type == Type::F32) {
    d.out.sources[0].absolute = d.take("abs");
    if (d.take("NaN")) op.mode = 1;
  }
  d.destination(0, type);
  d.context.function.names_32_lanes = true;
  d.finish();
}

void decoders::elect(Decoder& d) {
  if (!d.take("sync")) d.unsupported();
  d.set(Type::B32);
  d.expect_operands(2, 2);
  d.sources(1, 1, Type::B32);
  if (d.operand(0).second.kind != ValueKind::None) d.out.predicate = d.operand(0).second.index;
  d.destination(0, Type::B32);
  d.context.function.names_32_lanes = true;
  d.finish();
}

void decoders::active_mask(Decoder& d) {
  d.set(d.take_type());
  d.expect_operands(1, 1);
  d.destination(0, Type::B32);
  d.context.function.names_32_lanes = true;
  d.finish();
}

}  // namespace duet::ptx
