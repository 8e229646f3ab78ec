// The work of a processor's cores, and the threads of the program on them: the common part of the results of
// all programs on a simulated host, with a GPU (run_report.h) or without (host_report.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"

namespace duet::report {

using Counters = std::vector<std::pair<std::string, std::uint64_t>>;

struct ComponentResult {
  std::string name, parent, role, kind;  // `kind` begins the names of its counters
  std::uint32_t level = 0;
  Counters counters;  // values other than 0
};

// Dispatch slots of a core (cycles times the width of dispatch), each counted once.
struct CoreSlots {
  static constexpr std::size_t kUses = 9;
  // In stats.json and over the columns of the table.
  static const std::array<const char*, kUses> kNames, kTitles;
  std::array<std::uint64_t, kUses> slots{};
};

struct CoreResult {
  std::string name;
  std::uint64_t instructions = 0, cycles = 0;
  std::uint64_t l1_misses = 0, l2_misses = 0, l3_misses = 0;  // also of fetches
  std::uint64_t mispredictions = 0;
  CoreSlots slots;
};

struct ThreadResult {
  std::uint64_t id = 0;
  std::string name;  // by the program
  Picoseconds core_time_ps = 0;
  std::uint64_t instructions = 0;
};

// Functions that were active together, and the samples of cores with them (machine/host/host_profile.h).
struct StackResult {
  std::string functions;  // outermost first: main;search;strcmp
  CoreSlots samples;
};

// How the program came to its end.
struct ProgramEnd {
  int status = 0;  // with this exit status, or
  int signal = 0;  // by this signal; 0: by none
};

struct ProcessorResult {
  std::uint64_t clock_khz = 0;
  bool has_l2 = false, has_l3 = false;
  std::uint64_t dram_read_bytes = 0, dram_written_bytes = 0;
  std::vector<CoreResult> cores;
  std::vector<ThreadResult> threads;  // in the order of their creation
  Picoseconds profile_period_ps = 0;  // between two samples of a core; 0: there are none
  std::vector<StackResult> stacks;    // the most samples first
  std::optional<ProgramEnd> end;      // none: the program did not come to it

  std::uint64_t instructions() const;
};

// The result of a core from its counts, under the names of its statistics ("core.cycles").
CoreResult core_result(const std::string& name, const Counters& counters);
std::uint64_t samples_of(const StackResult& stack);
// A line a stack, as tools that draw flame graphs read it: main;search;strcmp 12
std::string folded_stacks(const std::vector<StackResult>& stacks);
// A function of the profile, by the samples in it alone and with all that it called.
struct FunctionResult {
  std::string name;
  CoreSlots self;
  std::uint64_t self_samples = 0, total_samples = 0;
};
// The most samples in themselves first.
std::vector<FunctionResult> functions_of(const std::vector<StackResult>& stacks);
// Takes the cores, and DRAM's traffic, from the machine's components.
void add_components(ProcessorResult& result, const std::vector<ComponentResult>& components);

// What dominates the time of the cores, in a sentence or two: "79.0 % of the dispatch slots were lost to
// wrong predictions (...), 17.4 % did the program's work". Empty where no core had a thread in time.
std::string processor_headline(const ProcessorResult& processor, Picoseconds simulated_ps);

// Lines of the table on the terminal, with the run's simulated and real time.
std::string processor_table(const ProcessorResult& processor, Picoseconds simulated_ps, double wall_seconds);

}  // namespace duet::report
