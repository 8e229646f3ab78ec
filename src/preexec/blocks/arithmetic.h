// A PTX instruction without memory or control as a node (kernel/lower.h), with the GPU's results to the bit:
// single-precision NaN results are 0x7fffffff, double-precision ones keep the payload of the first NaN
// operand; rounding modes, .ftz and .sat are kept. A node Refused has the reason of a refusal.
#pragma once

#include "preexec/kernel/lower.h"

namespace duet::preexec {

NodeId lower_exactly(Graph& graph, const ptx::ir::Instruction& in, std::array<NodeId, 5> sources,
                     unsigned destination);
// Definitions of the functions called in the text, functions of text/prologue.h among them.
std::string block_operations(const std::string& text);

}  // namespace duet::preexec
