#include "machine/check_machine.h"

#include <cstdio>

#include "machine/idle_keys.h"
#include "machine/policies.h"
#include "machine/value_rules.h"

namespace duet::machine {

void check_machine(const config::ResolvedMachine& machine, bool functional, bool simulated_host) {
  check_policies(machine.machine.gpu, machine.values);
  check_values(machine, functional);
  for (const std::string& line : idle_settings(machine, functional, simulated_host))
    std::fprintf(stderr, "duet: %s\n", line.c_str());
}

}  // namespace duet::machine
