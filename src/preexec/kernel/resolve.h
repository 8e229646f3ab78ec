// Closed forms: values in the numbers of threads, of iterations and the parameters alone. yang2012's Fig. 8
// replaces ids and iterators by parameters of a function; so a loop-carried value must be known without
// running the loop:
//   i += c   ->  first + m * c
//   i <<= 1  ->  first << m
//   p = q (of the iteration before)  ->  m == 0 ? first : q(m - 1)
// A value behind a loop is the one of its last iteration; the loop's test gives the iteration's number. A
// value without a closed form stays a State, a variable of a loop that the program really runs (plan.h).
// Additions to a loop's compared counter are taken not to wrap.
#pragma once

#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "preexec/kernel/conditions.h"

namespace duet::preexec {

class Resolver {
 public:
  Resolver(const ptx::ir::ParsedModule& module, const Form& form, Graph& graph, Reader& reader,
           Conditions& conditions);

  NodeId resolve(NodeId node);
  // The number of the loop's last iteration, where it has a closed form.
  std::optional<NodeId> last_iteration(std::uint32_t loop);
  // Of a State: its value before the loop and after an iteration.
  NodeId first(std::uint32_t phi) { return resolve(reader_.phis()[phi].values[0]); }
  NodeId next(std::uint32_t phi) { return resolve(reader_.phis()[phi].values[1]); }
  NodeId continues(std::uint32_t loop) { return resolve(conditions_.continues(loop)); }
  // Whether a value may change within a loop, or from run to run of it.
  bool varies(NodeId node, std::uint32_t loop) const;
  // The state space of an address, by its parts; global where they do not show it.
  ptx::StateSpace space_of(NodeId address) const;
  bool one_dimensional() const { return one_dimensional_; }

 private:
  struct Affine {
    NodeId first, step;
  };
  using Memo = std::unordered_map<NodeId, NodeId>;

  NodeId resolve_now(NodeId node);
  NodeId carried(NodeId node, std::uint32_t number);
  NodeId joined(const Phi& phi);
  NodeId left(NodeId node);
  NodeId at_lane(NodeId value, NodeId lane);
  NodeId load(NodeId node);
  // The node with its leaves replaced; nothing when it has states: these cannot be replaced.
  template <typename F>
  NodeId replaced(NodeId node, F&& leaf, Memo& memo);
  NodeId at_iteration(NodeId node, std::uint32_t loop, NodeId number);
  std::optional<NodeId> closed(NodeId first, NodeId next, NodeId state, std::uint32_t loop);
  std::optional<NodeId> step_of(NodeId next, NodeId state);
  std::optional<Affine> affine(NodeId node, std::uint32_t loop);
  std::optional<NodeId> compute_last(std::uint32_t loop);
  std::optional<NodeId> trips(NodeId test, bool stays_if, std::uint32_t loop);
  bool only_of(NodeId node, std::uint32_t loop) const;  // no states, and of the exits none
  NodeId iterator(std::uint32_t loop, unsigned bits);

  const ptx::ir::ParsedModule& module_;
  const Form& form_;
  Graph& graph_;
  Reader& reader_;
  Conditions& conditions_;
  bool one_dimensional_ = true;
  Memo settled_;                     // with no phi in work
  std::vector<Memo> tentative_;      // one for each phi in work
  std::vector<std::uint32_t> work_;  // phis whose closed form is being looked for
  std::unordered_map<std::uint32_t, std::optional<NodeId>> last_;
  std::set<std::uint32_t> counting_;
};

}  // namespace duet::preexec
