// Writes the fetching C functions: Fig. 3's memory_fetch_for_thread(n), Fig. 9's
// memory_fetch_for_thread_loop_1(n, m). A value used twice gets a name; a loaded one always does. A value is
// computed at its first use, inside the `if` of the use.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "preexec/plan/plan.h"
#include "preexec/text/expression.h"
#include "preexec/text/names.h"

namespace duet::preexec {

class FunctionWriter {
 public:
  FunctionWriter(Names& names, Graph& graph, Reader& reader, Resolver& resolver, const Plan& plan)
      : names_(names),
        form_(names.form()),
        graph_(graph),
        reader_(reader),
        resolver_(resolver),
        plan_(plan) {}

  // static u64 NAME(struct kernel *k, u32 n, u32 m) {...}
  std::string fetch(const FunctionPlan& function);
  // Whether the first and the last one of some threads decide for all of them what the function does: its
  // conditions compare a number that rises or falls with the thread. For such a function,
  // static u64 NAME_runs(...) {...}: whether a thread does all of it, and the same without any condition.
  bool ends_decide(const FunctionPlan& function) const;
  std::string runs(const FunctionPlan& function);
  std::string unconditional(const FunctionPlan& function);
  // static u32 loop_1_iterations(struct kernel *k, ...) {...}: of a loop common to all threads.
  std::string iterations(std::uint32_t loop);

  // The iterators of the traversed loops around (and with) this one, outermost first: their names.
  std::vector<std::string> iterators(std::uint32_t loop) const;

 private:
  using Scope = std::map<NodeId, std::string>;

  std::string head(const FunctionPlan& function, const char* suffix) const;
  bool is_monotonic(NodeId node) const;
  bool is_convex(NodeId condition) const;
  void start(std::uint32_t region, const std::vector<NodeId>& roots);
  std::string finish(const std::string& head);
  void count_uses(const std::vector<NodeId>& roots);

  Expression operand(NodeId node);
  Expression leaf(const Node& n);
  Expression load(NodeId node);
  Expression chosen(NodeId node);
  std::string identity(Identity id);
  std::string text(NodeId node) { return operand(node).text; }
  const std::string* known(NodeId node) const;
  const std::string& name(NodeId node, const std::string& text);
  bool waits(NodeId node) const;  // has a load or a loop's end not written yet
  std::string fresh(const char* prefix) { return prefix + std::to_string(++last_name_); }

  void open_guards(const std::vector<NodeId>& guards);
  void close_guards(std::size_t depth);
  void write_accesses(const std::vector<PlannedAccess>& accesses, std::uint32_t loop);
  void write_access(const PlannedAccess& access);
  void write_loop(std::uint32_t loop, const std::vector<PlannedAccess>& accesses);
  bool is_counted_in_steps(NodeId last) const;
  std::string last_iteration(NodeId last, const std::string& m);
  void check_iterations(std::uint32_t region);
  std::string comment(std::uint32_t instruction) const;
  std::string fetch_call(std::uint32_t instruction, NodeId address, bool value);

  Names& names_;
  const Form& form_;
  Graph& graph_;
  Reader& reader_;
  Resolver& resolver_;
  const Plan& plan_;

  std::vector<std::string> prelude_;
  std::map<Identity, std::string> identities_;
  std::map<std::uint32_t, std::string> iterator_;  // by loop, as it is called here
  Lines body_{1};
  Lines* out_ = &body_;
  std::vector<Scope> scopes_;
  std::vector<NodeId> open_;  // guards
  std::size_t floor_ = 0;     // lower ones are outside of the loop being written
  std::map<NodeId, unsigned> uses_;
  std::set<NodeId> exits_;                               // of the function
  std::map<std::uint32_t, std::vector<NodeId>> states_;  // by loop being written: the states it needs
  unsigned last_name_ = 0;
  bool sums_ = true;  // loaded values are added up
};

}  // namespace duet::preexec
