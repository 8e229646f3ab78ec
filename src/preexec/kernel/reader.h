// The value of a register at a place of the kernel, as a node of the graph: static single assignment, built
// on demand, so only the instructions for addresses are ever looked at (the backward slice of yang2012
// section 4.1). Method: Braun et al., "Simple and Efficient Construction of Static Single Assignment Form"
// (CC 2013), for complete control flow. A value behind a loop passes a node Exit. A Phi stands where paths
// meet; resolve.h turns it into choices and closed forms.
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "preexec/kernel/form.h"
#include "preexec/values/graph.h"

namespace duet::preexec {

// A load of the kernel whose value something needs, one element of it.
struct LoadSite {
  std::uint32_t instruction = 0;
  unsigned element = 0;
};

struct Phi {
  std::uint32_t block = 0;
  bool header = false;                      // of a loop: values are {before the loop, after an iteration}
  std::vector<std::uint32_t> predecessors;  // the predecessor of each value, unless header
  std::vector<NodeId> values;
};

class Reader {
 public:
  Reader(const ptx::ir::ParsedModule& module, const Form& form, Graph& graph);

  NodeId before(std::uint32_t instruction, std::uint32_t reg);
  NodeId operand(std::uint32_t instruction, unsigned number);
  // Of a memory instruction: its address, of one element.
  NodeId address(std::uint32_t instruction, unsigned element = 0);
  NodeId guard(std::uint32_t instruction);  // true where it has none
  // Whether control goes from one block to a successor of it, when it has reached the end of the first.
  NodeId edge(std::uint32_t from, std::uint32_t to);
  // A condition of a block, or a value at its end, after the loops around it but not around `to`.
  NodeId leaving(NodeId value, std::uint32_t from, std::uint32_t to);

  const std::vector<Phi>& phis() const { return phis_; }
  const std::vector<LoadSite>& sites() const { return sites_; }

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // block, register
  NodeId at_entry(std::uint32_t block, std::uint32_t reg);
  NodeId at_end(std::uint32_t block, std::uint32_t reg);
  NodeId merge(std::uint32_t block, std::uint32_t reg, const std::vector<std::uint32_t>& predecessors);
  NodeId along(std::uint32_t from, std::uint32_t to, std::uint32_t reg);
  NodeId definition(std::uint32_t instruction, std::uint32_t reg);
  unsigned bits_of(std::uint32_t reg) const;
  NodeId value(std::uint32_t instruction, const ptx::ir::Value& value);
  // The value an instruction writes into its k-th destination, or its predicate (k = 4, 5). lower.cpp.
  NodeId written(std::uint32_t instruction, unsigned k);
  NodeId loaded(std::uint32_t instruction, unsigned element);

  const ptx::ir::ParsedModule& module_;
  const Form& form_;
  Graph& graph_;
  std::vector<Phi> phis_;
  std::vector<LoadSite> sites_;
  std::map<Key, std::vector<std::uint32_t>> definitions_;  // a block's writes of a register
  std::map<Key, NodeId> at_entry_;
  std::map<Key, NodeId> defined_;  // by instruction and register
};

}  // namespace duet::preexec
