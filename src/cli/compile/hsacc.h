// `duet hsacc k.cl -o k.hsaco -DN=4`: OpenCL C to a code object for HSA's runtime on Duet's machines.
//
//   return compile_for_hsa(arguments);
//
// The output's name says how a program asks for kernel `copy`: .brig "&__OpenCL_copy_kernel", with six words
// before the arguments as CLOC's; all else "copy", with none. --symbols '&__*_kernel' says it instead: with
// none.
#pragma once

#include <string>
#include <vector>

namespace duet::cli {

// Returns the exit status; the compiler's words go to standard error.
int compile_for_hsa(std::vector<std::string> arguments);

}  // namespace duet::cli
