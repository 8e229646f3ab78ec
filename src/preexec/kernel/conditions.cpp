#include "preexec/kernel/conditions.h"

#include <algorithm>

namespace duet::preexec {

using ptx::ir::kNone;
using ptx::ir::Pseudo;

// Whether every way from a dominator of the block, within an iteration of its loop, passes through the block.
bool Conditions::always_passes(std::uint32_t from, std::uint32_t block) const {
  const std::uint32_t loop = form_.loop_of[block];
  std::vector<bool> seen(form_.flow.blocks.size());
  std::vector<std::uint32_t> work{from};
  seen[from] = true;
  while (!work.empty()) {
    const std::uint32_t b = work.back();
    work.pop_back();
    const auto& successors = form_.flow.blocks[b].successors;
    if (successors.empty()) {
      const auto& last = form_.function.code[form_.flow.blocks[b].end - 1];
      if (last.pseudo == Pseudo::None && last.op.opcode == ptx::Opcode::Trap) continue;
      return false;
    }
    for (const auto s : successors) {
      if (s == block) continue;
      if (loop != kNoLoop && !form_.loops[loop].holds[s]) return false;
      if (form_.place[s] <= form_.place[b]) {  // goes back
        const std::uint32_t inner = form_.loop_of[s];
        if (form_.within(loop, inner)) return false;
        continue;
      }
      if (!seen[s]) seen[s] = true, work.push_back(s);
    }
  }
  return true;
}

NodeId Conditions::arrival(std::uint32_t predecessor, std::uint32_t block, std::uint32_t since) {
  // The outermost loop left on the way.
  std::uint32_t left = kNoLoop;
  for (std::uint32_t loop = form_.loop_of[predecessor]; loop != kNoLoop && !form_.loops[loop].holds[block];
       loop = form_.loops[loop].parent)
    left = loop;
  if (left != kNoLoop) {
    const Loop& loop = form_.loops[left];
    const bool only = std::all_of(loop.leaves.begin(), loop.leaves.end(), [&](const auto& edge) {
      return edge.second == block && edge.first == predecessor;
    });
    if (only) return loop.holds[since] ? graph_.boolean(true) : relative(loop.header, since);
  }
  const NodeId way = graph_.both(relative(predecessor, since), reader_.edge(predecessor, block));
  return reader_.leaving(way, predecessor, block);
}

NodeId Conditions::own(std::uint32_t block) {
  const auto known = own_.find(block);
  if (known != own_.end()) return known->second;
  const std::uint32_t dominator = form_.dominator[block];
  NodeId reached = graph_.boolean(true);
  if (dominator != kNone && !always_passes(dominator, block)) {
    reached = graph_.boolean(false);
    for (const auto p : form_.flow.blocks[block].predecessors)
      if (!form_.dominates(block, p)) reached = graph_.either(reached, arrival(p, block, dominator));
  }
  return own_[block] = reached;
}

NodeId Conditions::relative(std::uint32_t block, std::uint32_t since) {
  NodeId all = graph_.boolean(true);
  for (; block != since && block != kNone; block = form_.dominator[block]) all = graph_.both(own(block), all);
  return all;
}

std::vector<NodeId> Conditions::guards(std::uint32_t block) {
  std::vector<NodeId> list;
  for (std::uint32_t b = block; b != kNone; b = form_.dominator[b]) {
    // A left loop was left by the dominating block.
    if (!form_.within(form_.loop_of[block], form_.loop_of[b])) continue;
    const NodeId condition = own(b);
    if (!graph_.is_constant(condition, 1)) list.push_back(condition);
  }
  std::reverse(list.begin(), list.end());
  return list;
}

NodeId Conditions::continues(std::uint32_t loop) {
  const Loop& l = form_.loops[loop];
  NodeId goes_on = graph_.boolean(false);
  for (const auto latch : l.latches) goes_on = graph_.either(goes_on, arrival(latch, l.header, l.header));
  return goes_on;
}

}  // namespace duet::preexec
