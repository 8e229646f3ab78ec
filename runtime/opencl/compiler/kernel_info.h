// What clang's intermediate text says of kernels, and PTX does not:
//
//   define spir_kernel void @k(ptr addrspace(1) %0) !kernel_arg_name !12 !reqd_work_group_size !15 {
//   !12 = !{!"a"}
//   !15 = !{i32 16, i32 4, i32 1}
#pragma once

#include <string>
#include <vector>

#include "opencl/compiler/compiler.h"

namespace duet::opencl {

std::vector<KernelInfo> kernels_of(const std::string& intermediate);

// A kernel may call another one, which PTX does not allow: it calls a function that has the same body.
void separate_called_kernels(std::string& intermediate);

// A vector of two bytes as a parameter: clang-19 loads it as if it were one of two 16-bit values.
void repair_byte_pairs(std::string& ptx);

// A required size stands in PTX as .reqntid, which clang leaves out.
void add_required_groups(std::string& ptx, const std::vector<KernelInfo>& kernels);

}  // namespace duet::opencl
