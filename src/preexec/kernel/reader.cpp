#include "preexec/kernel/reader.h"

#include <algorithm>

#include "preexec/kernel/lower.h"

namespace duet::preexec {

using ptx::Kind;
using ptx::Type;
using ptx::ir::Instruction;
using ptx::ir::kNone;
using ptx::ir::Pseudo;
using ptx::ir::Value;
using ptx::ir::ValueKind;

Reader::Reader(const ptx::ir::ParsedModule& module, const Form& form, Graph& graph)
    : module_(module), form_(form), graph_(graph) {
  const auto& code = form.function.code;
  for (std::uint32_t i = 0; i < code.size(); ++i) {
    if (code[i].pseudo != Pseudo::None || form.block_of[i] == kNone) continue;
    ptx::ir::for_each_definition(code[i], [&](std::uint32_t reg) {
      auto& list = definitions_[{form.block_of[i], reg}];
      if (list.empty() || list.back() != i) list.push_back(i);
    });
  }
}

unsigned Reader::bits_of(std::uint32_t reg) const {
  const Type type = form_.function.registers[reg];
  return type == Type::Pred ? 1 : ptx::type_bytes(type) == 8 ? 64 : 32;
}

NodeId Reader::before(std::uint32_t instruction, std::uint32_t reg) {
  const std::uint32_t block = form_.block_of[instruction];
  const auto found = definitions_.find({block, reg});
  if (found != definitions_.end()) {
    const auto& list = found->second;
    const auto at = std::lower_bound(list.begin(), list.end(), instruction);
    if (at != list.begin()) return definition(*std::prev(at), reg);
  }
  return at_entry(block, reg);
}

NodeId Reader::at_end(std::uint32_t block, std::uint32_t reg) {
  const auto found = definitions_.find({block, reg});
  return found == definitions_.end() ? at_entry(block, reg) : definition(found->second.back(), reg);
}

NodeId Reader::leaving(NodeId value, std::uint32_t from, std::uint32_t to) {
  for (std::uint32_t loop = form_.loop_of[from]; loop != kNoLoop && !form_.loops[loop].holds[to];
       loop = form_.loops[loop].parent)
    value = graph_.exit(loop, value);
  return value;
}

NodeId Reader::along(std::uint32_t from, std::uint32_t to, std::uint32_t reg) {
  return leaving(at_end(from, reg), from, to);
}

// The value of a register from several predecessors of a block.
NodeId Reader::merge(std::uint32_t block, std::uint32_t reg, const std::vector<std::uint32_t>& predecessors) {
  if (predecessors.size() == 1) return along(predecessors[0], block, reg);
  Phi phi;
  phi.block = block;
  phi.predecessors = predecessors;
  for (const auto p : predecessors) phi.values.push_back(along(p, block, reg));
  if (std::all_of(phi.values.begin(), phi.values.end(), [&](NodeId v) { return v == phi.values[0]; }))
    return phi.values[0];
  phis_.push_back(std::move(phi));
  return graph_.phi(static_cast<std::uint32_t>(phis_.size() - 1), bits_of(reg));
}

NodeId Reader::at_entry(std::uint32_t block, std::uint32_t reg) {
  const auto known = at_entry_.find({block, reg});
  if (known != at_entry_.end()) return known->second;
  const std::uint32_t loop = form_.loop_of[block];
  const bool header = loop != kNoLoop && form_.loops[loop].header == block;
  const auto& predecessors = form_.flow.blocks[block].predecessors;
  NodeId result;
  if (header) {
    // The phi is known before its values: they may come round to it.
    const auto number = static_cast<std::uint32_t>(phis_.size());
    phis_.push_back({block, true, {}, {}});
    result = graph_.phi(number, bits_of(reg));
    at_entry_[{block, reg}] = result;
    // A loop at the kernel's start has no entry.
    const auto& entries = form_.loops[loop].entries;
    const NodeId before = entries.empty() ? graph_.undefined(bits_of(reg)) : merge(block, reg, entries);
    const NodeId after = merge(block, reg, form_.loops[loop].latches);
    phis_[number].values = {before, after};
    return result;
  }
  result = predecessors.empty() ? graph_.undefined(bits_of(reg)) : merge(block, reg, predecessors);
  at_entry_[{block, reg}] = result;
  return result;
}

NodeId Reader::definition(std::uint32_t instruction, std::uint32_t reg) {
  const auto known = defined_.find({instruction, reg});
  if (known != defined_.end()) return known->second;
  const Instruction& in = form_.function.code[instruction];
  unsigned k = 0;
  if (in.predicate == reg)
    k = kPredicate;
  else if (in.predicate_second == reg)
    k = kSecondPredicate;
  else  // the last element with it
    for (unsigned i = 0; i < in.op.destination_count; ++i)
      if (in.destinations[i].is_register(reg)) k = i;
  NodeId result = graph_.with_width(written(instruction, k), bits_of(reg));
  if (in.guarded()) result = graph_.select(guard(instruction), result, before(instruction, reg));
  return defined_[{instruction, reg}] = result;
}

NodeId Reader::guard(std::uint32_t instruction) {
  const Instruction& in = form_.function.code[instruction];
  if (!in.guarded()) return graph_.boolean(true);
  const NodeId predicate = before(instruction, in.guard);
  return in.op.guard_negated ? graph_.negate(predicate) : predicate;
}

NodeId Reader::edge(std::uint32_t from, std::uint32_t to) {
  const auto& block = form_.flow.blocks[from];
  const std::uint32_t last = block.end - 1;
  const Instruction& in = form_.function.code[last];
  if (block.successors.size() < 2) return graph_.boolean(true);
  if (in.op.kind == Kind::Branch) {
    const bool taken = form_.flow.block_of_label[in.label] == to;
    return taken ? guard(last) : graph_.negate(guard(last));
  }
  NodeId goes = graph_.boolean(false);
  const auto& table = form_.function.branch_tables[in.label];
  const NodeId index = operand(last, 0);
  for (std::uint32_t i = 0; i < table.size(); ++i)
    if (form_.flow.block_of_label[table[i]] == to)
      goes =
          graph_.either(goes, graph_.binary(NodeKind::Equal, index, graph_.constant(i, graph_[index].bits)));
  return goes;
}

NodeId Reader::value(std::uint32_t instruction, const Value& v) {
  return source_value(graph_, v, [&](std::uint32_t reg) { return before(instruction, reg); });
}

NodeId Reader::operand(std::uint32_t instruction, unsigned number) {
  return value(instruction, form_.function.code[instruction].sources[number]);
}

NodeId Reader::address(std::uint32_t instruction, unsigned element) {
  const Instruction& in = form_.function.code[instruction];
  const NodeId base = graph_.with_width(operand(instruction, 0), 64);
  const std::uint64_t offset =
      static_cast<std::uint64_t>(in.op.address_offset) + element * ptx::type_bytes(in.op.type);
  return graph_.add(base, graph_.constant(offset, 64));
}

NodeId Reader::loaded(std::uint32_t instruction, unsigned element) {
  const Instruction& in = form_.function.code[instruction];
  const std::uint32_t reg = in.destinations[element].index;
  const auto number = static_cast<std::uint32_t>(sites_.size());
  sites_.push_back({instruction, element});
  return graph_.load(number, address(instruction, element), bits_of(reg));
}

NodeId Reader::written(std::uint32_t instruction, unsigned k) {
  const Instruction& in = form_.function.code[instruction];
  if (in.op.kind == Kind::Load) return loaded(instruction, k);
  std::array<NodeId, 5> sources{};
  for (unsigned i = 0; i < in.op.source_count; ++i) sources[i] = operand(instruction, i);
  return lower(graph_, in, sources, k);
}

}  // namespace duet::preexec
