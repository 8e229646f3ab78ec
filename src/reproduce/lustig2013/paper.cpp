// lustig2013: its experiments by name, and the figures and choices for `duet reproduce`.
#include <fmt/format.h>

#include <cstdio>

#include "reproduce/experiments.h"
#include "reproduce/lustig2013/extensions.h"
#include "reproduce/lustig2013/latencies.h"
#include "reproduce/lustig2013/offloads.h"
#include "reproduce/lustig2013/processors.h"

namespace duet::reproduce {

using Json = nlohmann::ordered_json;

namespace {

const Experiment kExperiments[] = {
    {"latencies", measure_latencies, false, false},
    {"figure 1", measure_figure_1, false, true},
    {"figure 2", measure_figure_2, false, false},
    {"figure 8", measure_figure_8, false, false},
    {"figure 9", measure_figure_9, false, false},
    {"granule", measure_granule, true, false},
    {"figure 11", measure_figure_11, true, true},
    {"figure 12", measure_figure_12, true, true},
    {"break-even", measure_break_even, true, true},
    {"section 7.1", measure_section_7_1, false, true},
    {"launched early", measure_launched_early, true, true},
    {"miss registers", measure_miss_registers, true, true},
    {"integrated", measure_integrated, true, true},
    {"granularity of tracking", measure_granularity_of_tracking, true, true},
    {"granularity of transmission", measure_granularity_of_transmission, true, true},
    {"look-ahead", measure_look_ahead, true, true},
    {"refusals", measure_refusals, true, true},
    {"region", measure_region, true, true},
    {"counter bits", measure_counter_bits, true, true},
    {"emptied at kernel end", measure_kernel_end, true, true},
    {"override set", measure_override_set, true, true},
    {"override release", measure_override_release, true, true},
    {"ring", measure_ring, true, true},
    {"array", measure_array, true, true},
};

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

std::string number(std::optional<double> value) { return value ? fmt::format("{:.4g}", *value) : "-"; }

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

void print_figures(const Json& figures) {
  if (figures.contains("11")) print_figure_11(figures["11"]);
  if (figures.contains("12")) print_figure_12(figures["12"]);
  if (figures.contains("7.1")) print_section_7_1(figures["7.1"]);
}

// Both sides of each choice: the values together, and each alternative with all other values.
Json choice_rows(Experiments& experiments, const std::vector<Choice>& asked) {
  Json rows = Json::array();
  const Setup base = experiments.base();
  const Grid values = run_grid(experiments, "choices, the values", base);
  std::vector<Grid> others;
  for (const Choice& choice : asked) {
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
    const Choice& choice = asked[i];
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

const Paper kLustig2013 = {"lustig2013", "gtx580", kExperiments, print_figures, choice_rows};

}  // namespace duet::reproduce
