// Finds loops that may wait for other lanes: there the running lanes have to give up their turn. A loop of
// computations ends by itself, or never. Source: CUDA C programming guide, independent thread scheduling.
#include "ptx/passes/passes.h"

namespace duet::ptx {

using ir::Function;
using ir::Instruction;
using ir::Pseudo;

namespace {

bool may_see_others(const Instruction& in) {
  if (in.pseudo != Pseudo::None) return false;
  const MicroOp& op = in.op;
  return op.kind == Kind::Atomic || op.kind == Kind::Fence || op.opcode == Opcode::Nanosleep ||
         (op.kind == Kind::Load && op.semantics != MemorySemantics::Weak);
}

// Blocks reachable from `from` without going beyond `stop`.
std::vector<bool> reached(const ControlFlow& flow, std::uint32_t from, std::uint32_t stop, bool backwards) {
  std::vector<bool> result(flow.blocks.size());
  result[from] = true;
  std::vector<std::uint32_t> work{from};
  while (!work.empty()) {
    const std::uint32_t node = work.back();
    work.pop_back();
    if (node == stop) continue;
    const Block& block = flow.blocks[node];
    for (const std::uint32_t next : backwards ? block.predecessors : block.successors)
      if (!result[next]) {
        result[next] = true;
        work.push_back(next);
      }
  }
  return result;
}

}  // namespace

std::vector<bool> waiting_loops(const Function& function, const ControlFlow& flow) {
  const std::size_t count = flow.blocks.size();
  std::vector<bool> result(count), sees(count);
  bool any = false;
  for (const std::uint32_t b : flow.reverse_postorder) {
    for (std::uint32_t at = flow.blocks[b].begin; at < flow.blocks[b].end && !sees[b]; ++at)
      sees[b] = may_see_others(function.code[at]);
    any = any || sees[b];
  }
  if (!any) return result;
  // Every loop goes back in the order of the code somewhere.
  for (const std::uint32_t b : flow.reverse_postorder)
    for (const std::uint32_t head : flow.blocks[b].successors) {
      if (head > b || result[b]) continue;
      const std::vector<bool> before = reached(flow, b, head, true), after = reached(flow, head, b, false);
      for (std::size_t i = 0; i < count; ++i)
        if (before[i] && after[i] && sees[i]) result[b] = true;
    }
  return result;
}

}  // namespace duet::ptx
