// The run of one simulated process, read from its journal, and its renderings: stats.json (schema
// duet.stats/1), the short table on the terminal, events and push-buffer commands. Records without a bound on
// their number stay in the journal and are read again by each rendering, so a long run needs no more memory
// than a short one.
#pragma once

#include <cstring>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/readable_name.h"
#include "base/trace_detail.h"
#include "report/journal/journal.h"
#include "report/results/advice.h"
#include "report/results/check_result.h"
#include "report/results/cpu_blocks_result.h"
#include "report/results/hot_lines.h"
#include "report/results/idle_calls.h"
#include "report/results/launched_result.h"
#include "report/results/preexecution_result.h"
#include "report/results/processor_result.h"
#include "report/results/sampling_result.h"

namespace duet::report {

struct CounterIncrease {
  std::uint32_t counter;  // number in JournalHeader::counters
  std::uint64_t value;
};
struct KernelResult : KernelRecord {
  std::string name;
  std::vector<CounterIncrease> counters = {};  // the increases while it ran
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

struct Failure {  // of calls: journal.h, FailedCall
  std::string call, error, kernel;
  bool launch = false;
  std::uint64_t calls = 0, unasked = 0;
  Picoseconds first_ps = 0;
};

struct Race : RaceRecord {
  std::string reader_name, writer_name, place;  // "a.cu:7, k.ptx:12"; of copies empty
};

struct Conflict : ConflictRecord {
  std::string names[2], places[2], where;
};

// An instruction of a kernel, in all launches.
struct OutsideAccess : OutsideRecord {
  std::string kernel, place, allocation;
};

// Memory by the call that allocates it, all of the run added up; the row of the machine that counts for it.
struct AllocatedByCall {
  std::string call, method;
  std::uint64_t allocations = 0;
  Bytes bytes = 0;
};

struct RunReport {
  static constexpr std::uint64_t kRecords = 10'000;
  std::string machine;
  std::string command;
  double wall_seconds = 0;
  double program_seconds = 0;  // of these, outside of calls: the program's own, and its start; duet predict
  bool deterministic = true;
  Picoseconds simulated_ps = 0;
  std::uint64_t core_clock_khz = 0;
  std::uint64_t lost_records = 0;
  std::int32_t lost_because = 0;  // errno
  // Of all kernels, including the ones running when the process was cut off.
  std::uint64_t kernels = 0, warp_instructions = 0, thread_instructions = 0;
  std::uint64_t gpu_cycles = 0;  // core cycles with at least one running kernel
  TimeAccount account{};         // adds up to simulated_ps
  std::vector<IdleCall> idle_calls;
  // Incomplete commands at the program's end, by name, without zeros.
  Counters incomplete;
  std::vector<Mark> marks;
  std::vector<Api> api;
  std::vector<AllocatedByCall> memory;  // of machines with [[method]] rows
  std::vector<Failure> failures;        // of calls, in the order of their first
  int ended_by_duet = 0;                // 0, or Duet's own status for the program's end (124, 125)
  std::vector<std::string> faults;
  std::vector<Race> races;
  std::vector<Conflict> conflicts;
  std::vector<OutsideAccess> outside_accesses;
  CheckResult check;
  PreexecutionResult preexecution;
  CpuBlocksResult cpu_blocks;
  LaunchedResult launched;
  LinesResult lines;                       // where they were asked for
  std::optional<SamplingResult> sampling;  // sample/run_result.h
  Counters counters;                       // the machine's statistics
  Picoseconds components_ps = 0;
  std::vector<ComponentResult> components;  // as of components_ps, when nothing was outstanding
  std::vector<Advice> advice;               // advise/advise.h
  // Of a program on the machine's cores, as of its end, or of its last report.
  std::optional<ProcessorResult> processor;

  const JournalReader* journal = nullptr;
  bool cut_off = false;
  TraceDetail trace_detail = TraceDetail::None;
  Picoseconds interval_ps = 0;        // intervals were asked for: so long, or
  std::uint64_t interval_cycles = 0;  // so many core cycles
  bool all_calls = false;             // timeline.pftrace has calls behind the first ones
  std::uint64_t records = kRecords;   // kernels, and copies, one by one in stats.json
  // False for a process that was refused before anything ran: all numbers are 0.
  bool anything_ran() const;
  // In the order of their completion, then running ones.
  void for_each_kernel(const std::function<void(const KernelResult&)>& f) const;  // without counters
  void for_each_kernel_with_counters(const std::function<void(const KernelResult&)>& f) const;
  void for_each_copy(const std::function<void(const CopyRecord&)>& f) const;

  // When the process was cut off.
  void for_each_running_kernel(const std::function<void(const KernelResult&)>& f) const;
};

// `journal` has to stay as long as the report. `cut_off`: the process was ended from outside or at a limit,
// so running kernels are reported as far as they came.
RunReport read_report(const JournalReader& journal, const std::string& machine, double wall_seconds,
                      bool cut_off);

using duet::readable_name;

// The account as it is shown: its parts add up to the run.
struct TimePart {
  const char* name;  // "kernels_and_copies", in stats.json
  const char* text;  // on the terminal
  Picoseconds time_ps;
};
// Each moment of the run once: kernels and copies come before the driver, the driver before the calls.
std::vector<TimePart> moments(const TimeAccount& account);
std::vector<TimePart> critical_path(const TimeAccount& account);
// Time of an activity, beside any others.
Picoseconds busy_ps(const TimeAccount& account, Activity activity);

void write_stats_json(std::ostream& out, const RunReport& report);
std::string summary_table(const RunReport& report);
// One line when commands had not completed, though nobody cut the program off; empty otherwise.
std::string incomplete_text(const RunReport& report);
// Why the results of the process are not to be trusted, in one line: launches and other calls whose failure
// the program did not read, kernels ended by a fault. Empty when there is no such reason. A program may have
// looked at other calls' results: these alone are no reason when `quiet`.
std::string failure_text(const RunReport& report, bool quiet);
// One line a race, the first ten; empty when there are none.
std::string race_text(const RunReport& report);
// A block of lines a finding of --check, the first fifty; empty when the run checked nothing.
std::string check_text(const RunReport& report);
// One line for each instruction with accesses beside the allocations, the first ten.
std::string outside_text(const RunReport& report);
// Calls, commands, copies, kernels and blocks as Chrome trace events, for Perfetto (--events).
void write_events_json(std::ostream& out, const RunReport& report);
// The push buffer as text, one command a line (--trace-push-buffer).
void write_push_buffer(std::ostream& out, const RunReport& report);
// "device_to_host when full, empties"
std::string copy_name(const CopyRecord& copy);
const char* copy_kind_name(CopyKind kind);        // "device_to_host"
const char* outside_kind_name(OutsideKind kind);  // "read"
// The record of a type whose size is known. Throws duet::Error for another size.
template <typename Record>
Record record_as(const std::byte* bytes, std::size_t size) {
  if (size != sizeof(Record)) throw Error("journal record of an unknown size");
  Record record;
  std::memcpy(&record, bytes, sizeof record);
  return record;
}

}  // namespace duet::report
