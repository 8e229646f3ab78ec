#include "ptx/passes/control_flow.h"

#include <algorithm>

namespace duet::ptx {

using ir::Instruction;
using ir::kNone;
using ir::Pseudo;

namespace {

std::vector<std::uint32_t> postorder(const std::vector<std::vector<std::uint32_t>>& successors,
                                     std::uint32_t root) {
  std::vector<std::uint32_t> order;
  std::vector<bool> seen(successors.size());
  std::vector<std::pair<std::uint32_t, std::size_t>> stack{{root, 0}};
  seen[root] = true;
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next == successors[node].size()) {
      order.push_back(node);
      stack.pop_back();
      continue;
    }
    const std::uint32_t child = successors[node][next++];
    if (!seen[child]) {
      seen[child] = true;
      stack.emplace_back(child, 0);
    }
  }
  return order;
}

bool ends_block(const Instruction& in) {
  if (in.pseudo != Pseudo::None) return false;
  if (in.op.kind == Kind::Branch || in.op.kind == Kind::BranchIndexed || in.op.kind == Kind::Call ||
      in.op.kind == Kind::Return)
    return true;
  return !in.guarded() && (in.op.kind == Kind::Exit || in.op.opcode == Opcode::Trap);
}

}  // namespace

ControlFlow build_control_flow(const ir::Function& function) {
  ControlFlow flow;
  const auto& code = function.code;
  flow.block_of_label.assign(function.labels, kNone);
  bool fresh = true;
  for (std::uint32_t i = 0; i < code.size(); ++i) {
    const bool label = code[i].pseudo == Pseudo::Label;
    if (fresh || (label && code[flow.blocks.back().begin].pseudo != Pseudo::Label) ||
        (label && code[i - 1].pseudo != Pseudo::Label)) {
      if (!flow.blocks.empty()) flow.blocks.back().end = i;
      flow.blocks.emplace_back().begin = i;
    }
    if (label) flow.block_of_label[code[i].label] = static_cast<std::uint32_t>(flow.blocks.size() - 1);
    fresh = ends_block(code[i]);
  }
  if (!flow.blocks.empty()) flow.blocks.back().end = static_cast<std::uint32_t>(code.size());

  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
    Block& block = flow.blocks[b];
    const Instruction& last = code[block.end - 1];
    const bool ends = ends_block(last);
    if (ends && (last.op.kind == Kind::Branch || last.op.kind == Kind::Call))
      block.successors.push_back(flow.block_of_label[last.label]);
    if (ends && (last.op.kind == Kind::BranchIndexed || last.op.kind == Kind::Return))
      for (const auto label : function.branch_tables[last.label])
        block.successors.push_back(flow.block_of_label[label]);
    const bool falls_through = !ends || last.guarded();
    if (falls_through && b + 1 < flow.blocks.size()) block.successors.push_back(b + 1);
    std::sort(block.successors.begin(), block.successors.end());
    block.successors.erase(std::unique(block.successors.begin(), block.successors.end()),
                           block.successors.end());
  }
  if (flow.blocks.empty()) return flow;
  std::vector<std::vector<std::uint32_t>> successors;
  for (const Block& block : flow.blocks) successors.push_back(block.successors);
  flow.reverse_postorder = postorder(successors, 0);
  std::reverse(flow.reverse_postorder.begin(), flow.reverse_postorder.end());
  for (const auto b : flow.reverse_postorder)
    for (const auto s : flow.blocks[b].successors) flow.blocks[s].predecessors.push_back(b);
  return flow;
}

void remove_unused_labels(ir::Function& function, const std::vector<std::uint32_t>& entries) {
  std::vector<bool> used(function.labels);
  const auto use = [&](std::uint32_t label) {
    if (label != kNone) used[label] = true;
  };
  for (const std::uint32_t label : entries) use(label);
  for (const std::vector<std::uint32_t>& table : function.branch_tables)
    for (const std::uint32_t label : table) use(label);
  for (const Instruction& in : function.code) {
    if (in.pseudo != Pseudo::None) continue;
    if (in.op.kind == Kind::Branch || in.op.kind == Kind::Call) use(in.label);
    use(in.return_label);
  }
  std::erase_if(function.code,
                [&](const Instruction& in) { return in.pseudo == Pseudo::Label && !used[in.label]; });
}

void remove_unreachable(ir::Function& function, const ControlFlow& flow) {
  std::vector<bool> reached(flow.blocks.size());
  for (const auto b : flow.reverse_postorder) reached[b] = true;
  for (std::size_t b = 0; b < flow.blocks.size(); ++b)
    for (std::uint32_t i = flow.blocks[b].begin; !reached[b] && i < flow.blocks[b].end; ++i)
      if (function.code[i].pseudo == Pseudo::None) function.code[i].pseudo = Pseudo::Removed;
}

std::vector<std::uint32_t> immediate_dominators(const std::vector<std::vector<std::uint32_t>>& successors,
                                                std::uint32_t root) {
  const std::vector<std::uint32_t> order = postorder(successors, root);
  std::vector<std::uint32_t> number(successors.size(), kNone);
  for (std::uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;
  std::vector<std::vector<std::uint32_t>> predecessors(successors.size());
  for (const auto node : order)
    for (const auto s : successors[node]) predecessors[s].push_back(node);

  std::vector<std::uint32_t> dominator(successors.size(), kNone);
  dominator[root] = root;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = order.size(); i-- > 0;) {
      const std::uint32_t node = order[i];
      if (node == root) continue;
      std::uint32_t common = kNone;
      for (std::uint32_t p : predecessors[node]) {
        if (dominator[p] == kNone) continue;
        if (common == kNone) {
          common = p;
          continue;
        }
        while (common != p) {
          while (number[common] < number[p]) common = dominator[common];
          while (number[p] < number[common]) p = dominator[p];
        }
      }
      if (dominator[node] != common) {
        dominator[node] = common;
        changed = true;
      }
    }
  }
  dominator[root] = kNone;
  return dominator;
}

Dominance::Dominance(const ControlFlow& flow) : first_(flow.blocks.size()), last_(flow.blocks.size()) {
  if (flow.blocks.empty()) return;
  std::vector<std::vector<std::uint32_t>> successors;
  for (const Block& block : flow.blocks) successors.push_back(block.successors);
  const auto dominator = immediate_dominators(successors, 0);
  std::vector<std::vector<std::uint32_t>> children(flow.blocks.size());
  for (std::uint32_t b = 0; b < dominator.size(); ++b)
    if (dominator[b] != kNone) children[dominator[b]].push_back(b);
  std::uint32_t clock = 0;
  std::vector<std::pair<std::uint32_t, std::size_t>> stack{{0, 0}};
  first_[0] = ++clock;
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next == children[node].size()) {
      last_[node] = ++clock;
      stack.pop_back();
      continue;
    }
    const std::uint32_t child = children[node][next++];
    first_[child] = ++clock;
    stack.emplace_back(child, 0);
  }
}

}  // namespace duet::ptx
