// What the parts of the preloaded library share. It is loaded into every process that `duet run` starts, so
// it needs nothing but the C library.
#pragma once

#include <cstddef>

#define DUET_INTERPOSED extern "C" __attribute__((visibility("default")))

namespace duet::guard {

// The path of the folder with our own CUDA library, which lies beside this library; empty when unknown.
const char* own_cuda_folder();
// The file name of a path.
const char* file_name(const char* path);

}  // namespace duet::guard
