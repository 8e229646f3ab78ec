// The experiments behind a paper's claims, by name (papers.h lists them). Each measures quantities on a
// setup: the paper's machine, or the changed one, where a claim must not hold. The same experiment on the
// same setup is made once.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "config/machine.h"
#include "reproduce/data.h"
#include "reproduce/papers.h"
#include "reproduce/reproduce.h"
#include "reproduce/runner.h"

namespace duet::reproduce {

class Experiments {
 public:
  Experiments(const Paper& paper, const config::Installation& installation, const Options& options,
              std::vector<Choice> choices);

  // `on` comes on top of the command line's machine and keys.
  const Measurements& measure(const std::string& name, const Setup& on = {});

  // Checks the command line's machine and keys before anything runs: errors, and keys without effect.
  void check_machine() const;

  // For the experiments themselves.
  Runner& runner() { return runner_; }
  const Options& options() const { return options_; }
  const std::vector<Choice>& choices() const { return choices_; }
  config::Machine resolved(const Setup& setup) const;
  Setup base() const;

 private:
  bool machine_exists(const std::string& name) const;

  const Paper& paper_;
  const config::Installation& installation_;
  const Options& options_;
  std::vector<Choice> choices_;
  Runner runner_;
  std::map<std::string, Measurements> measured_;
};

}  // namespace duet::reproduce
