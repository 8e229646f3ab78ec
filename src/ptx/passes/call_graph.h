// The calls below a kernel: names behind aliases, the possible targets of an indirect call, and the functions
// on call cycles.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "ptx/ir.h"

namespace duet::ptx {

class CallGraph {
 public:
  CallGraph(const ir::ParsedModule& module, const ir::Function& entry);

  // The function behind a name, or null.
  const ir::Function* find(const std::string& name) const;

  struct Candidate {
    Address address;
    const ir::Function* function;
  };
  // Functions with a body whose address is taken somewhere in the module, with the call's parameters and
  // results (or in the call's list), by ascending address.
  std::vector<Candidate> candidates(const ir::CallSite& site) const;

  bool on_cycle(const ir::Function& function) const;

 private:
  struct Node {
    std::uint32_t number = 0, lowest = 0;
    bool on_stack = false, on_cycle = false;
  };
  void visit(const ir::Function& entry);
  void close_component(const ir::Function& first);
  std::vector<const ir::Function*> callees(const ir::Function& function) const;

  const ir::ParsedModule& module_;
  std::vector<std::uint32_t> address_taken_;  // ascending
  std::unordered_map<const ir::Function*, Node> nodes_;
  std::vector<const ir::Function*> stack_;
};

}  // namespace duet::ptx
