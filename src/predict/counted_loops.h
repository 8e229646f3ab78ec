// Loops of partial code that do nothing but count (gpu/functional/counted_loop.h): each closed by one branch
// back, with nothing in it that is executed but additions of what the loop does not change, and one
// comparison by which it goes on.
#pragma once

#include "gpu/functional/block_recorder.h"
#include "ptx/kernel.h"

namespace duet::predict {

// Fills in `loops` and `loop_at`.
void find_counted_loops(const ptx::Kernel& kernel, gpu::PartialCode& code);

}  // namespace duet::predict
