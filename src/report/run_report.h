// What one simulated process did, read from its journal, and its two first renderings: stats.json (schema
// duet.stats/1) and the short table on the terminal.
#pragma once

#include <string>
#include <vector>

#include "base/readable_name.h"
#include "report/journal.h"

namespace duet::report {

using Counters = std::vector<std::pair<std::string, std::uint64_t>>;

struct KernelResult : KernelRecord {
  std::string name;
  Counters counters = {};  // what rose while it ran, by how much
};
struct ComponentResult {
  std::string name, parent, role, kind;  // `kind` begins the names of its counters
  std::uint32_t level = 0;
  Counters counters;  // those that are not 0
};
struct Mark {
  std::string name;
  Picoseconds time_ps = 0;
  // The machine's statistics then: counted since the run began, and how things stood.
  Counters counters, states;
};
struct PushBufferEntry : PushBufferRecord {
  std::string command;
};
struct Api {
  std::string name;
  std::uint64_t calls;
  Picoseconds total_ps;
};

struct Race : RaceRecord {
  std::string reader_name, writer_name;
};

struct RunReport {
  std::string machine;
  std::string command;
  double wall_seconds = 0;
  bool deterministic = true;
  Picoseconds simulated_ps = 0;
  std::uint64_t core_clock_khz = 0;
  std::uint64_t lost_records = 0;
  std::int32_t lost_because = 0;  // errno
  std::vector<KernelResult> kernels;
  std::vector<CopyRecord> copies;
  std::vector<Mark> marks;
  std::vector<PushBufferEntry> push_buffer;
  std::vector<Api> api;
  std::vector<ApiCallRecord> api_calls;  // only when events were switched on
  std::vector<std::string> faults;
  std::vector<Race> races;
  Counters counters;  // the machine's statistics
  Picoseconds components_ps = 0;
  std::vector<ComponentResult> components;  // as of components_ps, when nothing was outstanding

  std::uint64_t warp_instructions() const;
  std::uint64_t thread_instructions() const;
  // Core cycles during which at least one kernel ran.
  std::uint64_t gpu_cycles() const;
};

// `cut_off`: the process was ended from outside or at a limit, so kernels that were running are reported as
// far as they came.
RunReport read_report(const JournalReader& journal, const std::string& machine, double wall_seconds,
                      bool cut_off);

using duet::readable_name;

std::string stats_json(const RunReport& report);
std::string summary_table(const RunReport& report);
// One line a race, the first ten; empty when there are none.
std::string race_text(const RunReport& report);
// Calls, driver stages, copies and kernels as Chrome trace events, which Perfetto opens (--events).
std::string events_json(const RunReport& report);
// The push buffer as text, one command a line (--trace-push-buffer).
std::string push_buffer_text(const RunReport& report);

}  // namespace duet::report
