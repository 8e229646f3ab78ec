#include "reproduce/lustig2013/processors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "reproduce/lustig2013/offloads.h"

namespace duet::reproduce {

using Json = nlohmann::ordered_json;

namespace {

// Figure 1's processor, and Table 1's.
constexpr const char* kFigure1 = "xeon-x7560";
constexpr const char* kTable1 = "xeon-e3-1245";
constexpr const char* kContenders[] = {"baseline", "full-overlap"};
constexpr const char* kStates[] = {"fresh", "warm", "cold"};

std::vector<unsigned> sizes(unsigned first, unsigned last, unsigned factor) {
  std::vector<unsigned> result;
  for (unsigned size = first; size <= last; size *= factor) result.push_back(size);
  return result;
}

Job processor_job(const char* machine, const std::string& program, const Strings& compiler,
                  const Strings& arguments) {
  Job job{"lustig2013/cpu/" + program, compiler, arguments, machine, {}};
  job.on_processor = true;
  return job;
}

Strings with_size(Strings arguments, unsigned size) {
  arguments.insert(arguments.end(), {"--size", std::to_string(size)});
  return arguments;
}

Job offload_job(const std::string& program, const std::string& variant, const Setup& setup, unsigned size) {
  return {"lustig2013/" + program, {}, with_size({"--variant", variant}, size), setup.machine, setup.sets};
}

double offload_us(const Outcome& outcome) { return outcome.runtime_us(); }
std::function<double(const Outcome&)> in_state(const char* state) {
  return [state](const Outcome& outcome) { return outcome.processor_us(state); };
}

// Runs a curve's jobs, by size; a failed one leaves a 0, and is counted.
struct Curves {
  std::vector<unsigned> at;
  std::map<std::string, std::vector<double>> runtimes_us;
  unsigned wrong = 0, runs = 0;
  std::string first_wrong;

