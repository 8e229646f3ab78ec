// The functions that CUDA's device runtime supplies (CUDA C++ Programming Guide: formatted output,
// assertions, dynamic allocation, dynamic parallelism), and how their arguments become those of a SystemCall:
//
//     __cudaCDP2GetParameterBufferV2(kernel, dim3 grid, dim3 block, shared)
//     -> kernel, grid.x with grid.y, grid.z, block.x with block.y, block.z with shared
//
// The names are those that nvcc 12 and later give (CDP2). One whose result goes through its first argument,
// as cudaMalloc's, gives that result to the SystemCall's caller; the code around it stores it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/opcode.h"

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
  Type result;                   // of the SystemCall
  bool through_pointer = false;  // the result is stored at argument 0; the call gives an error, 2 for 0
  bool gives_no_error = false;   // without a result: the call gives 0 as its error
  bool replaces_body = false;    // a function of this name may come with a body, which is not used
};

// Null: there is none of this name.
const SystemSignature* system_function(const std::string& name);

}  // namespace duet::ptx
