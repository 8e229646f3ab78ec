// PTX text to micro-ops.
#pragma once

#include <string>
#include <string_view>

#include "ptx/kernel.h"

namespace duet::ptx {

struct CompileOptions {
  unsigned registers_per_thread = 0;  // instead of the allocation's count (occupancy); 0: as allocated
  bool assembler_peepholes = true;    // address folding, mad fusion, copy propagation, dead code
  // With the peepholes: what no machine instruction takes as operand stands in registers, and loads go early.
  bool machine_operands = true;
  // Each instruction of PTX is one of the machine: nothing stands in a register for the machine's sake, and
  // no division is a sequence. Peepholes still take what an assembler folds away.
  bool ptx_instructions = false;
  std::uint64_t first_function = 0;  // functions of the modules loaded before: addresses count on from there
};

// Compiles a PTX module. `name` stands in messages. Throws duet::Error with one line for text that is not
// valid PTX. A kernel that uses something unsupported is compiled into a Kernel whose `unsupported` message
// is thrown when it is launched.
Module compile_module(std::string_view text, const std::string& name, const CompileOptions& options = {});

}  // namespace duet::ptx
