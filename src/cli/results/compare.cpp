// `duet compare A B` and `duet machines diff A B`.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/readable_name.h"
#include "cli/commands.h"
#include "cli/options/json_output.h"
#include "config/differences.h"
#include "report/compare/comparison.h"
#include "report/pages/page.h"

namespace duet::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kWidest = 20;  // of a machine's values, for aligned columns

// A run's folder, or its stats.json.
fs::path folder_of(const std::string& name) {
  const fs::path path(name);
  if (fs::is_directory(path)) return path;
  if (fs::exists(path) && path.filename() == "stats.json")
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
  throw Error(
      fmt::format("compare: {} is no folder of a run: give what `duet run --out FOLDER` wrote", name));
}

report::NamedText statistics_of(const fs::path& folder) {
  const std::string path = (folder / "stats.json").string();
  const auto text = read_file(path);
  if (!text) throw Error(fmt::format("compare: {} cannot be read: no run has ended there", path));
  return {path, *text};
}

std::vector<report::KeyChange> changes_of(const std::vector<config::ResolvedValue>& first,
                                          const std::vector<config::ResolvedValue>& second) {
  std::vector<report::KeyChange> changes;
  for (const config::Difference& d : config::differences(first, second))
    changes.push_back({d.key, d.unit, d.first.value_or(""), d.second.value_or("")});
  return changes;
}

std::vector<config::ResolvedValue> machine_of(const fs::path& folder) {
  const std::string path = (folder / "machine.toml").string();
  if (!fs::exists(path)) throw Error(fmt::format("compare: {} is missing", path));
  return config::load_topology(path, "").values;
}

// The file of --json, and readable names.
std::string page_json(const CompareOptions& options, const report::Comparison& comparison,
                      const std::string& json) {
  nlohmann::ordered_json page = {{"kind", "compare"},
                                 {"a", options.first},
                                 {"b", options.second},
                                 {"readable", nlohmann::ordered_json::object()},
                                 {"comparison", nlohmann::ordered_json::parse(json)}};
  for (const report::WorkChange& kernel : comparison.kernels)
    page["readable"][kernel.name] = readable_name(kernel.name);
  return page.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

int compare_runs(const config::Installation& installation, const CompareOptions& options) {
  const fs::path first = folder_of(options.first), second = folder_of(options.second);
  const report::Comparison comparison = report::compare(statistics_of(first), statistics_of(second));
  const auto machine = changes_of(machine_of(first), machine_of(second));
  const std::string json = report::comparison_json(comparison, machine);
  const JsonOutput output(options.json, JsonOutput::Rest::Nowhere);
  output.write(json);
  if (!options.html.empty())
    report::write_page(options.html, report::page_template(installation.page_template),
                       page_json(options, comparison, json));
  std::fputs(report::comparison_table(comparison, machine, options.rows).c_str(), stdout);
  return 0;
}

int diff_machines(const config::Installation& installation, const std::string& first,
                  const std::string& second, const std::string& json) {
  const JsonOutput output(json, JsonOutput::Rest::Nowhere);
  const auto changes = changes_of(config::load_topology(first, installation.machines_directory).values,
                                  config::load_topology(second, installation.machines_directory).values);
  std::size_t width = 0, values = 0;
  for (const report::KeyChange& change : changes) {
    width = std::max(width, change.key.size());
    values = std::max(values, std::min(change.first.size(), kWidest));
  }
  for (const report::KeyChange& change : changes)
    fmt::print("{:<{}}  {:>{}}  {}{}{}\n", change.key, width, change.first.empty() ? "-" : change.first,
               values, change.second.empty() ? "-" : change.second, change.unit.empty() ? "" : "  # ",
               change.unit);
  if (changes.empty()) fmt::print("the machines are the same\n");
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  const auto value = [](const std::string& text) {
    return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json::parse(text);
  };
  for (const report::KeyChange& change : changes)
    list.push_back({{"key", change.key},
                    {"unit", change.unit},
                    {"a", value(change.first)},
                    {"b", value(change.second)}});
  output.write(list.dump(1));
  return 0;
}

}  // namespace duet::cli
