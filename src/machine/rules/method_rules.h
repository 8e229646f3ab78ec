// What the machine file's [[method]] rows may say together.
#pragma once

#include "config/loader.h"

namespace duet::machine {

// Throws duet::Error with one line.
void check_methods(const config::ResolvedMachine& machine);
// The same, where the machine has no method of this name (--method); empty: none is asked for.
void check_method(const config::Machine& machine, const std::string& name);

}  // namespace duet::machine
