// The file of GPU code that `duet hsacc` makes and HSA's runtime loads: an ELF of 64 bits whose note says
// what a packet has to bring for each kernel, and whose section .ptx has their code.
//
//   write_code_object({.kernels = {{"copy", "copy", 0, 16, 8, 0, 0}}, .variables = {}, .ptx = text})
//   read_code_object(bytes).kernels[0].kernarg_bytes     // 16
//
// The note is text, a line for each: "kernel" or "variable", name, symbol, and the numbers of the structure
// in their order. The machine number is no processor's, so that no other loader takes the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace duet::hsa {

struct CodeKernel {
  std::string name;                // in the PTX
  std::string symbol;              // what the program asks for: "&__OpenCL_copy_kernel"
  std::uint32_t hidden_bytes = 0;  // before its arguments, for the language's own
  std::uint32_t kernarg_bytes = 0, kernarg_alignment = 0;
  std::uint32_t group_bytes = 0;    // of a work-group
  std::uint32_t private_bytes = 0;  // of a work-item
};

// Of the program's scope.
struct CodeVariable {
  std::string name, symbol;  // as a kernel's
  std::uint32_t bytes = 0, alignment = 0;
  bool constant = false;
};

struct CodeObject {
  std::vector<CodeKernel> kernels;
  std::vector<CodeVariable> variables;
  std::string ptx;
};

inline constexpr std::uint16_t kCodeObjectMachine = 0xd0e7;

// In the ELF's file.
std::string write_code_object(const CodeObject& object);
// Throws duet::Error with what the bytes are instead: BRIG, code for another GPU, or a damaged file.
CodeObject read_code_object(std::string_view bytes);

}  // namespace duet::hsa
