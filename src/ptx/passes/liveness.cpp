// Backward data flow by sparse propagation: from every upward-exposed use towards the definitions.
#include "ptx/passes/liveness.h"

namespace duet::ptx {

using ir::Instruction;
using ir::kNone;
using ir::Pseudo;

Liveness find_liveness(const ir::Function& function, const ControlFlow& flow) {
  Liveness result;
  const auto count = static_cast<std::uint32_t>(function.registers.size());
  const std::size_t blocks = flow.blocks.size();
  result.live_in.resize(blocks);
  result.live_out.resize(blocks);
  std::vector<std::vector<std::uint32_t>> exposed(blocks);  // blocks' upward-exposed registers
  std::vector<std::vector<std::uint32_t>> killed(blocks);
  std::vector<std::uint32_t> mark(count, kNone);
  for (const auto b : flow.reverse_postorder) {
    for (std::uint32_t i = flow.blocks[b].begin; i < flow.blocks[b].end; ++i) {
      const Instruction& in = function.code[i];
      if (in.pseudo != Pseudo::None) continue;
      const auto use = [&](std::uint32_t r) {
        if (mark[r] != b) exposed[b].push_back(r);
      };
      ir::for_each_use(in, use);
      // A guarded definition keeps the old value in the other lanes.
      if (in.guarded()) ir::for_each_definition(in, use);
      ir::for_each_definition(in, [&](std::uint32_t r) {
        if (mark[r] != b && !in.guarded()) {
          mark[r] = b;
          killed[b].push_back(r);
        }
      });
    }
  }
  // Per register: walk predecessors until a block kills it.
  std::vector<std::vector<std::uint32_t>> exposing(count), killing(count);
  for (const auto b : flow.reverse_postorder) {
    for (const auto r : exposed[b])
      if (exposing[r].empty() || exposing[r].back() != b) exposing[r].push_back(b);
    for (const auto r : killed[b]) killing[r].push_back(b);
  }
  std::vector<std::uint32_t> in_mark(blocks, kNone), out_mark(blocks, kNone), kill_mark(blocks, kNone);
  std::vector<std::uint32_t> work;
  for (std::uint32_t r = 0; r < count; ++r) {
    if (exposing[r].empty()) continue;
    for (const auto b : killing[r]) kill_mark[b] = r;
    work = exposing[r];
    for (const auto b : work) {
      in_mark[b] = r;
      result.live_in[b].push_back(r);
    }
    while (!work.empty()) {
      const std::uint32_t b = work.back();
      work.pop_back();
      for (const auto p : flow.blocks[b].predecessors) {
        if (out_mark[p] == r) continue;
        out_mark[p] = r;
        result.live_out[p].push_back(r);
        if (kill_mark[p] == r || in_mark[p] == r) continue;
        in_mark[p] = r;
        result.live_in[p].push_back(r);
        work.push_back(p);
      }
    }
  }
  return result;
}

}  // namespace duet::ptx
