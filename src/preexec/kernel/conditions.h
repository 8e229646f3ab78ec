// The condition of reaching a block: `if` of the source, as nodes. A block's own condition is relative to its
// immediate dominator, so conditions of an access nest as in the source: guards({...}) = {n < N, flag[n] !=
// 0}. Inside a loop a condition holds for one iteration. A path to a trap (an assertion) counts as never
// taken.
#pragma once

#include <unordered_map>
#include <vector>

#include "preexec/kernel/reader.h"

namespace duet::preexec {

class Conditions {
 public:
  Conditions(const Form& form, Graph& graph, Reader& reader) : form_(form), graph_(graph), reader_(reader) {}

  // Unresolved nodes, outermost first; true ones are left out.
  std::vector<NodeId> guards(std::uint32_t block);
  // Whether another iteration of the loop follows.
  NodeId continues(std::uint32_t loop);
  // Whether control came into the block by this predecessor, for predecessors from `since` on, their
  // dominator.
  NodeId arrival(std::uint32_t predecessor, std::uint32_t block, std::uint32_t since);

 private:
  NodeId own(std::uint32_t block);
  NodeId relative(std::uint32_t block, std::uint32_t since);
  bool always_passes(std::uint32_t from, std::uint32_t block) const;

  const Form& form_;
  Graph& graph_;
  Reader& reader_;
  std::unordered_map<std::uint32_t, NodeId> own_;
};

}  // namespace duet::preexec
