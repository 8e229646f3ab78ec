#include "cli/run_folder.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include "base/error.h"
#include "report/journal.h"
#include "report/run_report.h"

namespace duet::cli {

namespace fs = std::filesystem;

namespace {
void write_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  std::remove(path.c_str());  // to empty a file that an earlier run left would take longer
  std::ofstream file(path);
  write(file);
  if (!file.flush()) throw Error("cannot write " + path + ": " + std::strerror(errno));
}
void write_file(const std::string& path, const std::string& text) {
  write_file(path, [&](std::ostream& out) { out << text; });
}
}  // namespace

RunFolder::RunFolder(const std::string& directory, const config::ResolvedMachine& machine) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) throw Error("cannot make the folder " + directory + ": " + error.message());
  directory_ = fs::absolute(directory);
  fs::remove_all(journal_directory(), error);
  fs::create_directories(journal_directory(), error);
  if (error) throw Error("cannot write into " + directory + ": " + error.message());
  const std::string text = config::to_toml(machine.values);
  write_file(directory_ + "/machine.toml", text);
  write_file(journal_directory() + "/machine.toml", text);
}

void RunFolder::write_run_options(const machine::RunOptions& options) {
  write_file(journal_directory() + "/run_options.json", machine::to_text(options));
}

RunFolder::Outcome RunFolder::render(const std::string& machine_name, double wall_seconds,
                                     const RunOptions& options, bool cut_off) {
  Outcome outcome;
  if (fs::exists(journal_directory() + "/refused")) outcome.failure = 125;
  for (const std::string& path : report::journals_in(journal_directory())) {
    const std::string into =
        outcome.processes == 0 ? directory_ : directory_ + "/" + std::to_string(outcome.processes);
    fs::create_directories(into);
    const report::JournalReader journal(path);
    const report::RunReport report =
        report::read_report(journal, machine_name, wall_seconds, cut_off || journal.header().failure != 0);
    const auto render = [&](const char* name, void (*write)(std::ostream&, const report::RunReport&)) {
      write_file(into + name, [&](std::ostream& out) { write(out, report); });
    };
    render("/stats.json", report::write_stats_json);
    if (options.run.trace_push_buffer) render("/push_buffer.txt", report::write_push_buffer);
    if (options.run.events) render("/events.json", report::write_events_json);
    if (!options.quiet) std::fputs(report::summary_table(report).c_str(), stderr);
    std::fputs(report::race_text(report).c_str(), stderr);
    if (journal.header().failure != 0) outcome.failure = static_cast<int>(journal.header().failure);
    if (report.lost_records != 0) {
      fmt::print(
          stderr,
          "duet: {} records of this run are missing from the results in {}: {} (make room, or give another "
          "folder with --out)\n",
          report.lost_records, into, std::strerror(report.lost_because));
      if (outcome.failure == 0) outcome.failure = 125;
    }
    ++outcome.processes;
  }
  fs::remove_all(journal_directory());
  return outcome;
}

}  // namespace duet::cli
