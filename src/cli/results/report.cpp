// `duet report FOLDER`: page and table of a run or a sweep that has ended; the results of a run whose `duet
// run` ended early, from the processes' journals in its folder.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "base/say.h"
#include "cli/beside/terminal.h"
#include "cli/commands.h"
#include "cli/results/folder_kind.h"
#include "cli/run/html_page.h"
#include "cli/run/run_folder.h"
#include "config/loader.h"
#include "report/journal/journal.h"
#include "report/pages/html_report.h"
#include "report/pages/page.h"
#include "report/terminal/table_text.h"
#include "sweep/sweep.h"

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

namespace {

int report_cut_off(const config::Installation& installation, const ReportOptions& options) {
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

// The JSON text in one place of an earlier page; empty: there is none.
std::string text_in_page(const std::string& page, const std::string& id) {
  const std::string mark = "<script type=\"application/json\" id=\"" + id + "\">";
  const std::size_t at = page.find(mark);
  if (at == std::string::npos) return "";
  const std::size_t from = at + mark.size();
  return page.substr(from, page.find("</script>", from) - from);
}

// The page anew. Its timeline, sources, and the shorter statistics of a long run, are those of an earlier
// page: the journal has gone with the run's end.
void write_page_again(const config::Installation& installation, const ProcessFolder& process) {
  const std::string path = process.path + "/report.html",
                    html = report::page_template(installation.report_template);
  const std::string before = read_file(path).value_or("");
  std::string stats = text_in_page(before, "duet-stats");
  if (stats.empty()) stats = read_file(process.path + "/stats.json").value_or("");
  auto keys = machine_keys(config::load_topology(process.run + "/machine.toml", "").values);
  for (report::MachineKey& key : keys)
    if (key.source == key.description) key.source.clear();  // the file has it in place of a source
  const auto text = [](const std::string& json) { return [json](std::ostream& out) { out << json; }; };
  std::ostringstream page;
  report::fill_template(page, html,
                        {{"duet-stats", text(stats)},
                         {"duet-timeline", text(text_in_page(before, "duet-timeline"))},
                         {"duet-sources", text(text_in_page(before, "duet-sources"))},
                         {"duet-machine", text(report::machine_text(keys))},
                         {"duet-advice", text(read_file(process.path + "/advice.json").value_or(""))}});
  write_file(path, page.str());
}

void report_process(const config::Installation& installation, const ReportOptions& options,
                    const ProcessFolder& process, const FolderClaim& claim) {
  const auto table = read_file(process.path + "/" + kTable);
  if (!options.no_html) {
    claim.note(process.note("report.html"));
    write_page_again(installation, process);
  }
  if (!options.quiet && !table)
    say("duet: report: {} has no {}: an earlier Duet made the run\n", process.path, kTable);
  if (!options.quiet && table)
    std::fputs(report::wrapped(*table, terminal_width(STDOUT_FILENO)).c_str(), stdout);
}

int report_sweep(const config::Installation& installation, const ReportOptions& options) {
  const sweep::Look look = sweep::look_at(options.folder);
  const std::string path = (fs::path(options.folder) / "report.html").string();
  if (!options.no_html)
    report::write_page(path, report::page_template(installation.page_template), look.page);
  if (!options.quiet) std::fputs(look.table.c_str(), stdout);
  std::fflush(stdout);
  if (!options.no_html) say("duet: page in {}\n", path);
  return 0;
}

}  // namespace

int report_run(const config::Installation& installation, const ReportOptions& options) {
  const FolderKind kind = kind_of(options.folder, "report");
  if (kind == FolderKind::CutOffRun) return report_cut_off(installation, options);
  if (kind == FolderKind::Sweep) return report_sweep(installation, options);
  if (kind != FolderKind::Run && kind != FolderKind::ProcessOfRun)
    refuse_folder(options.folder, kind, "report");
  if (options.records != report::RunReport::kRecords)
    throw Error(fmt::format("report: {} has its results already: --records is for a run that was cut off",
                            options.folder));
  const ProcessFolder first = process_folder(options.folder, kind);
  const FolderClaim claim(FolderClaim::Ended{first.run});
  report_process(installation, options, first, claim);
  if (kind == FolderKind::Run)
    for (const std::string& other : further_processes(first.run)) {
      if (!options.quiet) fmt::print("process {}\n", other);
      report_process(installation, options, {first.run + "/" + other, first.run, "/" + other}, claim);
    }
  std::fflush(stdout);
  if (!options.no_html) say("duet: page in {}\n", (fs::path(options.folder) / "report.html").string());
  return 0;
}

}  // namespace duet::cli
