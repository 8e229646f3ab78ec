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

// Functions and variables that are used and have no definition, but for those that the device has (printf).
std::vector<std::string> undefined_in(const std::string& intermediate);

}  // namespace duet::opencl
