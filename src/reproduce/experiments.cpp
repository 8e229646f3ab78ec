#include "reproduce/experiments.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "config/loader.h"
#include "machine/rules/check_machine.h"

namespace duet::reproduce {

namespace {

std::string key_of(const std::string& name, const Setup& setup) {
  std::string key = name + '\n' + setup.machine + '\n' + setup.choice + (setup.control ? "\ncontrol" : "");
  for (const Strings* words : {&setup.sets, &setup.options, &setup.preexec, &setup.benchmarks}) {
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

const Experiment* Paper::experiment(const std::string& of) const {
  const auto found = std::find_if(experiments.begin(), experiments.end(),
                                  [&](const Experiment& experiment) { return of == experiment.name; });
  return found == experiments.end() ? nullptr : &*found;
}

const Paper& paper_named(const std::string& name) {
  std::string known;
  for (const Paper* paper : {&kLustig2013, &kYang2012, &kDashti2017}) {
    if (name == paper->name) return *paper;
    known += (known.empty() ? "" : ", ") + std::string(paper->name);
  }
  throw Error(fmt::format("no experiments for '{}': this version reproduces {}", name, known));
}

Experiments::Experiments(const Paper& paper, const config::Installation& installation, const Options& options,
                         std::vector<Choice> choices)
    : paper_(paper),
      installation_(installation),
      options_(options),
      choices_(std::move(choices)),
      runner_(installation, options) {}

Setup Experiments::base() const {
  return {options_.machine.empty() ? paper_.machine : options_.machine, options_.sets, {}, {}, {}, {}};
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
  const Experiment& experiment = *paper_.experiment(name);
  if (experiment.machine != nullptr && options_.machine.empty()) setup.machine = experiment.machine;
  if (!on.machine.empty()) setup.machine = on.machine;
  setup.sets.insert(setup.sets.end(), on.sets.begin(), on.sets.end());
  setup.options = on.options;
  setup.preexec = on.preexec;
  setup.choice = on.choice;
  setup.benchmarks = on.benchmarks;
  setup.control = on.control;
  const auto [at, is_new] = measured_.try_emplace(key_of(name, setup));
  if (!is_new) return at->second;
  if (!on.machine.empty() && !machine_exists(on.machine))
    at->second.notes[""] = "there is no machine " + on.machine;
  else if (experiment.needs_bits && resolved(setup).gpu.full_empty.granule_bytes == 0)
    at->second.notes[""] = "the machine has no full/empty bits";
  else if (!setup.benchmarks.empty() && !experiment.divides)
    at->second.notes[""] = "all of its benchmarks are needed";
  else
    experiment.run(*this, setup, at->second);
  return at->second;
}

}  // namespace duet::reproduce