  // A curve for each way to read the runs, by name.
  using Readings = std::vector<std::pair<std::string, std::function<double(const Outcome&)>>>;
  void measure(Experiments& experiments, const std::string& title, const std::vector<Job>& jobs,
               const Readings& readings) {
    for (const Outcome* outcome : experiments.runner().run(title, jobs)) {
      ++runs;
      for (const auto& [name, read] : readings)
        runtimes_us[name].push_back(outcome->right() ? read(*outcome) : 0);
      if (!outcome->right() && wrong++ == 0) first_wrong = outcome->error_line();
    }
  }
  Json json() const {
    Json result;
    result["sizes"] = at;
    for (const auto& [name, curve] : runtimes_us) result["runtime_us"][name] = curve;
    return result;
  }
  // The size from which on `second` is not slower than `first`, between two sizes where the ratio of the two,
  // drawn over both axes' logarithms, is 1; the smallest where it is never slower, infinity where it is
  // slower at the largest too. Nothing where a run has failed.
  std::optional<double> crossover(const std::string& first, const std::string& second) const {
    const std::vector<double>&a = runtimes_us.at(first), &b = runtimes_us.at(second);
    for (std::size_t i = at.size(); i-- > 0;) {
      if (a[i] == 0 || b[i] == 0) return std::nullopt;
      if (b[i] <= a[i]) continue;
      if (i + 1 == at.size()) return std::numeric_limits<double>::infinity();
      const double here = std::log(b[i] / a[i]), there = std::log(b[i + 1] / a[i + 1]);
      return at[i] * std::pow(double{1} * at[i + 1] / at[i], here / (here - there));
    }
    return at.front();
  }
};

void tell(unsigned runs, unsigned wrong, const std::string& first_wrong, Measurements& out) {
  out.values["wrong"] = wrong;
  out.notes["wrong"] = fmt::format("of {} runs{}", runs, wrong == 0 ? "" : ", first " + first_wrong);
}

bool can_compile(Measurements& out) {
  if (Runner::has_processor_compiler()) return true;
  out.notes[""] = "riscv64-linux-gnu-g++ is not installed (Debian: g++-riscv64-linux-gnu)";
  return false;
}

void keep_crossover(const Curves& curves, const std::string& first, const std::string& second,
                    const std::string& quantity, Measurements& out) {
  const auto at = curves.crossover(first, second);
  out.keep(quantity, at, "a run failed: " + curves.first_wrong);
  if (at && std::isinf(*at))
    out.notes[quantity] = fmt::format("the processor is faster up to the largest size, {}", curves.at.back());
  if (at && *at == curves.at.front()) out.notes[quantity] = "or less: the processor is faster at no size";
}

}  // namespace

void measure_figure_1(Experiments& experiments, const Setup& setup, Measurements& out) {
  if (!can_compile(out)) return;
  // The sizes of --quick are the ends, and the two around the crossover.
  Curves curves;
  curves.at = sizes(64, 16384, 4);
  if (experiments.options().quick) curves.at = {64, 1024, 4096, 16384};
  for (const char* const threads : {"0", "4"}) {
    std::vector<Job> jobs;
    for (const unsigned size : curves.at)
      jobs.push_back(processor_job(kFigure1, "BFS", {"-O2"}, with_size({"--threads", threads}, size)));
    curves.measure(experiments, "L-F1, BFS on a processor", jobs,
                   {{threads[0] == '0' ? "one thread" : "OpenMP", in_state("fresh")}});
  }
  std::vector<Job> jobs;
  for (const unsigned size : curves.at) jobs.push_back(offload_job("BFS", "baseline", setup, size));
  curves.measure(experiments, "L-F1, BFS on the GPU", jobs, {{"GPU", offload_us}});
  tell(curves.runs, curves.wrong, curves.first_wrong, out);
  out.figures["1"] = curves.json();
  keep_crossover(curves, "one thread", "GPU", "crossover", out);
  const auto growth = [&](const char* curve) {  // over the first factor of 16 in size
    const std::vector<double>& times = curves.runtimes_us.at(curve);
    const auto there = std::find(curves.at.begin(), curves.at.end(), 16 * curves.at[0]) - curves.at.begin();
    return times[0] == 0 ? 0 : times[there] / times[0];
  };
  out.values["thread_growth"] = growth("one thread");
  out.values["gpu_growth"] = growth("GPU");
  out.values["openmp_growth"] = growth("OpenMP");
}

void measure_break_even(Experiments& experiments, const Setup& setup, Measurements& out) {
  if (!can_compile(out)) return;
  const bool quick = experiments.options().quick;
  unsigned runs = 0, wrong = 0;
  std::string table, first_wrong;
  for (const char* const level : {"-O0", "-O2"}) {
    Curves curves;
    // The sizes of --quick: unoptimized, around the break-evens; otherwise as far as the bands go.
    curves.at = sizes(1024, 1048576, 4);
    if (quick)
      curves.at = std::string_view(level) == "-O0" ? sizes(4096, 65536, 4)
                                                   : std::vector<unsigned>{4096, 65536, 524288};
    for (const char* const variant : kContenders) {
      std::vector<Job> jobs;
      for (const unsigned size : curves.at) jobs.push_back(offload_job("vectorAdd", variant, setup, size));
      curves.measure(experiments, "L-F12, vectorAdd on the GPU", jobs, {{variant, offload_us}});
    }
    std::vector<Job> jobs;
    for (const unsigned size : curves.at)
      jobs.push_back(processor_job(kTable1, "vectorAdd", {level}, with_size({}, size)));
    Curves::Readings readings;
    for (const char* const state : kStates) readings.emplace_back(state, in_state(state));
    curves.measure(experiments, fmt::format("L-F12, vectorAdd on a processor, {}", level), jobs, readings);
    Json& figure = out.figures["12, processor"][level];
    figure = curves.json();
    for (const char* const state : kStates) {
      table += fmt::format("{}{} {} {:.2f} ns an element", table.empty() ? "" : ", ", level, state,
                           1000 * curves.runtimes_us[state].back() / curves.at.back());
      for (const char* const variant : kContenders) {
        const auto at = curves.crossover(state, variant);
        figure["break_even"][state][variant] = at ? Json(*at) : Json();
      }
    }
    for (const char* const variant : kContenders)
      keep_crossover(curves, "fresh", variant, fmt::format("{}{}", variant, level), out);
    runs += curves.runs;
    if (wrong == 0) first_wrong = curves.first_wrong;
    wrong += curves.wrong;
  }
  tell(runs, wrong, first_wrong, out);
  for (const char* const level : {"-O0", "-O2"})
    for (const char* const variant : kContenders) {
      std::string& note = out.notes[fmt::format("{}{}", variant, level)];
      note += (note.empty() ? "" : "; ") + table;
    }
}

namespace {

// The parts of an offload's time, from the readiness of its data.
struct Parts {
  explicit Parts(const Outcome& outcome) : all_us(outcome.runtime_us()) {
    double ready_ps = 0;
    for (const auto& mark : outcome.statistics["marks"])
      if (mark["name"] == "data ready") ready_ps = mark["time_ps"].get<double>();
    const auto sum = [&](const char* group) {
      double ps = 0;
      for (const auto& command : outcome.statistics[group])
        if (const double start = command["start_ps"].get<double>(); start >= ready_ps)
          ps += command["end_ps"].get<double>() - start;
      return ps / 1e6;
    };
    kernels_us = sum("kernels");
    copies_us = sum("copies");
  }
  // In the baseline one follows the other.
  double calls_and_driver_us() const { return all_us - kernels_us - copies_us; }
  double all_us, kernels_us, copies_us;
};

// The options that an offload shares with its processor's program.
Strings input_options(const Strings& of_offload) {
  Strings result;
  for (std::size_t i = 0; i + 1 < of_offload.size(); i += 2)
    for (const char* const name : {"--size", "--steps", "--deep"})
      if (of_offload[i] == name) result.insert(result.end(), {of_offload[i], of_offload[i + 1]});
  return result;
}

struct Contest {
  std::string name, program;
  Job offload;
};

std::vector<Contest> contests(Experiments& experiments, const Setup& setup) {
  std::vector<Contest> result;
  for (Benchmark benchmark : benchmarks()) {
    // --quick: the others' processor programs are short enough.
    if (std::string_view(benchmark.name) != "BlackScholes") benchmark.quick.clear();
    const Job offload = job_of(experiments, benchmark, "baseline", setup);
    result.push_back({benchmark.name, benchmark.name, offload});
    if (result.size() > 1) continue;
    for (const unsigned size : {8192u, 262144u}) {  // the ends of Table 3's range
      Job other = offload;
      other.arguments = with_size(other.arguments, size);
      result.push_back({fmt::format("vectorAdd of {}K", size / 1024), benchmark.name, other});
    }
  }
  return result;
}

// FIBLookup, compiled without optimization, would make its tables for minutes; vectorAdd by size is
// Figure 12.
bool has_unoptimized(const Contest& contest) {
  return contest.name == contest.program && contest.program != "FIBLookup";
}

Json contest_json(const Outcome& gpu, const Outcome& processor, const Outcome* unoptimized) {
  const Parts parts(gpu);
  Json result = {{"gpu_us", parts.all_us},
                 {"kernels_us", parts.kernels_us},
                 {"copies_us", parts.copies_us},
                 {"calls_and_driver_us", parts.calls_and_driver_us()}};
  for (const char* const state : kStates) {
    result["processor_us"]["-O2"][state] = processor.processor_us(state);
    if (unoptimized != nullptr) result["processor_us"]["-O0"][state] = unoptimized->processor_us(state);
  }
  return result;
}

}  // namespace

void measure_section_7_1(Experiments& experiments, const Setup& setup, Measurements& out) {
  if (!can_compile(out)) return;
  const std::vector<Contest> all = contests(experiments, setup);
  std::vector<Job> offloads, optimized, unoptimized;
  for (const Contest& contest : all) {
    const Strings inputs = input_options(contest.offload.arguments);
    offloads.push_back(contest.offload);
    optimized.push_back(processor_job(kTable1, contest.program, {"-O2"}, inputs));
    if (has_unoptimized(contest))
      unoptimized.push_back(processor_job(kTable1, contest.program, {"-O0"}, inputs));
  }
  Runner& runner = experiments.runner();
  const auto gpu = runner.run("L-7.1, baselines", offloads),
             processor = runner.run("L-7.1, one thread, -O2", optimized),
             without = runner.run("L-7.1, one thread, -O0", unoptimized);
  unsigned faster = 0, faster_unoptimized = 0, failures = 0;
  std::string slower, first_failure;
  for (std::size_t i = 0, at = 0; i < all.size(); ++i) {
    const Contest& contest = all[i];
    const Outcome* const plain = has_unoptimized(contest) ? without[at++] : nullptr;
    for (const Outcome* one : {gpu[i], processor[i], plain})
      if (one != nullptr && !one->right() && failures++ == 0)
        first_failure = fmt::format("{}: {}", contest.name, one->error_line());
    if (!gpu[i]->right() || !processor[i]->right() || (plain != nullptr && !plain->right())) continue;
    const Json cell = contest_json(*gpu[i], *processor[i], plain);
    out.figures["7.1"][contest.name] = cell;
    const double ratio = processor[i]->processor_us("fresh") / gpu[i]->runtime_us();
    out.values[contest.name] = ratio;
    if (ratio < 1)
      out.notes[contest.name] = fmt::format(
          "the processor takes {:.1f} us, the offload {:.1f}: calls and driver {:.1f}, copies {:.1f}, "
          "kernels {:.1f}",
          processor[i]->processor_us("fresh"), gpu[i]->runtime_us(),
          cell["calls_and_driver_us"].get<double>(), cell["copies_us"].get<double>(),
          cell["kernels_us"].get<double>());
    if (contest.name != contest.program) continue;
    faster += ratio >= 1;
    faster_unoptimized += plain != nullptr && plain->processor_us("fresh") >= gpu[i]->runtime_us();
    if (ratio < 1) slower += (slower.empty() ? "not in " : ", ") + contest.name;
  }
  out.keep("faster", failures == 0 ? std::optional<double>(faster) : std::nullopt,
           "a run failed: " + first_failure);
  out.keep("faster-O0", failures == 0 ? std::optional<double>(faster_unoptimized) : std::nullopt,
           "a run failed: " + first_failure);
  if (failures == 0) out.notes["faster"] = slower;
}

}  // namespace duet::reproduce
