// A kernel as the pre-execution compiler looks at it: one function with its calls inlined, its basic blocks,
// and its loops. Loops are natural ones (a back edge goes to a dominator of its source); control flow with
// others is refused by name.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ptx/ir.h"
#include "ptx/passes/control_flow.h"

namespace duet::preexec {

inline constexpr std::uint32_t kNoLoop = ptx::ir::kNone;

struct Loop {
  std::uint32_t header = 0;
  std::uint32_t parent = kNoLoop;
  std::vector<bool> holds;                      // by block, inner loops included
  std::vector<std::uint32_t> entries, latches;  // predecessors of the header, from outside and inside
  std::vector<std::pair<std::uint32_t, std::uint32_t>> leaves;  // edges out of the loop
  std::uint64_t nested = 0;                                     // loop_bit of itself and of all loops in it
};

struct Form {
  ptx::ir::Function function;
  ptx::ControlFlow flow;
  std::vector<std::uint32_t> dominator;  // immediate, by block
  std::vector<std::uint32_t> place;      // of a block in reverse postorder; kNone: not reached
  std::vector<Loop> loops;               // an outer loop before its inner ones
  std::vector<std::uint32_t> loop_of;    // innermost, by block
  std::vector<std::uint32_t> block_of;   // by instruction
  Bytes parameter_bytes = 0;

  bool dominates(std::uint32_t a, std::uint32_t b) const;
  // Whether `inner` is `outer` or lies in it; every loop lies in kNoLoop.
  bool within(std::uint32_t inner, std::uint32_t outer) const;
};

// The kernel of this name. Throws duet::Error with one line where the module has none with a body, or where
// it uses something unsupported.
const ptx::ir::Function& entry_named(const ptx::ir::ParsedModule& module, const std::string& kernel);
// The form of an entry of the module, which it may change (the parameters of calls become registers). Throws
// duet::Error with one line when the kernel uses something unsupported, calls itself, or jumps into a loop.
Form form_of(ptx::ir::ParsedModule& module, const ptx::ir::Function& entry);

}  // namespace duet::preexec
