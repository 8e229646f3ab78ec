#include "machine/rules/check_machine.h"

#include <cstdio>

#include "machine/rules/policies.h"
#include "machine/rules/value_rules.h"

namespace duet::machine {

void check_machine(const config::ResolvedMachine& machine, bool functional, OnCores on_cores) {
  check_policies(machine.machine.gpu, machine.values);
  check_values(machine, functional);
  for (const std::string& line : idle_settings(machine, functional, on_cores))
    std::fprintf(stderr, "duet: %s\n", line.c_str());
}

}  // namespace duet::machine
