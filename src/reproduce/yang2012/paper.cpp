// yang2012: its experiments by name, and the figures and choices for `duet reproduce`.
#include <fmt/format.h>

#include <cstdio>

#include "reproduce/yang2012/figures.h"
#include "reproduce/yang2012/grid.h"

namespace duet::reproduce {

using Json = nlohmann::ordered_json;

namespace yang2012 {
namespace {

const Experiment kExperiments[] = {
    {"figure 4", measure_figure_4, false, true},
    {"figure 6", measure_figure_6, false, true},
    {"figure 10", measure_figure_10, false, true, true},
    {"figure 10, profiled", measure_figure_10_profiled, false, true},
    {"perfect L3", measure_perfect_l3, false, true, true},
    {"partition conflicts", measure_partition_conflicts, false, true},
    {"figure 14", measure_figure_14, false, true},
    {"figure 15", measure_figure_15, false, true},
    {"figure 16", measure_figure_16, false, true},
    {"figure 17", measure_figure_17, false, true},
    {"figure 18", measure_figure_18, false, true},
    {"stride prefetcher", measure_stride_prefetcher, false, true},
    {"table 1", measure_table_1, false, false},
    {"algorithm", measure_algorithm, false, false},
};

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

std::string shown(const Json& of, const char* key) {
  return of.contains(key) && of[key].is_number() ? fmt::format("{:.1f}", of[key].get<double>())
                                                 : std::string("-");
}

void print_figures(const Json& figures) {
  if (!figures.contains("10")) return;
  print(
      "\nFigures 10 to 13: thread instructions a cycle, what pre-execution and a perfect L3 gain, reads of "
      "the "
      "GPU that hit L3,\nlines that the core brought and the GPU used, the core's instructions, in %\n");
  print(fmt::format("{:<6} {:>8} {:>9} {:>9} {:>6} {:>8} {:>7} {:>9} {:>6} {:>13}\n", "", "no-preex",
                    "adaptive", "profiled", "factor", "perfect", "L3 off", "adaptive", "used",
                    "instructions"));
  for (const Benchmark& one : benchmarks()) {
    const Json& own = figures["10"][one.name];
    const auto of = [&](const char* figure) {
      return figures.contains(figure) && figures[figure].contains(one.name) ? figures[figure][one.name]
                                                                            : Json();
    };
    print(fmt::format("{:<6} {:>8} {:>9} {:>9} {:>6} {:>8} {:>7} {:>9} {:>6} {:>13}\n", one.name,
                      own.contains("no-preex") ? shown(own["no-preex"], "ipc") : std::string("-"),
                      shown(own, "adaptive_gain_percent"), shown(own, "profiled_gain_percent"),
                      own.contains("skip_factor") ? own["skip_factor"].dump() : std::string("-"),
                      shown(own, "perfect_gain_percent"), shown(of("11"), "no-preex"),
                      shown(of("11"), "adaptive"), shown(of("12"), "accuracy_percent"),
                      of("13").is_object() && of("13")["adaptive"].is_number()
                          ? fmt::format("{:.2f}", of("13")["adaptive"].get<double>())
                          : std::string("-")));
  }
}

struct Side {
  std::optional<double> mean;
  Json json;
  std::string text;
};

Side side_of(Experiments& experiments, const Choice& choice, const ChoiceSide& side, const Setup& setup) {
  const std::string title = "choice " + choice.id;
  const Points off = run(experiments, title + ", no pre-execution", kOff, setup),
               on = run(experiments, title + ", adaptive", kAdaptive, setup);
  Side result{mean_gain(on, off), {{"side", side.text}}, {}};
  result.json["mean_gain_percent"] = result.mean ? Json(*result.mean) : Json();
  if (!result.mean) result.json["error"] = failed({&off, &on});
  for (const Benchmark& one : benchmarks()) {
    const auto own = gain(on.at(one.name), off.at(one.name));
    result.json["benchmarks"][one.name] = own ? Json(*own) : Json();
    if (choice.concerns(one.name))
      result.text += own ? fmt::format(" {:>6.1f}", *own) : fmt::format(" {:>6}", "failed");
    else
      result.text += fmt::format(" {:>6}", "");
  }
  return result;
}

Json choice_rows(Experiments& experiments, const std::vector<Choice>& asked) {
  Json rows = Json::array();
  std::string text =
      "\nChoices that the paper leaves open: adaptive pre-execution's gain in %, the mean of nine and each\n";
  text += fmt::format("  {:<12} {:>6}", "", "mean");
  for (const Benchmark& one : benchmarks()) text += fmt::format(" {:>6}", one.name);
  text += "\n";
  for (const Choice& choice : asked) {
    Setup other = experiments.base();
    other.choice = choice.id;
    const Side value = side_of(experiments, choice, choice.value, experiments.base()),
               alternative = side_of(experiments, choice, choice.alternative, other);
    text += fmt::format("{}: {}\n", choice.id, choice.question);
    for (const auto& [name, side, words] : {std::tuple("value", &value, &choice.value),
                                            std::tuple("alternative", &alternative, &choice.alternative)})
      text += fmt::format("  {:<12} {:>6}{}  {}\n", name,
                          side->mean ? fmt::format("{:.1f}", *side->mean) : std::string("-"), side->text,
                          words->text);
    rows.push_back({{"id", choice.id},
                    {"question", choice.question},
                    {"reason", choice.reason},
                    {"value", value.json},
                    {"alternative", alternative.json}});
  }
  print(text);
  return rows;
}

}  // namespace
}  // namespace yang2012

const Paper kYang2012 = {"yang2012", "fused-2012", yang2012::kExperiments, yang2012::print_figures,
                         yang2012::choice_rows};

}  // namespace duet::reproduce
