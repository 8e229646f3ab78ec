// Control flow, barriers and miscellaneous instructions (PTX ISA 9.0, sections 9.7.12, 9.7.13 and 9.7.19).
#include "ptx/decode/decode.h"
#include "ptx/decode/decoders.h"

namespace duet::ptx {

using ir::Pseudo;
using ir::Value;

namespace {

std::uint32_t label_of(Decoder& d, unsigned index) {
  const ParsedOperand& o = d.operand(index);
  if (o.kind != ParsedOperand::Kind::Name) d.fail("the target is not a label");
  return d.context.label_number(o.name);
}

}  // namespace

void decoders::branch(Decoder& d) {
  d.set(Type::None);
  d.out.op.uniform_branch = d.take("uni");
  d.expect_operands(1, 1);
  d.out.label = label_of(d, 0);
  d.finish();
}

void decoders::branch_indexed(Decoder& d) {
  if (!d.take("idx")) d.unsupported();
  d.set(Type::U32);
  d.out.op.uniform_branch = d.take("uni");
  d.expect_operands(2, 2);
  d.sources(0, 1, Type::U32);
  const auto table = d.context.branch_tables.find(d.operand(1).name);
  if (table == d.context.branch_tables.end()) d.fail("the branch table is not declared");
  d.out.label = static_cast<std::uint32_t>(d.context.function.branch_tables.size());
  d.context.function.branch_tables.push_back(table->second);
  d.finish();
}

void decoders::leave(Decoder& d) {
  d.take("uni");
  d.set(Opcode::Exit, Type::None);
  if (d.row.opcode == Opcode::Return && !d.context.function.entry) d.out.pseudo = Pseudo::Return;
  d.expect_operands(0, 0);
  d.finish();
}

void decoders::barrier(Decoder& d) {
  MicroOp& op = d.out.op;
  d.set(Type::None);
  const auto mode = [&](BarrierMode m) { op.mode = static_cast<std::uint8_t>(m); };
  op.uniform_branch = d.take("aligned") || d.in.opcode == "bar";  // all lanes of a warp come together
  if (d.take("cluster")) {
    const bool arrives = d.take("arrive");
    if (!arrives && !d.take("wait")) d.unsupported();
    // .release and .acquire are the default: accesses of a block are ordered by its barriers.
    if (arrives)
      d.take("release") || d.take("relaxed");
    else
      d.take("acquire");
    d.expect_operands(0, 0);
    op.scope = MemoryScope::Cluster;
    mode(arrives ? BarrierMode::ClusterArrive : BarrierMode::ClusterWait);
    d.out.add_source(Value::immediate(kClusterBarrier, Type::U32));
    return d.finish();
  }
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

void decoders::nanosleep(Decoder& d) {
  d.set(d.take_type());
  d.expect_operands(1, 1);
  d.sources(0, 1, Type::U32);
  d.finish();
}

void decoders::performance_event(Decoder& d) {
  d.take("mask");
  d.set(Type::None);
  d.finish();
}

// A dependent grid starts when the one before it has ended (runtime/cuda/streams/launch.cpp), so waiting, and
// allowing it to start, have no other effect.
void decoders::grid_dependence(Decoder& d) {
  if (!d.take("launch_dependents") && !d.take("wait")) d.unsupported();
  d.set(Type::None);
  d.expect_operands(0, 0);
  d.finish();
}

void decoders::plain(Decoder& d) {
  d.set(Type::None);
  d.finish();
}

}  // namespace duet::ptx
