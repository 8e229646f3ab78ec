// PTX text to micro-ops.
#pragma once

#include <string>
#include <string_view>

#include "ptx/kernel.h"

namespace duet::ptx {

struct CompileOptions {
  unsigned registers_per_thread = 0;  // instead of the allocation's count (occupancy); 0: as allocated
  bool assembler_peepholes = true;    // address folding, mad fusion, copy propagation, dead code
  // With the peepholes: values that no machine instruction takes as operand stand in registers, and loads go
  // early.
  bool machine_operands = true;
  // Each instruction of PTX is one of the machine: nothing stands in a register for the machine's sake, and
  // no division is a sequence. Peepholes still fold as an assembler does.
  bool ptx_instructions = false;
  // Instructions with a mask of lanes are told apart (Kind::Exchange) in all kernels.
  bool names_exchanges = false;
  std::uint64_t first_function = 0;  // functions of the modules loaded before: addresses count on from there
};

// Compiles a PTX module. `name` stands in messages. Throws duet::Error with one line for invalid PTX. A
// kernel with something unsupported is compiled into a Kernel whose `unsupported` message is thrown at its
// launch.
Module compile_module(std::string_view text, const std::string& name, const CompileOptions& options = {});

}  // namespace duet::ptx
