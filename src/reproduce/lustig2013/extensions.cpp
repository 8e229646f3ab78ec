#include "reproduce/lustig2013/extensions.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "reproduce/lustig2013/offloads.h"

namespace duet::reproduce {

using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kBaseline = "baseline";
constexpr const char* kFull = "full-overlap";
constexpr const char* kDense[] = {"vectorAdd", "matrixMul", "BlackScholes", "HotSpot"};

// Runs of an extension, over all its comparisons. A benchmark that declines to run so (its data do not end
// with a granule, or it finds no tracked memory) is not wrong.
struct Tally {
  unsigned runs = 0, wrong = 0, refused = 0;
  std::string first_wrong;

  void count(const std::string& name, const Outcome& outcome) {
    ++runs;
    if (outcome.right()) return;
    if (outcome.status == 2 ||
        (outcome.status == 1 && outcome.error.find("cudaErrorMemoryAllocation") != std::string::npos))
      ++refused;
    else if (wrong++ == 0)
      first_wrong = fmt::format("{}: status {}, {}", name, outcome.status, outcome.error_line());
  }
  void keep(Measurements& out) const {
    out.values["wrong"] = wrong;
    std::string& note = out.notes["wrong"];
    note = fmt::format("of {}", runs);
    if (refused != 0) note += fmt::format(", {} refused by name", refused);
    if (!first_wrong.empty()) note += "; first " + first_wrong;
  }
};

// Percent, over the benchmarks with results.
class Mean {
 public:
  void add(std::optional<double> gain) {
    if (!gain) return;
    sum_ += *gain;
    ++count_;
  }
  std::optional<double> value() const { return count_ == 0 ? std::nullopt : std::optional(sum_ / count_); }
  unsigned count() const { return count_; }
  std::string text() const {
    std::string text = count_ == 0 ? "-" : fmt::format("{:.1f} %", *value());
    if (count_ < benchmarks().size()) text += fmt::format(" of {} benchmarks", count_);
    return text;
  }

 private:
  double sum_ = 0;
  unsigned count_ = 0;
};

Mean mean_of(const Grid& grid) {
  Mean mean;
  for (const auto& [benchmark, variants] : grid.outcomes) mean.add(grid.gain(benchmark, kFull));
  return mean;
}

// Baseline and full-overlap. A key for the place of memory, or for the link, changes both; keys of the
// controllers' queues do not change a baseline: it tracks nothing.
Grid run_pair(Experiments& experiments, const std::string& title, const Setup& setup) {
  static constexpr const char* kPair[] = {kBaseline, kFull};
  return run_grid(experiments, title, setup, kPair);
}

void count_full(const Grid& grid, Measurements& out) {
  Tally tally;
  for (const auto& [benchmark, variants] : grid.outcomes) tally.count(benchmark, *variants.at(kFull));
  tally.keep(out);
}

// Mean gain with the setup's key, and in points beyond the machine's own.
void measure_key(Experiments& experiments, const std::string& what, const Setup& setup, Measurements& out) {
  const Grid own = run_pair(experiments, "L-ext, the machine's own keys", experiments.base()),
             changed = run_pair(experiments, "L-ext, " + what, setup);
  count_full(changed, out);
  const Mean with = mean_of(changed), without = mean_of(own);
  if (with.value()) out.values["gain"] = *with.value();
  if (with.value() && without.value()) out.values["more_gain"] = *with.value() - *without.value();
  out.notes["gain"] = out.notes["more_gain"] =
      fmt::format("mean gain {}, with the machine's own {}", with.text(), without.text());
}

struct Way {
  const char* name;
  Strings sets;
};

// One program in several ways and sizes: the least gain of the first way over the best of the others.
void compare(Experiments& experiments, const std::string& program, const Setup& setup,
             const std::vector<Way>& ways, const std::vector<Strings>& sizes, Measurements& out) {
  std::vector<Job> jobs;
  for (const Strings& size : sizes)
    for (const Way& way : ways) {
      Job job{"lustig2013/extensions/" + program, {}, {"--way", way.name}, setup.machine, way.sets};
      job.arguments.insert(job.arguments.end(), size.begin(), size.end());
      const bool first = &way == &ways.front();
      const Strings& sets = first ? setup.sets : experiments.base().sets;
      job.sets.insert(job.sets.end(), sets.begin(), sets.end());
      if (first) job.arguments.insert(job.arguments.end(), setup.options.begin(), setup.options.end());
      jobs.push_back(std::move(job));
    }
  const std::vector<const Outcome*> outcomes = experiments.runner().run("L-ext, " + program, jobs);
  Tally tally;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    tally.count(fmt::format("{} {}", program, fmt::join(jobs[i].arguments, " ")), *outcomes[i]);
  tally.keep(out);
  if (tally.wrong + tally.refused != 0) {
    out.notes["gain"] = out.notes["wrong"];
    return;
  }
  double least = std::numeric_limits<double>::infinity();
  std::string& note = out.notes["gain"];
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    const auto us = [&](std::size_t way) { return outcomes[s * ways.size() + way]->runtime_us(); };
    double best = std::numeric_limits<double>::infinity();
    Json cell{{"arguments", fmt::format("{}", fmt::join(sizes[s], " "))}};
    note += fmt::format("{}{}:", note.empty() ? "us at " : "; ", fmt::join(sizes[s], " "));
    for (std::size_t w = 0; w < ways.size(); ++w) {
      if (w != 0) best = std::min(best, us(w));
      cell["runtime_us"][ways[w].name] = us(w);
      note += fmt::format("{} {} {:.1f}", w == 0 ? "" : ",", ways[w].name, us(w));
    }
    least = std::min(least, 100 * (1 - us(0) / best));
    out.figures["extensions"][program + ", " + ways.front().name].push_back(cell);
  }
  out.values["gain"] = least;
}

