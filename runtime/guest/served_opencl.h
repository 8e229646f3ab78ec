// OpenCL's functions for programs on simulated cores, by name.
#pragma once

#include <string>

#include "guest/call_arguments.h"

namespace duet::guest {

// Null: OpenCL has no function of this name. Of those that Duet lacks it is one that says so and fails.
Served served_opencl(const std::string& name);

}  // namespace duet::guest
