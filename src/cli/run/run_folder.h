// The folder that a run leaves: machine.toml (resolved) before it starts; stats.json and report.html
// per process from the journals afterwards.
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

class RunFolder {
 public:
  // Claims the folder that the user named, or the next free one, and takes away what an earlier run left:
  // also when this one is then refused, so that nobody takes the earlier one's results for its own.
  explicit RunFolder(const std::string& named);

  // What a run left whose results nobody wrote.
  explicit RunFolder(const FolderClaim::Existing& existing) : claim_(existing) {}

  const std::string& name() const { return claim_.name(); }  // as users read it
  std::string journal_directory() const { return claim_.directory() / ".duet"; }
  // Before anything runs: writes machine.toml. For processes that leave journals.
  void begin(const config::ResolvedMachine& machine);
  // The same for a run in this process.
  void begin_without_journals(const std::vector<config::ResolvedValue>& machine);
  // A file of the results; its name is relative to the folder.
  void write_result(const std::string& name, const std::function<void(std::ostream&)>& write) const;
  // The same of a page that shows the results: where it cannot be written, a line says so, and nothing is
  // left of it.
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
  // Renders every journal and removes them; writes what the options ask for and prints the table of each
  // process unless quiet. `cut_off`: the command was ended before it was done. `fault_is_told`: a line has
  // said that the results are those of a kernel that failed.
  Outcome render(const config::Installation& installation, const config::ResolvedMachine& machine,
                 double wall_seconds, const RunOptions& options, bool cut_off, bool fault_is_told = false);

 private:
  void write_machine(const std::string& text) const;
  void keep_journal(const std::string& path, const std::string& into) const;

  FolderClaim claim_;
};

}  // namespace duet::cli
