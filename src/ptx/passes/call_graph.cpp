// Strongly connected components by Tarjan's algorithm.
#include "ptx/passes/call_graph.h"

#include <algorithm>

#include "ptx/state_spaces.h"

namespace duet::ptx {

using ir::CallSite;
using ir::Formal;
using ir::Function;
using ir::ParsedModule;
using ir::Pseudo;
using ir::Signature;

namespace {

constexpr unsigned kLongestAliasChain = 16;

Signature signature_of(const ParsedModule& module, const Function& function) {
  const auto sizes = [&](const std::vector<Formal>& formals) {
    std::vector<Bytes> result;
    for (const Formal& f : formals)
      result.push_back(f.is_register ? type_bytes(f.type) : module.variables[f.index].bytes);
    return result;
  };
  return {sizes(function.returns), sizes(function.parameters)};
}

}  // namespace

CallGraph::CallGraph(const ParsedModule& module, const Function& entry)
    : module_(module), address_taken_(module.address_taken) {
  std::sort(address_taken_.begin(), address_taken_.end());
  address_taken_.erase(std::unique(address_taken_.begin(), address_taken_.end()), address_taken_.end());
  visit(entry);
}

const Function* CallGraph::find(const std::string& name) const {
  std::string target = name;
  for (unsigned hops = 0; module_.aliases.contains(target) && hops < kLongestAliasChain; ++hops)
    target = module_.aliases.at(target);
  const auto found = module_.function_index.find(target);
  return found == module_.function_index.end() ? nullptr : &module_.functions[found->second];
}

std::vector<CallGraph::Candidate> CallGraph::candidates(const CallSite& site) const {
  std::vector<Candidate> result;
  for (const auto index : address_taken_) {
    const std::string& name = module_.functions[index].name;
    const Function* function = find(name);
    if (function == nullptr || !function->has_body || function->entry) continue;
    if (site.list.empty() ? signature_of(module_, *function) != site.signature
                          : std::find(site.list.begin(), site.list.end(), name) == site.list.end())
      continue;
    result.push_back({function_address(module_.first_function + index), function});
  }
  return result;
}

std::vector<const Function*> CallGraph::callees(const Function& function) const {
  std::vector<const Function*> result;
  for (const auto& in : function.code) {
    if (in.pseudo != Pseudo::Call) continue;
    const CallSite& site = function.calls[in.call];
    if (!site.callee.empty()) {
      if (const Function* callee = find(site.callee); callee != nullptr && callee->has_body)
        result.push_back(callee);
      continue;
    }
    for (const Candidate& candidate : candidates(site)) result.push_back(candidate.function);
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

// Without recursion: hostile PTX has chains of calls longer than the host's stack.
void CallGraph::visit(const Function& entry) {
  struct Visit {
    const Function* function;
    std::vector<const Function*> callees;
    std::size_t next = 0;
  };
  std::vector<Visit> path;
  const auto open = [&](const Function& function) {
    Node& node = nodes_[&function];
    node.number = node.lowest = static_cast<std::uint32_t>(nodes_.size());
    node.on_stack = true;
    stack_.push_back(&function);
    path.push_back({&function, callees(function)});
  };
  open(entry);
  while (!path.empty()) {
    Visit& visit = path.back();
    Node& node = nodes_.at(visit.function);
    if (visit.next < visit.callees.size()) {
      const Function& callee = *visit.callees[visit.next++];
      if (&callee == visit.function) node.on_cycle = true;
      const auto seen = nodes_.find(&callee);
      if (seen == nodes_.end())
        open(callee);
      else if (seen->second.on_stack)
        node.lowest = std::min(node.lowest, seen->second.number);
      continue;
    }
    if (node.lowest == node.number) close_component(*visit.function);
    const std::uint32_t lowest = node.lowest;
    path.pop_back();
    if (path.empty()) return;
    Node& caller = nodes_.at(path.back().function);
    caller.lowest = std::min(caller.lowest, lowest);
  }
}

// The functions on the stack down to `first` are one strongly connected component.
void CallGraph::close_component(const Function& first) {
  const bool several = stack_.back() != &first;
  while (true) {
    const Function* member = stack_.back();
    stack_.pop_back();
    Node& node = nodes_.at(member);
    node.on_stack = false;
    node.on_cycle |= several;
    if (member == &first) return;
  }
}

bool CallGraph::on_cycle(const Function& function) const {
  const auto found = nodes_.find(&function);
  return found != nodes_.end() && found->second.on_cycle;
}

}  // namespace duet::ptx
