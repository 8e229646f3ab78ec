// The names of policies in a machine file; the rooms with the policies have the lists.
#pragma once

#include <vector>

#include "config/loader.h"

namespace duet::machine {

// Throws duet::Error for the first name that no policy has, with its key and the names that there are.
void check_policies(const config::Gpu& config);
// The same with the file and line that chose it: `values` are those of the machine.
void check_policies(const config::Gpu& config, const std::vector<config::ResolvedValue>& values);

}  // namespace duet::machine
