// The functions that a program on simulated cores can call, by name.
#pragma once

#include <string>

#include "guest/call_arguments.h"

namespace duet::guest {

// Null: nobody serves that name.
Served served(const std::string& name);

}  // namespace duet::guest
