#include "preexec/kernel/form.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "preexec/values/graph.h"
#include "ptx/passes/passes.h"

namespace duet::preexec {

using ptx::Kind;
using ptx::Opcode;
using ptx::ir::Function;
using ptx::ir::Instruction;
using ptx::ir::kNone;
using ptx::ir::Pseudo;

namespace {

// `@p exit` becomes a branch to an exit at the end: a block ends there.
void split_at_exits(Function& function) {
  std::uint32_t end = kNone;
  for (Instruction& in : function.code) {
    const bool leaves = in.op.kind == Kind::Exit || in.op.opcode == Opcode::Trap;
    if (in.pseudo != Pseudo::None || !leaves || !in.guarded()) continue;
    if (end == kNone) end = function.labels++;
    in.op.opcode = Opcode::Branch;
    in.op.kind = Kind::Branch;
    in.label = end;
  }
  if (end == kNone) return;
  Instruction label;
  label.pseudo = Pseudo::Label;
  label.label = end;
  function.code.push_back(label);
  function.code.push_back(ptx::ir::instruction(Opcode::Exit, ptx::Type::None, 0));
}

void find_loops(Form& form) {
  const auto& blocks = form.flow.blocks;
  for (const auto header : form.flow.reverse_postorder) {
    Loop loop;
    loop.header = header;
    for (const auto p : blocks[header].predecessors)
      (form.dominates(header, p) ? loop.latches : loop.entries).push_back(p);
    if (loop.latches.empty()) continue;
    loop.holds.assign(blocks.size(), false);
    loop.holds[header] = true;
    std::vector<std::uint32_t> work = loop.latches;
    while (!work.empty()) {
      const std::uint32_t b = work.back();
      work.pop_back();
      if (loop.holds[b]) continue;
      loop.holds[b] = true;
      for (const auto p : blocks[b].predecessors) work.push_back(p);
    }
    for (std::uint32_t b = 0; b < blocks.size(); ++b)
      for (const auto s : blocks[b].successors)
        if (loop.holds[b] && !loop.holds[s]) loop.leaves.emplace_back(b, s);
    form.loops.push_back(std::move(loop));
  }
  // Headers come in reverse postorder, so an outer loop has the smaller number.
  form.loop_of.assign(blocks.size(), kNoLoop);
  for (std::uint32_t l = 0; l < form.loops.size(); ++l) {
    form.loops[l].parent = form.loop_of[form.loops[l].header];
    for (std::uint32_t b = 0; b < blocks.size(); ++b)
      if (form.loops[l].holds[b]) form.loop_of[b] = l;
  }
  for (std::uint32_t l = 0; l < form.loops.size(); ++l)
    for (std::uint32_t outer = l; outer != kNoLoop; outer = form.loops[outer].parent)
      form.loops[outer].nested |= loop_bit(l);
}

// Every back edge must go to a dominator of its source.
void refuse_other_loops(const Form& form, const std::string& kernel) {
  for (const auto b : form.flow.reverse_postorder)
    for (const auto s : form.flow.blocks[b].successors)
      if (form.place[s] <= form.place[b] && !form.dominates(s, b))
        throw Error("kernel '" + kernel + "': a jump into the middle of a loop cannot be pre-executed");
}

// The words of the environment registers lie behind the parameters, as in ptx::Kernel.
void place_environment(Form& form) {
  const Bytes behind = round_up(form.parameter_bytes, Bytes{4});
  for (auto& in : form.function.code)
    for (unsigned i = 0; i < in.op.source_count; ++i) {
      auto& source = in.sources[i];
      if (source.kind != ptx::ir::ValueKind::Parameter || source.bits < ptx::ir::kEnvironment) continue;
      source.bits += behind - ptx::ir::kEnvironment;
      form.parameter_bytes = std::max(form.parameter_bytes, Bytes{source.bits} + 4);
    }
}

}  // namespace

bool Form::dominates(std::uint32_t a, std::uint32_t b) const {
  while (b != kNone && place[b] > place[a]) b = dominator[b];
  return a == b;
}

bool Form::within(std::uint32_t inner, std::uint32_t outer) const {
  if (outer == kNoLoop) return true;
  while (inner != kNoLoop && inner != outer) inner = loops[inner].parent;
  return inner == outer;
}

const ptx::ir::Function& entry_named(const ptx::ir::ParsedModule& module, const std::string& kernel) {
  const ptx::ir::Function* entry = nullptr;
  for (const auto& function : module.functions)
    if (function.entry && function.has_body && function.name == kernel) entry = &function;
  if (entry == nullptr) throw Error(fmt::format("{} has no kernel '{}'", module.name, kernel));
  if (!entry->unsupported.empty()) throw Error("kernel '" + kernel + "': " + entry->unsupported);
  return *entry;
}

Form form_of(ptx::ir::ParsedModule& module, const Function& entry) {
  Form form;
  try {
    ptx::Kernel scratch;
    scratch.name = entry.name;
    ptx::ir::Routines routines = ptx::inline_calls(module, entry);
    if (routines.routines.size() > 1)
      throw Error("kernel '" + entry.name + "': '" + routines.routines[1].name +
                  "' calls itself or is called by its address, which cannot be pre-executed");
    form.function = ptx::join_routines(module, routines, scratch);
  } catch (const ptx::ir::Unsupported& unsupported) {
    throw Error("kernel '" + entry.name + "': " + unsupported.what);
  }
  for (const auto& formal : entry.parameters) {
    const auto& v = module.variables[formal.index];
    form.parameter_bytes = std::max(form.parameter_bytes, v.parameter_offset + v.bytes);
  }
  place_environment(form);
  split_at_exits(form.function);
  form.flow = ptx::build_control_flow(form.function);
  const auto& blocks = form.flow.blocks;
  std::vector<std::vector<std::uint32_t>> successors;
  for (const auto& block : blocks) successors.push_back(block.successors);
  form.dominator = blocks.empty() ? std::vector<std::uint32_t>{} : ptx::immediate_dominators(successors, 0);
  form.place.assign(blocks.size(), kNone);
  for (std::uint32_t i = 0; i < form.flow.reverse_postorder.size(); ++i)
    form.place[form.flow.reverse_postorder[i]] = i;
  form.block_of.assign(form.function.code.size(), kNone);
  for (std::uint32_t b = 0; b < blocks.size(); ++b)
    for (std::uint32_t i = blocks[b].begin; i < blocks[b].end; ++i) form.block_of[i] = b;
  find_loops(form);
  refuse_other_loops(form, entry.name);
  return form;
}

}  // namespace duet::preexec
