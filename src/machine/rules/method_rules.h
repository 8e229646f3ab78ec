// What the machine file's [[method]] rows may say together.
#pragma once

#include "config/loader.h"

namespace duet::machine {

// Throws duet::Error with one line.
void check_methods(const config::ResolvedMachine& machine);

}  // namespace duet::machine
