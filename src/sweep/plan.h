// The runs of a sweep, in the order of their numbers: programs, of each the grid, the last axis fastest; then
// the points. A run's identity is everything its result depends on: command, options, machine with every
// value, the contents of the program and of other files in the command, and Duet's own. Runs of one identity
// are one.
#pragma once

#include <nlohmann/json.hpp>
#include <set>

#include "config/installation.h"
#include "sweep/sweep_file.h"

namespace duet::sweep {

// The data for making a run in a process, here or elsewhere.
struct Work {
  std::size_t number = 0;  // from 1
  std::string id;          // of its identity
  nlohmann::json identity;
  std::string directory;  // its working directory
  Strings words;          // behind `duet run`
};
nlohmann::json to_json(const Work& work);
Work work_of(const nlohmann::json& json);

struct Run {
  Work work;
  std::string program;
  Strings axes;  // the value of each axis on this machine; empty where it has no such key
};

struct Plan {
  Strings axes;  // keys
  std::vector<Run> runs;
  Strings remarks;  // on keys without effect
};

// Checks every run. Throws duet::Error for the first impossible one.
Plan make_plan(const config::Installation& installation, const SweepFile& file, const Knowledge& knowledge);

// Whether some run's machine counts it; looks at more machines the longer it does not find it.
bool is_counted(const std::string& statistic, const Plan& plan, const Knowledge& knowledge);

}  // namespace duet::sweep
