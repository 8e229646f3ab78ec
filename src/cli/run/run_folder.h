// The folder of a run: machine.toml (resolved) before it starts; stats.json and report.html per process from
// the journals afterwards.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/run/folder_claim.h"
#include "config/installation.h"
#include "config/loader.h"

namespace duet::cli {

// A process's journal in the folder of `duet explain`.
inline constexpr const char* kKeptJournal = "explain.journal";

// What the terminal has of a process, and `duet report` prints again.
inline constexpr const char* kTable = "table.txt";
inline constexpr const char* kProfile = "profile.folded";  // of code on simulated cores

class RunFolder {
 public:
  // Claims the user's folder, or the next free one, and removes an earlier run's files: also when this run is
  // then refused, so the earlier results cannot be taken for its own.
  explicit RunFolder(const std::string& named);

  // The folder of a run without written results.
  explicit RunFolder(const FolderClaim::Existing& existing) : claim_(existing) {}

  const std::string& name() const { return claim_.name(); }  // as users read it
  std::string journal_directory() const { return claim_.directory() / ".duet"; }
  // Before anything runs: writes machine.toml. For processes with journals.
  void begin(const config::ResolvedMachine& machine);
  // The same for a run in this process.
  void begin_without_journals(const std::vector<config::ResolvedValue>& machine);
  // A file of the results; its name is relative to the folder.
  void write_result(const std::string& name, const std::function<void(std::ostream&)>& write) const;
  // The same for a page of the results: where it cannot be written, there is a line about it, and no file.
  bool write_page(const std::string& name, const std::function<void(std::ostream&)>& write) const;
  // How the run was made (cli/options/run_words.h); in the folder when it has results.
  void write_words(const RunWords& words) const;
  // Where the program's processes look for them, beside the machine.
  void write_run_options(const machine::RunOptions& options);

  struct Outcome {
    std::size_t findings = 0;  // of --check, of all processes
    unsigned processes = 0;
    int failure = 0;  // Duet's own status (124, 125) of a process, or 0
  };
  // Renders every journal and removes them; writes the files of the options and prints the table of each
  // process unless quiet. `cut_off`: the command was ended before it was done. `fault_is_told`: a line has
  // warned about results of a failed kernel.
  Outcome render(const config::Installation& installation, const config::ResolvedMachine& machine,
                 double wall_seconds, const RunOptions& options, bool cut_off, bool fault_is_told = false);

 private:
  void write_machine(const std::string& text) const;
  void keep_journal(const std::string& path, const std::string& into) const;

  FolderClaim claim_;
};

}  // namespace duet::cli
