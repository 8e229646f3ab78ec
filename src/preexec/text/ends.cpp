// Conditions that the first and the last one of some threads decide for all of them.
//
//   if (n < width) sum += FETCH(...);    // eight threads 32 apart
//   if (runs(n) && runs(n + 224)) ...    // asked twice; eight loads follow without a condition
#include <algorithm>

#include "preexec/text/function.h"

namespace duet::preexec {

namespace {
// Of its accesses.
std::vector<NodeId> conditions_of(const FunctionPlan& function) {
  std::vector<NodeId> conditions;
  for (const PlannedAccess& access : function.accesses)
    for (const NodeId guard : access.guards)
      if (std::find(conditions.begin(), conditions.end(), guard) == conditions.end())
        conditions.push_back(guard);
  return conditions;
}
}  // namespace

// As long as it does not overflow: a wrong answer costs a useless load, or a missing one.
bool FunctionWriter::is_monotonic(NodeId node) const {
  const Node& n = graph_[node];
  if (!graph_.facts(node).threads) return true;
  switch (n.kind) {
    case NodeKind::Identity:
      return static_cast<Identity>(n.index) == Identity::ThreadX;
    case NodeKind::Extend:
    case NodeKind::Truncate:
      return is_monotonic(n.in[0]);
    case NodeKind::Add:
    case NodeKind::Sub:
    case NodeKind::Mul:
    case NodeKind::ShiftLeft:
    case NodeKind::ShiftRight:
      return graph_.facts(n.in[0]).threads != graph_.facts(n.in[1]).threads && is_monotonic(n.in[0]) &&
             is_monotonic(n.in[1]);
    default:
      return false;
  }
}

// It holds for threads between two for which it holds.
bool FunctionWriter::is_convex(NodeId condition) const {
  const Node& n = graph_[condition];
  if (graph_.facts(condition).loads) return false;
  if (!graph_.facts(condition).threads) return true;
  switch (n.kind) {
    case NodeKind::Not:
      return graph_[n.in[0]].kind == NodeKind::Less && is_convex(n.in[0]);
    case NodeKind::Less:
      return graph_.facts(n.in[0]).threads != graph_.facts(n.in[1]).threads && is_monotonic(n.in[0]) &&
             is_monotonic(n.in[1]);
    case NodeKind::And:
      return is_convex(n.in[0]) && is_convex(n.in[1]);
    default:
      return false;
  }
}

bool FunctionWriter::ends_decide(const FunctionPlan& function) const {
  if (!names_.one_dimensional() || names_.options().forwarded_blocks) return false;
  bool any = false;
  for (const PlannedAccess& access : function.accesses)
    if (access.loop != function.loop) return false;
  for (const NodeId condition : conditions_of(function)) {
    if (!is_convex(condition)) return false;
    any |= graph_.facts(condition).threads;
  }
  for (std::uint32_t l = function.loop; l != kNoLoop; l = form_.loops[l].parent) {
    const LoopPlan& loop = plan_.loops[l];
    if (loop.uniform) continue;
    const Node& last = graph_[loop.last];
    if (graph_.facts(loop.last).loads || !is_counted_in_steps(loop.last)) return false;
    for (unsigned i = 0; i < last.count; ++i)
      if (!is_monotonic(last.in[i])) return false;
    for (const NodeId guard : loop.guards)
      if (!is_convex(guard)) return false;
    any = true;
  }
  return any;
}

std::string FunctionWriter::runs(const FunctionPlan& function) {
  const std::vector<NodeId> conditions = conditions_of(function);
  std::vector<NodeId> roots = conditions;
  for (std::uint32_t l = function.loop; l != kNoLoop; l = form_.loops[l].parent) {
    if (plan_.loops[l].uniform) continue;
    roots.push_back(plan_.loops[l].last);
    roots.insert(roots.end(), plan_.loops[l].guards.begin(), plan_.loops[l].guards.end());
  }
  start(function.loop, roots);
  out_->add("u64 sum = 0;");
  check_iterations(function.loop);
  open_guards(conditions);
  out_->add("sum = 1;");
  close_guards(0);
  out_->add("return sum;");
  return finish(head(function, "_runs"));
}

std::string FunctionWriter::unconditional(const FunctionPlan& function) {
  std::vector<PlannedAccess> accesses = function.accesses;
  std::vector<NodeId> roots;
  for (PlannedAccess& access : accesses) {
    access.guards.clear();
    roots.push_back(access.address);
  }
  start(function.loop, roots);
  sums_ = true;
  out_->add("u64 sum = 0;");
  write_accesses(accesses, function.loop);
  out_->add("return sum;");
  return finish(head(function, "_always"));
}

}  // namespace duet::preexec
