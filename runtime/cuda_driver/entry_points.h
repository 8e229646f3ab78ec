// The exports of libcuda.so.1, and the version of CUDA since which each has its signature. Generated from
// exports.txt (driver_names.cpp).
#pragma once

#include <cstddef>

namespace duet::cuda {

struct DriverName {
  const char* name;
  int since;  // 1000 * major + 10 * minor
};
extern const DriverName driver_names[];
extern const std::size_t driver_name_count;

}  // namespace duet::cuda

// Their addresses in the same order: the targets of libcuda.so.1's jumps.
extern "C" __attribute__((visibility("default"))) void (*const duet_driver_functions[])();
