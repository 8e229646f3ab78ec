// Control flow, barriers, warp-wide exchange and miscellaneous instructions (PTX ISA 9.0, sections 9.7.12,
// 9.7.13 and 9.7.19).
#include "ptx/decode/decode.h"

namespace duet::ptx {

using ir::Pseudo;
using ir::Value;
using ir::ValueKind;

namespace {

std::uint32_t label_of(Decoder& d, unsigned index) {
  const ParsedOperand& o = d.operand(index);
  if (o.kind != ParsedOperand::Kind::Name) d.fail("the target is not a label");
  return d.context.label_number(o.name);
}

void branch(Decoder& d) {
  d.set(Opcode::Branch, Kind::Branch, Type::None);
  d.out.op.uniform_branch = d.take("uni");
  d.expect_operands(1, 1);
  d.out.label = label_of(d, 0);
  d.finish();
}

void branch_indexed(Decoder& d) {
  if (!d.take("idx")) d.unsupported();
  d.set(Opcode::BranchIndexed, Kind::BranchIndexed, Type::U32);
  d.out.op.uniform_branch = d.take("uni");
  d.expect_operands(2, 2);
  d.sources(0, 1, Type::U32);
  const auto table = d.context.branch_tables.find(d.operand(1).name);
  if (table == d.context.branch_tables.end()) d.fail("the branch table is not declared");
  d.out.label = static_cast<std::uint32_t>(d.context.function.branch_tables.size());
  d.context.function.branch_tables.push_back(table->second);
  d.finish();
}

void leave(Decoder& d) {
  d.take("uni");
  d.set(Opcode::Exit, Kind::Exit, Type::None);
  if (d.in.opcode == "ret" && !d.context.function.entry) d.out.pseudo = Pseudo::Return;
  d.expect_operands(0, 0);
  d.finish();
}

void barrier(Decoder& d) {
  MicroOp& op = d.out.op;
  d.set(Opcode::Barrier, Kind::Barrier, Type::None);
  const auto mode = [&](BarrierMode m) { op.mode = static_cast<std::uint8_t>(m); };
  d.take("aligned");
  if (d.peek("cluster")) d.unsupported();
  if (d.take("warp")) {
    if (!d.take("sync")) d.unsupported();
    d.expect_operands(1, 1);
    mode(BarrierMode::Warp);
    d.sources(0, 1, Type::B32);
    d.context.function.names_32_lanes = true;
    d.finish();
    return;
  }
  d.take("cta");
  if (!d.take("red")) {
    if (d.take("arrive"))
      mode(BarrierMode::Arrive);
    else if (d.take("sync"))
      mode(BarrierMode::Sync);
    else
      d.unsupported();
    d.expect_operands(1, 2);
    d.sources(0, d.in.operand_count, Type::U32);
    d.finish();
    return;
  }
  const bool popc = d.take("popc");
  if (popc)
    mode(BarrierMode::ReducePopc);
  else if (d.take("and"))
    mode(BarrierMode::ReduceAnd);
  else if (d.take("or"))
    mode(BarrierMode::ReduceOr);
  else
    d.unsupported();
  op.type = d.take_type();
  d.expect_operands(3, 4);
  d.sources(1, 1, Type::U32);
  if (d.in.operand_count == 4)
    d.sources(2, 1, Type::U32);
  else
    d.out.add_source(Value::immediate(0, Type::U32));
  d.out.add_source(d.predicate_source(d.in.operand_count - 1));
  if (popc)
    d.destination(0, Type::U32);
  else
    d.predicate_destination(0);
  d.finish();
}

void shuffle(Decoder& d) {
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
  d.set(Opcode::Shfl, Kind::Arithmetic, d.take_type());
  d.expect_operands(sync ? 5 : 4, sync ? 5 : 4);
  d.sources(1, sync ? 4 : 3, Type::B32);
  // d|p: the pair's first part is a register.
  const ParsedOperand& o = d.operand(0);
  if (o.second.kind != ValueKind::None) d.out.predicate = o.second.index;
  d.destination(0, Type::B32);
  d.context.function.names_32_lanes = true;
  d.finish();
}

void vote(Decoder& d) {
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
  d.set(Opcode::Vote, Kind::Arithmetic, d.take_type());
  d.expect_operands(sync ? 3 : 2, sync ? 3 : 2);
  const ParsedOperand& o = d.operand(1);
  if (o.value.is_immediate()) {
    // vote of a constant: as a predicate that holds it.
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

void match(Decoder& d) {
  const bool any = d.take("any");
  if (!any && !d.take("all")) d.fail("one of .any, .all is missing");
  if (!d.take("sync")) d.unsupported();
  const Type type = d.take_type();
  d.set(Opcode::Match, Kind::Arithmetic, type);
  d.out.op.mode = static_cast<std::uint8_t>(any ? MatchMode::Any : MatchMode::All);
  d.expect_operands(3, 3);
  d.sources(1, 1, type);
  d.sources(2, 1, Type::B32);
  if (d.operand(0).second.kind != ValueKind::None) d.out.predicate = d.operand(0).second.index;
  d.destination(0, Type::B32);
  d.context.function.names_32_lanes = true;
  d.finish();
}

void reduce(Decoder& d) {
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
  d.set(Opcode::Redux, Kind::Arithmetic, type);
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

void elect(Decoder& d) {
  if (!d.take("sync")) d.unsupported();
  d.set(Opcode::Elect, Kind::Arithmetic, Type::B32);
  d.expect_operands(2, 2);
  d.sources(1, 1, Type::B32);
  if (d.operand(0).second.kind != ValueKind::None) d.out.predicate = d.operand(0).second.index;
  d.destination(0, Type::B32);
  d.context.function.names_32_lanes = true;
  d.finish();
}

void active_mask(Decoder& d) {
  d.set(Opcode::Activemask, Kind::Arithmetic, d.take_type());
  d.expect_operands(1, 1);
  d.destination(0, Type::B32);
  d.context.function.names_32_lanes = true;
  d.finish();
}

void nanosleep(Decoder& d) {
  d.set(Opcode::Nanosleep, Kind::Nop, d.take_type());
  d.expect_operands(1, 1);
  d.sources(0, 1, Type::U32);
  d.finish();
}

void performance_event(Decoder& d) {
  d.take("mask");
  d.set(Opcode::Pmevent, Kind::Nop, Type::None);
  d.finish();
}

// A dependent grid starts when the one before it has ended (runtime/cuda/streams/launch.cpp), which is what
// waiting and allowing it to start come to.
void grid_dependence(Decoder& d) {
  if (!d.take("launch_dependents") && !d.take("wait")) d.unsupported();
  d.set(Opcode::Griddepcontrol, Kind::Nop, Type::None);
  d.expect_operands(0, 0);
  d.finish();
}

}  // namespace

bool decode_control(Decoder& d) {
  using Function = void (*)(Decoder&);
  static const std::unordered_map<std::string_view, Function> kFunctions = {
      {"bra", branch},
      {"brx", branch_indexed},
      {"ret", leave},
      {"exit", leave},
      {"bar", barrier},
      {"barrier", barrier},
      {"shfl", shuffle},
      {"vote", vote},
      {"match", match},
      {"redux", reduce},
      {"elect", elect},
      {"activemask", active_mask},
      {"nanosleep", nanosleep},
      {"pmevent", performance_event},
      {"griddepcontrol", grid_dependence},
      {"trap",
       [](Decoder& x) {
         x.set(Opcode::Trap, Kind::Trap, Type::None);
         x.finish();
       }},
      {"brkpt",
       [](Decoder& x) {
         x.set(Opcode::Breakpoint, Kind::Trap, Type::None);
         x.finish();
       }},
  };
  const auto found = kFunctions.find(d.in.opcode);
  if (found == kFunctions.end()) return false;
  found->second(d);
  return true;
}

}  // namespace duet::ptx
