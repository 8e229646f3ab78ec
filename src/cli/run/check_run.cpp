// The check of a run before it begins, for `duet sweep`: one refusal, and the keys without effect.
#include <fmt/format.h>

#include "base/error.h"
#include "cli/commands.h"
#include "config/loader.h"
#include "machine/cores_for_gpu/cpu_blocks_options.h"
#include "machine/cores_for_gpu/preexecution_options.h"
#include "machine/rules/check_machine.h"
#include "machine/rules/cpu_rules.h"
#include "machine/rules/policies.h"
#include "machine/rules/value_rules.h"

namespace duet::cli {

namespace {

void check_cores(const config::Installation& installation, const RunOptions& options,
                 std::vector<std::string>& idle) {
  const config::ResolvedTopology machine =
      config::load_topology(options.machine, installation.machines_directory, options.sets);
  if (!machine.topology.cpu)
    throw Error(fmt::format("machine {} has no [cpu] for --host simulated", machine.topology.name));
  machine::check_cpu_values(machine);
  for (const std::string& line : machine::idle_cpu_settings(machine)) idle.push_back(line);
}

}  // namespace

std::vector<std::string> check_run(const config::Installation& installation, const RunOptions& options,
                                   RunRequest::What what) {
  check(options);
  std::vector<std::string> idle;
  const bool is_rv64 = what == RunRequest::Rv64;
  if ((is_rv64 && !options.run.functional) || options.run.simulated_host)
    check_cores(installation, options, idle);
  if (is_rv64) return idle;
  const config::ResolvedMachine machine =
      config::load_machine(options.machine, installation.machines_directory, options.sets);
  machine::check_policies(machine.machine.gpu, machine.values);
  machine::check_values(machine, options.run.functional);
  const bool preexecutes =
      options.run.of<machine::PreexecutionOptions>().on() || options.run.of<machine::CpuBlocksOptions>().on;
  for (const std::string& line : machine::idle_settings(machine, options.run.functional,
                                                        options.run.simulated_host ? machine::OnCores::Host
                                                        : preexecutes ? machine::OnCores::Preexecution
                                                                      : machine::OnCores::Nothing))
    idle.push_back(line);
  return idle;
}

}  // namespace duet::cli
