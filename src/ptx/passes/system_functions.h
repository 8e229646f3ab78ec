// The functions of CUDA's device runtime (CUDA C++ Programming Guide: formatted output, assertions, dynamic
// allocation, dynamic parallelism), and how their arguments become a SystemCall's:
//
//     __cudaCDP2GetParameterBufferV2(kernel, dim3 grid, dim3 block, shared)
//     -> kernel, grid.x with grid.y, grid.z, block.x with block.y, block.z with shared
//
// clang gives OpenCL C's printf the same arguments: the format, and the address of a block with the rest.
//
// The names are from nvcc 12 and later (CDP2). A function whose result goes through its first argument, as
// cudaMalloc's, gives the result to the SystemCall's caller; the code around it stores it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ptx/opcode.h"
#include "ptx/passes/code_writer.h"

namespace duet::ptx {

struct SystemArgument {
  std::uint8_t number;  // of the call's
  std::uint8_t offset;  // bytes into it
  Type type;
  bool with_last = false;  // 32 bits: the high half of the argument before
};
struct SystemSignature {
  const char* name;
  SystemFunction function;
  std::size_t formals;
  std::vector<SystemArgument> arguments;
  Type result;  // of the SystemCall
  // The results of the call: the SystemCall's result; an error, and the result at the address in argument 0
  // (an error of memory where it is 0); no error, where the SystemCall has no result.
  enum class Gives : std::uint8_t { Result, ErrorAndStore, NoError } gives = Gives::Result;

  // NVIDIA's library has a function of this name with a body; it calls functions of NVIDIA's driver.
  bool is_nvidias() const { return std::string_view(name).starts_with("__cudaCDP2"); }
};

// Null: there is none of this name.
const SystemSignature* system_function(std::string_view name);

// Writes calls of them.
class SystemCalls : protected CodeWriter {
 protected:
  using CodeWriter::CodeWriter;
  void system_call(const SystemSignature& system, const ir::CallSite& site, std::uint32_t line);

 private:
  Value part_of(const ir::CallSite& site, const SystemArgument& argument, std::uint32_t line);
  void give(const ir::CallSite& site, const Value& value, Type type, std::uint32_t line);
  void store_through_pointer(const ir::CallSite& site, std::uint32_t made, std::uint32_t line);
};

}  // namespace duet::ptx
