// The registers with a value still to be read, at the borders of basic blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/ir.h"
#include "ptx/passes/control_flow.h"

namespace duet::ptx {

struct Liveness {
  std::vector<std::vector<std::uint32_t>> live_in, live_out;  // by block
};
Liveness find_liveness(const ir::Function& function, const ControlFlow& flow);

}  // namespace duet::ptx
