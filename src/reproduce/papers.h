// The papers: their machine, the experiments behind their claims, and their figures. Another paper is another
// folder with another of these.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reproduce/data.h"

namespace duet::reproduce {

class Experiments;

struct Measurements {
  std::map<std::string, double> values;      // by quantity
  std::map<std::string, std::string> notes;  // by quantity; under "", for all without a value
  nlohmann::ordered_json figures;            // data of the paper's figures, by number

  // A quantity from good runs alone: nothing when they failed, with the reason as a note.
  void keep(const std::string& quantity, std::optional<double> value, const std::string& otherwise);
};

struct Experiment {
  const char* name;
  void (*run)(Experiments&, const Setup&, Measurements&);
  bool needs_bits;                // full/empty bits of the machine
  bool scales;                    // --quick makes its inputs smaller
  bool divides = false;           // quantities of one benchmark need no others
  const char* machine = nullptr;  // another than the paper's
};

struct Paper {
  const char* name;
  const char* machine;
  std::span<const Experiment> experiments;
  void (*print_figures)(const nlohmann::ordered_json& figures);
  // Prints both sides of each of these choices and returns them.
  nlohmann::ordered_json (*choice_rows)(Experiments&, const std::vector<Choice>& asked);

  // Null: there is none.
  const Experiment* experiment(const std::string& name) const;
};

// Throws duet::Error for an unknown one.
const Paper& paper_named(const std::string& name);

extern const Paper kLustig2013, kYang2012, kDashti2017;

}  // namespace duet::reproduce
