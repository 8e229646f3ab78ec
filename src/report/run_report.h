// What one simulated process did, read from its journal, and its renderings: stats.json (schema
// duet.stats/1), the short table on the terminal, events and push-buffer commands. What a run may have any
// number of stays in the journal and is read again by each rendering, so a long run needs no more memory than
// a short one (but 16 bytes for each stretch of time with kernels).
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "base/error.h"
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
  // Of all kernels, those included that were running when the process was cut off.
  std::uint64_t kernels = 0, warp_instructions = 0, thread_instructions = 0;
  std::uint64_t gpu_cycles = 0;  // core cycles during which at least one kernel ran
  std::vector<Mark> marks;
  std::vector<Api> api;
  std::vector<std::string> faults;
  std::vector<Race> races;
  Counters counters;  // the machine's statistics
  Picoseconds components_ps = 0;
  std::vector<ComponentResult> components;  // as of components_ps, when nothing was outstanding

  const JournalReader* journal = nullptr;
  bool cut_off = false;
  // In the order in which they completed, then those that were running.
  void for_each_kernel(const std::function<void(const KernelResult&)>& f) const;  // without counters
  void for_each_kernel_with_counters(const std::function<void(const KernelResult&)>& f) const;
  void for_each_copy(const std::function<void(const CopyRecord&)>& f) const;

 private:
  void for_each_running_kernel(const std::function<void(const KernelResult&)>& f) const;
};

// `journal` has to stay as long as the report. `cut_off`: the process was ended from outside or at a limit,
// so kernels that were running are reported as far as they came.
RunReport read_report(const JournalReader& journal, const std::string& machine, double wall_seconds,
                      bool cut_off);

using duet::readable_name;

void write_stats_json(std::ostream& out, const RunReport& report);
std::string summary_table(const RunReport& report);
// One line a race, the first ten; empty when there are none.
std::string race_text(const RunReport& report);
// Calls, commands, copies, kernels and blocks as Chrome trace events, which Perfetto opens (--events).
void write_events_json(std::ostream& out, const RunReport& report);
// The push buffer as text, one command a line (--trace-push-buffer).
void write_push_buffer(std::ostream& out, const RunReport& report);
// "device_to_host when full, empties"
std::string copy_name(const CopyRecord& copy);
const char* copy_kind_name(CopyKind kind);  // "device_to_host"
// The record of a type whose size is known. Throws duet::Error for another size.
template <typename Record>
Record record_as(const std::byte* bytes, std::size_t size) {
  if (size != sizeof(Record)) throw Error("journal record of an unknown size");
  Record record;
  std::memcpy(&record, bytes, sizeof record);
  return record;
}

}  // namespace duet::report
