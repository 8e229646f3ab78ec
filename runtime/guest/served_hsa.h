// HSA's functions for programs on simulated cores, by name.
#pragma once

#include <string>

#include "guest/call_arguments.h"

namespace duet::guest {

// Null: HSA has no function of this name. Of those that Duet lacks it is one that says so and fails.
Served served_hsa(const std::string& name);

}  // namespace duet::guest
