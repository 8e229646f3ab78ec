// Basic blocks over a function's linear code, and dominators.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/ir.h"

namespace duet::ptx {

struct Block {
  std::uint32_t begin = 0, end = 0;  // in Function::code
  std::vector<std::uint32_t> successors, predecessors;
};

struct ControlFlow {
  std::vector<Block> blocks;  // in program order; 0 is the entry
  std::vector<std::uint32_t> block_of_label;
  std::vector<std::uint32_t> reverse_postorder;  // reachable blocks only
};
ControlFlow build_control_flow(const ir::Function& function);

// Labels that no code goes to, as compilers put between instructions for debuggers ($L__tmp1), would end
// blocks. `entries`: labels that are named from outside.
void remove_unused_labels(ir::Function& function, const std::vector<std::uint32_t>& entries);

// Marks instructions of unreachable blocks as Removed.
void remove_unreachable(ir::Function& function, const ControlFlow& flow);

// Immediate dominators of a graph by Cooper, Harvey and Kennedy's iteration; kNone for the root and for nodes
// the root does not reach.
std::vector<std::uint32_t> immediate_dominators(const std::vector<std::vector<std::uint32_t>>& successors,
                                                std::uint32_t root);

// Answers whether one block dominates another in constant time.
class Dominance {
 public:
  explicit Dominance(const ControlFlow& flow);
  bool dominates(std::uint32_t a, std::uint32_t b) const {
    return first_[a] <= first_[b] && last_[b] <= last_[a] && first_[a] != 0;
  }

 private:
  std::vector<std::uint32_t> first_, last_;  // preorder numbers of the dominator tree; 0: unreachable
};

}  // namespace duet::ptx
