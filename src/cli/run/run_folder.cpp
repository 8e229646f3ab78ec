#include "cli/run/run_folder.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "advise/advise.h"
#include "base/error.h"
#include "base/file.h"
#include "base/say.h"
#include "cli/beside/terminal.h"
#include "cli/run/html_page.h"
#include "machine/watch/interval_options.h"
#include "machine/watch/trace_options.h"
#include "report/journal/journal.h"
#include "report/json/sarif_json.h"
#include "report/run_report.h"
#include "report/terminal/table_text.h"
#include "report/timeline/timeline_trace.h"
#include "sample/run_result.h"

namespace duet::cli {

namespace fs = std::filesystem;

namespace {
constexpr int kRefused = 125;
constexpr const char* kRunWords = "run.json";
constexpr std::streamsize kFileBuffer = 64 * 1024;  // results of a run have megabytes

void write_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  std::remove(path.c_str());  // emptying an earlier run's file would take longer
  const auto buffer = std::make_unique_for_overwrite<char[]>(kFileBuffer);
  std::ofstream file;
  file.rdbuf()->pubsetbuf(buffer.get(), kFileBuffer);
  file.open(path);
  write(file);
  if (!file.flush()) throw Error("cannot write " + path + ": " + std::strerror(errno));
}
using duet::write_file;
}  // namespace

RunFolder::RunFolder(const std::string& named) : claim_(named) {
  std::error_code error;
  fs::remove_all(journal_directory(), error);
  if (error) throw Error("cannot write into " + name() + ": " + error.message());
}

void RunFolder::begin(const config::ResolvedMachine& machine) {
  std::error_code error;
  fs::create_directories(journal_directory(), error);
  if (error) throw Error("cannot write into " + name() + ": " + error.message());
  const std::string text = config::to_toml(machine.values);
  write_machine(text);
  write_file(journal_directory() + "/machine.toml", text);
  // The program's processes write it. An existing one is not the run's.
  if (!fs::exists(claim_.directory() / "ptx")) claim_.note("ptx/");
}

void RunFolder::begin_without_journals(const std::vector<config::ResolvedValue>& machine) {
  write_machine(config::to_toml(machine));
}

void RunFolder::write_machine(const std::string& text) const {
  write_result("machine.toml", [&](std::ostream& out) { out << text; });
}

void RunFolder::write_result(const std::string& name, const std::function<void(std::ostream&)>& write) const {
  claim_.note(name);
  write_file(claim_.directory() / name, write);
}

bool RunFolder::write_page(const std::string& name, const std::function<void(std::ostream&)>& write) const {
  try {
    write_result(name, write);
    return true;
  } catch (const Error& error) {  // the numbers are there all the same
    std::fprintf(stderr, "duet: %s\n", error.what());
    std::error_code ignored;
    fs::remove(claim_.directory() / name, ignored);
    return false;
  }
}

void RunFolder::keep_journal(const std::string& path, const std::string& into) const {
  claim_.note(into + kKeptJournal);
  std::error_code error;
  fs::rename(path, claim_.directory() / (into + kKeptJournal), error);
  if (error) throw Error("cannot write into " + name() + ": " + error.message());
}

void RunFolder::write_words(const RunWords& words) const {
  write_file(journal_directory() + "/" + kRunWords, to_json(words));
}

void RunFolder::write_run_options(const machine::RunOptions& options) {
  write_file(journal_directory() + "/run_options.json", machine::to_text(options));
}

