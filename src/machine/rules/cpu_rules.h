// What every command says of a machine file's [cpu] before it simulates a program on its cores: values that
// are each within their range and together no processor are refused, and keys that the user has set and that
// do nothing are told. As value_rules.h and idle_keys.h, which are for GPU machines.
#pragma once

#include <string>
#include <vector>

#include "config/loader.h"

namespace duet::machine {

// Throws duet::Error for the first rule that is broken: "FILE:LINE: KEY = VALUE ...". The topology has a
// [cpu].
void check_cpu_values(const config::ResolvedTopology& machine);

// A line for each key of [cpu] that does nothing here and that the user has set: on the command line, or in a
// file over another one to another value.
std::vector<std::string> idle_cpu_settings(const config::ResolvedTopology& machine);

}  // namespace duet::machine
