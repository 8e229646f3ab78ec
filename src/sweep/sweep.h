// `duet sweep FILE.toml`: a grid of machine keys x programs, each point a run of `duet run`, here or by
// Slurm. Finished runs stay in a folder, so the same command goes on where an earlier one was cut off
// (folder.h).
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "config/installation.h"

namespace duet::sweep {

using Strings = std::vector<std::string>;

struct Options {
  std::string file;
  std::string out;    // empty: the file's name without .toml, and "-sweep"
  unsigned jobs = 0;  // runs at once; 0: as many as there are cores, with Slurm as it has room for
  bool slurm = false;
  std::string slurm_options;  // for sbatch, separated by spaces
  bool again = false;         // failed runs, too
  bool dry_run = false;
  bool quiet = false;
  bool no_html = false;  // no report.html
  std::string json;      // --json: a file, "-", or empty
  Strings baseline;      // "key=value": times are compared with the run that has these values
};

// The command line's checks and names of `duet run`.
struct Knowledge {
  // Throws duet::Error for words that `duet run` would refuse before the program starts. Returns a line for
  // each key without effect.
  std::function<Strings(const Strings& words)> check_run;
  // Names of a machine's statistics.
  std::function<std::set<std::string>(const std::string& machine, const Strings& sets)> statistics;
};

// 0: every run is there; 1: some failed, or are missing; 130, 143: ended by a signal. Throws duet::Error.
// `write_json` takes the text of results.json.
int run(const config::Installation& installation, const Options& options,
        const std::function<void(const std::string&)>& write_json, const Knowledge& knowledge);

// A sweep that was made: what its page shows, and the table of its rows. Throws duet::Error.
struct Look {
  std::string page, table;
};
Look look_at(const std::string& folder);

// The task of a Slurm job array: the run of this number (SLURM_ARRAY_TASK_ID) in a batch of run().
int work(const config::Installation& installation, const std::string& batch);

}  // namespace duet::sweep
