#include "reproduce/experiments.h"

#include <algorithm>

#include "base/error.h"
#include "config/loader.h"
#include "machine/check_machine.h"
#include "reproduce/lustig2013/extensions.h"
#include "reproduce/lustig2013/latencies.h"
#include "reproduce/lustig2013/offloads.h"
#include "reproduce/lustig2013/processors.h"

namespace duet::reproduce {

namespace {

struct Experiment {
  const char* name;
  void (*run)(Experiments&, const Setup&, Measurements&);
  bool needs_bits, scales;
};

const Experiment kExperiments[] = {
    {"latencies", measure_latencies, false, false},
    {"figure 1", measure_figure_1, false, true},
    {"figure 2", measure_figure_2, false, false},
    {"figure 8", measure_figure_8, false, false},
    {"figure 9", measure_figure_9, false, false},
    {"granule", measure_granule, true, false},
    {"figure 11", measure_figure_11, true, true},
    {"figure 12", measure_figure_12, true, true},
    {"break-even", measure_break_even, true, true},
    {"section 7.1", measure_section_7_1, false, true},
    {"launched early", measure_launched_early, true, true},
    {"miss registers", measure_miss_registers, true, true},
    {"integrated", measure_integrated, true, true},
    {"granularity of tracking", measure_granularity_of_tracking, true, true},
    {"granularity of transmission", measure_granularity_of_transmission, true, true},
    {"look-ahead", measure_look_ahead, true, true},
    {"refusals", measure_refusals, true, true},
    {"region", measure_region, true, true},
    {"counter bits", measure_counter_bits, true, true},
    {"emptied at kernel end", measure_kernel_end, true, true},
    {"override set", measure_override_set, true, true},
    {"override release", measure_override_release, true, true},
    {"ring", measure_ring, true, true},
    {"array", measure_array, true, true},
};

const Experiment* find(const std::string& name) {
  const auto found = std::find_if(std::begin(kExperiments), std::end(kExperiments),
                                  [&](const Experiment& experiment) { return name == experiment.name; });
  return found == std::end(kExperiments) ? nullptr : found;
}

std::string key_of(const std::string& name, const Setup& setup) {
  std::string key = name + '\n' + setup.machine + '\n' + setup.choice;
  for (const Strings* words : {&setup.sets, &setup.options}) {
    key += '\n';
    for (const std::string& word : *words) key += word + ' ';
  }
  return key;
}

}  // namespace

void Measurements::keep(const std::string& quantity, std::optional<double> value,
                        const std::string& otherwise) {
  if (value)
    values[quantity] = *value;
  else
    notes[quantity] = otherwise;
}

Experiments::Experiments(const config::Installation& installation, const Options& options,
                         std::vector<Choice> choices)
    : installation_(installation),
      options_(options),
      choices_(std::move(choices)),
      runner_(installation, options.quiet) {}

bool Experiments::exists(const std::string& name) { return find(name) != nullptr; }
bool Experiments::scales(const std::string& name) { return find(name)->scales; }

Setup Experiments::base() const {
  return {options_.machine.empty() ? "gtx580" : options_.machine, options_.sets, {}, {}};
}

config::Machine Experiments::resolved(const Setup& setup) const {
  return config::load_machine(setup.machine, installation_.machines_directory, setup.sets).machine;
}

void Experiments::check_machine() const {
  const Setup setup = base();
  machine::check_machine(config::load_machine(setup.machine, installation_.machines_directory, setup.sets),
                         false);
}

bool Experiments::machine_exists(const std::string& name) const {
  const auto machines = config::list_machines(installation_.machines_directory);
  return std::any_of(machines.begin(), machines.end(),
                     [&](const auto& machine) { return machine.name == name; });
}

const Measurements& Experiments::measure(const std::string& name, const Setup& on) {
  Setup setup = base();
  if (!on.machine.empty()) setup.machine = on.machine;
  setup.sets.insert(setup.sets.end(), on.sets.begin(), on.sets.end());
  setup.options = on.options;
  setup.choice = on.choice;
  const auto [at, is_new] = measured_.try_emplace(key_of(name, setup));
  if (!is_new) return at->second;
  const Experiment& experiment = *find(name);
  if (!on.machine.empty() && !machine_exists(on.machine))
    at->second.notes[""] = "there is no machine " + on.machine;
  else if (experiment.needs_bits && resolved(setup).gpu.full_empty.granule_bytes == 0)
    at->second.notes[""] = "the machine has no full/empty bits";
  else
    experiment.run(*this, setup, at->second);
  return at->second;
}

}  // namespace duet::reproduce