RunFolder::Outcome RunFolder::render(const config::Installation& installation,
                                     const config::ResolvedMachine& machine, double wall_seconds,
                                     const RunOptions& options, bool cut_off, bool fault_is_told) {
  Outcome outcome;
  report::SarifRuns sarif;
  const std::string html = html_template(installation, !options.no_html);
  if (fs::exists(journal_directory() + "/refused")) outcome.failure = kRefused;
  for (const std::string& path : report::journals_in(journal_directory())) {
    if (!report::JournalReader::begun(path)) continue;  // the process was killed while it made it
    const report::JournalReader journal(path);
    report::RunReport report = report::read_report(journal, machine.machine.name, wall_seconds,
                                                   cut_off || journal.header().failure != 0);
    report.records = options.records;
    const auto& trace = options.run.of<machine::TraceOptions>();
    const auto& interval = options.run.of<machine::IntervalOptions>();
    report.trace_detail = trace.detail;
    report.interval_ps = interval.ps;
    report.interval_cycles = interval.cycles;
    report.all_calls = trace.events || trace.all_calls;
    if (journal.header().failure != 0) outcome.failure = static_cast<int>(journal.header().failure);
    if (journal.header().failure == kRefused && !report.anything_ran()) continue;  // zeros are no results
    std::string into;  // the folder of the process in ours
    if (outcome.processes != 0) {
      into = std::to_string(outcome.processes);
      claim_.note(into);
      fs::create_directories(claim_.directory() / into);
      into += "/";
    }
    report.sampling = sample::sampling_of(journal);
    config::Machine of_run = machine.machine;
    of_run.method = options.run.method;
    report.advice = advise::advise(report, of_run);
    const auto render = [&](const char* name, void (*write)(std::ostream&, const report::RunReport&)) {
      write_result(into + name, [&](std::ostream& out) { write(out, report); });
    };
    std::string stats;  // where the page has the same
    if (!html.empty() && report::page_has_all(report)) {
      std::ostringstream text;
      report::write_stats_json(text, report);
      stats = std::move(text).str();
      write_result(into + "stats.json", [&](std::ostream& out) { out << stats; });
    } else {
      render("stats.json", report::write_stats_json);
    }
    if (report.processor && !report.processor->stacks.empty())
      write_result(into + kProfile,
                   [&](std::ostream& out) { out << report::folded_stacks(report.processor->stacks); });
    if (trace.push_buffer) render("push_buffer.txt", report::write_push_buffer);
    if (trace.detail != TraceDetail::None) render("timeline.pftrace", report::write_timeline_trace);
    if (trace.events) render("events.json", report::write_events_json);
    const std::string table = report::summary_table(report),
                      advice = report::advice_text(report.advice, report.simulated_ps);
    write_result(into + kTable, [&](std::ostream& out) { out << table << advice; });
    if (!options.quiet)
      std::fputs((table + report::wrapped(advice, terminal_width(STDERR_FILENO))).c_str(), stderr);
    std::fputs(report::incomplete_text(report).c_str(), stderr);
    if (!fault_is_told) std::fputs(report::failure_text(report, options.quiet).c_str(), stderr);
    std::fputs(report::race_text(report).c_str(), stderr);
    if (!report.check.has("memory")) std::fputs(report::outside_text(report).c_str(), stderr);
    std::fputs(report::check_text(report).c_str(), stderr);
    outcome.findings += report.check.findings.size();
    sarif.add(report.check, report.command);
    if (report.lost_records != 0) {
      const bool memory = report.lost_because == ENOMEM;
      say("duet: {} records of this run are missing from the results in {}: {} ({})\n", report.lost_records,
          (claim_.directory() / into).string(), std::strerror(report.lost_because),
          memory ? kAddressSpaceHint : "make room, or give another folder with --out");
      if (outcome.failure == 0) outcome.failure = 125;
    }
    if (!html.empty() &&
        !write_page(into + "report.html",
                    [&](std::ostream& out) {
                      report::write_html_report(out, html, report, machine_keys(machine.values), stats);
                    }) &&
        outcome.failure == 0)
      outcome.failure = 125;
    if (options.on_report) options.on_report(*this, into, report, machine.machine);
    if (options.keep_journal) keep_journal(path, into);
    ++outcome.processes;
  }
  if (const auto words = read_file(journal_directory() + "/" + kRunWords); words && outcome.processes != 0)
    write_result(kRunWords, [&](std::ostream& out) { out << *words; });
  fs::remove_all(journal_directory());
  if (!options.check_output.empty()) {
    std::ofstream out(options.check_output);
    report::write_sarif(out, sarif);
    if (!out.flush()) {
      say("duet: --check-output: {} cannot be written\n", options.check_output);
      if (outcome.failure == 0) outcome.failure = 125;
    }
  }
  return outcome;
}

}  // namespace duet::cli
