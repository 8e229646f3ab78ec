// OpenCL C to PTX, by clang-19 and libclc in a process of its own.
//
//   const Compiled compiled = compile({.text = source, .name = "program_1.cl", .options = "-DN=4"});
//   if (!compiled.succeeded) return fail(CL_BUILD_PROGRAM_FAILURE, compiled.log);
//   modules.load([&] { return compiled.ptx; }, ...);
//
// The log has the compiler's words, with the lines of the program's text. A text that was compiled before
// with the same options, headers and compiler is found again by its hash. Left out: which device it is for,
// because PTX fits all.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace duet::opencl {

struct Source {
  std::string text;
  std::string name;                                            // as diagnostics and reports call it
  std::string options;                                         // the program's, as clBuildProgram takes them
  std::vector<std::pair<std::string, std::string>> headers{};  // name for #include, text
};

struct Compiled {
  bool succeeded = false;
  bool wrong_options = false;  // an option that OpenCL does not have: CL_INVALID_BUILD_OPTIONS
  bool no_compiler = false;    // the log names the package: CL_COMPILER_NOT_AVAILABLE
  std::string log{};
  std::string ptx{};
};

// Options of the OpenCL specification (section "Compiler Options") and those of NVIDIA's compiler that
// change nothing here (-cl-nv-*).
Compiled compile(const Source& source);

}  // namespace duet::opencl
