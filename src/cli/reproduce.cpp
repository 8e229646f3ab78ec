// `duet reproduce PAPER`: runs the experiment behind each claim and compares. Which claims there are stands
// in reproduce_claims.cpp, how they are measured in reproduce_latencies.cpp, reproduce_offloads.cpp and
// reproduce_extensions.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/reproduce_choices.h"
#include "cli/reproduce_claims.h"
#include "cli/reproduce_extensions.h"
#include "cli/reproduce_latencies.h"
#include "cli/reproduce_offloads.h"
#include "config/loader.h"

namespace duet::cli {

using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kChoices = "choices";  // accepted by --only beside the claims

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

class Selection {
 public:
  explicit Selection(const std::vector<std::string>& only) : only_(only) {
    for (const std::string& id : only) {
      const auto is = [&](const Claim& claim) { return id == claim.id; };
      const auto claims = lustig2013_claims();
      if (id != kChoices && std::none_of(claims.begin(), claims.end(), is))
        throw Error(fmt::format("lustig2013 has no claim '{}'", id));
    }
  }
  bool wants(const std::string& id) const {
    return only_.empty() || std::find(only_.begin(), only_.end(), id) != only_.end();
  }

 private:
  const std::vector<std::string>& only_;
};

bool machine_exists(const Installation& installation, const char* name) {
  const auto machines = config::list_machines(installation.machines_directory);
  return std::any_of(machines.begin(), machines.end(),
                     [&](const auto& machine) { return machine.name == name; });
}

std::string number(std::optional<double> value) { return value ? fmt::format("{:.4g}", *value) : "-"; }

// What stands behind a row's claim: fixed words, what the measurement added, and that inputs were small.
std::string note_of(const Claim& claim, bool has_value, bool quick, const Measurements& measured) {
  std::string note = claim.note;
  const auto add = [&](const std::string& text) {
    if (!text.empty()) note += (note.empty() ? "" : "; ") + text;
  };
  for (const std::string& key :
       {std::string(claim.quantity), has_value ? std::string() : std::string(claim.id)})
    if (const auto more = measured.notes.find(key); !key.empty() && more != measured.notes.end())
      add(more->second);
  const std::string_view id = claim.id;
  if (quick && has_value && id != "L-T2" && id != "L-F9" && id != "L-dram") add("small inputs");
  return note;
}

Json claim_rows(const Selection& selection, bool quick, const Measurements& measured) {
  Json rows = Json::array();
  print(fmt::format("{:<7} {:<11} {:>8} {:>9} {:<6} {}\n", "id", "verdict", "paper", "measured", "unit",
                    "claim"));
  for (const Claim& claim : lustig2013_claims()) {
    if (!selection.wants(claim.id)) continue;
    const auto found = measured.values.find(claim.quantity);
    const std::optional<double> value =
        found == measured.values.end() ? std::nullopt : std::optional(found->second);
    const std::string note = note_of(claim, value.has_value(), quick, measured);
    const char* result = verdict(claim, value);
    rows.push_back({{"id", claim.id},
                    {"claim", claim.claim},
                    {"paper", claim.paper ? Json(*claim.paper) : Json()},
                    {"unit", claim.unit},
                    {"measured", value ? Json(*value) : Json()},
                    {"verdict", result},
                    {"note", note}});
    print(fmt::format("{:<7} {:<11} {:>8} {:>9} {:<6} {}{}\n", claim.id, result, number(claim.paper),
                      number(value), claim.unit, claim.claim, note.empty() ? "" : " (" + note + ")"));
  }
  return rows;
}

void print_figure_11(const Grid& grid) {
  print("\nFigure 11: runtime as a share of the baseline's\n");
  print(fmt::format("{:<13} {:>12} {:>14} {:>15} {:>13}\n", "benchmark", "baseline us", "overlap-start",
                    "overlap-finish", "full-overlap"));
  for (const Benchmark& benchmark : benchmarks()) {
    const auto share = [&](const char* variant) {
      const auto value = grid.normalized(benchmark.name, variant);
      return value ? fmt::format("{:.3f}", *value) : std::string("failed");
    };
    print(fmt::format("{:<13} {:>12.1f} {:>14} {:>15} {:>13}\n", benchmark.name,
                      grid.outcomes.at(benchmark.name).at("baseline")->runtime_us(), share("overlap-start"),
                      share("overlap-finish"), share("full-overlap")));
  }
  const auto mean = [&](const char* variant) {
    const auto gain = grid.mean_gain(variant);
    return gain ? fmt::format("{:.3f}", 1 - *gain / 100) : std::string("-");
  };
  print(fmt::format("{:<13} {:>12} {:>14} {:>15} {:>13}\n", "mean", "", mean("overlap-start"),
                    mean("overlap-finish"), mean("full-overlap")));
}

void print_figure_12(const Json& figure) {
  print("\nFigure 12: vectorAdd by size, us\n");
  print(fmt::format("{:<13} {:>12} {:>14} {:>15} {:>13}\n", "elements", "baseline", "overlap-start",
                    "overlap-finish", "full-overlap"));
  for (std::size_t i = 0; i < figure["elements"].size(); ++i) {
    const auto us = [&](const char* variant) { return figure["runtime_us"][variant][i].get<double>(); };
    print(fmt::format("{:<13} {:>12.1f} {:>14.1f} {:>15.1f} {:>13.1f}\n",
                      figure["elements"][i].get<unsigned>(), us("baseline"), us("overlap-start"),
                      us("overlap-finish"), us("full-overlap")));
  }
}

Json side_json(const ChoiceSide& side, const Grid& grid) {
  std::string where;
  const double worst = grid.worst_normalized(where);
  const auto mean = grid.mean_gain("full-overlap"), best = grid.best_gain("full-overlap");
  return {{"side", side.text},
          {"mean_gain_percent", mean ? Json(*mean) : Json()},
          {"best_gain_percent", best ? Json(*best) : Json()},
          {"worst_normalized", worst},
          {"worst_in", where},
          {"failed_runs", grid.failures()},
          {"runs", grid.runs()},
          {"benchmarks", grid.json()}};
}

void print_side(const char* name, const ChoiceSide& side, const Grid& grid) {
  std::string where;
  const double worst = grid.worst_normalized(where);
  print(fmt::format("  {:<12} {:>6} {:>6} {:>7.3f} {:>7}  {}\n", name, number(grid.mean_gain("full-overlap")),
                    number(grid.best_gain("full-overlap")), worst, grid.failures(), side.text));
}

// Both sides of every choice: the values together, and each alternative with all other values.
Json choice_rows(Offloads& offloads, const Grid& values) {
  Json rows = Json::array();
  std::vector<Grid> others;
  for (const Choice& choice : offloads.choices())
    others.push_back(offloads.grid("choice " + choice.id, &choice));
  print(
      "\nChoices that the paper leaves open: full-overlap's mean and best gain in %, the largest normalized "
      "runtime of\n"
      "any variant, and how many of the 28 runs fail\n");
  print(fmt::format("  {:<12} {:>6} {:>6} {:>7} {:>7}\n", "", "mean", "best", "worst", "failed"));
  for (std::size_t i = 0; i < others.size(); ++i) {
    const Choice& choice = offloads.choices()[i];
    print(fmt::format("{}: {}\n", choice.id, choice.question));
    print_side("value", choice.value, values);
    print_side("alternative", choice.alternative, others[i]);
    rows.push_back({{"id", choice.id},
                    {"question", choice.question},
                    {"reason", choice.reason},
                    {"value", side_json(choice.value, values)},
                    {"alternative", side_json(choice.alternative, others[i])}});
  }
  return rows;
}

// The claims about full/empty bits; returns the benchmarks in all variants where any claim needs them.
std::optional<Grid> measure_full_empty(Offloads& offloads, const Selection& selection,
                                       const config::Machine& machine, Measurements& out) {
  static constexpr const char* kOnGrid[] = {"L-F11a", "L-F11b", "L-F11c", "L-F11d", "L-F11e", "L-F11f",
                                            "L-tab3", "L-F12",  "L-hol",  "L-mshr", kChoices};
  const Bytes granule_bytes = machine.gpu.full_empty.granule_bytes;
  if (granule_bytes == 0) {
    for (const char* id : kOnGrid) out.notes[id] = "the machine has no full/empty bits";
    for (const char* id : {"L-safe", "L-dram", "L-ext"}) out.notes[id] = "the machine has no full/empty bits";
    return std::nullopt;
  }
  out.values["bits_share"] = 100.0 / (8 * static_cast<double>(granule_bytes));
  if (selection.wants("L-safe")) offloads.safety(out);
  if (std::none_of(std::begin(kOnGrid), std::end(kOnGrid),
                   [&](const char* id) { return selection.wants(id); }))
    return std::nullopt;
  Grid grid = offloads.grid("L-F11, seven benchmarks in four variants");
  offloads.figure_11(grid, out);
  offloads.figures_3_and_6(grid, out);
  if (selection.wants("L-tab3") || selection.wants("L-F12")) offloads.figure_12_and_table_3(grid, out);
  if (selection.wants("L-hol")) offloads.queues(grid, out);
  if (selection.wants("L-mshr")) offloads.miss_registers(grid, machine.gpu.sm.count, out);
  return grid;
}

}  // namespace

