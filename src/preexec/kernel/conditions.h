// Under which condition a block is reached: `if` of the source, as nodes. A block's own condition is relative
// to the block that dominates it immediately, so conditions of an access nest as the source's do:
// guards({...}) = {n < N, flag[n] != 0}. Inside a loop a condition holds for one iteration. A path that ends
// in a trap (an assertion) counts as never taken.
#pragma once

#include <unordered_map>
#include <vector>

#include "preexec/kernel/reader.h"

namespace duet::preexec {

class Conditions {
 public:
  Conditions(const Form& form, Graph& graph, Reader& reader) : form_(form), graph_(graph), reader_(reader) {}

  // Nodes that are not resolved, outermost first; those that are always true are left out.
  std::vector<NodeId> guards(std::uint32_t block);
  // Whether another iteration of the loop follows.
  NodeId continues(std::uint32_t loop);
  // Of the ways into a block: whether control came by this predecessor, for predecessors from `since` on, a
  // block that dominates them.
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
