// `duet explain PROGRAM` and `duet explain FOLDER`: a run as hu2016's five sub-models see it (src/explain).
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/options/json_output.h"
#include "cli/run/run_folder.h"
#include "config/loader.h"
#include "explain/explanation.h"
#include "machine/watch/trace_options.h"
#include "report/journal/journal.h"
#include "report/pages/page.h"

namespace duet::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kJson = "explain.json";
constexpr const char* kPage = "explain.html";

std::string page_json(const std::string& json) {
  return "{\"kind\": \"explain\", \"explanation\": " + json + "}";
}

void print(const explain::Explanation& explanation) {
  std::fputs(explain::text_of(explanation).c_str(), stdout);
  std::fflush(stdout);  // before later lines on standard error
}

// As a shell takes it.
std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_of(" \t\n'\"\\$&|;<>()*?[]#~`!{}") == std::string::npos;
  if (plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

// How the program of a folder without a journal can be explained.
std::string how_to_explain(const std::string& folder) {
  if (!fs::exists(fs::path(folder) / "run.json"))
    return "it is no folder of a run: give a program, or what `duet explain --out FOLDER` wrote";
  const RunWords words = read_run_words(folder);
  std::string text = "`duet run` keeps too little: duet explain --out " + quoted(folder);
  for (const auto* const some : {&words.options, &words.command})
    for (const std::string& word : *some) text += " " + quoted(word);
  return text;
}

// Whether the run came to its end, as the last explanation has it.
bool was_complete(const std::string& folder) {
  try {
    return nlohmann::json::parse(read_file(folder + "/" + kJson).value_or("")).at("complete").get<bool>();
  } catch (const nlohmann::json::exception&) {
    return true;
  }
}

}  // namespace

int explain_folder(const config::Installation& installation, const ExplainOptions& options,
                   const std::string& folder) {
  explain::check(options.selection);
  const JsonOutput output(options.json, JsonOutput::Rest::Nowhere);
  const std::string path = (fs::path(folder) / kKeptJournal).string();
  if (!fs::exists(path)) throw Error(fmt::format("explain: {}: {}", folder, how_to_explain(folder)));
  // The machine of all processes of a run stands in its folder.
  fs::path machine_file = fs::path(folder) / "machine.toml";
  if (!fs::exists(machine_file)) machine_file = fs::path(folder) / ".." / "machine.toml";
  const config::ResolvedMachine machine = config::load_machine(machine_file.string(), "");
  const report::JournalReader journal(path);
  const report::RunReport report =
      report::read_report(journal, machine.machine.name, 0, !was_complete(folder));
  const explain::Explanation explanation = explain::explain(report, machine.machine, options.selection);
  const std::string json = explain::json_of(explanation);
  write_file((fs::path(folder) / kJson).string(), json);
  if (const std::string page = (fs::path(folder) / kPage).string(); fs::exists(page))
    report::write_page(page, report::page_template(installation.explain_template), page_json(json));
  if (!output.on_standard_output()) print(explanation);
  output.write(json);
  return 0;
}

int explain_run(const config::Installation& installation, const ExplainOptions& options, RunOptions& run,
                const std::function<int()>& make) {
  explain::check(options.selection);
  if (run.profile) throw Error("explain: --profile makes several runs: leave it out");
  const JsonOutput output(run.json, JsonOutput::Rest::StandardError);
  std::vector<std::string> all;
  const std::string html = run.no_html ? std::string() : report::page_template(installation.explain_template);
  const bool quiet = run.quiet;
  run.words.options = without(run.words.options, {"--kernel", "--block"}, {});
  run.run.of<machine::TraceOptions>().explain = true;
  run.quiet = run.keep_journal = true;
  unsigned processes = 0;
  std::optional<std::string> failure, page;
  run.on_report = [&](const RunFolder& folder, const std::string& into, const report::RunReport& report,
                      const config::Machine& machine) {
    const bool first = processes++ == 0;
    try {
      const explain::Explanation explanation =
          explain::explain(report, machine, first ? options.selection : explain::Selection{});
      const std::string json = explain::json_of(explanation);
      folder.write_result(into + kJson, [&](std::ostream& out) { out << json; });
      if (!html.empty() && folder.write_page(into + kPage, [&](std::ostream& out) {
            report::fill_template(out, html,
                                  {{"duet-page", [&](std::ostream& place) { place << page_json(json); }}});
          }))
        page = folder.name() + "/" + kPage;
      all.push_back(json);
      if (first && !quiet && !output.on_standard_output()) print(explanation);
    } catch (const Error& error) {
      failure = error.what();
    }
  };
  const int status = make();
  if (processes > 1 && !quiet)
    std::fprintf(stderr,
                 "duet: explained is the first of %u processes; the others have explain.html in folders of "
                 "their own\n",
                 processes);
  if (failure) throw Error(*failure);
  output.write(all);
  if (page && !quiet) std::fprintf(stderr, "duet: the same as a page: %s\n", page->c_str());
  return processes == 0 && status == 0 ? 125 : status;
}

}  // namespace duet::cli
