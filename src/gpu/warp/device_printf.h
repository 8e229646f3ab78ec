// Device printf: C's conversions over vprintf's argument block: each argument is aligned to its size, and
// floating-point ones are double. Source: CUDA C++ Programming Guide, "Formatted Output". Left out: %n and
// long double.
//
// OpenCL C's has vectors, too (OpenCL C 3.0, "printf"), whose elements lie in the block as they are:
//
//   printf("%v4hlf", (float4)(1, 2, 3, 4))  ->  1.000000,2.000000,3.000000,4.000000
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/units.h"

namespace duet::gpu {

enum class PrintfOf { Cuda, OpenCl };

// `read_argument(offset, bytes)` reads from the argument block, `read_string(address)` a string of the
// device.
std::string format_device_text(
    PrintfOf language, const std::string& format,
    const std::function<std::uint64_t(Bytes offset, unsigned bytes)>& read_argument,
    const std::function<std::string(Address)>& read_string);

}  // namespace duet::gpu
