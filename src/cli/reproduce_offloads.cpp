#include "cli/reproduce_offloads.h"

#include <fmt/format.h>

#include <algorithm>

namespace duet::cli {

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
                           outcome->error.substr(0, 200));
  return {};
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
        cell["error"] = outcome.error;
        continue;
      }
      cell["runtime_us"] = outcome.runtime_us();
      const std::optional<double> share = normalized(benchmark.name, variant);
      cell["normalized"] = share ? Json(*share) : Json();
    }
  return result;
}

Job Offloads::job(const Benchmark& benchmark, const std::string& variant, const Choice* other,
                  const std::string& machine) const {
  Job job;
  job.source = std::string("lustig2013/") + benchmark.name;
  job.machine = machine;
  job.arguments = {"--variant", variant};
  if (options_.quick)
    job.arguments.insert(job.arguments.end(), benchmark.quick.begin(), benchmark.quick.end());
  for (const Choice& choice : choices_) {
    if (!choice.concerns(benchmark.name)) continue;
    const bool change = other == &choice && !(choice.full_empty_only && variant == "baseline");
    const ChoiceSide& side = change ? choice.alternative : choice.value;
    job.arguments.insert(job.arguments.end(), side.options.begin(), side.options.end());
    job.sets.insert(job.sets.end(), side.sets.begin(), side.sets.end());
    job.defines.insert(job.defines.end(), side.defines.begin(), side.defines.end());
  }
  job.sets.insert(job.sets.end(), options_.sets.begin(), options_.sets.end());
  return job;
}

Grid Offloads::grid(const std::string& title, const Choice* other, const std::string& machine,
                    const std::vector<std::string>& sets, const std::vector<std::string>& arguments,
                    std::span<const char* const> variants) {
  std::vector<Job> jobs;
  for (const Benchmark& benchmark : benchmarks())
    for (const char* variant : variants) {
      jobs.push_back(job(benchmark, variant, other, machine.empty() ? machine_ : machine));
      jobs.back().sets.insert(jobs.back().sets.end(), sets.begin(), sets.end());
      jobs.back().arguments.insert(jobs.back().arguments.end(), arguments.begin(), arguments.end());
    }
  const std::vector<const Outcome*> outcomes = runner_.run(title, jobs);
  Grid result;
  std::size_t at = 0;
  for (const Benchmark& benchmark : benchmarks())
    for (const char* variant : variants) result.outcomes[benchmark.name][variant] = outcomes[at++];
  return result;
}

std::vector<const Outcome*> Offloads::run_all(const std::string& title, const std::string& variant,
                                              const std::vector<std::string>& sets,
                                              const std::vector<std::string>& arguments, bool check_races) {
  std::vector<Job> jobs;
  for (const Benchmark& benchmark : benchmarks()) {
    jobs.push_back(job(benchmark, variant, nullptr, machine_));
    jobs.back().check_races = check_races;
    jobs.back().sets.insert(jobs.back().sets.end(), sets.begin(), sets.end());
    jobs.back().arguments.insert(jobs.back().arguments.end(), arguments.begin(), arguments.end());
  }
  return runner_.run(title, jobs);
}

void Offloads::figure_11(const Grid& grid, Measurements& out) const {
  const auto keep = [&](const char* quantity, std::optional<double> value) {
    if (value)
      out.values[quantity] = *value;
    else
      out.notes[quantity] =
          fmt::format("{} of {} runs failed, first {}", grid.failures(), grid.runs(), grid.first_failure());
  };
  keep("mean_gain", grid.mean_gain("full-overlap"));
  keep("best_gain", grid.best_gain("full-overlap"));
  if (grid.failures() == 0) out.values["worst_runtime"] = grid.worst_normalized(out.notes["worst_runtime"]);
  const auto gain = [&](const char* benchmark, const char* variant) { return grid.gain(benchmark, variant); };
  const auto histogram = gain("histogram64", "full-overlap");
  for (const auto& [quantity, variant] : {std::pair("histogram_start_share", "overlap-start"),
                                          std::pair("histogram_finish_share", "overlap-finish")}) {
    const auto part = gain("histogram64", variant);
    if (histogram && part && *histogram != 0) out.values[quantity] = 100 * *part / *histogram;
  }
  const auto start = gain("matrixMul", "overlap-start"), finish = gain("matrixMul", "overlap-finish");
  if (start && finish) out.values["matrix_finish_lead"] = *finish - *start;
  const auto full = gain("vectorAdd", "full-overlap"), one = gain("vectorAdd", "overlap-start"),
             two = gain("vectorAdd", "overlap-finish");
  if (full && one && two) out.values["vector_full_lead"] = *full - std::max(*one, *two);

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
  Json& figure = out.figures["11"];
  figure["benchmarks"] = grid.json();
  for (const char* variant : kVariants) {
    const auto mean = grid.mean_gain(variant);
    figure["mean"][variant] = mean ? Json(1 - *mean / 100) : Json();
  }
}

