#include "sweep/sweep.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>
#include <thread>

#include "base/error.h"
#include "base/say.h"
#include "report/pages/page.h"
#include "sweep/results.h"
#include "sweep/runner.h"

namespace duet::sweep {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostLines = 10;  // on failures and empty columns

fs::path folder_of(const Options& options) {
  if (!options.out.empty()) return options.out;
  return fs::path(options.file).stem().string() + "-sweep";
}

std::string duet_of(const config::Installation& installation) { return installation.prefix + "/bin/duet"; }

Strings split(const std::string& text) {
  std::istringstream stream(text);
  Strings words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

struct State {
  std::vector<const Work*> to_make;  // each identity once
  std::size_t ok = 0, failed = 0;    // runs
};

State state_of(const Folder& folder, const Plan& plan, bool again, bool forget) {
  State state;
  std::set<std::string> asked;
  for (const Run& run : plan.runs) {
    const auto record = folder.record(run.work);
    if (record) (record->ok() ? state.ok : state.failed) += 1;
    if (record && (record->ok() || !again)) continue;
    if (!asked.insert(run.work.id).second) continue;
    state.to_make.push_back(&run.work);
  }
  for (const Work* work : state.to_make)
    if (forget && folder.record(*work)) folder.forget(work->id);
  return state;
}

int show_plan(const fs::path& path, const Plan& plan, bool again) {
  const Folder folder = Folder::join(path);
  const State state = state_of(folder, plan, again, false);
  for (const Run& run : plan.runs) {
    std::string line = fmt::format("{:04} {}", run.work.number, run.program);
    for (std::size_t i = 0; i < plan.axes.size(); ++i)
      if (!run.axes[i].empty()) line += fmt::format(" {}={}", plan.axes[i], run.axes[i]);
    const auto record = folder.record(run.work);
    fmt::print("{}{}\n", line, record ? "  (" + record->status + ")" : "");
  }
  fmt::print("{} runs: {} done, {} failed, {} to make\n", plan.runs.size(), state.ok, state.failed,
             state.to_make.size());
  return 0;
}

Progress progress_of(const Options& options) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  if (options.quiet || !terminal) return {[](std::size_t, std::size_t) {}};
  return {[](std::size_t done, std::size_t of) {
    say("\r\033[Ksweep: {} of {} runs{}", done, of, done == of ? "\n" : "");
    std::fflush(stderr);
  }};
}

Outcome make_runs(const config::Installation& installation, const Options& options, const Folder& folder,
                  const std::vector<const Work*>& works) {
  const std::string duet = duet_of(installation);
  const Progress progress = progress_of(options);
  if (options.slurm)
    return run_slurm(folder, duet, works, {options.jobs, split(options.slurm_options)}, progress);
  if (slurm_goes_on(folder))
    throw Error(fmt::format("sweep: Slurm still has tasks of {}: go on with --slurm, or scancel them first",
                            folder.path().string()));
  folder.clean([](const std::string&) { return true; });
  for (const std::string& id : folder.claimed()) folder.release(id);
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  return run_local(folder, duet, works, options.jobs != 0 ? options.jobs : cores, progress);
}

void say_summary(const Summary& summary, const Outcome& outcome, const Folder& folder, std::size_t made) {
  for (std::size_t i = 0; i < std::min(summary.lines.size(), kMostLines); ++i)
    say("duet: sweep: {}\n", summary.lines[i]);
  if (summary.lines.size() > kMostLines)
    say("duet: sweep: and {} lines more\n", summary.lines.size() - kMostLines);
  for (const Work* work : outcome.given_up)
    say("duet: sweep: run {:04} was ended from outside {} times (out of memory?) and is left\n", work->number,
        kAttempts);
  const std::size_t all = summary.ok + summary.failed + summary.missing;
  const std::string failed =
      summary.failed != 0
          ? fmt::format(", {} failed (failures.txt; --again makes them again)", summary.failed)
          : "";
  say("duet: sweep: {} of {} runs done{}, {} made now: {}\n", summary.ok, all, failed, made,
      (folder.path() / "results.csv").string());
  if (summary.missing != 0)
    say("duet: sweep: {} runs are missing: the same command goes on\n", summary.missing);
}

// The page beside results.csv. A sweep is no less done where the template is missing.
void write_report(const config::Installation& installation, const Options& options, const Folder& folder,
                  const Summary& summary) {
  const fs::path path = folder.path() / "report.html", part = folder.path() / "report.html.part";
  if (options.no_html) return;
  try {
    report::write_page(part.string(), report::page_template(installation.page_template),
                       look_of(summary.json).page);
    fs::rename(part, path);
  } catch (const std::exception& error) {
    say("duet: sweep: no report.html: {}\n", error.what());
  }
}

}  // namespace

int run(const config::Installation& installation, const Options& options,
        const std::function<void(const std::string&)>& write_json, const Knowledge& knowledge) {
  const SweepFile file = read_sweep_file(options.file);
  const Plan plan = make_plan(installation, file, knowledge);
  const Results results = make_results(file, plan, knowledge, options.baseline);
  for (const std::string& remark : plan.remarks) say("duet: sweep: {}\n", remark);
  const fs::path path = folder_of(options);
  if (options.dry_run) return show_plan(path, plan, options.again);

  const Folder folder = Folder::claim(path);
  const State state = state_of(folder, plan, options.again, true);
  const Outcome outcome = make_runs(installation, options, folder, state.to_make);
  folder.link_runs(plan.runs);
  const Summary summary = write_results(folder, plan, results);
  write_report(installation, options, folder, summary);
  write_json(summary.json);
  if (!options.quiet) std::fputs(look_of(summary.json).table.c_str(), stdout);
  std::fflush(stdout);  // before later lines on standard error
  const auto is_made = [&](const Work* work) { return folder.record(*work).has_value(); };
  const auto made = std::count_if(state.to_make.begin(), state.to_make.end(), is_made);
  if (!options.quiet || summary.missing != 0)
    say_summary(summary, outcome, folder, static_cast<std::size_t>(made));
  if (outcome.signal != 0) return 128 + outcome.signal;
  return summary.failed + summary.missing != 0 ? 1 : 0;
}

}  // namespace duet::sweep
