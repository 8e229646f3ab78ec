// The kernels of the workloads, as PTX.
#pragma once

#include <string>

namespace duet::keys {

// One module with all of them.
std::string kernels_ptx();

}  // namespace duet::keys
