// Compiles a file of OpenCL C as clBuildProgram does, and its PTX as a GPU takes it.
//
//   opencl_compile FILE [OPTIONS]
//
// A line a kernel: "accepted NAME", or "refused NAME: WHY" where Duet names what it does not support. Exit
// status 1: it does not compile; the log is then all that is printed. OPTIONS is one word, as the program
// gives it.
#include <fstream>
#include <iostream>
#include <iterator>

#include "base/error.h"
#include "opencl/compiler/compiler.h"
#include "ptx/compiler.h"

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::cerr << "usage: opencl_compile FILE [OPTIONS]\n";
    return 2;
  }
  std::ifstream file(argv[1]);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto compiled =
      duet::opencl::compile({.text = text, .name = argv[1], .options = argc == 3 ? argv[2] : ""});
  if (!compiled.succeeded) {
    std::cout << compiled.log;
    return 1;
  }
  try {
    for (const duet::ptx::Kernel& kernel : duet::ptx::compile_module(compiled.ptx, argv[1]).kernels)
      if (kernel.unsupported.empty())
        std::cout << "accepted " << kernel.name << '\n';
      else
        std::cout << "refused " << kernel.name << ": " << kernel.unsupported << '\n';
  } catch (const duet::Error& error) {
    std::cout << "refused module: " << error.what() << '\n';
  }
  return 0;
}
