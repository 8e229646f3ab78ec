// yang2012's nine benchmarks with and without a pre-execution program beside their kernels: the runs, and
// their numbers. Figures are elsewhere.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reproduce/experiments.h"

namespace duet::reproduce::yang2012 {

struct Benchmark {
  const char* name;                     // of Table 1
  const char* source;                   // below workloads/yang2012
  Strings quick;                        // options for a small size
  unsigned threads, threads_per_block;  // Table 1
};
const std::vector<Benchmark>& benchmarks();
const Benchmark& benchmark(const std::string& name);

// A gain moves by points with the places of the arrays and the moment at which the core begins. So runs are
// made with several starts: the n-th array lies n times an offset behind its place, and launches take a
// little longer. Start 0 is the program as it is. Figures 10 and 11 have all starts, others the first ones.
inline constexpr unsigned kStarts = 5, kStartsOfOthers = 3;

// The work beside the kernels.
struct Way {
  const char* preexec = "off";  // --preexec
  Strings sets = {};            // of the machine
  Strings preexec_sets = {};
  Strings run_options = {};
  unsigned starts = kStartsOfOthers;  // one with --quick, and of controls
};
inline const Way kOff{}, kAdaptive{"adaptive"}, kBlocks{"off", {}, {}, {"--cpu-blocks"}};

// On the values of all choices but the setup's, whose keys come last.
Job job_of(Experiments& experiments, const Benchmark& benchmark, const Way& way, const Setup& setup,
           unsigned start = 0);

// The numbers of one run for the benchmark's kernels, all launches together; or of one with each start: their
// means.
struct Point {
  explicit Point(const std::vector<const Outcome*>& outcomes);
  explicit Point(const Outcome& one) : Point(std::vector<const Outcome*>{&one}) {}

  const Outcome* outcome;  // the first one that is wrong, or the first
  bool right = false, processor_runs = false;
  std::vector<double> cycles_of_starts;
  double cycles = 0, thread_instructions = 0, processor_instructions = 0;
  std::map<std::string, double> counters;  // of all kernels
  // Accesses of the kernels to global memory, and accesses covered by a pre-execution program.
  double accesses = 0, covered = 0;
  double blocks = 0, blocks_of_core = 0;
  std::string gpu_alone;  // why the core took none of some kernel's; the first reason

  double ipc() const { return cycles == 0 ? 0 : thread_instructions / cycles; }
  // The GPU's: all reads are, where nothing runs on the processor.
  double reads_at_l3(const char* how) const;
  // Of the GPU's reads at L3, in percent; a read that joins a line on its way is no hit.
  double l3_hit_rate() const;
  // The share of the processor's lines in L3 that the GPU then used, in percent.
  std::optional<double> accuracy() const;
  double count(const std::string& name) const;

 private:
  void add(const nlohmann::json& kernels);
};

using Points = std::map<std::string, Point>;  // by benchmark

// Of the setup's benchmarks.
Points run(Experiments& experiments, const std::string& title, const Way& way, const Setup& setup);

// How much faster, in percent, the median of the starts that both have; nothing when a run failed.
std::optional<double> gain(const Point& with, const Point& without);
// Of each start.
std::vector<double> gains(const Point& with, const Point& without);
std::optional<double> mean_gain(const Points& with, const Points& without);
// The least and the most of what is the mean of nine with one start.
std::optional<std::pair<double, double>> range_of_mean_gains(const Points& with, const Points& without);
// Empty, or the failed run and its error.
std::string failed(std::initializer_list<const Points*> all);

// The skip factors of section 4.2.
inline constexpr unsigned kSkipFactors[] = {32, 64, 96, 128, 160, 192, 224};
// Figure 7 with each and start 0, and of each benchmark the fastest with all starts; `factors` says which.
Points run_profiled(Experiments& experiments, const std::string& title, const Setup& setup,
                    std::map<std::string, unsigned>& factors);

}  // namespace duet::reproduce::yang2012
