// The check of a machine file's [cpu], in every command, before a program is simulated on its cores: values
// within their ranges that make no processor together are refused, and keys of the user without effect are
// named. As value_rules.h and idle_keys.h for GPU machines.
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
