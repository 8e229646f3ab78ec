// Where the lanes of a warp meet again after a branch. One function, so another scheme than immediate
// post-dominators can stand here.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/ir.h"
#include "ptx/passes/control_flow.h"

namespace duet::ptx {

// For every block the block at whose start its lanes of different edges meet; ir::kNone where only the end of
// the kernel joins them.
std::vector<std::uint32_t> reconvergence_blocks(const ir::Function& function, const ControlFlow& flow);

}  // namespace duet::ptx
