// The exports of libcuda.so.1, and the version of CUDA since which each has its signature. Generated from
// exports.txt (cmake/api_stubs.cmake).
#pragma once

#include <cstddef>

namespace duet {

struct ExportedName {
  const char* name;
  int since;  // 1000 * major + 10 * minor
};

}  // namespace duet

extern const duet::ExportedName duet_driver_names[];
extern const std::size_t duet_driver_name_count;
// Their addresses in the same order: the targets of libcuda.so.1's jumps.
extern "C" __attribute__((visibility("default"))) void (*const duet_driver_functions[])();
