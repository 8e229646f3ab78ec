// OpenCL C to PTX, by clang-19 and libclc in a process of its own.
//
//   const Compiled compiled = compile({.text = source, .name = "program_1.cl", .options = "-DN=4"});
//   if (!compiled.succeeded) return fail(CL_BUILD_PROGRAM_FAILURE, compiled.log);
//   modules.load([&] { return compiled.ptx; }, ...);
//
//   const std::string a = compile_object(...).bitcode, b = compile_object(...).bitcode;
//   const Compiled linked = link({a, b}, read_link_options(""), true);  // .ptx of both
//
// The log has the compiler's words, with the lines of the program's text. A text that was compiled before
// with the same options, headers and compiler is found again by its hash. Left out: which device it is for,
// because PTX fits all.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "opencl/compiler/options.h"

namespace duet::opencl {

struct Source {
  std::string text;
  std::string name;                                            // as diagnostics and reports call it
  std::string options;                                         // the program's, as clBuildProgram takes them
  std::vector<std::pair<std::string, std::string>> headers{};  // name for #include, text
  bool partial_groups = false;  // at the work's border, whatever the standard and the options say
};

// What clGetKernelArgInfo and clGetKernelWorkGroupInfo ask for.
struct ArgumentInfo {
  std::string name, type;           // "float4*"
  std::string access, qualifiers;   // "none", "read_only", ..; "restrict const volatile", or none of them
  std::uint32_t address_space = 0;  // 0 private, 1 global, 2 constant, 3 local
};
struct KernelInfo {
  std::string name;
  std::array<std::uint32_t, 3> required_group{}, group_hint{};  // 0: not said
  std::string vector_hint;                                      // "float4"
  std::vector<ArgumentInfo> arguments;
};

struct Compiled {
  bool succeeded = false;
  bool wrong_options = false;  // an option that OpenCL does not have: CL_INVALID_BUILD_OPTIONS and the like
  bool no_compiler = false;    // the log names the package: CL_COMPILER_NOT_AVAILABLE
  std::string log{};
  std::string ptx{};
  std::string bitcode{};  // instead of PTX: an object, or a library
  std::vector<KernelInfo> kernels{};
};

// Options of the OpenCL specification (section "Compiler Options") and those of NVIDIA's compiler that
// change nothing here (-cl-nv-*).
Compiled compile(const Source& source);

// Bitcode, in which functions may be missing that other objects have.
Compiled compile_object(const Source& source);

// Objects and libraries to PTX, or to one library. A name that two of them define is an error, in PTX also
// one that none defines. Uniform groups: all of them have no others.
Compiled link(const std::vector<std::string>& objects, const LinkOptions& options, bool uniform_groups);

}  // namespace duet::opencl
