// The plan of a program: the accesses it will fetch, with their addresses and guards, the others with the
// reason, loops by how they are run, and the functions for the accesses (yang2012 Figs 2 and 8: one for each
// kernel loop, one for the rest).
//   traversed  the program takes one iteration for many threads before the next one (Fig. 9's loop over m);
//              needs closed forms
//   run        a thread's iterations one after the other, inside a function, on the thread's own values: for
//              values without a closed form, and loops whose end a thread's data decides
#pragma once

#include <set>
#include <string>
#include <vector>

#include "preexec/kernel/resolve.h"
#include "preexec/preexec.h"

namespace duet::preexec {

enum class LoopMode : std::uint8_t { Unused, Traversed, Run };

struct PlannedAccess {
  std::uint32_t instruction = 0;
  std::size_t number = 0;  // in Plan::accesses
  NodeId address = 0;
  std::vector<NodeId> guards;  // outermost first
  std::uint32_t loop = kNoLoop;
};

struct LoopPlan {
  LoopMode mode = LoopMode::Unused;
  unsigned number = 0;         // of a traversed loop, from 1
  NodeId last = 0;             // iteration, where it has a closed form
  bool counted = false;        // it has
  bool uniform = false;        // for all threads alike
  std::vector<NodeId> guards;  // of its header
};

// One C function: accesses of one traversed loop (or of none), up to the next traversed loop in it.
struct FunctionPlan {
  std::string name;
  std::uint32_t loop = kNoLoop;
  std::vector<PlannedAccess> accesses;
};

// In the program's order: functions and loops.
struct Step {
  bool is_loop = false;
  std::uint32_t loop = kNoLoop;  // is_loop
  std::size_t function = 0;      // else, in Plan::functions
  std::vector<Step> steps;       // of the loop
};

struct Plan {
  std::vector<Access> accesses;
  std::vector<LoopPlan> loops;  // by loop of the form
  std::vector<FunctionPlan> functions;
  std::vector<Step> steps;
};

class Planner {
 public:
  Planner(const ptx::ir::ParsedModule& module, const Form& form, Graph& graph, Reader& reader,
          Conditions& conditions, Resolver& resolver, const Options& options)
      : module_(module),
        form_(form),
        graph_(graph),
        reader_(reader),
        conditions_(conditions),
        resolver_(resolver),
        options_(options) {}
  Plan make();

 private:
  void find_accesses();
  void choose_modes();
  void choose_guards();
  void choose_functions();
  std::vector<NodeId> resolved_guards(std::uint32_t block);
  bool keep_guard(NodeId guard, std::uint32_t region, std::uint32_t loop,
                  const std::set<NodeId>& slice) const;
  void refuse(PlannedAccess& access, const std::string& reason);
  std::string refusal(NodeId node);
  void reach(NodeId node, std::set<NodeId>& seen);
  std::uint32_t region_of(std::uint32_t loop) const;
  std::vector<Step> steps_of(std::uint32_t region);

  const ptx::ir::ParsedModule& module_;
  const Form& form_;
  Graph& graph_;
  Reader& reader_;
  Conditions& conditions_;
  Resolver& resolver_;
  const Options& options_;
  Plan plan_;
  std::vector<PlannedAccess> planned_;
};

}  // namespace duet::preexec
