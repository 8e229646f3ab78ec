// The names in a machine file that choose a policy: the rooms that have the policies know which there are.
#pragma once

#include "config/machine.h"

namespace duet::machine {

// Throws duet::Error for the first name that no policy has, with its key and the names that there are.
void check_policies(const config::Gpu& config);

}  // namespace duet::machine
