// `duet reproduce PAPER`: runs the experiment behind each claim and compares; with --controls again where the
// claim must not hold. Claims, controls and choices stand in experiments/PAPER, how they are measured in a
// folder a paper.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "report/pages/page.h"
#include "reproduce/experiments.h"
#include "reproduce/reproduce.h"

namespace duet::reproduce {

using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kChoices = "choices";  // for --only: all of them

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

class Selection {
 public:
  Selection(const Options& options, const std::vector<Claim>& claims, const std::vector<Choice>& choices)
      : only_(options.only) {
    for (const std::string& id : only_) {
      const auto is = [&](const auto& one) { return id == one.id; };
      if (id != kChoices && std::none_of(claims.begin(), claims.end(), is) &&
          std::none_of(choices.begin(), choices.end(), is))
        throw Error(fmt::format("{} has no claim or choice '{}'", options.paper, id));
    }
  }
  bool wants(const std::string& id) const { return only_.empty() || names(id); }
  std::vector<Choice> of(const std::vector<Choice>& choices) const {
    std::vector<Choice> asked;
    for (const Choice& choice : choices)
      if (wants(choice.id) || names(kChoices)) asked.push_back(choice);
    return asked;
  }

 private:
  bool names(const std::string& id) const { return std::find(only_.begin(), only_.end(), id) != only_.end(); }

  const Strings& only_;
};

std::string number(std::optional<double> value) { return value ? fmt::format("{:.4g}", *value) : "-"; }

// Names of experiments and choices: a wrong one would measure nothing, or nothing new.
void check(const Paper& paper, const std::vector<Claim>& claims, const std::vector<Choice>& choices,
           const std::string& path) {
  for (const Claim& claim : claims) {
    if (claim.experiment.empty()) continue;
    if (paper.experiment(claim.experiment) == nullptr)
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
// An end of a band; infinity: it has none.
Json end_or_null(double end) { return std::isfinite(end) ? Json(end) : Json(); }

const char* kind_of(const Claim& claim) { return claim.input ? "input" : "outcome"; }

Json row_of(const Claim& claim, std::optional<double> measured, const std::string& note) {
  Json row = {{"id", claim.id},
              {"claim", claim.claim},
              {"kind", kind_of(claim)},
              {"paper", json_or_null(claim.paper)},
              {"unit", claim.unit},
              {"measured", json_or_null(measured)},
              {"verdict", claim.verdict(measured)},
              {"note", note}};
  if (!claim.experiment.empty())
    row.update({{"experiment", claim.experiment},
                {"quantity", claim.quantity},
                {"low", end_or_null(claim.low)},
                {"high", end_or_null(claim.high)}});
  return row;
}

// "outcomes: 60 of 66 hold; inputs read back: 15 of 15"
std::string counts_of(const Json& rows) {
  const auto held_of = [&](const char* kind) {
    unsigned all = 0, held = 0;
    for (const Json& row : rows) {
      if (row.at("kind") != kind) continue;
      ++all;
      held += row.at("verdict") == "holds";
    }
    return fmt::format("{} of {}", held, all);
  };
  return fmt::format("outcomes: {} hold; inputs read back: {}\n", held_of("outcome"), held_of("input"));
}

Json claim_rows(const Paper& paper, Experiments& experiments, const std::vector<Claim>& claims,
                const Selection& selection, Json& figures) {
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
      if (quick && result.value && paper.experiment(claim.experiment)->scales) add("small inputs");
      if (claim.on.sets.empty() && claim.on.options.empty() && claim.on.preexec.empty() &&
          claim.on.choice.empty())
        if (const Json& own = experiments.measure(claim.experiment, claim.on).figures; own.is_object())
          figures.update(own, true);
    }
    const char* verdict = claim.verdict(result.value);
    rows.push_back(row_of(claim, result.value, note));
    text += fmt::format("{:<7} {:<11} {:>8} {:>9} {:<6} {}{}\n", claim.id, verdict, number(claim.paper),
                        number(result.value), claim.unit, claim.claim, note.empty() ? "" : " (" + note + ")");
  }
  print(text + counts_of(rows));
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

// A scorecard of an earlier Duet has rows without a kind.
void add_kinds(Json& score, const std::vector<Claim>& claims) {
  for (Json& row : score.at("rows"))
    for (const Claim& claim : claims)
      if (row.is_object() && !row.contains("kind") && row.value("id", Json()) == claim.id &&
          row.value("claim", Json()) == claim.claim)
        row["kind"] = kind_of(claim);
}

void write_score_page(const std::string& path, const std::string& html_template, const Json& score) {
  Json page = {{"kind", "reproduce"}};
  page.update(score);
  report::write_page(path, html_template, page.dump(-1, ' ', false, Json::error_handler_t::replace));
}

// Said before anything is measured.
std::string template_of_page(const config::Installation& installation, const Options& options) {
  if (options.html.empty()) return "";
  const std::filesystem::path folder = std::filesystem::path(options.html).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder))
    throw Error(fmt::format("--html: there is no folder {}", folder.string()));
  return report::page_template(installation.page_template);
}

