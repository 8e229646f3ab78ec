// `duet machines`, `duet machines show NAME`.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/options/json_output.h"
#include "config/loader.h"
#include "machine/rules/check_machine.h"
#include "machine/rules/policies.h"

namespace duet::cli {

int list_machines(const config::Installation& installation, const std::string& json) {
  const JsonOutput output(json, JsonOutput::Rest::Nowhere);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& machine : config::list_machines(installation.machines_directory))
    std::fputs(fmt::format("{:<12} {}\n", machine.name, machine.description).c_str(), stdout);
  for (const auto& machine : config::list_machines(installation.machines_directory))
    list.push_back({{"name", machine.name}, {"description", machine.description}});
  output.write(list.dump(1));
  return 0;
}

int show_machine(const config::Installation& installation, const std::string& name,
                 const std::vector<std::string>& sets, const std::string& json) {
  const JsonOutput output(json, JsonOutput::Rest::Nowhere);
  const auto machine = config::load_topology(name, installation.machines_directory, sets);
  if (machine.topology.gpu) machine::check_policies(*machine.topology.gpu, machine.values);
  const bool can_be_built =
      machine.topology.gpu && !machine.topology.cpu && machine.topology.links.size() == 1;
  if (can_be_built)
    machine::check_machine(config::load_machine(name, installation.machines_directory, sets), false);
  std::fputs(config::to_toml(machine.values, config::Remarks::All).c_str(), stdout);
  nlohmann::ordered_json keys = nlohmann::ordered_json::array();
  for (const config::ResolvedValue& value : machine.values)
    keys.push_back(
        {{"key", value.key},
         {"value", nlohmann::ordered_json::parse(value.text)},  // a TOML value of these kinds is JSON
         {"unit", value.unit},
         {"description", value.description},
         {"source", value.source}});
  output.write(keys.dump(1));
  return 0;
}

}  // namespace duet::cli
