// dashti2017: its experiments by name, and the figures and choices for `duet reproduce`.
#include <fmt/format.h>

#include <cstdio>

#include "reproduce/dashti2017/figures.h"

namespace duet::reproduce {

using Json = nlohmann::ordered_json;

namespace dashti2017 {

namespace {

const Experiment kExperiments[] = {
    {"table 1", measure_table_1, false, false},
    {"figure 3", measure_figure_3, false, true},
    {"figure 4", measure_figure_4, false, true, true},
    {"figure 5", measure_figure_5, false, true},
    {"figure 6", measure_figure_6, false, true},
    {"figure 7", measure_figure_7, false, true, true},
    {"figure 7, programs", measure_figure_7_programs, false, true, true},
    {"figure 9", measure_figure_9, false, true},
    {"figure 11", measure_figure_11, false, true, false, "kaveri"},
    {"figure 12", measure_figure_12, false, true, false, "kaveri"},
    {"figure 13", measure_figure_13, false, true, false, "kaveri"},
    {"table 2", measure_table_2, false, true, false, "kaveri"},
    {"figure 15", measure_figure_15, false, true, true, "kaveri"},
    {"copy", measure_copy, false, false},
};

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

std::string number(const Json& value) {
  return value.is_number() ? fmt::format("{:.4g}", value.get<double>()) : std::string("failed");
}

void print_figures(const Json& figures) {
  if (figures.contains("3")) {
    print("\nFigure 3: GB/s by the size of the array\n");
    print(fmt::format("{:<5} {:<7} {:>10} {:>10} {:>10}\n", "by", "access", "bytes", "default", "hostalloc"));
    const Json& points = figures["3"];
    for (std::size_t i = 0; i + 1 < points.size(); i += 2)
      print(fmt::format("{:<5} {:<7} {:>10} {:>10} {:>10}\n", points[i]["by"].get<std::string>(),
                        points[i]["access"].get<std::string>(), points[i]["bytes"].get<std::uint64_t>(),
                        number(points[i]["gb_per_s"]), number(points[i + 1]["gb_per_s"])));
  }
  if (figures.contains("4")) {
    print("\nFigure 4: us of the kernels and of the whole run, and over default\n");
    print(fmt::format("{:<15} {:<16} {:>9} {:>6} {:>9} {:>6}\n", "program", "method", "kernels", "", "whole",
                      ""));
    for (const Json& point : figures["4"])
      print(fmt::format("{:<15} {:<16} {:>9} {:>6} {:>9} {:>6}\n", point["program"].get<std::string>(),
                        point["method"].get<std::string>(), number(point["kernel_us"]),
                        number(point["kernel_over_default"]), number(point["whole_us"]),
                        number(point["whole_over_default"])));
  }
  if (figures.contains("5")) {
    print("\nFigure 5: us of a kernel whose threads increment entries eight times\n");
    print(fmt::format("{:<10} {:<6} {:>6} {:>8} {:>10}\n", "method", "index", "entry", "threads", "us"));
    for (const Json& point : figures["5"])
      print(fmt::format("{:<10} {:<6} {:>6} {:>8} {:>10}\n", point["method"].get<std::string>(),
                        point["index"].get<std::string>(), point["entry_bytes"].get<int>(),
                        point["threads"].get<unsigned>(), number(point["us"])));
  }
  if (figures.contains("7")) {
    print("\nFigure 7: us of the rounds\n");
    for (const Json& point : figures["7"])
      print(fmt::format("{:<12} {:>12}\n", point["method"].get<std::string>(), number(point["us"])));
  }
  if (figures.contains("11")) {
    print("\nFigure 11: GB/s of the GPU's writes, launches included, by the size of the array\n");
    for (const Json& point : figures["11"])
      print(fmt::format("{:<10} {:>10} {:>10}\n", point["method"].get<std::string>(),
                        point["bytes"].get<std::uint64_t>(), number(point["gb_per_s"])));
  }
  if (figures.contains("12")) {
    print("\nFigure 12: us of a kernel whose work-items write one word\n");
    for (const Json& point : figures["12"])
      print(fmt::format("{:<10} {:>8} {:>10}\n", point["method"].get<std::string>(),
                        point["threads"].get<unsigned>(), number(point["us"])));
  }
  if (figures.contains("13")) {
    print("\nFigures 13 and 14: us of a kernel that increments entries of an array\n");
    print(fmt::format("{:<10} {:>6} {:>6} {:>10}\n", "method", "every", "entry", "us"));
    for (const Json& point : figures["13"])
      print(fmt::format("{:<10} {:>6} {:>6} {:>10}\n", point["method"].get<std::string>(),
                        point["every"].get<unsigned>(), point["entry_bytes"].get<unsigned>(),
                        number(point["us"])));
  }
  if (figures.contains("table 2")) {
    print("\nTable 2: the processor's loads and interrupts a second\n");
    for (const Json& point : figures["table 2"])
      print(fmt::format("{:<10} {:>10} {:>10}\n", point["method"].get<std::string>(),
                        number(point["loads_per_s"]), number(point["interrupts_per_s"])));
  }
  if (figures.contains("15")) {
    print("\nFigure 15: us of the kernels and of the whole run, start-up included\n");
    print(fmt::format("{:<14} {:<10} {:>10} {:>10}\n", "program", "method", "kernels", "whole"));
    for (const Json& point : figures["15"])
      print(fmt::format("{:<14} {:<10} {:>10} {:>10}\n", point["program"].get<std::string>(),
                        point["method"].get<std::string>(), number(point["kernels_us"]),
                        number(point["whole_us"])));
  }
  if (figures.contains("7, programs")) {
    print("\nFigure 7, programs: us\n");
    for (const Json& point : figures["7, programs"])
      print(fmt::format("{:<10} {:<12} {:>12}\n", point["program"].get<std::string>(),
                        point["method"].get<std::string>(), number(point["us"])));
  }
}

std::vector<const char*> experiments_of(const Choice& choice) {
  for (const std::string& name : choice.benchmarks) {
    if (name == "kaveri/bandwidth") return {"figure 11", "table 2"};
    if (name.starts_with("kaveri/")) return {"figure 15"};
  }
  return {"figure 3", "figure 4", "figure 5", "figure 7"};
}

// What each side of a choice makes of the claims that it concerns.
Json choice_rows(Experiments& experiments, const std::vector<Choice>& asked) {
  Json rows = Json::array();
  print("\nChoices that the paper leaves open\n");
  for (const Choice& choice : asked) {
    Json row = {{"id", choice.id}, {"question", choice.question}, {"reason", choice.reason}};
    print(fmt::format("{}: {}\n", choice.id, choice.question));
    Setup other;
    other.choice = choice.id;
    for (const auto& [name, setup, side] : {std::tuple("value", Setup(), &choice.value),
                                            std::tuple("alternative", other, &choice.alternative)}) {
      Json values;
      std::string text;
      for (const char* experiment : experiments_of(choice))
        for (const auto& [quantity, value] : experiments.measure(experiment, setup).values) {
          values[experiment][quantity] = value;
          text += fmt::format("    {:<10} {:<26} {:>9.4g}\n", experiment, quantity, value);
        }
      row[name] = {{"side", side->text}, {"values", std::move(values)}};
      print(fmt::format("  {}: {}\n{}", name, side->text, text));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace
}  // namespace dashti2017

const Paper kDashti2017 = {"dashti2017", "tk1", dashti2017::kExperiments, dashti2017::print_figures,
                           dashti2017::choice_rows};

}  // namespace duet::reproduce
