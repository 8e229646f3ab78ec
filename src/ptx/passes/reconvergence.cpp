// Reconvergence at the immediate post-dominator. Lanes with a trap, or with an `exit` in the middle of a
// kernel whose other lanes reach `ret`, never arrive anywhere, so their paths do not count: otherwise one
// failed assertion in a loop would keep its warp apart to the end of the kernel. A call goes on at the
// function's return address, and a return ends: lanes meet within the function in which they parted.
#include "ptx/passes/reconvergence.h"

namespace duet::ptx {

using ir::kNone;

std::vector<std::uint32_t> reconvergence_blocks(const ir::Function& function, const ControlFlow& flow) {
  const auto count = static_cast<std::uint32_t>(flow.blocks.size());
  const std::uint32_t end = count;  // the virtual exit
  // Reversed edges: the post-dominators are the dominators of the reversed graph.
  std::vector<std::vector<std::uint32_t>> reversed(count + 1);
  std::vector<std::uint32_t> leaving;
  bool reaches_ret = false;
  for (const auto b : flow.reverse_postorder) {
    const ir::Instruction& last = function.code[flow.blocks[b].end - 1];
    const bool real = last.pseudo == ir::Pseudo::None;
    if (real && last.op.kind == Kind::Call) {
      reversed[flow.block_of_label[last.return_label]].push_back(b);
      continue;
    }
    const bool returns = real && last.op.kind == Kind::Return;
    if (!returns)
      for (const auto s : flow.blocks[b].successors) reversed[s].push_back(b);
    if (!returns && !flow.blocks[b].successors.empty()) continue;
    leaving.push_back(b);
    reaches_ret |= last.op.opcode != Opcode::Trap;
  }
  std::vector<bool> joined(count + 1);
  const auto join = [&](std::uint32_t from) {
    std::vector<std::uint32_t> work{from};
    joined[from] = true;
    while (!work.empty()) {
      const std::uint32_t node = work.back();
      work.pop_back();
      for (const auto p : reversed[node])
        if (!joined[p]) {
          joined[p] = true;
          work.push_back(p);
        }
    }
  };
  const auto counts = [&](std::uint32_t b) {
    return !reaches_ret || function.code[flow.blocks[b].end - 1].op.opcode != Opcode::Trap;
  };
  for (const auto b : leaving) {
    if (!counts(b)) continue;
    reversed[end].push_back(b);
    join(b);
  }
  for (const auto b : leaving)
    if (!counts(b)) join(b);
  // Endless loops are tied to the end, last blocks first.
  for (std::size_t i = flow.reverse_postorder.size(); i-- > 0;) {
    const std::uint32_t b = flow.reverse_postorder[i];
    if (joined[b]) continue;
    reversed[end].push_back(b);
    join(b);
  }
  auto result = immediate_dominators(reversed, end);
  for (auto& block : result)
    if (block == end) block = kNone;
  result.resize(count);
  return result;
}

}  // namespace duet::ptx
