// A grid's or a block's extents on a command line: "--grid 80,2" are 80 x 2 x 1.
#pragma once

#include <string>

#include "gpu/grid.h"

namespace duet::cli {

// Throws duet::Error in the name of `option`.
gpu::Dim3 dimensions(const std::string& text, const char* option);

}  // namespace duet::cli