// Streams with waits for each other's kernels and copies have hardware channels of their own.
const Strings kChannels = {"gpu.front_end.hardware_channels=4"};

std::vector<Strings> frames(bool quick) {
  if (quick) return {{"--size", "8192", "--frames", "4"}};
  return {{"--size", "8192", "--frames", "16"}, {"--size", "65536", "--frames", "8", "--work", "100"}};
}

std::vector<Strings> sizes(bool quick) {
  if (quick) return {{"--size", "4096"}, {"--size", "65536"}};
  return {{"--size", "4096"}, {"--size", "65536"}, {"--size", "1048576"}};
}

std::vector<Strings> values(bool quick) { return {{"--values", quick ? "16" : "64"}}; }

}  // namespace

// Section 9: fine granularity for less predictable data, larger blocks for dense numeric code.
void measure_granularity_of_tracking(Experiments& experiments, const Setup& setup, Measurements& out) {
  const Grid own = run_pair(experiments, "L-ext, the machine's own keys", experiments.base()),
             coarse = run_pair(experiments, "L-ext, granule", setup);
  count_full(coarse, out);
  std::optional<double> dense = 0;
  for (const char* name : kDense) {
    const auto with = coarse.gain(name, kFull), without = own.gain(name, kFull);
    if (!with || !without) dense = std::nullopt;
    if (dense) dense = std::max(*dense, *without - *with);
  }
  const auto with = coarse.gain("BFS", kFull), without = own.gain("BFS", kFull);
  out.keep("dense_loss", dense, coarse.failed());
  out.keep("bfs_loss", with && without ? std::optional(*without - *with) : std::nullopt, coarse.failed());
  out.notes["wrong"] +=
      fmt::format("; mean gain {}, with the machine's own {}", mean_of(coarse).text(), mean_of(own).text());
}

void measure_granularity_of_transmission(Experiments& experiments, const Setup& setup, Measurements& out) {
  measure_key(experiments, "packet", setup, out);
}

void measure_look_ahead(Experiments& experiments, const Setup& setup, Measurements& out) {
  measure_key(experiments, "look-ahead", setup, out);
}

void measure_refusals(Experiments& experiments, const Setup& setup, Measurements& out) {
  measure_key(experiments, "refusals", setup, out);
}

// Each benchmark takes the fastest variant with enough tracked memory.
void measure_region(Experiments& experiments, const Setup& setup, Measurements& out) {
  const Grid grid = run_grid(experiments, "L-ext, region", setup);
  Tally tally;
  Mean mean;
  unsigned full = 0;
  for (const auto& [benchmark, variants] : grid.outcomes) {
    double best = 0;
    for (const auto& [variant, outcome] : variants) {
      tally.count(benchmark + ", " + variant, *outcome);
      best = std::max(best, grid.gain(benchmark, variant).value_or(0));
    }
    full += variants.at(kFull)->right();
    mean.add(best);
  }
  tally.keep(out);
  out.values["gain"] = *mean.value();
  out.notes["gain"] = fmt::format("full-overlap fits for {} of {}", full, benchmarks().size());
}

void measure_counter_bits(Experiments& experiments, const Setup& setup, Measurements& out) {
  Way counter{"counter", kChannels};
  counter.sets.push_back("gpu.full_empty.reads_per_fill=2");
  compare(experiments, "reuse", setup,
          {counter,
           {"kernel-end", kChannels},
           {"set", kChannels},
           {"host", kChannels},
           {"none", kChannels},
           {"double", kChannels}},
          frames(experiments.options().quick), out);
}

void measure_kernel_end(Experiments& experiments, const Setup& setup, Measurements& out) {
  compare(experiments, "reuse", setup,
          {{"kernel-end", kChannels},
           {"set", kChannels},
           {"host", kChannels},
           {"none", kChannels},
           {"double", kChannels}},
          frames(experiments.options().quick), out);
}

void measure_override_set(Experiments& experiments, const Setup& setup, Measurements& out) {
  compare(experiments, "override", setup, {{"set", {}}, {"copy", {}}, {"launch", {}}},
          sizes(experiments.options().quick), out);
}

void measure_override_release(Experiments& experiments, const Setup& setup, Measurements& out) {
  compare(experiments, "override", setup, {{"release", {}}, {"copy", {}}, {"launch", {}}},
          sizes(experiments.options().quick), out);
}

void measure_ring(Experiments& experiments, const Setup& setup, Measurements& out) {
  compare(experiments, "hand_over", setup,
          {{"ring", {"gpu.full_empty.look_ahead=64"}}, {"fixed", {}}, {"flags", {}}, {"kernels", {}}},
          values(experiments.options().quick), out);
}

void measure_array(Experiments& experiments, const Setup& setup, Measurements& out) {
  compare(experiments, "hand_over", setup, {{"array", {}}, {"fixed", {}}, {"flags", {}}, {"kernels", {}}},
          values(experiments.options().quick), out);
}

}  // namespace duet::reproduce
