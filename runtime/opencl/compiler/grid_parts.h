// PTX that takes its grid for the whole work, changed so that the grid may be a part of it.
//
//   mov.u32 %r1, %ctaid.x;    becomes    %r1 = %ctaid.x + %envreg7, the groups before the part
//   mov.u32 %r2, %nctaid.x;   becomes    %r2 = %envreg10, the groups of the whole
//   mov.u32 %r3, %envreg3;    becomes    %r3 = %envreg3 without the work-items before the part
//
// What is computed from these is then right, whoever's compiler made it. gpu/work_space.h has the registers.
#pragma once

#include <optional>
#include <string>

namespace duet::opencl {

// Nothing where a register is read in another way than by mov.
std::optional<std::string> with_grid_parts(const std::string& ptx);

}  // namespace duet::opencl