int reproduce(const Installation& installation, const ReproduceOptions& options) {
  if (options.paper != "lustig2013")
    throw Error(fmt::format("no experiments for '{}': this version reproduces lustig2013", options.paper));
  const Selection selection(options.only);
  const std::string machine = options.machine.empty() ? "gtx580" : options.machine;
  const auto resolved = config::load_machine(machine, installation.machines_directory, options.sets).machine;
  Runner runner(installation, options.quiet);
  Offloads offloads(runner, options,
                    read_choices(installation.experiments_directory + "/lustig2013/choices.toml"), machine);

  Measurements measured;
  if (selection.wants("L-T2")) measure_latencies(runner, machine, options.sets, measured);
  if (selection.wants("L-F9"))
    measure_driver_latency(runner, machine, options.sets,
                           static_cast<double>(resolved.driver.memcpy_async.driver_ns) / 1000, measured);
  const std::optional<Grid> grid = measure_full_empty(offloads, selection, resolved, measured);
  if (selection.wants("L-ext") && resolved.gpu.full_empty.granule_bytes != 0)
    measure_extensions(runner, offloads, machine, options, measured);
  if (machine_exists(installation, "llano")) {
    if (selection.wants("L-int")) offloads.integrated(measured);
  } else {
    measured.notes["L-int"] = "there is no machine llano";
  }
  Json choices = Json::array();
  if (options.quick) print("quick: smaller inputs than the paper's, except where a claim names its sizes\n");
  const Json rows = claim_rows(selection, options.quick, measured);
  if (grid) print_figure_11(*grid);
  if (measured.figures.contains("12")) print_figure_12(measured.figures["12"]);
  if (grid && selection.wants(kChoices)) choices = choice_rows(offloads, *grid);

  if (!options.json.empty()) {
    std::ofstream file(options.json);
    file << Json{{"paper", options.paper}, {"machine", machine}, {"quick", options.quick},
                 {"rows", rows},           {"choices", choices}, {"figures", measured.figures}}
                .dump(1)
         << "\n";
    if (!file.flush()) throw Error(fmt::format("cannot write {}", options.json));
  }
  return 0;
}

}  // namespace duet::cli
