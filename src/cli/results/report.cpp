// `duet report FOLDER`: the results of a run whose `duet run` ended early, from the processes' journals in
// its folder.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "base/say.h"
#include "cli/commands.h"
#include "cli/run/run_folder.h"
#include "config/loader.h"
#include "report/journal/journal.h"

namespace duet::cli {

namespace {

namespace fs = std::filesystem;

// From the writing of the run's options to the last write into one of its journals.
double seconds_of(const std::string& journal_directory) {
  const auto start = fs::last_write_time(journal_directory + "/run_options.json");
  auto end = start;
  for (const std::string& path : report::journals_in(journal_directory))
    end = std::max(end, fs::last_write_time(path));
  return std::chrono::duration<double>(end - start).count();
}

// The command has lost its duet, and has not noticed yet.
void refuse_while_alive(const std::string& journal_directory) {
  for (const std::string& path : report::journals_in(journal_directory)) {
    if (!report::JournalReader::begun(path)) continue;
    const int process = report::JournalReader(path).header().pid;
    const std::string environment = read_file(fmt::format("/proc/{}/environ", process)).value_or("");
    if (environment.find("DUET_JOURNAL=" + journal_directory + '\0') != std::string::npos)
      throw Error(fmt::format("process {} of this run has not ended: wait for it, or end it", process));
  }
}

}  // namespace

int report_run(const config::Installation& installation, const ReportOptions& options) {
  RunFolder folder(FolderClaim::Existing{options.folder});
  const std::string journals = folder.journal_directory();
  refuse_while_alive(journals);
  const config::ResolvedMachine machine = config::load_machine(journals + "/machine.toml", "");
  RunOptions run;
  run.run = machine::run_options_of(read_file(journals + "/run_options.json").value_or(""));
  run.records = options.records;
  run.quiet = options.quiet;
  run.no_html = options.no_html;
  const RunFolder::Outcome outcome = folder.render(installation, machine, seconds_of(journals), run, true);
  if (outcome.processes == 0)
    throw Error(fmt::format("{}: the run ended before a process of it recorded anything", folder.name()));
  say("duet: results in {}, of a run that was cut off: not complete\n", folder.name());
  return 0;
}

}  // namespace duet::cli
