// `duet cc k.cl -o k.ptx -DN=4`: OpenCL C to PTX, as clBuildProgram compiles it.
//
//   if (has_opencl_c(arguments)) return compile_opencl_c(arguments);
#pragma once

#include <string>
#include <vector>

namespace duet::cli {

// Whether a file among the arguments ends in .cl.
bool has_opencl_c(const std::vector<std::string>& arguments);
// One file, to the file of -o or NAME.ptx; all other words are clBuildProgram's options. Returns the exit
// status; the compiler's words go to standard error.
int compile_opencl_c(const std::vector<std::string>& arguments);

}  // namespace duet::cli
