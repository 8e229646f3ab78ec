#include "reproduce/lustig2013/offloads.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/fields.h"

namespace duet::reproduce {

using Json = nlohmann::ordered_json;

const std::vector<Benchmark>& benchmarks() {
  static const std::vector<Benchmark> kBenchmarks = {
      {"vectorAdd", {"--size", "8192"}},    {"matrixMul", {"--size", "32"}},
      {"histogram64", {"--size", "65536"}}, {"BlackScholes", {"--size", "8192"}},
      {"BFS", {"--size", "1024"}},          {"HotSpot", {"--size", "32"}},
      {"FIBLookup", {"--size", "512"}}};
  return kBenchmarks;
}

unsigned Grid::runs() const {
  unsigned count = 0;
  for (const auto& [benchmark, variants] : outcomes) count += static_cast<unsigned>(variants.size());
  return count;
}

unsigned Grid::failures() const {
  unsigned count = 0;
  for (const auto& [benchmark, variants] : outcomes)
    for (const auto& [variant, outcome] : variants) count += !outcome->right();
  return count;
}

std::string Grid::first_failure() const {
  for (const auto& [benchmark, variants] : outcomes)
    for (const auto& [variant, outcome] : variants)
      if (!outcome->right())
        return fmt::format("{}, {}: status {}, {}", benchmark, variant, outcome->status,
                           outcome->error_line());
  return {};
}

std::string Grid::failed() const {
  return fmt::format("{} of {} runs failed, first {}", failures(), runs(), first_failure());
}

std::optional<double> Grid::normalized(const std::string& benchmark, const std::string& variant) const {
  const Outcome& own = *outcomes.at(benchmark).at(variant);
  const Outcome& baseline = *outcomes.at(benchmark).at("baseline");
  if (!own.right() || !baseline.right() || baseline.runtime_us() <= 0) return std::nullopt;
  return own.runtime_us() / baseline.runtime_us();
}

std::optional<double> Grid::gain(const std::string& benchmark, const std::string& variant) const {
  const std::optional<double> runtime = normalized(benchmark, variant);
  return runtime ? std::optional(100 * (1 - *runtime)) : std::nullopt;
}

std::optional<double> Grid::mean_gain(const std::string& variant) const {
  double sum = 0;
  for (const auto& [benchmark, variants] : outcomes) {
    const std::optional<double> one = gain(benchmark, variant);
    if (!one) return std::nullopt;
    sum += *one;
  }
  return sum / static_cast<double>(outcomes.size());
}

std::optional<double> Grid::best_gain(const std::string& variant) const {
  std::optional<double> best;
  for (const auto& [benchmark, variants] : outcomes) {
    const std::optional<double> one = gain(benchmark, variant);
    if (!one) return std::nullopt;
    best = std::max(best.value_or(*one), *one);
  }
  return best;
}

std::optional<double> Grid::saved_us(const std::string& benchmark, const std::string& variant) const {
  if (!normalized(benchmark, variant)) return std::nullopt;
  return outcomes.at(benchmark).at("baseline")->runtime_us() -
         outcomes.at(benchmark).at(variant)->runtime_us();
}

double Grid::worst_normalized(std::string& where) const {
  double worst = 0;
  for (const auto& [benchmark, variants] : outcomes)
    for (const auto& [variant, outcome] : variants) {
      const std::optional<double> one = normalized(benchmark, variant);
      if (variant == "baseline" || !one || *one <= worst) continue;
      worst = *one;
      where = benchmark + ", " + variant;
    }
  return worst;
}

Json Grid::json() const {
  Json result;
  for (const Benchmark& benchmark : benchmarks())
    for (const char* variant : kVariants) {
      const Outcome& outcome = *outcomes.at(benchmark.name).at(variant);
      Json& cell = result[benchmark.name][variant];
      cell["status"] = outcome.status;
      if (!outcome.right()) {
        cell["error"] = outcome.error_line();
        continue;
      }
      cell["runtime_us"] = outcome.runtime_us();
      const std::optional<double> share = normalized(benchmark.name, variant);
      cell["normalized"] = share ? Json(*share) : Json();
    }
  return result;
}

Job job_of(Experiments& experiments, const Benchmark& benchmark, const std::string& variant,
           const Setup& setup) {
  Job job;
  job.source = std::string("lustig2013/") + benchmark.name;
  job.machine = setup.machine;
  job.arguments = {"--variant", variant};
  const auto append = [](Strings& to, const Strings& words) {
    to.insert(to.end(), words.begin(), words.end());
  };
  if (experiments.options().quick) append(job.arguments, benchmark.quick);
  for (const Choice& choice : experiments.choices()) {
    if (!choice.concerns(benchmark.name)) continue;
    const bool change = setup.choice == choice.id && !(choice.full_empty_only && variant == "baseline");
    const ChoiceSide& side = change ? choice.alternative : choice.value;
    append(job.arguments, side.options);
    append(job.sets, side.sets);
    append(job.defines, side.defines);
  }
  append(job.sets, setup.sets);
  append(job.arguments, setup.options);
  return job;
}

namespace {

std::vector<const Outcome*> run_all(Experiments& experiments, const std::string& title,
                                    const std::string& variant, const Setup& setup, bool check_races) {
  std::vector<Job> jobs;
  for (const Benchmark& benchmark : benchmarks()) {
    jobs.push_back(job_of(experiments, benchmark, variant, setup));
    jobs.back().check_races = check_races;
  }
  return experiments.runner().run(title, jobs);
}

// Every time of a call and of the driver is 0.
Strings free_calls() {
  Strings sets;
  config::Machine machine;
  for (const config::Field& field : config::fields_of(machine))
    if (field.key.starts_with("driver.") && std::string_view(field.unit) == "ns")
      sets.push_back(field.key + "=0");
  return sets;
}

// A variant's saving where calls and driver cost nothing is overlap; the rest is saved calls and driver time.
void split_gains(const Grid& grid, const Grid& free, Measurements& out) {
  double overlap_sum = 0;
  bool whole = true;
  for (const Benchmark& benchmark : benchmarks())
    for (const char* variant : kVariants) {
      const auto saved = grid.saved_us(benchmark.name, variant),
                 overlap = free.saved_us(benchmark.name, variant);
      if (std::string(variant) == "baseline") continue;
      whole &= saved && overlap;
      if (!saved || !overlap) continue;
      const double baseline = grid.outcomes.at(benchmark.name).at("baseline")->runtime_us();
      if (std::string(variant) == "full-overlap") overlap_sum += 100 * *overlap / baseline;
      out.figures["11"]["split"][benchmark.name][variant] = {
          {"saved_us", *saved}, {"calls_and_driver_us", *saved - *overlap}, {"overlap_us", *overlap}};
    }
  if (!whole) return;
  const double overlap = overlap_sum / static_cast<double>(benchmarks().size());
  out.notes["mean_gain"] = fmt::format("{:.1f} points are time of calls and driver, {:.1f} overlap",
                                       *grid.mean_gain("full-overlap") - overlap, overlap);
}

void timelines(const Grid& grid, Measurements& out) {
  for (const auto& [figure, variant] :
       {std::pair("3a", "baseline"), std::pair("3b", "full-overlap"), std::pair("6a", "overlap-start"),
        std::pair("6b", "overlap-finish")}) {
    const Outcome& outcome = *grid.outcomes.at("vectorAdd").at(variant);
    if (!outcome.right()) continue;
    double begin_ps = 0, ready_ps = 0;  // of the last offload: warm-ups come before
    for (const auto& mark : outcome.statistics["marks"]) {
      if (mark["name"] == "offload") begin_ps = mark["time_ps"].get<double>();
      if (mark["name"] == "data ready") ready_ps = mark["time_ps"].get<double>();
    }
    const auto at = [&](const nlohmann::json& command, const char* stage) {
      return (command[stage].get<double>() - ready_ps) / 1e6;
    };
    Json& timeline = out.figures[figure];
    timeline = {{"benchmark", "vectorAdd"},
                {"variant", variant},
                {"finish_us", outcome.runtime_us()},
                {"commands", Json::array()}};
    for (const char* group : {"copies", "kernels"})
      for (const auto& command : outcome.statistics[group]) {
        if (command["queued_ps"].get<double>() < begin_ps) continue;
        timeline["commands"].push_back({{"name", command.value("kind", command.value("name", ""))},
                                        {"stream", command["stream"]},
                                        {"queued_us", at(command, "queued_ps")},
                                        {"driver_us", at(command, "driver_start_ps")},
                                        {"start_us", at(command, "start_ps")},
                                        {"end_us", at(command, "end_ps")}});
      }
  }
}

}  // namespace

Grid run_grid(Experiments& experiments, const std::string& title, const Setup& setup,
              std::span<const char* const> variants) {
  std::vector<Job> jobs;
  for (const Benchmark& benchmark : benchmarks())
    for (const char* variant : variants) jobs.push_back(job_of(experiments, benchmark, variant, setup));
  const std::vector<const Outcome*> outcomes = experiments.runner().run(title, jobs);
  Grid result;
  std::size_t at = 0;
  for (const Benchmark& benchmark : benchmarks())
    for (const char* variant : variants) result.outcomes[benchmark.name][variant] = outcomes[at++];
  return result;
}

void measure_figure_11(Experiments& experiments, const Setup& setup, Measurements& out) {
  const Grid grid = run_grid(experiments, "L-F11, seven benchmarks in four variants", setup);
  const auto gain = [&](const char* benchmark, const char* variant) { return grid.gain(benchmark, variant); };
  const auto keep = [&](const char* quantity, std::optional<double> value) {
    out.keep(quantity, value, grid.failed());
  };
  out.values["wrong"] = grid.failures();
  out.notes["wrong"] = fmt::format("of {}", grid.runs());
  if (grid.failures() != 0) out.notes["wrong"] += ", first " + grid.first_failure();
  keep("mean_gain", grid.mean_gain("full-overlap"));
  keep("best_gain", grid.best_gain("full-overlap"));
  out.notes["worst_runtime"] = grid.failed();
  if (grid.failures() == 0) out.values["worst_runtime"] = grid.worst_normalized(out.notes["worst_runtime"]);
  const auto histogram = gain("histogram64", "full-overlap");
  for (const auto& [quantity, variant] : {std::pair("histogram_start_share", "overlap-start"),
                                          std::pair("histogram_finish_share", "overlap-finish")}) {
    const auto part = gain("histogram64", variant);
    keep(quantity,
         histogram && part && *histogram != 0 ? std::optional(100 * *part / *histogram) : std::nullopt);
  }
  const auto start = gain("matrixMul", "overlap-start"), finish = gain("matrixMul", "overlap-finish");
  keep("matrix_finish_lead", start && finish ? std::optional(*finish - *start) : std::nullopt);
  const auto full = gain("vectorAdd", "full-overlap"), one = gain("vectorAdd", "overlap-start"),
             two = gain("vectorAdd", "overlap-finish");
  keep("vector_full_lead", full && one && two ? std::optional(*full - std::max(*one, *two)) : std::nullopt);

  unsigned best = 0;
  std::string others;
  for (const Benchmark& benchmark : benchmarks()) {
    const auto all = gain(benchmark.name, "full-overlap");
    bool first = all.has_value();
    for (const char* variant : {"overlap-start", "overlap-finish"}) {
      const auto part = gain(benchmark.name, variant);
      first = first && part && *all >= *part;
    }
    best += first;
    if (!first) others += std::string(others.empty() ? "not in " : ", ") + benchmark.name;
  }
  out.values["full_best"] = best;
  out.notes["full_best"] = others;
  unsigned full_wrong = 0;
  for (const auto& [benchmark, variants] : grid.outcomes) full_wrong += !variants.at("full-overlap")->right();
  out.values["full_wrong"] = full_wrong;

  Json& figure = out.figures["11"];
  figure["benchmarks"] = grid.json();
  for (const char* variant : kVariants) {
    const auto mean = grid.mean_gain(variant);
    figure["mean"][variant] = mean ? Json(1 - *mean / 100) : Json();
  }
  timelines(grid, out);
  // A control asks for less: no split.
  if (setup.sets != experiments.base().sets || !setup.options.empty() || !setup.choice.empty()) return;
  Setup free = setup;
  const Strings sets = free_calls();
  free.sets.insert(free.sets.end(), sets.begin(), sets.end());
  split_gains(grid, run_grid(experiments, "L-F11, calls and driver free", free), out);
}

void measure_figure_12(Experiments& experiments, const Setup& setup, Measurements& out) {
  std::vector<Job> jobs;
  std::vector<unsigned> sizes;
  for (unsigned size = 8192; size <= 262144; size *= 2) {
    sizes.push_back(size);
    for (const char* variant : kVariants) {
      jobs.push_back(job_of(experiments, benchmarks().front(), variant, setup));
      jobs.back().arguments.insert(jobs.back().arguments.end(), {"--size", std::to_string(size)});
    }
  }
  const std::vector<const Outcome*> outcomes = experiments.runner().run("L-F12, vectorAdd by size", jobs);
  Json& figure = out.figures["12"];
  figure["elements"] = sizes;
  unsigned wrong = 0;
  std::map<std::pair<unsigned, std::string>, double> runtimes_us;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const char* variant = kVariants[i % std::size(kVariants)];
    wrong += !outcomes[i]->right();
    runtimes_us[{sizes[i / std::size(kVariants)], variant}] = outcomes[i]->runtime_us();
    figure["runtime_us"][variant].push_back(outcomes[i]->runtime_us());
  }
  out.values["sizes_wrong"] = wrong;
  out.notes["sizes_wrong"] = fmt::format("of {}, vectorAdd at {} sizes", outcomes.size(), sizes.size());
  const auto per_element = [&](unsigned size, const char* variant) {
    return 1000 * runtimes_us[{size, variant}] / size;
  };
  out.notes["break_even"] = fmt::format(
      "the break-evens hold for a CPU of {:.2f} ns an element at 128K (baseline) and {:.2f} ns at 32K "
      "(full-overlap)",
      per_element(131072, "baseline"), per_element(32768, "full-overlap"));
}

