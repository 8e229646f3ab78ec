// Loops of partial code that only count (gpu/functional/counted_loop.h). Such a loop is closed by one branch
// back. It executes only additions of operands that it does not change, and one comparison for its branch.
#pragma once

#include "gpu/functional/block_recorder.h"
#include "ptx/kernel.h"

namespace duet::predict {

// Fills in `loops` and `loop_at`.
void find_counted_loops(const ptx::Kernel& kernel, gpu::PartialCode& code);

}  // namespace duet::predict
