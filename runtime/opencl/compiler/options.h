// The options of a program, as clBuildProgram takes them.
//
//   read_options("-DN=4 -I inc -cl-fast-relaxed-math")
//     -> {"-D", "N=4", "-I", "inc", "-cl-fast-relaxed-math"}, standard CL1.2
//
//   read_link_options("-create-library") -> library
//
// Source: OpenCL API 3.0, sections 5.8.6, "Compiler Options", and 5.8.7, "Linker Options".
#pragma once

#include <string>
#include <vector>

namespace duet::opencl {

struct Options {
  std::vector<std::string> flags;  // of clang
  std::string standard = "CL1.2";  // of -cl-std
  bool uniform_groups = false;     // by -cl-uniform-work-group-size; the standards before 2.0 have no others
  std::string unknown;             // the first that is no option, or lacks its value; empty: all are right
};

Options read_options(const std::string& text);

// Those for maths at the link may change what was compiled, or not: here they do not.
struct LinkOptions {
  bool library = false;
  std::string unknown;  // as above
};

LinkOptions read_link_options(const std::string& text);

}  // namespace duet::opencl
