// Variables and kernels of one file in PTX that is loaded by name (`duet cc -ptx`, NVRTC), as nvcc has them:
// clang drops a static variable that no code writes, and calls those that stay by names of its own.
//
//   static __constant__ float scale;     _ZL5scale -> scale
//   static __global__ void k(int* p) {}  _ZL1kPi -> _Z1kPi
//
// Names in a namespace stay clang's; nvcc's have a number of the file's text in them.
#pragma once

#include <string>

namespace duet::cli {

// For clang: nothing is dropped, and so neither is any constant of a header.
inline constexpr const char* kKeepVariables = "-fkeep-persistent-storage-variables";
// Without what only that flag kept and nvcc has not either: unused shared variables, and constants of headers
// and templates.
std::string without_unused_constants(const std::string& ptx);
std::string with_names_of_nvcc(const std::string& ptx);

}  // namespace duet::cli
