// `duet reproduce PAPER`: runs the experiment behind each claim and compares; with --controls again where the
// claim must not hold. Claims, controls and choices stand in experiments/PAPER, how they are measured in
// lustig2013/.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <utility>

#include "base/error.h"
#include "reproduce/lustig2013/offloads.h"
#include "reproduce/reproduce.h"

namespace duet::reproduce {

using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kChoices = "choices";  // accepted by --only beside the claims

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

class Selection {
 public:
  Selection(const Strings& only, const std::vector<Claim>& claims) : only_(only) {
    for (const std::string& id : only) {
      const auto is = [&](const Claim& claim) { return id == claim.id; };
      if (id != kChoices && std::none_of(claims.begin(), claims.end(), is))
        throw Error(fmt::format("lustig2013 has no claim '{}'", id));
    }
  }
  bool wants(const std::string& id) const {
    return only_.empty() || std::find(only_.begin(), only_.end(), id) != only_.end();
  }

 private:
  const Strings& only_;
};

std::string number(std::optional<double> value) { return value ? fmt::format("{:.4g}", *value) : "-"; }

// Names of experiments and choices: a wrong one would measure nothing, or what is measured anyway.
void check(const std::vector<Claim>& claims, const std::vector<Choice>& choices, const std::string& path) {
  for (const Claim& claim : claims) {
    if (claim.experiment.empty()) continue;
    if (!Experiments::exists(claim.experiment))
      throw Error(fmt::format("{}: {}: there is no experiment '{}'", path, claim.id, claim.experiment));
    for (const std::string& name : {claim.on.choice, claim.control->setup.choice})
      if (!name.empty() && std::none_of(choices.begin(), choices.end(),
                                        [&](const Choice& choice) { return choice.id == name; }))
        throw Error(fmt::format("{}: {}: there is no choice '{}'", path, claim.id, name));
  }
}

struct Result {
  std::optional<double> value;
  std::string note;
};

Result measured(Experiments& experiments, const Claim& claim, const Setup& setup) {
  const Measurements& all = experiments.measure(claim.experiment, setup);
  Result result;
  if (const auto value = all.values.find(claim.quantity); value != all.values.end())
    result.value = value->second;
  for (const std::string& key : {claim.quantity, result.value ? claim.quantity : std::string()})
    if (const auto note = all.notes.find(key); note != all.notes.end() && result.note.empty())
      result.note = note->second;
  return result;
}

Json json_or_null(std::optional<double> value) { return value ? Json(*value) : Json(); }

Json claim_rows(Experiments& experiments, const std::vector<Claim>& claims, const Selection& selection,
                Json& figures) {
  const bool quick = experiments.options().quick;
  Json rows = Json::array();
  std::string text = fmt::format("{:<7} {:<11} {:>8} {:>9} {:<6} {}\n", "id", "verdict", "paper", "measured",
                                 "unit", "claim");
  for (const Claim& claim : claims) {
    if (!selection.wants(claim.id)) continue;
    Result result;
    std::string note = claim.note;
    const auto add = [&](const std::string& more) {
      if (!more.empty()) note += (note.empty() ? "" : "; ") + more;
    };
    if (!claim.experiment.empty()) {
      result = measured(experiments, claim, claim.on);
      add(result.note);
      if (quick && result.value && Experiments::scales(claim.experiment)) add("small inputs");
      if (claim.on.sets.empty() && claim.on.options.empty() && claim.on.choice.empty())
        if (const Json& own = experiments.measure(claim.experiment, claim.on).figures; own.is_object())
          figures.update(own, true);
    }
    const char* verdict = claim.verdict(result.value);
    rows.push_back({{"id", claim.id},
                    {"claim", claim.claim},
                    {"paper", json_or_null(claim.paper)},
                    {"unit", claim.unit},
                    {"measured", json_or_null(result.value)},
                    {"verdict", verdict},
                    {"note", note}});
    text += fmt::format("{:<7} {:<11} {:>8} {:>9} {:<6} {}{}\n", claim.id, verdict, number(claim.paper),
                        number(result.value), claim.unit, claim.claim, note.empty() ? "" : " (" + note + ")");
  }
  print(text);
  return rows;
}

// Each claim where it must not hold. Returns how many do.
unsigned control_rows(Experiments& experiments, const std::vector<Claim>& claims, const Selection& selection,
                      Json& rows) {
  unsigned failures = 0;
  std::string text = fmt::format("\nControls: where each claim must not hold\n{:<7} {:<14} {:>9} {:<6} {}\n",
                                 "id", "", "measured", "unit", "claim; control");
  for (std::size_t i = 0, row = 0; i < claims.size(); ++i) {
    const Claim& claim = claims[i];
    if (!selection.wants(claim.id)) continue;
    Json& own = rows[row++];
    if (!claim.control) continue;
    const Result result = measured(experiments, claim, claim.control->setup);
    const bool fails = result.value && std::string(claim.verdict(result.value)) == "falls short";
    failures += !fails;
    const char* verdict = fails ? "fails as must" : result.value ? "STILL HOLDS" : "NOT MEASURED";
    own["control"] = {
        {"what", claim.control->text}, {"measured", json_or_null(result.value)}, {"fails", fails}};
    text += fmt::format("{:<7} {:<14} {:>9} {:<6} {}; {}{}\n", claim.id, verdict, number(result.value),
                        claim.unit, claim.claim, claim.control->text,
                        fails || result.note.empty() ? "" : " (" + result.note + ")");
  }
  print(text);
  return failures;
}

void print_figure_11(const Json& figure) {
  print(
      "\nFigure 11: runtime as a share of the baseline's; what full-overlap saves, and of it what calls and "
      "driver cost\n");
  print(fmt::format("{:<13} {:>12} {:>14} {:>15} {:>13} {:>9} {:>9} {:>8}\n", "benchmark", "baseline us",
                    "overlap-start", "overlap-finish", "full-overlap", "saved us", "calls us", "overlap"));
  for (const Benchmark& benchmark : benchmarks()) {
    const Json& own = figure["benchmarks"][benchmark.name];
    const auto share = [&](const char* variant) {
      const Json value = own[variant].value("normalized", Json());
      return value.is_number() ? fmt::format("{:.3f}", value.get<double>()) : std::string("failed");
    };
    std::string split;
    if (figure.contains("split") && figure["split"].contains(benchmark.name) &&
        figure["split"][benchmark.name].contains("full-overlap")) {
      const Json& parts = figure["split"][benchmark.name]["full-overlap"];
      split = fmt::format("{:>9.1f} {:>9.1f} {:>8.1f}", parts["saved_us"].get<double>(),
                          parts["calls_and_driver_us"].get<double>(), parts["overlap_us"].get<double>());
    }
    print(fmt::format("{:<13} {:>12.1f} {:>14} {:>15} {:>13} {}\n", benchmark.name,
                      own["baseline"].value("runtime_us", 0.0), share("overlap-start"),
                      share("overlap-finish"), share("full-overlap"), split));
  }
  const auto mean = [&](const char* variant) {
    const Json& value = figure["mean"][variant];
    return value.is_number() ? fmt::format("{:.3f}", value.get<double>()) : std::string("-");
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

void print_section_7_1(const Json& figure) {
  print(
      "\nSection 7.1: baseline offload and one thread of the processor, us, its inputs just written, in its "
      "caches, or not;\nRV64 has no SIMD\n");
  print(fmt::format("{:<17} {:>9} {:>9} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "benchmark", "offload",
                    "of it", "", "calls and", "thread", "", "", "compiled", "offload is"));
  print(fmt::format("{:<17} {:>9} {:>9} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "", "", "kernels",
                    "copies", "driver", "written", "warm", "cold", "with -O0", "faster by"));
  for (const auto& [name, own] : figure.items()) {
    const Json& thread = own["processor_us"]["-O2"];
    const auto us = [](const Json& value) { return fmt::format("{:.1f}", value.get<double>()); };
    const bool has_plain = own["processor_us"].contains("-O0");
    print(fmt::format("{:<17} {:>9} {:>9} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9.2f}\n", name,
                      us(own["gpu_us"]), us(own["kernels_us"]), us(own["copies_us"]),
                      us(own["calls_and_driver_us"]), us(thread["fresh"]), us(thread["warm"]),
                      us(thread["cold"]),
                      has_plain ? us(own["processor_us"]["-O0"]["fresh"]) : std::string("-"),
                      thread["fresh"].get<double>() / own["gpu_us"].get<double>()));
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
Json choice_rows(Experiments& experiments) {
  Json rows = Json::array();
  const Setup base = experiments.base();
  const Grid values = run_grid(experiments, "choices, the values", base);
  std::vector<Grid> others;
  for (const Choice& choice : experiments.choices()) {
    Setup other = base;
    other.choice = choice.id;
    others.push_back(run_grid(experiments, "choice " + choice.id, other));
  }
  print(
      "\nChoices that the paper leaves open: full-overlap's mean and best gain in %, the largest normalized "
      "runtime of\n"
      "any variant, and how many of the 28 runs fail\n");
  print(fmt::format("  {:<12} {:>6} {:>6} {:>7} {:>7}\n", "", "mean", "best", "worst", "failed"));
  for (std::size_t i = 0; i < others.size(); ++i) {
    const Choice& choice = experiments.choices()[i];
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

}  // namespace

int run(const config::Installation& installation, const Options& options) {
  if (options.paper != "lustig2013")
    throw Error(fmt::format("no experiments for '{}': this version reproduces lustig2013", options.paper));
  const std::string folder = installation.experiments_directory + "/" + options.paper;
  const std::vector<Claim> claims = read_claims(folder + "/claims.toml");
  const std::vector<Choice> known_choices = read_choices(folder + "/choices.toml");
  check(claims, known_choices, folder + "/claims.toml");
  const Selection selection(options.only, claims);
  if (options.list) {
    std::string last;
    for (const Claim& claim : claims)
      if (std::exchange(last, claim.id) != claim.id) print(claim.id + "\n");
    return 0;
  }
  Experiments experiments(installation, options, known_choices);
  experiments.check_machine();

  Json figures = Json::object(), choices = Json::array();
  if (options.quick) print("quick: smaller inputs than the paper's, except where a claim names its sizes\n");
  Json rows = claim_rows(experiments, claims, selection, figures);
  if (figures.contains("11")) print_figure_11(figures["11"]);
  if (figures.contains("12")) print_figure_12(figures["12"]);
  if (figures.contains("7.1")) print_section_7_1(figures["7.1"]);
  const unsigned without_effect = options.controls ? control_rows(experiments, claims, selection, rows) : 0;
  if (selection.wants(kChoices)) choices = choice_rows(experiments);

  if (!options.json.empty()) {
    std::ofstream file(options.json);
    file << Json{{"paper", options.paper}, {"machine", experiments.base().machine},
                 {"quick", options.quick}, {"rows", rows},
                 {"choices", choices},     {"figures", figures}}
                .dump(1)
         << "\n";
    if (!file.flush()) throw Error(fmt::format("cannot write {}", options.json));
  }
  if (without_effect == 0) return 0;
  std::fputs(fmt::format("duet: {} controls do not fail as they must\n", without_effect).c_str(), stderr);
  return 1;
}

}  // namespace duet::reproduce
