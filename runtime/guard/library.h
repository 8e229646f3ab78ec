// The common part of the preloaded library. It is loaded into every process of `duet run`, so it needs the C
// library alone.
#pragma once

#include <cstddef>

#define DUET_INTERPOSED extern "C" __attribute__((visibility("default")))

namespace duet::guard {

// The path of the folder with our own CUDA library, beside this library; empty when unknown.
const char* own_cuda_folder();
// The file name of a path.
const char* file_name(const char* path);

}  // namespace duet::guard
