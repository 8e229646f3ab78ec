#include "reproduce/yang2012/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace duet::reproduce::yang2012 {

const std::vector<Benchmark>& benchmarks() {
  static const std::vector<Benchmark> kBenchmarks = {
      {"BSc", "BlackScholes", {"--size", "131072"}, 1u << 20, 128},
      {"VD", "VecAdd", {"--size", "131072"}, 1u << 20, 128},
      {"FFT", "FFT", {"--size", "65536", "--passes", "4"}, 1u << 19, 128},
      {"MM", "MM", {"--size", "128"}, 1u << 18, 256},
      {"Con", "Convolution", {"--size", "256"}, 1u << 20, 256},
      {"TMV", "TMV", {"--rows", "512"}, 512, 256},
      {"BS", "BitonicSort", {"--launches", "1"}, 1u << 20, 256},
      {"MC", "MonteCarlo", {"--size", "32768"}, 1u << 17, 256},
      {"MV", "MV", {"--size", "8192"}, 1u << 16, 256}};
  return kBenchmarks;
}

const Benchmark& benchmark(const std::string& name) {
  return *std::find_if(benchmarks().begin(), benchmarks().end(),
                       [&](const Benchmark& one) { return name == one.name; });
}

namespace {

constexpr const char* kColdStart = "cold_stream";  // the kernel of --start cold
// Of a start: nine times what cudaMalloc aligns to, against pieces of 256 bytes to 8 KB; and some
// nanoseconds.
constexpr unsigned kOffsetBytes = 9 * 256, kPhaseNs = 13;

void append(Strings& to, const Strings& words) { to.insert(to.end(), words.begin(), words.end()); }

// The last value of each key.
Strings last_of_each_key(const Strings& sets) {
  Strings result;
  for (auto set = sets.rbegin(); set != sets.rend(); ++set) {
    const std::string key = set->substr(0, set->find('=') + 1);
    if (std::none_of(result.begin(), result.end(),
                     [&](const std::string& kept) { return kept.starts_with(key); }))
      result.insert(result.begin(), *set);
  }
  return result;
}

}  // namespace

Job job_of(Experiments& experiments, const Benchmark& benchmark, const Way& way, const Setup& setup,
           unsigned start) {
  Job job;
  job.source = std::string("yang2012/") + benchmark.source;
  job.machine = setup.machine;
  Strings sets, preexec;
  for (const Choice& choice : experiments.choices()) {
    if (!choice.concerns(benchmark.name)) continue;
    const ChoiceSide& side = setup.choice == choice.id ? choice.alternative : choice.value;
    append(job.arguments, side.options);
    append(sets, side.sets);
    append(job.defines, side.defines);
    append(preexec, side.preexec);
  }
  if (experiments.options().quick) append(job.arguments, benchmark.quick);
  append(job.arguments, setup.options);
  if (start != 0) {
    append(job.arguments, {"--offset", std::to_string(start * kOffsetBytes)});
    const std::uint64_t own = experiments.resolved(setup).driver.launch.call_ns;
    sets.push_back(fmt::format("driver.launch.call_ns={}", own + start * kPhaseNs));
  }
  append(sets, way.sets);
  append(sets, setup.sets);
  job.sets = last_of_each_key(sets);
  append(preexec, way.preexec_sets);
  append(preexec, setup.preexec);
  job.run_options = way.run_options;
  if (std::string(way.preexec) == "off") return job;
  append(job.run_options, {"--preexec", way.preexec});
  for (const std::string& set : last_of_each_key(preexec)) append(job.run_options, {"--preexec-set", set});
  return job;
}

Point::Point(const std::vector<const Outcome*>& outcomes) : outcome(outcomes.front()), right(true) {
  for (const Outcome* one : outcomes) {
    if (one->right() && one->statistics.contains("kernels")) continue;
    if (right) outcome = one;
    right = false;
  }
  if (!right) return;
  for (const Outcome* one : outcomes) {
    const double before = cycles;
    add(one->statistics["kernels"]);
    cycles_of_starts.push_back(cycles - before);
  }
  const auto number = static_cast<double>(outcomes.size());
  for (double* sum : {&cycles, &thread_instructions, &processor_instructions, &accesses, &covered, &blocks,
                      &blocks_of_core})
    *sum /= number;
  for (auto& [name, sum] : counters) sum /= number;
}

void Point::add(const nlohmann::json& kernels) {
  for (const auto& kernel : kernels) {
    if (kernel["name"] == kColdStart) continue;
    cycles += kernel.value("cycles", 0.0);
    thread_instructions += kernel["thread_instructions"].get<double>();
    if (kernel.contains("counters"))
      for (const auto& [name, value] : kernel["counters"].items()) counters[name] += value.get<double>();
    const auto& grid = kernel["grid"];
    blocks += grid[0].get<double>() * grid[1].get<double>() * grid[2].get<double>();
    if (kernel.contains("cpu_blocks")) {
      const auto& own = kernel["cpu_blocks"];
      blocks_of_core += own["blocks"].get<double>();
      processor_instructions += own["instructions"].get<double>();
      if (gpu_alone.empty()) gpu_alone = own.value("gpu_alone", std::string());
    }
    if (!kernel.contains("preexecution")) continue;
    processor_runs = true;
    processor_instructions += kernel["preexecution"].value("instructions", 0.0);
    accesses += kernel["preexecution"].value("accesses", 0.0);
    covered += kernel["preexecution"].value("covered", 0.0);
  }
}

