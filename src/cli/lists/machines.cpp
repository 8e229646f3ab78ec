// `duet machines`, `duet machines show NAME`.
#include <fmt/format.h>

#include <cstdio>

#include "cli/commands.h"
#include "config/loader.h"
#include "machine/rules/check_machine.h"
#include "machine/rules/policies.h"

namespace duet::cli {

int list_machines(const config::Installation& installation) {
  for (const auto& machine : config::list_machines(installation.machines_directory))
    std::fputs(fmt::format("{:<12} {}\n", machine.name, machine.description).c_str(), stdout);
  return 0;
}

int show_machine(const config::Installation& installation, const std::string& name,
                 const std::vector<std::string>& sets) {
  const auto machine = config::load_topology(name, installation.machines_directory, sets);
  if (machine.topology.gpu) machine::check_policies(*machine.topology.gpu, machine.values);
  const bool can_be_built =
      machine.topology.gpu && !machine.topology.cpu && machine.topology.links.size() == 1;
  if (can_be_built)
    machine::check_machine(config::load_machine(name, installation.machines_directory, sets), false);
  std::fputs(config::to_toml(machine.values, config::Remarks::All).c_str(), stdout);
  return 0;
}

}  // namespace duet::cli
