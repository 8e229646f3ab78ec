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

// What such words say, and what the compiler made of it.
struct OpenClC {
  std::string source, output;  // files; output: of -o, or empty
  std::string ptx;
  int status = 0;  // 0: there is PTX
};
// `command` stands in messages. Partial groups: opencl::Source.
OpenClC opencl_c_to_ptx(const char* command, const std::vector<std::string>& arguments, bool partial_groups);

}  // namespace duet::cli
