// lustig2013's seven benchmarks in four variants, on either side of every choice: Figures 3, 6, 11 and 12,
// and the claims about full/empty bits.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "reproduce/experiments.h"

namespace duet::reproduce {

inline constexpr const char* kVariants[] = {"baseline", "overlap-start", "overlap-finish", "full-overlap"};

struct Benchmark {
  const char* name;
  Strings quick;  // options for a small size
};
const std::vector<Benchmark>& benchmarks();

// On the values of all choices but the setup's.
Job job_of(Experiments& experiments, const Benchmark& benchmark, const std::string& variant,
           const Setup& setup);

// Every benchmark in every variant, or in the requested ones.
struct Grid {
  std::map<std::string, std::map<std::string, const Outcome*>> outcomes;  // by benchmark and variant

  unsigned runs() const;
  unsigned failures() const;
  std::string first_failure() const;
  // "2 of 28 runs failed, first ..."
  std::string failed() const;
  // Runtime as a share of the baseline's; nothing when either run failed.
  std::optional<double> normalized(const std::string& benchmark, const std::string& variant) const;
  // In percent; nothing when a run failed.
  std::optional<double> gain(const std::string& benchmark, const std::string& variant) const;
  std::optional<double> mean_gain(const std::string& variant) const;
  std::optional<double> best_gain(const std::string& variant) const;
  // Microseconds less than the baseline's.
  std::optional<double> saved_us(const std::string& benchmark, const std::string& variant) const;
  // Of the variants with full/empty bits, and where.
  double worst_normalized(std::string& where) const;
  nlohmann::ordered_json json() const;
};

// On the values of all choices but the setup's.
Grid run_grid(Experiments& experiments, const std::string& title, const Setup& setup,
              std::span<const char* const> variants = kVariants);

// The grid, and again on a machine whose calls and driver cost no time: the parts of each gain.
void measure_figure_11(Experiments& experiments, const Setup& setup, Measurements& out);
// vectorAdd by size; with Figure 11's runs all of Table 3.
void measure_figure_12(Experiments& experiments, const Setup& setup, Measurements& out);
// Overlap-start, watched for races: right results, and standstills.
void measure_launched_early(Experiments& experiments, const Setup& setup, Measurements& out);
// vectorAdd's overlap-start at the moment of its data's readiness, and all variants' results.
void measure_miss_registers(Experiments& experiments, const Setup& setup, Measurements& out);
// The grid on the setup's machine, an integrated one.
void measure_integrated(Experiments& experiments, const Setup& setup, Measurements& out);

}  // namespace duet::reproduce