void measure_launched_early(Experiments& experiments, const Setup& setup, Measurements& out) {
  unsigned right = 0, wrong = 0, named = 0, races = 0, deadlocks = 0;
  for (const Outcome* outcome :
       run_all(experiments, "L-safe, L-hol, launched early", "overlap-start", setup, true)) {
    right += outcome->right();
    wrong += outcome->mismatch();
    deadlocks += outcome->deadlock();
    if (!outcome->statistics.contains("races")) continue;
    const auto& found = outcome->statistics["races"];
    races += !found.empty();
    named += std::any_of(found.begin(), found.end(), [](const nlohmann::json& race) {
      return race["kind"] == "read_too_early" && race["reader"]["kernel"] == true &&
             race["writer"]["name"] == "copy host to device";
    });
  }
  out.values["right"] = right;
  out.values["mismatches"] = wrong;
  out.values["named"] = named;
  out.values["races"] = races;
  out.values["deadlocks"] = deadlocks;
}

void measure_miss_registers(Experiments& experiments, const Setup& setup, Measurements& out) {
  const Grid grid = run_grid(experiments, "L-mshr", setup);
  out.values["mshr_wrong"] = grid.failures();
  const Outcome& early = *grid.outcomes.at("vectorAdd").at("overlap-start");
  const auto waiting = early.at_mark("data ready", "full_empty.waiting"),
             held = early.at_mark("data ready", "l1.registers_held"),
             held_up = early.at_mark("data ready", "l1.held_up");
  if (!waiting || !held || !held_up) {
    out.notes[""] = "vectorAdd, overlap-start: " + early.error_line();
    return;
  }
  const config::Machine machine = experiments.resolved(setup);
  const auto sms = static_cast<double>(machine.gpu.sm.count),
             registers = sms * static_cast<double>(machine.gpu.l1.mshrs);
  out.values["waiting_per_register"] = *held == 0 ? 0 : *waiting / *held;
  out.values["registers_held"] = *held / sms;
  out.values["caches_held_up"] = 100 * *held_up / sms;
  out.notes["waiting_per_register"] = fmt::format("{} reads, {} registers of {}", *waiting, *held, registers);
}

void measure_integrated(Experiments& experiments, const Setup& setup, Measurements& out) {
  const Grid grid = run_grid(experiments, "L-int, " + setup.machine, setup);
  out.keep("integrated_mean_gain", grid.mean_gain("full-overlap"), grid.failed());
  out.notes["integrated_worst_runtime"] = grid.failed();
  if (grid.failures() == 0)
    out.values["integrated_worst_runtime"] = grid.worst_normalized(out.notes["integrated_worst_runtime"]);
  out.figures["integrated"] = grid.json();
}

}  // namespace duet::reproduce
