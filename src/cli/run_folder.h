// The folder that a run leaves: machine.toml (resolved) before it starts; stats.json per process from the
// journals afterwards.
#pragma once

#include <string>

#include "cli/commands.h"
#include "config/loader.h"

namespace duet::cli {

class RunFolder {
 public:
  // Creates DIR, empties what an earlier run left of its journals, writes machine.toml.
  RunFolder(const std::string& directory, const config::ResolvedMachine& machine);

  std::string journal_directory() const { return directory_ + "/.duet"; }
  // Where the program's processes look for them, beside the machine.
  void write_run_options(const machine::RunOptions& options);
  const std::string& directory() const { return directory_; }

  struct Outcome {
    unsigned processes = 0;
    int failure = 0;  // Duet's own status (124, 125) of a process, or 0
  };
  // Renders every journal and removes them; writes what the options ask for and prints the table of each
  // process unless quiet. `cut_off`: the command was ended before it was done.
  Outcome render(const std::string& machine_name, double wall_seconds, const RunOptions& options,
                 bool cut_off);

 private:
  std::string directory_;
};

}  // namespace duet::cli
