// The check of a machine file, in every command, before the machine is simulated.
#pragma once

#include "config/loader.h"
#include "machine/rules/idle_keys.h"

namespace duet::machine {

// Refuses names that no policy has (policies.h) and values that make no machine (value_rules.h), and says on
// standard error a line for each key that the user has set and that does nothing (idle_keys.h).
void check_machine(const config::ResolvedMachine& machine, bool functional,
                   OnCores on_cores = OnCores::Nothing);

}  // namespace duet::machine