// Makes the page of an existing scorecard.
int page_of(const config::Installation& installation, const Options& options,
            const std::vector<Claim>& claims) {
  if (options.html.empty()) throw Error("--from: say with --html where to write the page");
  const std::optional<std::string> text = read_file(options.from);
  if (!text) throw Error(fmt::format("--from: cannot read {}", options.from));
  Json score = Json::parse(*text, nullptr, false);
  if (!score.is_object() || !score.contains("rows") || score.value("paper", Json()) != options.paper)
    throw Error(
        fmt::format("--from: {} is no scorecard of {}: give a file that duet reproduce {} --json wrote",
                    options.from, options.paper, options.paper));
  add_kinds(score, claims);
  write_score_page(options.html, template_of_page(installation, options), score);
  return 0;
}

}  // namespace

int run(const config::Installation& installation, const Options& options) {
  const Paper& paper = paper_named(options.paper);
  const std::string folder = installation.experiments_directory + "/" + options.paper;
  const std::vector<Claim> claims = read_claims(folder + "/claims.toml");
  if (!options.from.empty()) return page_of(installation, options, claims);
  const std::vector<Choice> known_choices = read_choices(folder + "/choices.toml");
  check(paper, claims, known_choices, folder + "/claims.toml");
  const Selection selection(options, claims, known_choices);
  if (options.list) {
    Json ids = Json::array();
    for (const Claim& claim : claims)
      if (ids.empty() || ids.back() != claim.id) ids.push_back(claim.id);
    for (const Json& id : ids) print(id.get<std::string>() + "\n");
    if (options.write_json) options.write_json(ids.dump());
    return 0;
  }
  const std::string html_template = template_of_page(installation, options);
  Experiments experiments(paper, installation, options, known_choices);
  experiments.check_machine();

  Json figures = Json::object(), choices = Json::array();
  if (options.quick) print("quick: smaller inputs than the paper's, except where a claim names its sizes\n");
  Json rows = claim_rows(paper, experiments, claims, selection, figures);
  paper.print_figures(figures);
  const unsigned without_effect = options.controls ? control_rows(experiments, claims, selection, rows) : 0;
  if (const std::vector<Choice> asked = selection.of(known_choices); !asked.empty())
    choices = paper.choice_rows(experiments, asked);

  const Json score = {{"paper", options.paper}, {"machine", experiments.base().machine},
                      {"quick", options.quick}, {"rows", rows},
                      {"choices", choices},     {"figures", figures}};
  if (options.write_json) options.write_json(score.dump(1));
  if (!options.html.empty()) write_score_page(options.html, html_template, score);
  if (without_effect == 0) return 0;
  std::fputs(fmt::format("duet: {} controls do not fail as they must\n", without_effect).c_str(), stderr);
  return 1;
}

}  // namespace duet::reproduce
