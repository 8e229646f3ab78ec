// What clang-19 makes of OpenCL C and PTX cannot have, or the back end cannot read, put right in its texts.
//
//   separate_called_kernels(intermediate);     // before it becomes PTX
//   repair_byte_pairs(ptx);                    // after
#pragma once

#include <string>
#include <vector>

#include "opencl/compiler/kernel_info.h"

namespace duet::opencl {

// A kernel may call another one, which PTX does not allow: it calls a function that has the same body.
void separate_called_kernels(std::string& intermediate);

// Two 16-bit values are one register, and no instruction compares two of them: the back end ends in an error.
// Their elements are compared.
void separate_pair_comparisons(std::string& intermediate);

// A vector of two bytes as a parameter: clang-19 loads it as if it were one of two 16-bit values.
void repair_byte_pairs(std::string& ptx);

// A required size stands in PTX as .reqntid, which clang leaves out.
void add_required_groups(std::string& ptx, const std::vector<KernelInfo>& kernels);

}  // namespace duet::opencl
