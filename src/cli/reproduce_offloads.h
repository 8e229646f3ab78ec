// lustig2013's seven benchmarks in four variants, on either side of every choice: Figures 3, 6, 11 and 12,
// and the claims about full/empty bits.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "cli/reproduce_choices.h"
#include "cli/reproduce_claims.h"
#include "cli/reproduce_runner.h"

namespace duet::cli {

inline constexpr const char* kVariants[] = {"baseline", "overlap-start", "overlap-finish", "full-overlap"};

struct Benchmark {
  const char* name;
  std::vector<std::string> quick;  // options that make it small
};
const std::vector<Benchmark>& benchmarks();

// Every benchmark in every variant, or in those that were asked for.
struct Grid {
  std::map<std::string, std::map<std::string, const Outcome*>> outcomes;  // by benchmark and variant

  unsigned runs() const;
  unsigned failures() const;
  std::string first_failure() const;
  // Runtime as a share of the baseline's; nothing when either run failed.
  std::optional<double> normalized(const std::string& benchmark, const std::string& variant) const;
  // In percent; nothing when a run failed.
  std::optional<double> gain(const std::string& benchmark, const std::string& variant) const;
  std::optional<double> mean_gain(const std::string& variant) const;
  std::optional<double> best_gain(const std::string& variant) const;
  // Of the variants with full/empty bits, and where.
  double worst_normalized(std::string& where) const;
  nlohmann::ordered_json json() const;
};

class Offloads {
 public:
  Offloads(Runner& runner, const ReproduceOptions& options, std::vector<Choice> choices, std::string machine)
      : runner_(runner), options_(options), choices_(std::move(choices)), machine_(std::move(machine)) {}

  const std::vector<Choice>& choices() const { return choices_; }
  // All values, but the alternative of `other` where it is given. `sets` and `arguments` come on top.
  Grid grid(const std::string& title, const Choice* other = nullptr, const std::string& machine = "",
            const std::vector<std::string>& sets = {}, const std::vector<std::string>& arguments = {},
            std::span<const char* const> variants = kVariants);

  void figure_11(const Grid& grid, Measurements& out) const;
  void figures_3_and_6(const Grid& grid, Measurements& out) const;
  void figure_12_and_table_3(const Grid& grid, Measurements& out);
  void safety(Measurements& out);
  void queues(const Grid& grid, Measurements& out);
  void miss_registers(const Grid& grid, unsigned long long sm_count, Measurements& out);
  void integrated(Measurements& out);

 private:
  Job job(const Benchmark& benchmark, const std::string& variant, const Choice* other,
          const std::string& machine) const;
  std::vector<const Outcome*> run_all(const std::string& title, const std::string& variant,
                                      const std::vector<std::string>& sets,
                                      const std::vector<std::string>& arguments, bool check_races = false);

  Runner& runner_;
  const ReproduceOptions& options_;
  std::vector<Choice> choices_;
  std::string machine_;
};

}  // namespace duet::cli
