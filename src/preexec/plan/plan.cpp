#include "preexec/plan/plan.h"

#include <algorithm>
#include <map>

namespace duet::preexec {

using ptx::Kind;
using ptx::StateSpace;
using ptx::ir::Instruction;
using ptx::ir::kNone;
using ptx::ir::Pseudo;

Plan Planner::make() {
  plan_.loops.resize(form_.loops.size());
  find_accesses();
  choose_modes();
  choose_guards();
  choose_functions();
  return std::move(plan_);
}

// All sources of the value, through loops' states and ends.
void Planner::reach(NodeId node, std::set<NodeId>& seen) {
  std::vector<NodeId> work{node};
  while (!work.empty()) {
    const NodeId id = work.back();
    work.pop_back();
    if (!seen.insert(id).second) continue;
    const Node n = graph_[id];
    for (unsigned i = 0; i < n.count; ++i) work.push_back(n.in[i]);
    if (n.kind == NodeKind::State) {
      work.push_back(resolver_.first(n.index));
      work.push_back(resolver_.next(n.index));
      if (const auto last = resolver_.last_iteration(static_cast<std::uint32_t>(n.value)); last)
        work.push_back(*last);
      else
        work.push_back(resolver_.continues(static_cast<std::uint32_t>(n.value)));
    } else if (n.kind == NodeKind::Exit) {
      work.push_back(resolver_.continues(n.index));
    }
  }
}

// Why a value cannot be computed ahead of the kernel; empty when it can.
std::string Planner::refusal(NodeId node) {
  std::set<NodeId> seen;
  reach(node, seen);
  for (const NodeId id : seen) {
    const Node& n = graph_[id];
    if (n.kind == NodeKind::Refused) return graph_.reason(n.index);
    if (n.kind != NodeKind::Symbol) continue;
    const StateSpace space = module_.variables[n.index].space;
    if (space == StateSpace::Shared || space == StateSpace::Local)
      return "an address in shared or local memory";
  }
  return "";
}

void Planner::refuse(PlannedAccess& access, const std::string& reason) {
  plan_.accesses[access.number].reason = reason;
}

void Planner::find_accesses() {
  const auto& code = form_.function.code;
  for (std::uint32_t i = 0; i < code.size(); ++i) {
    const Instruction& in = code[i];
    const bool memory = in.op.kind == Kind::Load || in.op.kind == Kind::Store || in.op.kind == Kind::Atomic;
    if (in.pseudo != Pseudo::None || !memory || form_.block_of[i] == kNone) continue;
    if (form_.place[form_.block_of[i]] == kNone) continue;
    if (in.op.space != StateSpace::Global && in.op.space != StateSpace::Generic) continue;
    PlannedAccess planned;
    planned.instruction = i;
    planned.address = resolver_.resolve(reader_.address(i));
    planned.loop = form_.loop_of[form_.block_of[i]];
    if (in.op.space == StateSpace::Generic && resolver_.space_of(planned.address) != StateSpace::Global)
      continue;
    planned.number = plan_.accesses.size();
    Access access;
    access.ptx_line = in.op.ptx_line;
    access.source = module_.sources.place_of(in.op.ptx_line);
    access.space = in.op.space;
    access.kind = in.op.kind == Kind::Load    ? AccessKind::Load
                  : in.op.kind == Kind::Store ? AccessKind::Store
                                              : AccessKind::Atomic;
    access.bytes = ptx::type_bytes(in.op.type) * std::max(1u, unsigned{in.op.vector_elements});
    const std::string why = refusal(planned.address);
    if (!why.empty()) access.reason = "its address needs " + why;
    plan_.accesses.push_back(std::move(access));
    if (why.empty()) planned_.push_back(std::move(planned));
  }
}

std::vector<NodeId> Planner::resolved_guards(std::uint32_t block) {
  std::vector<NodeId> list;
  for (const NodeId guard : conditions_.guards(block)) list.push_back(resolver_.resolve(guard));
  return list;
}

void Planner::choose_modes() {
  const std::size_t count = form_.loops.size();
  std::vector<bool> holds(count), carries(count);
  for (const PlannedAccess& access : planned_)
    for (std::uint32_t l = access.loop; l != kNoLoop; l = form_.loops[l].parent) {
      holds[l] = true;
      if ((graph_.facts(access.address).states & loop_bit(l)) != 0) carries[l] = true;
    }
  std::vector<std::string> unknown_end(count);
  for (std::uint32_t l = 0; l < count; ++l) {
    if (!holds[l]) continue;
    LoopPlan& plan = plan_.loops[l];
    const std::uint32_t parent = form_.loops[l].parent;
    plan.guards = resolved_guards(form_.loops[l].header);
    const auto last = resolver_.last_iteration(l);
    plan.counted = last.has_value() && refusal(*last).empty();
    if (plan.counted) plan.last = *last;
    if (!plan.counted) unknown_end[l] = refusal(last ? *last : resolver_.continues(l));
    const Facts facts = plan.counted ? graph_.facts(plan.last) : Facts{};
    plan.uniform = plan.counted && !facts.threads;
    const bool own_data = facts.threads && facts.loads;
    const bool traversed = plan.counted && !carries[l] && !own_data && facts.states == 0 &&
                           facts.exits == 0 &&
                           (parent == kNoLoop || plan_.loops[parent].mode == LoopMode::Traversed);
    plan.mode = traversed ? LoopMode::Traversed : LoopMode::Run;
  }
  // A loop of unknown end is left out: addresses constant in it are fetched once, others are not.
  for (std::uint32_t l = 0; l < count; ++l) {
    if (unknown_end[l].empty()) continue;
    plan_.loops[l].mode = LoopMode::Unused;
    for (PlannedAccess& access : planned_) {
      if (!form_.within(access.loop, l)) continue;
      if (access.loop != l || resolver_.varies(access.address, l))
        refuse(access, "the end of its loop needs " + unknown_end[l]);
      else
        access.loop = form_.loops[l].parent;
    }
  }
  std::erase_if(planned_, [&](const PlannedAccess& a) { return !plan_.accesses[a.number].covered(); });
}

// The innermost traversed loop around a loop; all loops between are run.
std::uint32_t Planner::region_of(std::uint32_t loop) const {
  while (loop != kNoLoop && plan_.loops[loop].mode != LoopMode::Traversed) loop = form_.loops[loop].parent;
  return loop;
}

bool Planner::keep_guard(NodeId guard, std::uint32_t region, std::uint32_t loop,
                         const std::set<NodeId>& slice) const {
  (void)region;
  const Facts& facts = graph_.facts(guard);
  if (facts.refused != 0) return false;
  // Loop-carried values are at hand only where the loop is run.
  for (std::uint32_t l = 0; l < form_.loops.size(); ++l) {
    if ((facts.states & loop_bit(l)) != 0 && !(form_.within(loop, l) && plan_.loops[l].mode == LoopMode::Run))
      return false;
    if ((facts.iterators & loop_bit(l)) != 0 &&
        !(form_.within(loop, l) && plan_.loops[l].mode != LoopMode::Unused))
      return false;
  }
  if (options_.data_guards == DataGuards::Keep) return true;
  std::set<NodeId> seen;
  const_cast<Planner*>(this)->reach(guard, seen);
  for (const NodeId id : seen) {
    if (graph_[id].kind == NodeKind::Refused) return false;
    if (graph_[id].kind != NodeKind::Load) continue;
    const auto& op = form_.function.code[reader_.sites()[graph_[id].index].instruction].op;
    if (op.space == StateSpace::Param || op.space == StateSpace::Const) continue;
    if (options_.data_guards == DataGuards::Drop || !slice.contains(id)) return false;
  }
  return true;
}

void Planner::choose_guards() {
  // By region: the loads for addresses.
  std::map<std::uint32_t, std::set<NodeId>> slices;
  for (const PlannedAccess& access : planned_) reach(access.address, slices[region_of(access.loop)]);
  for (std::uint32_t l = 0; l < form_.loops.size(); ++l) {
    LoopPlan& loop = plan_.loops[l];
    const std::uint32_t region = region_of(l);
    if (loop.counted) reach(loop.last, slices[region]);
    if (loop.mode == LoopMode::Run && !loop.counted) reach(resolver_.continues(l), slices[region]);
    // The guards of a loop's header lie outside of it.
    std::erase_if(loop.guards,
                  [&](NodeId g) { return !keep_guard(g, region, form_.loops[l].parent, slices[region]); });
  }
  for (PlannedAccess& access : planned_) {
    const Instruction& in = form_.function.code[access.instruction];
    access.guards = resolved_guards(form_.block_of[access.instruction]);
    if (in.guarded()) access.guards.push_back(resolver_.resolve(reader_.guard(access.instruction)));
    const std::uint32_t region = region_of(access.loop);
    std::erase_if(access.guards,
                  [&](NodeId g) { return !keep_guard(g, region, access.loop, slices[region]); });
  }
}

void Planner::choose_functions() {
  unsigned number = 0;
  for (LoopPlan& loop : plan_.loops)
    if (loop.mode == LoopMode::Traversed) loop.number = ++number;
  const auto place = [&](const PlannedAccess& a) { return form_.place[form_.block_of[a.instruction]]; };
  std::stable_sort(planned_.begin(), planned_.end(), [&](const PlannedAccess& a, const PlannedAccess& b) {
    return place(a) != place(b) ? place(a) < place(b) : a.instruction < b.instruction;
  });
  plan_.steps = steps_of(kNoLoop);
  for (const FunctionPlan& f : plan_.functions)
    for (const PlannedAccess& a : f.accesses) plan_.accesses[a.number].function = f.name;
}

std::vector<Step> Planner::steps_of(std::uint32_t region) {
  std::vector<Step> steps;
  std::vector<std::uint32_t> inner;
  for (std::uint32_t l = 0; l < form_.loops.size(); ++l)
    if (plan_.loops[l].mode == LoopMode::Traversed && form_.loops[l].parent == region) inner.push_back(l);
  std::sort(inner.begin(), inner.end(), [&](auto a, auto b) {
    return form_.place[form_.loops[a].header] < form_.place[form_.loops[b].header];
  });
  const std::string base = "memory_fetch_for_thread" +
                           (region == kNoLoop ? "" : "_loop_" + std::to_string(plan_.loops[region].number));
  for (std::size_t part = 0; part <= inner.size(); ++part) {
    const auto header = [&](std::size_t i) { return form_.place[form_.loops[inner[i]].header]; };
    FunctionPlan function;
    function.name =
        part == 0 ? base : base + "_after_loop_" + std::to_string(plan_.loops[inner[part - 1]].number);
    function.loop = region;
    for (const PlannedAccess& a : planned_) {
      if (region_of(a.loop) != region) continue;
      const std::uint32_t at = form_.place[form_.block_of[a.instruction]];
      if ((part == 0 || at > header(part - 1)) && (part == inner.size() || at <= header(part)))
        function.accesses.push_back(a);
    }
    if (!function.accesses.empty()) {
      Step step;
      step.function = plan_.functions.size();
      plan_.functions.push_back(std::move(function));
      steps.push_back(std::move(step));
    }
    if (part == inner.size()) break;
    Step step;
    step.is_loop = true;
    step.loop = inner[part];
    step.steps = steps_of(inner[part]);
    if (!step.steps.empty()) steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace duet::preexec