void Offloads::figures_3_and_6(const Grid& grid, Measurements& out) const {
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

void Offloads::figure_12_and_table_3(const Grid& grid, Measurements& out) {
  std::vector<Job> jobs;
  std::vector<unsigned> sizes;
  for (unsigned size = 8192; size <= 262144; size *= 2) {
    sizes.push_back(size);
    for (const char* variant : kVariants) {
      jobs.push_back(job(benchmarks().front(), variant, nullptr, machine_));
      jobs.back().arguments.insert(jobs.back().arguments.end(), {"--size", std::to_string(size)});
    }
  }
  const std::vector<const Outcome*> outcomes = runner_.run("L-F12, vectorAdd by size", jobs);
  Json& figure = out.figures["12"];
  figure["elements"] = sizes;
  unsigned wrong = grid.failures();
  std::map<std::pair<unsigned, std::string>, double> runtimes_us;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const char* variant = kVariants[i % std::size(kVariants)];
    wrong += !outcomes[i]->right();
    runtimes_us[{sizes[i / std::size(kVariants)], variant}] = outcomes[i]->runtime_us();
    figure["runtime_us"][variant].push_back(outcomes[i]->runtime_us());
  }
  out.values["table_wrong"] = wrong;
  out.notes["table_wrong"] =
      fmt::format("of {}, vectorAdd at {} sizes among them", grid.runs() + outcomes.size(), sizes.size());
  const auto per_element = [&](unsigned size, const char* variant) {
    return 1000 * runtimes_us[{size, variant}] / size;
  };
  out.notes["L-F12"] = fmt::format(
      "the break-evens hold for a CPU of {:.2f} ns an element at 128K (baseline) and {:.2f} ns at 32K "
      "(full-overlap)",
      per_element(131072, "baseline"), per_element(32768, "full-overlap"));
}

void Offloads::safety(Measurements& out) {
  unsigned right = 0, wrong = 0, named = 0, races = 0;
  for (const Outcome* outcome : run_all("L-safe, with bits", "overlap-start", {}, {}, true)) {
    right += outcome->right();
    races += !outcome->statistics.contains("races") || !outcome->statistics["races"].empty();
  }
  // A wrong element ends a benchmark with 1; anything else would be another failure.
  for (const Outcome* outcome : run_all("L-safe, without", "overlap-start", {}, {"--bits", "off"}, true)) {
    wrong += outcome->status == 1;
    named +=
        outcome->statistics.contains("races") &&
        std::any_of(
            outcome->statistics["races"].begin(), outcome->statistics["races"].end(), [](const Json& race) {
              return race["reader"]["kernel"] == true && race["writer"]["name"] == "copy host to device";
            });
  }
  out.values["safe_right"] = right;
  out.values["safe_wrong"] = wrong;
  out.values["safe_named"] = named;
  out.values["safe_races"] = races;
}

void Offloads::queues(const Grid& grid, Measurements& out) {
  unsigned deadlocks = 0, failures = 0;
  for (const Outcome* outcome : run_all("L-hol, one queue", "full-overlap", {"gpu.full_empty.queues=1"}, {}))
    deadlocks += outcome->status == 124 && outcome->error.find("no progress") != std::string::npos;
  for (const auto& [benchmark, variants] : grid.outcomes) failures += !variants.at("full-overlap")->right();
  out.values["one_queue_deadlocks"] = deadlocks;
  out.values["three_queues_wrong"] = failures;
}

void Offloads::miss_registers(const Grid& grid, unsigned long long sm_count, Measurements& out) {
  constexpr unsigned kRegisters = 2;
  const Grid few = this->grid("L-mshr", nullptr, "", {fmt::format("gpu.l1.mshrs={}", kRegisters)});
  out.values["mshr_wrong"] = few.failures();
  const Outcome &with_few = *few.outcomes.at("vectorAdd").at("overlap-start"),
                &with_all = *grid.outcomes.at("vectorAdd").at("overlap-start");
  if (!with_few.right() || !with_all.right()) return;
  const double waiting = with_few.counter("full_empty.most_waiting");
  out.values["waiting_per_mshr"] = waiting / static_cast<double>(kRegisters * sm_count);
  out.notes["waiting_per_mshr"] = fmt::format("{} reads; {} with the machine's own number", waiting,
                                              with_all.counter("full_empty.most_waiting"));
  out.values["mshr_stalls"] = with_few.counter("l1.stalls") - with_all.counter("l1.stalls");
}

void Offloads::integrated(Measurements& out) {
  const Grid grid = this->grid("L-int, llano", nullptr, "llano");
  const auto mean = grid.mean_gain("full-overlap");
  if (mean) out.values["integrated_mean_gain"] = *mean;
  if (grid.failures() == 0)
    out.values["integrated_worst_runtime"] = grid.worst_normalized(out.notes["integrated_worst_runtime"]);
  else
    out.notes["L-int"] =
        fmt::format("{} of {} runs failed, first {}", grid.failures(), grid.runs(), grid.first_failure());
  out.figures["integrated"] = grid.json();
}

}  // namespace duet::cli