double Point::count(const std::string& name) const {
  const auto found = counters.find(name);
  return found == counters.end() ? 0 : found->second;
}

double Point::reads_at_l3(const char* how) const {
  const double of_gpu = count(fmt::format("l3.gpu_read_{}", how));
  return processor_runs ? of_gpu : count(fmt::format("l3.read_{}", how));
}

double Point::l3_hit_rate() const {
  const double hits = reads_at_l3("hits"), reads = hits + reads_at_l3("merges") + reads_at_l3("misses");
  return reads == 0 ? 0 : 100 * hits / reads;
}

std::optional<double> Point::accuracy() const {
  const double used = count("l3.processor_fills_used"), unused = count("l3.processor_fills_unused");
  if (used + unused == 0) return std::nullopt;
  return 100 * used / (used + unused);
}

Points run(Experiments& experiments, const std::string& title, const Way& way, const Setup& setup) {
  const unsigned starts = experiments.options().quick || setup.control ? 1 : way.starts;
  const Strings& only = setup.benchmarks;
  std::vector<Benchmark> chosen;
  std::copy_if(benchmarks().begin(), benchmarks().end(), std::back_inserter(chosen),
               [&](const Benchmark& one) {
                 return only.empty() || std::find(only.begin(), only.end(), one.name) != only.end();
               });
  std::vector<Job> jobs;
  for (const Benchmark& one : chosen)
    for (unsigned start = 0; start < starts; ++start)
      jobs.push_back(job_of(experiments, one, way, setup, start));
  const std::vector<const Outcome*> outcomes = experiments.runner().run(title, jobs);
  Points points;
  for (auto first = outcomes.begin(); const Benchmark& one : chosen) {
    points.emplace(one.name, Point(std::vector<const Outcome*>(first, first + starts)));
    first += starts;
  }
  return points;
}

std::vector<double> gains(const Point& with, const Point& without) {
  std::vector<double> all;
  if (!with.right || !without.right) return all;
  for (std::size_t i = 0; i < std::min(with.cycles_of_starts.size(), without.cycles_of_starts.size()); ++i)
    if (with.cycles_of_starts[i] != 0)
      all.push_back(100 * (without.cycles_of_starts[i] / with.cycles_of_starts[i] - 1));
  return all;
}

std::optional<double> gain(const Point& with, const Point& without) {
  std::vector<double> all = gains(with, without);
  if (all.empty()) return std::nullopt;
  std::sort(all.begin(), all.end());
  return (all[(all.size() - 1) / 2] + all[all.size() / 2]) / 2;
}

std::optional<std::pair<double, double>> range_of_mean_gains(const Points& with, const Points& without) {
  std::vector<double> sums;
  for (const auto& [name, point] : with) {
    const std::vector<double> all = gains(point, without.at(name));
    if (all.empty()) return std::nullopt;
    if (sums.empty()) sums.resize(all.size());
    for (std::size_t i = 0; i < std::min(sums.size(), all.size()); ++i) sums[i] += all[i];
  }
  const auto [least, most] = std::minmax_element(sums.begin(), sums.end());
  return std::pair(*least / static_cast<double>(with.size()), *most / static_cast<double>(with.size()));
}

std::optional<double> mean_gain(const Points& with, const Points& without) {
  double sum = 0;
  for (const auto& [name, point] : with) {
    const auto one = gain(point, without.at(name));
    if (!one) return std::nullopt;
    sum += *one;
  }
  return sum / static_cast<double>(with.size());
}

std::string failed(std::initializer_list<const Points*> all) {
  for (const Points* points : all)
    for (const auto& [name, point] : *points)
      if (!point.right)
        return fmt::format("{} failed: status {}, {}", name, point.outcome->status,
                           point.outcome->error_line());
  return {};
}

Points run_profiled(Experiments& experiments, const std::string& title, const Setup& setup,
                    std::map<std::string, unsigned>& factors) {
  const auto way = [](unsigned factor, unsigned starts) {
    return Way{"profiled", {}, {fmt::format("skip_factor={}", factor)}, {}, starts};
  };
  Points best;
  for (const unsigned factor : kSkipFactors) {
    const Points points =
        run(experiments, fmt::format("{}, skip factor {}", title, factor), way(factor, 1), setup);
    for (const auto& [name, point] : points) {
      const auto at = best.find(name);
      if (at != best.end() && at->second.right && (!point.right || point.cycles >= at->second.cycles))
        continue;
      best.insert_or_assign(name, point);
      factors[name] = factor;
    }
  }
  if (experiments.options().quick || setup.control) return best;
  std::vector<Job> jobs;
  for (const Benchmark& one : benchmarks())
    for (unsigned start = 0; start < kStarts; ++start)
      jobs.push_back(job_of(experiments, one, way(factors[one.name], kStarts), setup, start));
  const std::vector<const Outcome*> outcomes = experiments.runner().run(title + ", best factors", jobs);
  for (auto first = outcomes.begin(); const Benchmark& one : benchmarks()) {
    best.insert_or_assign(one.name, Point(std::vector<const Outcome*>(first, first + kStarts)));
    first += kStarts;
  }
  return best;
}

}  // namespace duet::reproduce::yang2012
